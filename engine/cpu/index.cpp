// What the ops in engine/ops/index-inl.h do. Slices that are contiguous move whole. Writes are split among threads by where they go, each
// thread going through the indices in order, so that duplicates give the same result for any number of threads.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "engine/core/wrapping.h"
#include "engine/cpu/changed.h"
#include "engine/cpu/iterator.h"
#include "engine/cpu/product.h"
#include "engine/cpu/register.h"
#include "engine/ops/zeros.h"

namespace mt::cpu {
namespace {

#include "engine/ops/index-inl.h"

[[noreturn]] void refuse_position(const Call& call, int i, int64_t position, int64_t size) {
  const std::string_view op = call.name();
  const bool along = op == "gather" || op == "scatter";
  call.fail_at(i, along ? "Invalid index in " : "", along ? op : "index out of range", ": position ", position, " came, 1..", size,
               " was expected");
}

// An index argument: int64, contiguous, all of 1..size, in memory that the result doesn't share.
Tensor checked_index(const Call& call, int i, int64_t size) {
  const Tensor& given = call.tensor(i);
  if (is_float(given.dtype()) || given.dtype() == DType::boolean)
    call.fail_at(i, given.dtype(), " came, torch.LongTensor was expected: x:long() makes one");
  Tensor index = contiguous(to_dtype(given, DType::int64));
  if (call.is_given(0) && may_overlap(index, call.result(0))) index = clone(index);
  const auto* p = index.data<int64_t>();
  const int64_t n = index.numel();
  std::atomic<uint64_t> outside = 0;  // its highest bit: whether a p - 1 or a size - p is below 0. Without branches it goes by vectors.
  parallel_for(n, pointwise_grain, [&](int64_t begin, int64_t end) {
    uint64_t here = 0;
    for (int64_t k = begin; k < end; ++k)
      here |= (static_cast<uint64_t>(p[k]) - 1) | (static_cast<uint64_t>(size) - static_cast<uint64_t>(p[k]));
    outside |= here;
  });
  for (int64_t k = 0; k < n && outside >> 63 != 0; ++k) {
    if (p[k] < 1 || p[k] > size) refuse_position(call, i, p[k], size);
  }
  return index;
}

Tensor checked_vector(const Call& call, int i, int64_t size) {
  if (call.tensor(i).dim() > 1) call.fail_at(i, "Index is supposed to be a vector: ", call.tensor(i).sizes(), " came");
  return checked_index(call, i, size);
}

Tensor slice(const Tensor& x, int dim, int64_t at) {
  Shape sizes(x.sizes());
  sizes[dim] = 1;
  Tensor view = x;
  view.set_geometry(x.offset() + at * x.stride(dim), sizes, x.strides());
  return view;
}

// A contiguous tensor as outer x size x inner elements.
struct Blocks {
  int64_t outer = 1, size, inner = 1;
  Blocks(const Tensor& t, int dim) : size(t.size(dim)) {
    for (int d = 0; d < dim; ++d) outer = wrapping_product(outer, t.size(d));
    for (int d = dim + 1; d < t.dim(); ++d) inner = wrapping_product(inner, t.size(d));
  }
};

// Images with their channels last as they lie: (n, sizes…, channels), contiguous.
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

// Where dimension `dim` stands there.
int lying(int dim, int dims) {
  if (dim == 0) return 0;
  return dim == 1 ? dims - 1 : dim - 1;
}

bool both_have_channels_last(const Tensor& a, const Tensor& b) {
  return layout_of(a) == ImageLayout::channels_last && layout_of(b) == ImageLayout::channels_last;
}

// Slices of `inner` elements from the given positions.
template <class W> void take_slices(W* to, const W* from, const int64_t* positions, int64_t count, int64_t inner) {
  if (inner == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[positions[i] - 1];
  } else {
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(to + i * inner, from + (positions[i] - 1) * inner, static_cast<size_t>(inner) * sizeof(W));
  }
}

void index(Call& call) {
  Tensor x = call.tensor(0);
  int dim = call.dim(1, x.dim());
  const Tensor index = checked_vector(call, 2, x.size(dim));
  const auto* p = index.data<int64_t>();
  const int64_t n = index.numel();
  Shape sizes(x.sizes());
  sizes[dim] = n;
  const Tensor result = image_output(call, 0, x.dtype(), sizes, layout_of(x));
  Tensor out = result;
  if (both_have_channels_last(x, out)) {
    out = as_it_lies(out);
    x = as_it_lies(x);
    dim = lying(dim, x.dim());
  }
  if (out.numel() > 0 && x.is_contiguous() && out.is_contiguous()) {
    const Blocks from(x, dim);
    by_width(x.dtype(), [&]<class W>(W) {
      const W* source = x.data<W>();
      W* to = out.data<W>();
      parallel_for(from.outer * n, std::max<int64_t>(1, pointwise_grain / from.inner), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end;) {
          const int64_t k = i % n, count = std::min(n - k, end - i);
          take_slices(to + i * from.inner, source + i / n * from.size * from.inner, p + k, count, from.inner);
          i += count;
        }
      });
    });
  } else if (out.numel() > 0) {
    for (int64_t k = 0; k < n; ++k) copy(slice(out, dim, k), slice(x, dim, p[k] - 1));
  }
  call.finish(0, result);
}

