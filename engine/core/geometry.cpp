#include "engine/core/geometry.h"

#include <algorithm>
#include <numeric>

#include "engine/core/sort_few.h"

namespace mt {

Geometry::Geometry(Sizes shape) : ndim_(static_cast<int>(shape.size())) {
  std::copy(shape.begin(), shape.end(), shape_);
  if (ndim_ == 0) shape_[ndim_++] = 0;
  // May wrap round before a size of 0.
  numel_ = static_cast<int64_t>(std::accumulate(shape_, shape_ + ndim_, uint64_t{1}, std::multiplies<uint64_t>()));
}

void Geometry::add(const Tensor& t) {
  MT_ASSERT(operands_ < max_operands);
  const int lead = ndim_ - t.dim(), bytes = size_of(t.dtype());
  for (int d = 0; d < ndim_; ++d) {
    strides_[operands_][d] = d < lead || t.size(d - lead) == 1 ? 0 : t.stride(d - lead) * bytes;
  }
  base_[operands_++] = t.bytes();
}

void Geometry::add_scalar(void* value) {
  MT_ASSERT(operands_ < max_operands);
  std::fill_n(strides_[operands_], ndim_, 0);
  base_[operands_++] = static_cast<std::byte*>(value);
}

void Geometry::collapse(bool keep_order) {
  if (numel_ == 0) {  // the other sizes may have no product
    ndim_ = 1;
    shape_[0] = 0;
    return;
  }
  int order[max_dims], count = 0;
  for (int d = 0; d < ndim_; ++d) {
    if (shape_[d] != 1) order[count++] = d;
  }
  if (count == 0) order[count++] = 0;
  if (!keep_order) {
    sort_few(order, order + count, [&](int a, int b) { return strides_[0][a] > strides_[0][b]; });
  }
  Shape shape;
  int64_t merged[max_operands][max_dims];
  for (int i = 0; i < count; ++i) {
    const int d = order[i], last = shape.size() - 1;
    bool joins = last >= 0;
    for (int k = 0; joins && k < operands_; ++k) joins = merged[k][last] == strides_[k][d] * shape_[d];
    if (joins) {
      shape[last] *= shape_[d];
      for (int k = 0; k < operands_; ++k) merged[k][last] = strides_[k][d];
    } else {
      for (int k = 0; k < operands_; ++k) merged[k][last + 1] = strides_[k][d];
      shape.push(shape_[d]);
    }
  }
  ndim_ = shape.size();
  for (int d = 0; d < ndim_; ++d) {
    shape_[d] = shape[d];
    for (int k = 0; k < operands_; ++k) strides_[k][d] = merged[k][d];
  }
}

Shape broadcast(std::string_view op, std::string_view argument, Sizes a, Sizes b) {
  Shape shape(a.size() >= b.size() ? a : b);
  const size_t n = static_cast<size_t>(shape.size());
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const int64_t x = a[a.size() - 1 - i], y = b[b.size() - 1 - i];
    if (x != y && x != 1 && y != 1) fail<Status::shape>(op, argument, b, " came, sizes that broadcast with ", a, " were expected");
    shape[static_cast<int>(n - 1 - i)] = x == 1 ? y : x;
  }
  return shape;
}

Tensor expand_to(const Tensor& t, Sizes sizes) {
  Shape strides(sizes);
  const int lead = static_cast<int>(sizes.size()) - t.dim();
  for (int d = 0; d < strides.size(); ++d) {
    strides[d] = d < lead || (t.size(d - lead) == 1 && sizes[static_cast<size_t>(d)] != 1) ? 0 : t.stride(d - lead);
  }
  Tensor view = t;
  view.set_geometry(t.offset(), sizes, strides);
  return view;
}

}  // namespace mt
