// The plans of the ops in view-inl.h: they rebind geometry, or copy.
#include "engine/ops/view.h"

#include <string>

#include "engine/core/built.h"
#include "engine/core/geometry.h"
#include "engine/core/registry.h"
#include "engine/ops/accumulate.h"
#include "engine/ops/changed.h"
#include "engine/ops/common_dtype.h"

namespace mt {

Tensor narrowed(const Tensor& x, int dim, int64_t first, int64_t length) {
  Shape sizes(x.sizes());
  sizes[dim] = length;
  Tensor view = x;
  view.set_geometry(x.offset() + first * x.stride(dim), sizes, x.strides());
  return view;
}

Tensor flat(const Tensor& x) {
  Tensor view = x;
  view.set_geometry(x.offset(), Shape{x.numel()}, Shape{1});
  return view;
}

namespace {

#include "engine/ops/view-inl.h"

Tensor with_geometry(const Tensor& x, int64_t offset, Sizes sizes, Sizes strides) {
  Tensor view = x;
  view.set_geometry(offset, sizes, strides);
  return view;
}

// Sets the result to a part of x. A new tensor is bound to it directly.
void give_part(Call& call, const Tensor& x, int64_t offset, Sizes sizes, Sizes strides) {
  if (call.is_given(0)) return call.give(0, with_geometry(x, offset, sizes, strides));
  Tensor& result = call.result(0);
  result.set_type(x.dtype(), x.device());
  result.set_storage(x.storage_ptr(), offset, sizes, strides);
  result.interpret_as(x.dtype());
}

// Argument i, a position along a dimension of `size`; -1 in the call (-2 here) is the last.
int64_t position(const Call& call, int i, int64_t size) {
  const int64_t given = call.integer(i), from_first = given < -1 ? given + 1 + size : given;
  if (from_first < 0 || from_first >= size) {
    call.fail_at<Status::range>(i, given + 1, " is out of range, the dimension has ", size, " slices");
  }
  return from_first;
}

void narrow(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = call.dim(1, x.dim());
  const int64_t size = x.size(dim), length = call.integer(3);
  const bool at_end = call.integer(2) == size && length == 0;
  const int64_t first = at_end ? size : position(call, 2, size);
  if (length < 0 || length > size - first) {
    call.fail_at<Status::range>(3, length, " slices from ", first + 1, " are out of range, dimension ", Dim{dim}, " of ", x.sizes());
  }
  Shape sizes(x.sizes());
  sizes[dim] = length;
  give_part(call, x, x.offset() + first * x.stride(dim), sizes, x.strides());
}

// The dimension to select from. A vector has one element at an index for any dimension, as in Torch7: loops over rows and columns of a
// matrix rely on it.
int selected_dim(const Call& call, int i, int ndim) { return ndim == 1 ? 0 : call.dim(i, ndim); }

void select(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = selected_dim(call, 1, x.dim());
  const int64_t at = position(call, 2, x.size(dim));
  call.as_number = x.dim() == 1;
  if (call.as_number) {
    give_part(call, x, x.offset() + at * x.stride(0), Shape{1}, x.strides());
    return;
  }
  int64_t sizes[max_dims], strides[max_dims];
  size_t rest = 0;
  for (int d = 0; d < x.dim(); ++d) {
    if (d == dim) continue;
    sizes[rest] = x.size(d);
    strides[rest++] = x.stride(d);
  }
  give_part(call, x, x.offset() + at * x.stride(dim), {sizes, rest}, {strides, rest});
}

Tensor transposed(const Tensor& x, int a, int b) {
  Shape sizes(x.sizes()), strides(x.strides());
  std::swap(sizes[a], sizes[b]);
  std::swap(strides[a], strides[b]);
  return with_geometry(x, x.offset(), sizes, strides);
}

// The parts of complex numbers: `part` 0 the real ones, 1 the imaginary ones.
Tensor parts_of(const Tensor& z, int part) {
  Shape strides(z.strides());
  for (int d = 0; d < strides.size(); ++d) strides[d] *= 2;
  Tensor parts = with_geometry(z, 2 * z.offset() + part, z.sizes(), strides);
  parts.interpret_as(real_part_of(z.dtype()));
  return parts;
}

void complex_numbers(Call& call) {
  if (!has_complex_dtypes) fail<Status::unsupported>("complex", "", "complex numbers, which this build lacks");
  const Tensor* first = nullptr;
  DType dtype = DType::float64;
  Shape shape{1};
  for (int i = 0; i < 2; ++i) {
    if (!call.arg(i).is_tensor()) continue;
    const Tensor& part = call.tensor(i);
    if (!number_dtypes.contains(part.dtype())) call.fail_at<Status::dtype>(i, part.dtype(), ", expected a tensor of real numbers");
    dtype = promote(first == nullptr ? DType::float32 : dtype, float_for(part.dtype()));
    if (first != nullptr && (part.dim() == 0) != (shape.size() == 0))
      call.fail_at<Status::shape>(i, part.sizes(), ", expected sizes that broadcast with ", Sizes(shape));
    shape = first == nullptr ? Shape(part.sizes()) : broadcast(call.name(), call.argument(i), shape, part.sizes());
    first = &part;
  }
  call.as_number = first == nullptr;
  const Tensor out = call.output(0, complex_of(dtype), shape);
  for (int i = 0; i < 2 && out.numel() > 0; ++i) {
    Tensor part = parts_of(out, i);
    if (call.arg(i).is_tensor())
      copy(part, expand_to(call.tensor(i), shape));
    else
      fill(part, element_as(call.arg(i), dtype));
  }
  call.finish(0, out);
}

void expect_complex(const Call& call) {
  if (!complex_dtypes.contains(call.tensor(0).dtype()))
    call.fail_at<Status::dtype>(0, call.tensor(0).dtype(), ", expected a tensor of complex numbers");
}

void real_part(Call& call) {
  const Tensor& z = call.tensor(0);
  call.give(0, complex_dtypes.contains(z.dtype()) ? parts_of(z, 0) : z);
}

void imaginary_part(Call& call) {
  expect_complex(call);
  call.give(0, parts_of(call.tensor(0), 1));
}

void view_as_real(Call& call) {
  expect_complex(call);
  Tensor view = parts_of(call.tensor(0), 0);
  Shape sizes(view.sizes()), strides(view.strides());
  if (sizes.size() == max_dims) call.fail_at<Status::shape>(0, view.sizes(), ", expected at most ", max_dims - 1, " dimensions");
  if (sizes.size() > 0) {
    sizes.push(2);
    strides.push(1);
  }
  view.set_geometry(view.offset(), sizes, strides);
  call.give(0, view);
}

void view_as_complex(Call& call) {
  const Tensor& x = call.tensor(0);
  const DType dtype = x.dtype();
  if (!has_complex_dtypes) call.fail_at<Status::unsupported>(0, "complex numbers, which this build lacks");
  if (dtype != DType::float32 && dtype != DType::float64)
    call.fail_at<Status::dtype>(0, dtype, ", expected a torch.FloatTensor or a torch.DoubleTensor");
  const int last = x.dim() - 1;
  if (last < 1 || x.size(last) != 2) call.fail_at<Status::shape>(0, x.sizes(), ", expected 2 dimensions or more, the last one of size 2");
  Shape sizes(x.sizes().first(static_cast<size_t>(last))), strides(x.strides().first(static_cast<size_t>(last)));
  bool pairs = x.stride(last) == 1 && x.offset() % 2 == 0;
  for (int d = 0; d < last; ++d) {
    pairs = pairs && (strides[d] % 2 == 0 || sizes[d] == 1);
    strides[d] /= 2;
  }
  if (!pairs)
    call.fail_at<Status::shape>(0, "strides ", x.strides(), " and offset ", x.offset() + 1,
                                ", expected pairs of adjacent numbers: x:contiguous() or x:clone() has them");
  Tensor view = with_geometry(x, x.offset() / 2, sizes, strides);
  view.interpret_as(complex_of(dtype));
  call.give(0, view);
}

void transpose(Call& call) {
  const Tensor& x = call.tensor(0);
  call.give(0, transposed(x, call.dim(1, x.dim()), call.dim(2, x.dim())));
}

void t(Call& call) {
  const Tensor& x = call.tensor(0);
  if (x.dim() != 2) call.fail_at<Status::shape>(0, "Tensor must have 2 dimensions: ", x.sizes());
  call.give(0, transposed(x, 0, 1));
}

void permute(Call& call) {
  const Tensor& x = call.tensor(0);
  const Sizes dims = call.sizes(1);
  Shape sizes, strides;
  bool used[max_dims] = {};
  bool valid = dims.size() == static_cast<size_t>(x.dim());
  for (size_t i = 0; valid && i < dims.size(); ++i) {
    const int64_t d = dims[i] < 0 ? dims[i] + x.dim() : dims[i];  // -1 is the last one
    valid = d >= 0 && d < x.dim() && !used[d];
    if (!valid) break;
    used[d] = true;
    sizes.push(x.size(d));
    strides.push(x.stride(d));
  }
  if (!valid)
    call.fail_at<Status::range>(1, "Invalid permutation: ", CountedList{dims}, " for the ", x.dim(), " dimensions of ", x.sizes());
  call.give(0, with_geometry(x, x.offset(), sizes, strides));
}

// Sizes as Torch7's messages show them: 2x3.
std::string by_x(Sizes sizes) {
  std::string text;
  for (const int64_t size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

// The requested sizes of a tensor of n elements, with a -1 among them computed.
Shape inferred(const Call& call, int argument, Sizes wanted, int64_t n) {
  Shape sizes(wanted);
  int64_t known = 1;
  int open = -1;
  for (int i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      if (open >= 0) call.fail_at(argument, wanted, ": Only one of torch.view dimensions can be -1.");
      open = i;
    } else if (sizes[i] < 0) {
      call.fail_at<Status::range>(argument, "size ", sizes[i], " of dimension ", Dim{i}, " is negative");
    } else if (__builtin_mul_overflow(known, sizes[i], &known)) {
      call.fail_at<Status::shape>(argument, wanted, " does not fit in 64 bits");
    }
  }
  if (sizes.size() == 0) known = 0;
  const Sizes x_sizes = call.tensor(0).sizes();
  if (open >= 0) {
    if (known == 0 || n % known != 0)
      call.fail_at(argument, wanted, ", the ", n, " elements of ", x_sizes, " are not a multiple of all elements of the other sizes");
    sizes[open] = n / known;
  } else if (known != n) {
    call.fail_at<Status::shape>(argument, "Wrong size for ", call.name(), ". Input size: ", by_x(x_sizes), ". Output size: ", by_x(wanted));
  }
  return sizes;
}

// Sets the strides of a view of x, which has elements, with other sizes of as many elements. Returns false if there is none: dimensions of
// x whose elements are not equally far apart are not parts of one dimension.
bool find_strides(const Tensor& x, const Shape& sizes, Shape& strides) {
  int at = sizes.size() - 1;
  int d = x.dim() - 1;
  while (d >= 0) {
    const int64_t step = x.stride(d);
    int64_t run = x.size(d--);  // elements of dimensions that are equally far apart
    for (; d >= 0 && (x.size(d) == 1 || x.stride(d) == step * run); --d) run *= x.size(d);
    int64_t filled = 1;
    for (; filled < run && at >= 0; --at) {
      strides[at] = step * filled;
      filled *= sizes[at];
    }
    if (filled != run) return false;
  }
  for (; at >= 0; --at) strides[at] = at + 1 < sizes.size() ? strides[at + 1] * sizes[at + 1] : 1;  // of size 1
  return true;
}

void give_view(Call& call, int argument, Sizes wanted) {
  const Tensor& x = call.tensor(0);
  const Shape sizes = inferred(call, argument, wanted, x.numel());
  Shape strides(sizes);
  if (x.is_contiguous())
    contiguous_strides(sizes, &strides[0]);
  else if (!find_strides(x, sizes, strides))
    call.fail_at(0, "a tensor with strides ", x.strides(), ", expecting a contiguous tensor (call contiguous first)");
  call.give(0, with_geometry(x, x.offset(), sizes, strides));
}

void view(Call& call) { give_view(call, 1, call.sizes(1)); }
void view_as(Call& call) { give_view(call, 1, call.tensor(1).sizes()); }

void reshape(Call& call) {
  const Tensor& x = call.tensor(0);
  const Shape sizes = inferred(call, 1, call.sizes(1), x.numel());
  const Tensor out = call.output(0, x.dtype(), sizes);
  if (x.numel() > 0) copy(out, x);
  call.finish(0, out);
}

void give_expanded(Call& call, Sizes wanted) {
  const Tensor& x = call.tensor(0);
  Shape sizes(wanted);
  const int lead = sizes.size() - x.dim();
  if (lead < 0 || x.dim() == 0)
    call.fail_at<Status::shape>(1, wanted, " for ", x.sizes(), ": the number of dimensions provided must equal tensor:dim()");
  for (int d = 0; d < sizes.size(); ++d) {
    if (d >= lead && sizes[d] == -1) sizes[d] = x.size(d - lead);
    if (d < lead ? sizes[d] < 0 : x.size(d - lead) != sizes[d] && (x.size(d - lead) != 1 || sizes[d] < 0)) {
      call.fail_at<Status::shape>(1, wanted, " for ", x.sizes(), ": incorrect size: only supporting singleton expansion (size=1)");
    }
  }
  checked_product(call.name(), sizes);
  call.give(0, expand_to(x, sizes));
}

void expand(Call& call) { give_expanded(call, call.sizes(1)); }
void expand_as(Call& call) { give_expanded(call, call.tensor(1).sizes()); }

void squeeze(Call& call) {
  const Tensor& x = call.tensor(0);
  const int only = call.has(1) ? call.dim(1, x.dim()) : -1;
  Shape sizes, strides;
  for (int d = 0; d < x.dim(); ++d) {
    if (x.size(d) == 1 && (only < 0 || d == only)) continue;
    sizes.push(x.size(d));
    strides.push(x.stride(d));
  }
  call.as_number = sizes.size() == 0 && x.dim() > 0;
  if (call.as_number) {
    sizes.push(1);
    strides.push(1);
  }
  call.give(0, with_geometry(x, x.offset(), sizes, strides));
}

void unsqueeze(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = call.dim(1, x.dim() + 1);
  if (x.dim() == 0) call.fail_at<Status::shape>(0, "a tensor without dimension, expected one at least");
  Shape sizes(x.sizes()), strides(x.strides());
  sizes.insert(dim, 1);
  strides.insert(dim, dim < x.dim() ? x.size(dim) * x.stride(dim) : 1);
  call.give(0, with_geometry(x, x.offset(), sizes, strides));
}

void unfold(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = call.dim(1, x.dim());
  const int64_t size = call.integer(2), step = call.integer(3);
  if (size < 1 || size > x.size(dim))
    call.fail_at<Status::range>(2, size, ", expected 1 to ", x.size(dim), ", dimension ", Dim{dim}, " of ", x.sizes());
  if (step < 1) call.fail_at<Status::range>(3, step, ", expected 1 or more");
  Shape sizes(x.sizes()), strides(x.strides());
  sizes.push(size);
  strides.push(x.stride(dim));
  sizes[dim] = (x.size(dim) - size) / step + 1;
  if (__builtin_mul_overflow(x.stride(dim), step, &strides[dim])) strides[dim] = 0;  // then there is one window
  call.give(0, with_geometry(x, x.offset(), sizes, strides));
}

void contiguous_op(Call& call) { call.give(0, contiguous(call.tensor(0))); }

void channels_last(Call& call) {
  const Tensor& x = call.tensor(0);
  if (x.dim() != 4 && x.dim() != 5)
    call.fail_at<Status::shape>(0, x.sizes(), ", expected (n, channels, height, width) or (n, channels, depth, height, width)");
  call.give(0, with_layout(x, x.dtype(), ImageLayout::channels_last));
}

// The part of x that argument i selects by a first and a last position for each dimension.
Tensor subrange(const Call& call, const Tensor& x, int i) {
  const Sizes ranges = call.sizes(i);
  if (ranges.empty() || ranges.size() % 2 != 0)
    call.fail_at<Status::shape>(i, CountedList{ranges}, ", expected a first and a last position for each dimension");
  if (static_cast<int>(ranges.size()) > 2 * x.dim())
    call.fail_at<Status::shape>(i, ranges.size() / 2, " ranges, expected one for each of the ", x.dim(), " dimensions of ", x.sizes());
  Tensor view = x;
  for (size_t k = 0; k < ranges.size(); k += 2) {
    const auto dim = static_cast<int>(k / 2);
    const int64_t size = x.size(dim), first = ranges[k] < 0 ? ranges[k] + size : ranges[k],
                  last = ranges[k + 1] < 0 ? ranges[k + 1] + size : ranges[k + 1];
    const Counted shown_first{ranges[k]}, shown_last{ranges[k + 1]};
    if (first < 0 || first >= size || last < 0 || last >= size) {
      call.fail_at<Status::range>(i, shown_first, "..", shown_last, " is out of range, dimension ", Dim{dim}, " of ", x.sizes());
    }
    if (last < first)
      call.fail_at<Status::range>(i, shown_first, "..", shown_last, " for dimension ", Dim{dim}, ", end smaller than beginning");
    view = narrowed(view, dim, first, last - first + 1);
  }
  return view;
}

void sub(Call& call) { call.give(0, subrange(call, call.tensor(0), 1)); }

// Whether positions that follow from sizes and strides, without negative ones, are below `end`.
bool reaches(Sizes sizes, Sizes strides, int64_t offset, int64_t end) {
  int64_t last = offset;
  bool fits = offset >= 0 && offset <= end, is_empty = false;
  for (size_t d = 0; d < sizes.size(); ++d) {
    int64_t reach = 0;
    is_empty = is_empty || sizes[d] == 0;
    fits = fits && sizes[d] >= 0 && strides[d] >= 0 &&
           (sizes[d] == 0 || (!__builtin_mul_overflow(sizes[d] - 1, strides[d], &reach) && !__builtin_add_overflow(last, reach, &last)));
  }
  return fits && (is_empty || last < end);
}

void as_strided(Call& call) {
  const Tensor& x = call.tensor(0);
  const Sizes sizes = call.sizes(1), strides = call.sizes(2);
  if (sizes.size() != strides.size()) call.fail_at<Status::shape>(2, strides, ", expected a stride for each of ", sizes);
  if (x.storage() == nullptr) call.fail_at<Status::shape>(0, "a tensor without storage, expected one with elements");
  const int64_t offset = call.integer(3);
  if (x.dtype() == x.storage()->dtype) return call.give(0, Tensor::over(x.storage_ptr(), offset, sizes, strides));
  // A view of the parts of complex numbers, or of parts as complex numbers: positions count elements of x's type.
  const int64_t elements = x.storage()->size * size_of(x.storage()->dtype) / size_of(x.dtype());
  checked_product(call.name(), sizes);
  if (!reaches(sizes, strides, offset, elements))
    call.fail_at<Status::shape>(1, sizes, " with strides ", strides, " from ", offset + 1, ", expected positions up to ", elements);
  call.give(0, with_geometry(x, offset, sizes, strides));
}

// A view of the elements of a contiguous tensor as a vector, with the sizes, strides and offset in the call's arguments from `first` on.
Tensor strided_part(const Call& call, const Tensor& x, int first) {
  const Sizes sizes = call.sizes(first), strides = call.sizes(first + 1);
  const int64_t offset = call.integer(first + 2);
  if (sizes.size() != strides.size()) call.fail_at<Status::shape>(first + 1, strides, ", expected a stride for each of ", sizes);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0 || strides[d] < 0) call.fail_at<Status::range>(first, sizes, " with strides ", strides, ", expected no negative ones");
  }
  checked_product(call.name(), sizes);
  if (!reaches(sizes, strides, offset, x.numel()))
    call.fail_at<Status::range>(first, sizes, " with strides ", strides, " from ", offset + 1, ", expected elements of ", x.sizes());
  return with_geometry(x, x.offset() + offset, sizes, strides);
}

void strided_view(Call& call) {
  const Tensor x = contiguous(call.tensor(0));
  if (x.storage() == nullptr) call.fail_at<Status::shape>(0, "a tensor without storage, expected one with elements");
  call.give(0, strided_part(call, x, 1));
}

void strided_scatter(Call& call) {
  const Tensor &x = call.tensor(0), &y = call.tensor(1);
  if (x.storage() == nullptr) call.fail_at<Status::shape>(0, "a tensor without storage, expected one with elements");
  if (x.dtype() != y.dtype()) call.fail_at<Status::dtype>(1, y.dtype(), ", expected ", x.dtype());
  const Tensor out = call.output(0, x.dtype(), x.sizes(), {.dense = true});
  const Tensor part = strided_part(call, out, 2);
  if (!std::ranges::equal(part.sizes(), y.sizes())) call.fail_at<Status::shape>(1, y.sizes(), ", expected ", part.sizes());
  const Tensor source = may_overlap(y, out) ? clone(y) : y;
  copy(out, x);
  if (part.numel() > 0) copy(part, source);
  call.finish(0, out);
}

// Diagonal k of a matrix, as a view.
Tensor diagonal(const Tensor& x, int64_t k) {
  const int64_t rows = x.size(0) - std::max<int64_t>(-k, 0), columns = x.size(1) - std::max<int64_t>(k, 0);
  const int64_t first = k >= 0 ? k * x.stride(1) : -k * x.stride(0);
  return with_geometry(x, x.offset() + first, Shape{std::min(rows, columns)}, Shape{x.stride(0) + x.stride(1)});
}

void diag(Call& call) {
  const Tensor& x = call.tensor(0);
  const int64_t k = call.integer(1);
  if (x.dim() == 2) {
    if (k <= -x.size(0) || k >= x.size(1)) call.fail_at<Status::range>(1, "diagonal ", k, ", expected one of ", x.sizes());
    const Tensor from = diagonal(x, k), out = call.output(0, x.dtype(), from.sizes());
    if (from.numel() > 0) copy(out, from);
    call.finish(0, out);
    return;
  }
  if (x.dim() != 1) call.fail_at<Status::shape>(0, x.sizes(), ", expected 1 or 2 dimensions");
  constexpr int64_t limit = int64_t{1} << 31;
  if (k <= -limit || k >= limit) call.fail_at(1, "diagonal ", k, ", which needs more memory than there is");
  const int64_t n = x.size(0) + std::abs(k);
  const Tensor out = zero_output(call, x.dtype(), Shape{n, n});
  if (x.numel() > 0) copy(diagonal(out, k), x);
  call.finish(0, out);
}

void repeat_tensor(Call& call) {
  const Tensor& x = call.tensor(0);
  const Sizes counts = call.sizes(1);
  const int dims = static_cast<int>(counts.size()), lead = dims - x.dim();
  if (x.dim() == 0 || lead < 0)
    call.fail_at<Status::shape>(1, counts, ", expected at least ", std::max(x.dim(), 1), " counts for ", x.sizes());
  // Each dimension is split into count x size: a view of the result with that shape receives x, expanded.
  Shape sizes;
  for (int d = 0; d < dims; ++d) {
    const int64_t size = d < lead ? 1 : x.size(d - lead), count = counts[static_cast<size_t>(d)];
    int64_t whole;
    if (count < 0 || __builtin_mul_overflow(size, count, &whole))
      call.fail_at<Status::shape>(1, counts, " for ", x.sizes(), ", which can't be");
    sizes.push(whole);
  }
  const Tensor out = call.output(0, x.dtype(), sizes);
  if (out.numel() > 0) {
    Shape to_sizes, to_strides, from_strides;
    for (int d = 0; d < dims; ++d) {
      const int64_t size = d < lead ? 1 : x.size(d - lead), count = counts[static_cast<size_t>(d)];
      if (count > 1) {
        to_sizes.push(count);
        to_strides.push(size * out.stride(d));
        from_strides.push(0);
      }
      if (size > 1) {
        to_sizes.push(size);
        to_strides.push(out.stride(d));
        from_strides.push(d < lead ? 0 : x.stride(d - lead));
      }
    }
    if (to_sizes.size() == 0) {
      to_sizes.push(1);
      to_strides.push(1);
      from_strides.push(1);
    }
    copy(with_geometry(out, out.offset(), to_sizes, to_strides), with_geometry(x, x.offset(), to_sizes, from_strides));
  }
  call.finish(0, out);
}

// Sets the result to zeros with the sizes in argument 1.
Tensor zeros(const Call& call, ImageLayout layout = ImageLayout::channels_first) {
  return zero_output(call, call.tensor(0).dtype(), call.sizes(1), layout);
}

// Copies g into slices of `whole` along a dimension, from the position in argument 3.
void put(const Call& call, const Tensor& whole, int dim, int64_t length, const Tensor& g) {
  const int64_t first = length == 0 ? 0 : position(call, 3, whole.size(dim));
  if (length > whole.size(dim) - first) {
    call.fail_at<Status::range>(3, length, " slices from ", first + 1, " are out of range, dimension ", Dim{dim}, " of ", whole.sizes());
  }
  const Tensor part = narrowed(whole, dim, first, length);
  if (!std::ranges::equal(part.sizes(), g.sizes())) call.fail_at<Status::shape>(0, g.sizes(), ", expected ", part.sizes());
  if (g.numel() > 0) copy(part, g);
  call.finish(0, whole);
}

void narrow_grad(Call& call) {
  const Tensor g = call.tensor(0);
  const int dims = static_cast<int>(call.sizes(1).size()), dim = call.dim(2, dims);
  if (g.dim() != dims) call.fail_at<Status::shape>(0, g.sizes(), ", expected ", dims, " dimensions");
  put(call, zeros(call, layout_of(g)), dim, g.size(dim), g);
}

void select_grad(Call& call) {
  Tensor g = call.tensor(0);
  const int dims = static_cast<int>(call.sizes(1).size()), dim = selected_dim(call, 2, dims);
  if (dims > 1) {  // a vector's gradient already is one element
    if (g.dim() != dims - 1) call.fail_at<Status::shape>(0, g.sizes(), ", expected ", dims - 1, " dimensions");
    Shape sizes(g.sizes()), strides(g.strides());
    sizes.insert(dim, 1);
    strides.insert(dim, 1);
    g.set_geometry(g.offset(), sizes, strides);
  }
  put(call, zeros(call), dim, 1, g);
}

void sub_grad(Call& call) {
  const Tensor g = call.tensor(0), whole = zeros(call), part = subrange(call, whole, 2);
  if (!std::ranges::equal(part.sizes(), g.sizes())) call.fail_at<Status::shape>(0, g.sizes(), ", expected ", part.sizes());
  if (g.numel() > 0) copy(part, g);
  call.finish(0, whole);
}

// Runs an op and returns its one result, a new tensor.
Tensor result_of(const Op& op, std::span<Value> args) {
  Tensor made;
  Tensor* results[] = {&made};
  Call call{op, args, results};
  run_op(call);
  return made;
}

// The sum along a dimension; if all slices are the same memory, one slice, and `repeats` is multiplied by their number.
Tensor summed(Tensor& g, int dim, double& repeats) {
  static const Op& sum = *Registry::instance().find("sum");
  if (g.stride(dim) == 0 && g.size(dim) > 0) {
    repeats *= static_cast<double>(g.size(dim));
    return narrowed(g, dim, 0, 1);
  }
  Value args[] = {Value(g), Value()};
  args[1].type = Value::Type::integer;
  args[1].integer = dim;
  return result_of(sum, args);
}

void expand_grad(Call& call) {
  static const Op& mul = *Registry::instance().find("mul");
  Tensor g = call.tensor(0);
  const Sizes wanted = call.sizes(1);
  if (g.dtype() == DType::boolean) call.fail_at<Status::dtype>(0, g.dtype(), ", expected a tensor of numbers");
  if (checked_product(call.name(), wanted) != g.numel()) {
    const int extra = g.dim() - static_cast<int>(wanted.size());
    const auto refuse = [&] { call.fail_at<Status::shape>(0, call.tensor(0).sizes(), ", expected sizes to which ", wanted, " expands"); };
    if (extra < 0) refuse();
    double repeats = 1;
    for (int d = 0; d < g.dim(); ++d) {
      const int64_t size = d < extra ? 1 : wanted[static_cast<size_t>(d - extra)];
      if (size == g.size(d)) continue;
      if (size != 1) refuse();
      g = summed(g, d, repeats);
    }
    if (repeats != 1) {
      Value args[] = {Value(g), Value(repeats)};
      g = result_of(mul, args);
    }
  }
  const Tensor out = call.output(0, g.dtype(), wanted);
  if (out.numel() > 0) copy(out, g);
  call.finish(0, out);
}

// x with trailing dimensions of size 1, up to ndim dimensions.
Tensor with_dims(const Tensor& x, int ndim) {
  Shape sizes(x.sizes()), strides(x.strides());
  while (sizes.size() < ndim) {
    sizes.push(1);
    strides.push(1);
  }
  return with_geometry(x, x.offset(), sizes, strides);
}

void cat(Call& call) {
  Tensor* pair[2];
  std::span<Tensor* const> parts;
  if (call.has(0)) {
    parts = call.tensors(0);
    if (parts.empty()) call.fail_at(0, "an empty table, expected one tensor or more");
  } else {
    pair[0] = call.arg(1).tensor;
    pair[1] = call.arg(2).tensor;
    parts = pair;
  }
  const std::string_view argument = call.argument(call.has(0) ? 0 : 1);
  int ndim = 0;
  for (const Tensor* part : parts) ndim = std::max(ndim, part->dim());
  DType dtype = parts[0]->dtype();
  for (const Tensor* part : parts) dtype = common_dtype(call, dtype, part->dtype());
  if (call.is_given(0)) dtype = call.result(0).dtype();
  if (ndim == 0) {
    call.finish(0, call.output(0, dtype, {}));
    return;
  }
  const int64_t given = call.integer(3);
  if (given >= max_dims || given < -ndim) call.fail_at<Status::range>(3, "dimension ", given < 0 ? given : given + 1, " is out of range");
  const auto dim = static_cast<int>(given < 0 ? given + ndim : given);
  ndim = std::max(ndim, dim + 1);

  // Torch7's empty tensors are left out: those without dimension, and torch.Tensor(0), which had no dimension in Torch7.
  const auto left_out = [ndim](const Tensor& part) { return part.dim() == 0 || (part.dim() == 1 && part.size(0) == 0 && ndim > 1); };
  Shape sizes;
  for (const Tensor* part : parts) {
    if (left_out(*part)) continue;
    const Tensor whole = with_dims(*part, ndim);
    if (sizes.size() == 0) {
      sizes = Shape(whole.sizes());
      continue;
    }
    for (int d = 0; d < ndim; ++d) {
      if (d != dim && whole.size(d) != sizes[d]) {
        fail<Status::shape>(call.name(), argument, part->sizes(), " beside ", Sizes(sizes), ": inconsistent tensor sizes, only dimension ",
                            Dim{dim}, " may differ");
      }
    }
    if (__builtin_add_overflow(sizes[dim], whole.size(dim), &sizes[dim]))
      fail<Status::shape>(call.name(), argument, "the sizes don't fit in 64 bits");
  }
  const bool last = std::ranges::all_of(parts, [&](const Tensor* part) {
    return left_out(*part) || (part->dim() == ndim && layout_of(*part) == ImageLayout::channels_last);
  });
  const ImageLayout layout = last && sizes.size() > 0 ? ImageLayout::channels_last : ImageLayout::channels_first;
  const Tensor out = call.output(0, dtype, sizes, {.layout = layout});
  int64_t first = 0;
  for (const Tensor* part : parts) {
    if (left_out(*part)) continue;
    const Tensor whole = with_dims(*part, ndim);
    if (whole.numel() > 0) copy(narrowed(out, dim, first, whole.size(dim)), whole);
    first += whole.size(dim);
  }
  call.finish(0, out);
}

constexpr Row rows[] = {{&Narrow::decl, &narrow},
                        {&Select::decl, &select},
                        {&Transpose::decl, &transpose},
                        {&T::decl, &t},
                        {&Permute::decl, &permute},
                        {&View::decl, &view},
                        {&ViewAs::decl, &view_as},
                        {&Reshape::decl, &reshape},
                        {&Expand::decl, &expand, {}, &accumulate_expand},
                        {&ExpandAs::decl, &expand_as},
                        {&Squeeze::decl, &squeeze},
                        {&Unsqueeze::decl, &unsqueeze},
                        {&Unfold::decl, &unfold},
                        {&ComplexNumbers::decl, &complex_numbers},
                        {&RealPart::decl, &real_part},
                        {&ImaginaryPart::decl, &imaginary_part},
                        {&ViewAsReal::decl, &view_as_real},
                        {&ViewAsComplex::decl, &view_as_complex},
                        {&Contiguous::decl, &contiguous_op},
                        {&ChannelsLast::decl, &channels_last},
                        {&Subrange::decl, &sub},
                        {&AsStrided::decl, &as_strided},
                        {&StridedView::decl, &strided_view},
                        {&StridedScatter::decl, &strided_scatter},
                        {&Diag::decl, &diag},
                        {&RepeatTensor::decl, &repeat_tensor},
                        {&Cat::decl, &cat},
                        {&NarrowGrad::decl, &narrow_grad, {}, &accumulate_narrow_grad},
                        {&SelectGrad::decl, &select_grad, {}, &accumulate_select_grad},
                        {&SubGrad::decl, &sub_grad, {}, &accumulate_sub_grad},
                        {&ExpandGrad::decl, &expand_grad}};

}  // namespace

std::span<const Row> view_rows() { return built_rows<rows>(); }

}  // namespace mt