// f(outer, to, from) for every outer and every slice `from` of a source, to be put at slice `to`; what goes to one place comes in order.
template <class F> void each_slice(const Blocks& to, const int64_t* index, int64_t n, F&& f) {
  const int64_t work = std::max<int64_t>(1, n * to.inner);
  if (to.outer > 1) {
    parallel_for(to.outer, std::max<int64_t>(1, pointwise_grain / work), [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        for (int64_t k = 0; k < n; ++k) f(o, index[k] - 1, k);
      }
    });
  } else {
    const int64_t grain = work <= pointwise_grain ? to.size : std::max<int64_t>(1, to.size / (work / pointwise_grain));
    parallel_ranges(to.size, grain, [&](int64_t begin, int64_t end) {  // each goes through all of the index
      for (int64_t k = 0; k < n; ++k) {
        if (k % 4096 == 0) look_for_interrupt();
        if (index[k] > begin && index[k] <= end) f(0, index[k] - 1, k);
      }
    });
  }
}

// Argument i, the source of indexAdd and indexCopy: sizes as those that it goes to, but along dim, where it has one slice for each
// position.
void check_source(const Call& call, int i, Sizes sizes, int dim, int64_t n) {
  const Tensor& source = call.tensor(i);
  Shape wanted(sizes);
  wanted[dim] = n;
  const bool same = std::ranges::equal(source.sizes(), Sizes(wanted)) || (n == 0 && source.numel() == 0);
  if (!same)
    call.fail_at(i, source.sizes(), " came, ", Sizes(wanted), " was expected: number of indices should be equal to source:size(dim)");
}

// a + b; integers wrap.
template <class T> T added(T a, T b) { return static_cast<T>(to_work(a) + to_work(b)); }

template <class T> void add_run(std::byte* const* p, const int64_t* strides, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    T& to = *reinterpret_cast<T*>(p[0] + i * strides[0]);
    to = added(to, *reinterpret_cast<const T*>(p[1] + i * strides[1]));
  }
}

