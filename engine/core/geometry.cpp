#include "engine/core/geometry.h"

#include <algorithm>
#include <numeric>

#include "engine/core/sort_few.h"

namespace mt {

Geometry::Geometry(Sizes shape) : ndim_(static_cast<int>(shape.size())) {
  std::copy(shape.begin(), shape.end(), shape_);
  if (ndim_ == 0) shape_[ndim_++] = 0;
  make_room(ndim_);
  // May wrap around before a size of 0.
  numel_ = static_cast<int64_t>(std::accumulate(shape_, shape_ + ndim_, uint64_t{1}, std::multiplies<uint64_t>()));
}

void Geometry::make_room(int dims) {
  room_ = dims;
  if (dims * max_operands > most_inline) many_.reset(new int64_t[static_cast<size_t>(dims) * max_operands]);
  strides_ = dims * max_operands > most_inline ? many_.get() : inline_strides_;
}

void Geometry::assign(const Geometry& other) {
  make_room(other.ndim_);
  ndim_ = other.ndim_;
  operands_ = other.operands_;
  scalar_operands_ = other.scalar_operands_;
  numel_ = other.numel_;
  addresses_.assign(other.addresses_, operands_);
  std::copy_n(other.shape_, ndim_, shape_);
  for (int k = 0; k < operands_; ++k) {
    std::copy_n(other.strides_ + k * other.room_, ndim_, strides_of(k));
    if (is_scalar(k)) scalars_[k] = other.scalars_[k];
  }
}

void Geometry::add(const Tensor& t) {
  MT_ASSERT(operands_ < max_operands);
  const int lead = ndim_ - t.dim(), bytes = size_of(t.dtype());
  int64_t* const strides = strides_of(operands_);
  for (int d = 0; d < ndim_; ++d) strides[d] = d < lead || t.size(d - lead) == 1 ? 0 : t.stride(d - lead) * bytes;
  addresses_.set(operands_++, t);
}

void Geometry::add_scalar(const ScalarValue& value) {
  MT_ASSERT(operands_ < max_operands);
  std::fill_n(strides_of(operands_), ndim_, 0);
  scalar_operands_ |= 1u << operands_;
  scalars_[operands_] = value;
  addresses_.set(operands_++, nullptr);
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
    sort_few(order, order + count, [&](int a, int b) { return strides_[a] > strides_[b]; });
  }
  Shape shape;
  int64_t merged[max_operands][max_dims];
  for (int i = 0; i < count; ++i) {
    const int d = order[i], last = shape.size() - 1;
    bool joins = last >= 0;
    for (int k = 0; joins && k < operands_; ++k) joins = merged[k][last] == stride(k, d) * shape_[d];
    if (joins) {
      shape[last] *= shape_[d];
      for (int k = 0; k < operands_; ++k) merged[k][last] = stride(k, d);
    } else {
      for (int k = 0; k < operands_; ++k) merged[k][last + 1] = stride(k, d);
      shape.push(shape_[d]);
    }
  }
  ndim_ = shape.size();
  for (int d = 0; d < ndim_; ++d) {
    shape_[d] = shape[d];
    for (int k = 0; k < operands_; ++k) strides_of(k)[d] = merged[k][d];
  }
}

Shape broadcast(std::string_view op, std::string_view argument, Sizes a, Sizes b) {
  Shape shape(a.size() >= b.size() ? a : b);
  const size_t n = static_cast<size_t>(shape.size());
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const int64_t x = a[a.size() - 1 - i], y = b[b.size() - 1 - i];
    if (x != y && x != 1 && y != 1) fail<Status::shape>(op, argument, b, ", expected sizes that broadcast with ", a);
    shape[static_cast<int>(n - 1 - i)] = x == 1 ? y : x;
  }
  return shape;
}

bool broadcasts_to(Sizes from, Sizes to) {
  if (from.size() > to.size()) return false;
  const Sizes last = to.last(from.size());
  return std::ranges::equal(from, last, [](int64_t a, int64_t b) { return a == 1 || a == b; });
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
