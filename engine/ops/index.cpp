#include "engine/ops/index.h"

#include <algorithm>

#include "engine/core/asynchronous.h"
#include "engine/core/geometry.h"
#include "engine/ops/changed.h"
#include "engine/ops/view.h"

namespace mt {
namespace {

template <bool gathers, bool scatters> std::string position_words(int64_t position, int64_t, int64_t size) {
  const char* const what = gathers ? "Invalid index in gather" : scatters ? "Invalid index in scatter" : "index out of range";
  return concat(what, ": position ", position, ", expected 1..", size);
}

}  // namespace

Tensor checked_index(const Call& call, int arg, int64_t size) {
  const Tensor& given = call.tensor(arg);
  if (kind_of(given.dtype()) == NumberKind::real || given.dtype() == DType::boolean)
    call.fail_at<Status::dtype>(arg, given.dtype(), ", expected torch.LongTensor: x:long() makes one");
  Tensor index = given.dtype() == DType::int64 ? contiguous(given) : to_dtype(given, DType::int64);
  if (call.is_given(0) && may_overlap(index, call.result(0))) index = clone(index);
  const std::string_view op = call.name();
  const auto words = op == "gather"    ? &position_words<true, false>
                     : op == "scatter" ? &position_words<false, true>
                                       : &position_words<false, false>;
  if (index.numel() > 0 && size == 0) call.fail_at<Status::range>(arg, words(read_element(index, index.offset()).as<int64_t>(), 0, 0));
  expect_elements({{index, 1, size, 1, false}, op, call.argument(arg), words, size});
  return index;
}

namespace {

Tensor checked_vector(const Call& call, int i, int64_t size) {
  if (call.tensor(i).dim() > 1) call.fail_at<Status::shape>(i, "Index is supposed to be a vector: ", call.tensor(i).sizes());
  return checked_index(call, i, size);
}

// Channels-last images in the order of their memory: (n, sizes…, channels), contiguous.
Tensor as_it_lies(const Tensor& images) {
  Shape sizes(images.sizes()), strides(images.strides());
  sizes.erase(1);
  strides.erase(1);
  sizes.push(images.size(1));
  strides.push(images.stride(1));
  Tensor view = images;
  view.set_geometry(images.offset(), sizes, strides);
  return view;
}

// The number of dimension `dim` in that order.
int lying(int dim, int dims) {
  if (dim == 0) return 0;
  return dim == 1 ? dims - 1 : dim - 1;
}

bool both_have_channels_last(const Tensor& a, const Tensor& b) {
  return layout_of(a) == ImageLayout::channels_last && layout_of(b) == ImageLayout::channels_last;
}

// Checks argument i, the source of indexAdd and indexCopy: it has the sizes of the tensor to write, except along dim, where it has one
// slice for each position.
void check_source(const Call& call, int i, Sizes sizes, int dim, int64_t n) {
  const Tensor& source = call.tensor(i);
  Shape wanted(sizes);
  wanted[dim] = n;
  const bool same = std::ranges::equal(source.sizes(), Sizes(wanted)) || (n == 0 && source.numel() == 0);
  if (!same)
    call.fail_at<Status::shape>(i, source.sizes(), ", expected ", Sizes(wanted), ": number of indices should be equal to source:size(dim)");
}

void put_slices(Call& call, Write write) {
  const Tensor& x = call.tensor(0);
  const int dim = call.dim(1, x.dim());
  const Tensor index = checked_vector(call, 2, x.size(dim));
  check_source(call, 3, x.sizes(), dim, index.numel());
  const Tensor out = changed(call), source = apart(call.tensor(3), out);
  if (source.numel() > 0) call.launch<PutSlicesPlan>(out, index, source, dim, write);
  call.finish(0, out);
}

// Checks argument i, an index that exceeds a tensor of these sizes only along dim.
void check_lines(const Call& call, Sizes sizes, int dim, int i) {
  const Tensor& index = call.tensor(i);
  bool fits = static_cast<size_t>(index.dim()) == sizes.size();
  for (int d = 0; fits && d < index.dim(); ++d) fits = d == dim || index.size(d) <= sizes[static_cast<size_t>(d)];
  if (!fits) call.fail_at<Status::shape>(i, index.sizes(), ", expected sizes like ", sizes, " except along dimension ", Dim{dim});
}

void put_elements(Call& call, Write write) {
  const Tensor& x = call.tensor(0);
  const int dim = call.dim(1, x.dim());
  check_lines(call, x.sizes(), dim, 2);
  const Tensor index = checked_index(call, 2, x.size(dim));
  const Value& value = call.arg(3);
  if (value.is_tensor()) {
    bool fits = value.tensor->dim() == index.dim();
    for (int d = 0; fits && d < index.dim(); ++d) fits = index.size(d) <= value.tensor->size(d);
    if (!fits) call.fail_at<Status::shape>(3, value.tensor->sizes(), ", expected at least the sizes of index, ", index.sizes());
  }
  const Tensor out = changed(call);
  Tensor source;
  if (value.is_tensor()) {
    source = apart(*value.tensor, out);
    source.set_geometry(source.offset(), index.sizes(), source.strides());
  } else {
    source = expand_to(one_element(value, out.dtype(), call.device), index.sizes());
  }
  if (index.numel() > 0) call.launch<ScatterPlan>(out, index, source, dim, write);
  call.finish(0, out);
}

}  // namespace

void plan_index(Call& call) {
  const Tensor& given = call.tensor(0);
  const int dim = call.dim(1, given.dim());
  const Tensor index = checked_vector(call, 2, given.size(dim));
  Shape sizes(given.sizes());
  sizes[dim] = index.numel();
  const Tensor out = call.output(0, given.dtype(), sizes, {.layout = layout_of(given)});
  if (out.numel() > 0) {
    if (both_have_channels_last(given, out))
      call.launch<TakeSlicesPlan>(as_it_lies(given), index, as_it_lies(out), lying(dim, given.dim()));
    else
      call.launch<TakeSlicesPlan>(given, index, out, dim);
  }
  call.finish(0, out);
}

void plan_index_add(Call& call) { put_slices(call, Write::add); }
void plan_index_copy(Call& call) { put_slices(call, Write::replace); }

void plan_index_grad(Call& call) {
  const Tensor g = call.tensor(0);
  const Sizes sizes = call.sizes(1);
  const int dim = call.dim(2, static_cast<int>(sizes.size()));
  const Tensor index = checked_vector(call, 3, sizes[static_cast<size_t>(dim)]);
  check_source(call, 0, sizes, dim, index.numel());
  const Tensor out = zero_output(call, g.dtype(), sizes, layout_of(g));
  if (g.numel() > 0) {
    if (both_have_channels_last(g, out))
      call.launch<PutSlicesPlan>(as_it_lies(out), index, as_it_lies(g), lying(dim, g.dim()), Write::add);
    else
      call.launch<PutSlicesPlan>(out, index, g, dim, Write::add);
  }
  call.finish(0, out);
}

void plan_index_fill(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = call.dim(1, x.dim());
  const Tensor index = checked_vector(call, 2, x.size(dim));
  const Tensor out = changed(call);
  if (out.numel() > 0 && index.numel() > 0) call.launch<FillSlicesPlan>(out, index, dim, element_as(call.arg(3), out.dtype()));
  call.finish(0, out);
}

void plan_gather(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = call.dim(1, x.dim());
  check_lines(call, x.sizes(), dim, 2);
  const Tensor index = checked_index(call, 2, x.size(dim));
  const Tensor out = call.output(0, x.dtype(), index.sizes());
  if (out.numel() > 0) call.launch<GatherPlan>(x, index, out, dim);
  call.finish(0, out);
}

void plan_gather_grad(Call& call) {
  const Tensor g = call.tensor(0);
  const Sizes sizes = call.sizes(1);
  const int dim = call.dim(2, static_cast<int>(sizes.size()));
  const Tensor index = checked_index(call, 3, sizes[static_cast<size_t>(dim)]);
  if (!std::ranges::equal(g.sizes(), index.sizes()))
    call.fail_at<Status::shape>(0, g.sizes(), ", expected the sizes of index, ", index.sizes());
  check_lines(call, sizes, dim, 3);
  const Tensor out = zero_output(call, g.dtype(), sizes);
  if (index.numel() > 0) call.launch<ScatterPlan>(out, index, g, dim, Write::add);
  call.finish(0, out);
}

void plan_scatter(Call& call) { put_elements(call, Write::replace); }
void plan_scatter_add(Call& call) { put_elements(call, Write::add); }

void plan_take(Call& call) {
  const Tensor x = contiguous(call.tensor(0));
  const Tensor index = checked_index(call, 1, x.numel());
  const Tensor out = call.output(0, x.dtype(), index.sizes(), {.dense = true});
  if (index.numel() > 0) {
    if (x.dim() == 1 && index.dim() == 1)
      call.launch<TakeSlicesPlan>(x, index, out, 0);
    else
      call.launch<TakeSlicesPlan>(flat(x), flat(index), flat(out), 0);
  }
  call.finish(0, out);
}

}  // namespace mt