// Adds slice i of source to slice index[i] of out.
void add_slices(const Tensor& out, int dim, const Tensor& index, const Tensor& source) {
  if (source.numel() == 0) return;
  const auto* p = index.data<int64_t>();
  const int64_t n = index.numel();
  dispatch(out.dtype(), [&]<class E>(std::type_identity<E>) {
    if (out.is_contiguous() && source.is_contiguous()) {
      const Blocks to(out, dim);
      E* sums = out.data<E>();
      const E* terms = source.data<E>();
      each_slice(to, p, n, [&](int64_t o, int64_t at, int64_t k) {
        E* sum = sums + (o * to.size + at) * to.inner;
        const E* term = terms + (o * n + k) * to.inner;
        for (int64_t i = 0; i < to.inner; ++i) sum[i] = added(sum[i], term[i]);
      });
      return;
    }
    for (int64_t k = 0; k < n; ++k) {
      const Tensor sum = slice(out, dim, p[k] - 1);
      Iterator it(sum.sizes());
      it.add(sum);
      it.add(slice(source, dim, k));
      it.collapse();
      it.run([](std::byte** q, const int64_t* strides, int64_t count) { add_run<E>(q, strides, count); });
    }
  });
}

void index_add(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = call.dim(1, x.dim());
  const Tensor index = checked_vector(call, 2, x.size(dim));
  check_source(call, 3, x.sizes(), dim, index.numel());
  const Tensor out = changed(call);
  add_slices(out, dim, index, apart(call.tensor(3), out));
  call.finish(0, out);
}

void index_grad(Call& call) {
  const Tensor g = call.tensor(0);
  const Sizes sizes = call.sizes(1);
  const int dim = call.dim(2, static_cast<int>(sizes.size()));
  const Tensor index = checked_vector(call, 3, sizes[static_cast<size_t>(dim)]);
  check_source(call, 0, sizes, dim, index.numel());
  const Tensor out = zero_output(call, g.dtype(), sizes, layout_of(g));
  if (both_have_channels_last(g, out))
    add_slices(as_it_lies(out), lying(dim, g.dim()), index, as_it_lies(g));
  else
    add_slices(out, dim, index, g);
  call.finish(0, out);
}

void index_copy(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = call.dim(1, x.dim());
  const Tensor index = checked_vector(call, 2, x.size(dim));
  check_source(call, 3, x.sizes(), dim, index.numel());
  const Tensor out = changed(call), source = apart(call.tensor(3), out);
  const auto* p = index.data<int64_t>();
  const int64_t n = index.numel();
  if (source.numel() > 0 && out.is_contiguous() && source.is_contiguous()) {
    const Blocks to(out, dim);
    const auto bytes = static_cast<size_t>(to.inner * size_of(out.dtype()));
    each_slice(to, p, n, [&](int64_t o, int64_t at, int64_t k) {
      std::memcpy(out.bytes() + static_cast<size_t>(o * to.size + at) * bytes, source.bytes() + static_cast<size_t>(o * n + k) * bytes,
                  bytes);
    });
  } else if (source.numel() > 0) {
    for (int64_t k = 0; k < n; ++k) copy(slice(out, dim, p[k] - 1), slice(source, dim, k));
  }
  call.finish(0, out);
}

void index_fill(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = call.dim(1, x.dim());
  const Tensor index = checked_vector(call, 2, x.size(dim));
  const Tensor value = number_as(call.arg(3), x.dtype()), out = changed(call);
  const auto* p = index.data<int64_t>();
  const int64_t n = index.numel();
  if (out.numel() > 0 && out.is_contiguous()) {
    const Blocks to(out, dim);
    by_width(out.dtype(), [&]<class W>(W) {
      const W element = *value.data<W>();
      each_slice(to, p, n,
                 [&](int64_t o, int64_t at, int64_t) { std::fill_n(out.data<W>() + (o * to.size + at) * to.inner, to.inner, element); });
    });
  } else if (out.numel() > 0) {
    for (int64_t k = 0; k < n; ++k) {
      const Tensor to = slice(out, dim, p[k] - 1);
      copy(to, expand_to(value, to.sizes()));
    }
  }
  call.finish(0, out);
}

// t seen with index's sizes; along dim it stands still, so that a position along dim can be added to each address.
Tensor lines(const Tensor& t, const Tensor& index, int dim) {
  Shape strides(t.strides());
  strides[dim] = 0;
  Tensor view = t;
  view.set_geometry(t.offset(), index.sizes(), strides);
  return view;
}

// Argument i, an index that has no more lines along dim than a tensor of these sizes.
void check_lines(const Call& call, Sizes sizes, int dim, int i) {
  const Tensor& index = call.tensor(i);
  bool fits = static_cast<size_t>(index.dim()) == sizes.size();
  for (int d = 0; fits && d < index.dim(); ++d) fits = d == dim || index.size(d) <= sizes[static_cast<size_t>(d)];
  if (!fits) call.fail_at(i, index.sizes(), " came, sizes like ", sizes, " except along dimension ", Dim{dim}, " were expected");
}

void gather(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = call.dim(1, x.dim());
  check_lines(call, x.sizes(), dim, 2);
  const Tensor index = checked_index(call, 2, x.size(dim));
  const Tensor out = call.output(0, x.dtype(), index.sizes());
  if (out.numel() > 0) {
    by_width(x.dtype(), [&]<class W>(W) {
      Iterator it(index.sizes());
      it.add(out);
      it.add(index);
      it.add(lines(x, index, dim));
      it.collapse();
      const int64_t step = x.stride(dim) * static_cast<int64_t>(sizeof(W));
      it.run([step](std::byte** p, const int64_t* strides, int64_t n) {
        std::byte *to = p[0], *index = p[1], *line = p[2] - step;  // a position counts from 1
        for (int64_t i = 0; i < n; ++i, to += strides[0], index += strides[1], line += strides[2])
          *reinterpret_cast<W*>(to) = *reinterpret_cast<const W*>(line + *reinterpret_cast<const int64_t*>(index) * step);
      });
    });
  }
  call.finish(0, out);
}

Tensor part(const Tensor& t, int dim, int64_t begin, int64_t end) {
  Shape sizes(t.sizes());
  sizes[dim] = end - begin;
  Tensor view = t;
  view.set_geometry(t.offset() + begin * t.stride(dim), sizes, t.strides());
  return view;
}

// write(to, from) for every element that index places, in row-major order within a line along dim; threads share out the lines.
template <class T, class Write> void scatter_lines(const Tensor& out, int dim, const Tensor& index, const Tensor& source, Write write) {
  int widest = dim == 0 && index.dim() > 1 ? 1 : 0;
  for (int d = 0; d < index.dim(); ++d) {
    if (d != dim && index.size(d) > index.size(widest)) widest = d;
  }
  const int64_t step = out.stride(dim) * static_cast<int64_t>(sizeof(T));
  const auto run = [&](const Tensor& to, const Tensor& at, const Tensor& from) {
    Iterator it(at.sizes());
    it.add(to);
    it.add(at);
    it.add(from);
    it.collapse(true);
    it.walk(0, it.numel(), [=](std::byte** p, const int64_t* strides, int64_t n) {
      std::byte *line = p[0] - step, *index = p[1], *from = p[2];  // a position counts from 1
      for (int64_t i = 0; i < n; ++i, line += strides[0], index += strides[1], from += strides[2])
        write(*reinterpret_cast<T*>(line + *reinterpret_cast<const int64_t*>(index) * step), *reinterpret_cast<const T*>(from));
    });
  };
  const Tensor to = lines(out, index, dim);
  if (widest == dim) {
    run(to, index, source);
    return;
  }
  const int64_t rows = index.size(widest);
  parallel_for(rows, std::max<int64_t>(1, pointwise_grain * rows / index.numel()), [&](int64_t begin, int64_t end) {
    run(part(to, widest, begin, end), part(index, widest, begin, end), part(source, widest, begin, end));
  });
}

struct Scattered {
  int dim;
  Tensor index, out, source;
};

Scattered prepare_scatter(const Call& call) {
  Scattered s;
  const Tensor& x = call.tensor(0);
  s.dim = call.dim(1, x.dim());
  check_lines(call, x.sizes(), s.dim, 2);
  s.index = checked_index(call, 2, x.size(s.dim));
  const Value& value = call.arg(3);
  if (value.is_tensor()) {
    bool fits = value.tensor->dim() == s.index.dim();
    for (int d = 0; fits && d < s.index.dim(); ++d) fits = s.index.size(d) <= value.tensor->size(d);
    if (!fits) call.fail_at(3, value.tensor->sizes(), " came, at least the sizes of index, ", s.index.sizes(), ", were expected");
  }
  s.out = changed(call);
  if (value.is_tensor()) {
    s.source = apart(*value.tensor, s.out);
    s.source.set_geometry(s.source.offset(), s.index.sizes(), s.source.strides());
  } else {
    s.source = expand_to(number_as(value, s.out.dtype()), s.index.sizes());
  }
  return s;
}

void scatter(Call& call) {
  const Scattered s = prepare_scatter(call);
  if (s.index.numel() > 0) {
    by_width(s.out.dtype(), [&]<class W>(W) { scatter_lines<W>(s.out, s.dim, s.index, s.source, [](W& to, W from) { to = from; }); });
  }
  call.finish(0, s.out);
}

void add_lines(const Tensor& out, int dim, const Tensor& index, const Tensor& source) {
  if (index.numel() == 0) return;
  dispatch(out.dtype(),
           [&]<class E>(std::type_identity<E>) { scatter_lines<E>(out, dim, index, source, [](E& to, E from) { to = added(to, from); }); });
}

void scatter_add(Call& call) {
  const Scattered s = prepare_scatter(call);
  add_lines(s.out, s.dim, s.index, s.source);
  call.finish(0, s.out);
}

void gather_grad(Call& call) {
  const Tensor g = call.tensor(0);
  const Sizes sizes = call.sizes(1);
  const int dim = call.dim(2, static_cast<int>(sizes.size()));
  const Tensor index = checked_index(call, 3, sizes[static_cast<size_t>(dim)]);
  if (!std::ranges::equal(g.sizes(), index.sizes()))
    call.fail_at(0, g.sizes(), " came, the sizes of index, ", index.sizes(), ", were expected");
  check_lines(call, sizes, dim, 3);
  const Tensor out = zero_output(call, g.dtype(), sizes);
  add_lines(out, dim, index, g);
  call.finish(0, out);
}

void take(Call& call) {
  const Tensor x = contiguous(call.tensor(0));
  const Tensor index = checked_index(call, 1, x.numel());
  const Tensor out = call.output(0, x.dtype(), index.sizes());
  const Tensor dense = out.is_contiguous() ? out : Tensor::empty(x.dtype(), index.sizes());
  by_width(x.dtype(), [&]<class W>(W) {
    const auto* p = index.data<int64_t>();
    const W* from = x.data<W>();
    W* to = dense.data<W>();
    parallel_for(index.numel(), pointwise_grain,
                 [&](int64_t begin, int64_t end) { take_slices(to + begin, from, p + begin, end - begin, 1); });
  });
  if (!out.is_contiguous() && out.numel() > 0) copy(out, dense);
  call.finish(0, out);
}

constexpr Row rows[] = {{&Index::decl, &index},
                        {&IndexAdd::decl, &index_add},
                        {&IndexGrad::decl, &index_grad},
                        {&IndexCopy::decl, &index_copy},
                        {&IndexFill::decl, &index_fill},
                        {&Gather::decl, &gather},
                        {&GatherGrad::decl, &gather_grad},
                        {&Scatter::decl, &scatter},
                        {&ScatterAdd::decl, &scatter_add},
                        {&Take::decl, &take}};

}  // namespace

std::span<const Row> index_rows() { return rows; }

}  // namespace mt::cpu
