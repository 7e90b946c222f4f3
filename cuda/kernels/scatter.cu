// Writes to the positions in an index (engine/ops/index.h). The result is the same for any schedule, as if written in the index's order:
// - few elements along the dimension, or many lines: one thread per line iterates over the index (ScatterLines).
// - the last write wins: atomic maxima find the number of the last write for each position, then only that one writes (two launches).
// - sums: pairs of position and number are sorted by position (cuda/radix.h), and a thread adds the terms of one position, in float32 for
//   16-bit floats.
#include "cuda/kernels/index.h"
#include "cuda/kernels/lines.h"
#include "cuda/launch.h"
#include "cuda/layout.h"
#include "cuda/radix.h"
#include "cuda/value.h"

namespace mt::cuda {
namespace {

constexpr int64_t most_looped = 32;           // elements along the dimension, by one thread
constexpr int64_t lines_enough = 1 << 14;     // to fill a device with one thread per line
constexpr int64_t most_sorted = 1 << 28;      // elements at once, to limit memory
constexpr int64_t most_numbered = INT32_MAX;  // elements of the index along the dimension, numbered in 32 bits

// index and source have the same sizes; index may be expanded from a vector along dim.
struct Writes {
  Tensor out, index, source;
  int dim;
  int64_t along() const { return index.size(dim); }
  int64_t step() const { return out.stride(dim) * size_of(out.dtype()); }
};

// The `count` writes from number `first` on, along the dimension.
Writes part_of(const Writes& all, int64_t first, int64_t count) {
  const auto part = [&](const Tensor& t) {
    Shape sizes(t.sizes());
    sizes[all.dim] = count;
    Tensor view = t;
    view.set_geometry(t.offset() + first * t.stride(all.dim), sizes, Shape(t.strides()));
    return view;
  };
  return {all.out, part(all.index), part(all.source), all.dim};
}

template <class F> void in_parts(const Writes& all, int64_t most, const F& f) {
  const int64_t n = all.along();
  for (int64_t first = 0; first < n; first += most) f(part_of(all, first, std::min(most, n - first)));
}

// Calls f with an element of the type for additions: unsigned integers for integers, which wrap.
template <class F> void by_term(DType dtype, const F& f) {
  switch (dtype) {
    case DType::float32:
      return f(float{});
    case DType::float64:
      return f(double{});
    case DType::float16:
      return f(Half{});
    case DType::bfloat16:
      return f(BFloat16{});
    case DType::boolean:
      return f(bool{});
    default:
      if (complex_dtypes.contains(dtype)) return dispatch<complex_dtypes>(dtype, [&]<class T>(std::type_identity<T>) { f(T()); });
      return by_width<ordered_dtypes>(dtype, f);
  }
}

template <class T> MT_DEVICE T added(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a || b;
  else
    return static_cast<T>(a + b);
}

struct Replace {
  template <class T> MT_DEVICE static T joined(T, T element) { return element; }
};
struct Add {
  template <class T> MT_DEVICE static T joined(T before, T element) { return narrow<T>(added(widen(before), widen(element))); }
};

template <class T, class Combine, class Index> struct ScatterLines {
  Layout<3, Index> layout;  // offsets of the lines in out, the index and the source
  std::byte* out;
  const std::byte *index, *source;
  int64_t along, size, out_step, index_step, source_step;
  Index lines;
  MT_DEVICE void operator()(Thread& t) const {
    for (Index i = static_cast<Index>(t.global_index()); i < lines; i += static_cast<Index>(t.global_threads())) {
      int64_t at[3];
      layout.find(i, at);
      for (int64_t k = 0; k < along; ++k) {
        const int64_t position = *reinterpret_cast<const int64_t*>(index + at[1] + k * index_step);
        if (!is_inside(position, size)) continue;
        T& place = *reinterpret_cast<T*>(out + at[0] + (position - 1) * out_step);
        place = Combine::joined(place, *reinterpret_cast<const T*>(source + at[2] + k * source_step));
      }
    }
  }
};

template <class T, class Combine> void scatter_lines(const Writes& writes) {
  const int dim = writes.dim;
  Shape lines(writes.index.sizes());
  lines[dim] = 1;
  Geometry g(lines);
  for (const Tensor* t : {&writes.out, &writes.index, &writes.source}) g.add(line_starts(*t, lines, dim));
  g.collapse();
  count_by_index(g.numel(), [&]<class Index>(Index n) {
    launch_each(op_stream(), g.numel(),
                ScatterLines<T, Combine, Index>{Layout<3, Index>(g), reachable(g.data(0)), reachable(g.data(1)), reachable(g.data(2)),
                                                writes.along(), writes.out.size(dim), writes.step(), writes.index.stride(dim) * 8,
                                                writes.source.stride(dim) * size_of(writes.source.dtype()), n});
  });
}

// Numbers of the positions in out, line by line. `lines` is an operand whose offset at a line is 8 times the number of the line's first
// position. Lines that share their index share these numbers.
struct Places {
  Tensor lines;
  int64_t count;
};

Places places_of(const Writes& writes) {
  Shape strides(writes.index.sizes());
  int64_t count = writes.out.size(writes.dim);
  for (int d = strides.size() - 1; d >= 0; --d) {
    const bool has_own = d != writes.dim && writes.index.stride(d) != 0;
    strides[d] = has_own ? count : 0;
    if (has_own) count *= writes.index.size(d);
  }
  return {seen_as(writes.index, writes.index.sizes(), strides), count};
}

// The sizes of the index before it was expanded.
Shape own_sizes(const Tensor& index) {
  Shape sizes(index.sizes());
  for (int d = 0; d < sizes.size(); ++d) {
    if (index.stride(d) == 0) sizes[d] = 1;
  }
  return sizes;
}

template <class Index> struct FindLast {
  Layout<3, Index> layout;  // the index, position numbers, the number along the dimension
  const std::byte* index;
  int32_t* last;
  int64_t size;
  Index n;
  MT_DEVICE void operator()(Thread& t) const {
    for (Index i = static_cast<Index>(t.global_index()); i < n; i += static_cast<Index>(t.global_threads())) {
      int64_t at[3];
      layout.find(i, at);
      const int64_t position = *reinterpret_cast<const int64_t*>(index + at[0]);
      if (is_inside(position, size)) atomic_max(last + at[1] / 8 + position - 1, static_cast<int32_t>(at[2] / 8));
    }
  }
};

template <class W, class Index> struct WriteLast {
  Layout<5, Index> layout;  // operands: the source, the index, position numbers, the number along the dimension, out's lines
  std::byte* out;
  const std::byte *source, *index;
  const int32_t* last;
  int64_t size, step;
  Index n;
  MT_DEVICE void operator()(Thread& t) const {
    for (Index i = static_cast<Index>(t.global_index()); i < n; i += static_cast<Index>(t.global_threads())) {
      int64_t at[5];
      layout.find(i, at);
      const int64_t position = *reinterpret_cast<const int64_t*>(index + at[1]);
      if (!is_inside(position, size) || last[at[2] / 8 + position - 1] != static_cast<int32_t>(at[3] / 8)) continue;
      *reinterpret_cast<W*>(out + at[4] + (position - 1) * step) = *reinterpret_cast<const W*>(source + at[0]);
    }
  }
};

void replace(const Writes& writes) {
  const Tensor &index = writes.index, &out = writes.out;
  const int64_t size = out.size(writes.dim);
  const Stream stream = op_stream();
  const Places places = places_of(writes);
  const Tensor numbers = steps_along(index, index.sizes(), writes.dim);
  const Scratch<int32_t> last(stream, places.count);
  driver::set_bytes(stream, last.address(), 0xff, static_cast<size_t>(places.count) * sizeof(int32_t));
  const Shape own = own_sizes(index);
  Geometry from(own);
  for (const Tensor* t : {&index, &places.lines, &numbers}) from.add(seen_as(*t, own, Shape(t->strides())));
  from.collapse();
  count_by_index(from.numel(), [&]<class Index>(Index n) {
    launch_each(stream, from.numel(), FindLast<Index>{Layout<3, Index>(from), reachable(from.data(0)), last.data(), size, n});
  });
  Geometry g(index.sizes());
  for (const Tensor* t : {&writes.source, &index, &places.lines, &numbers}) g.add(*t);
  g.add(line_starts(out, index.sizes(), writes.dim));
  g.collapse();
  by_width(out.dtype(), [&]<class W>(W) {
    count_by_index(g.numel(), [&]<class Index>(Index n) {
      launch_each(stream, g.numel(),
                  WriteLast<W, Index>{Layout<5, Index>(g), reachable(g.data(4)), reachable(g.data(0)), reachable(g.data(1)), last.data(),
                                      size, writes.step(), n});
    });
  });
}

// Computes the position number of each element, in row-major order; `none` if it is outside of the dimension.
template <class Key> struct NumberPlaces {
  Layout<2, int64_t> layout;  // the index, position numbers
  const std::byte* index;
  Key* keys;
  Key none;
  int64_t size, n;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      int64_t at[2];
      layout.find(i, at);
      const int64_t position = *reinterpret_cast<const int64_t*>(index + at[0]);
      keys[i] = is_inside(position, size) ? static_cast<Key>(at[1] / 8 + position - 1) : none;
    }
  }
};

// Adds the terms of sorted elements: one thread for each position and each of the `columns` lines that share the index.
template <class T, class Key, class Index> struct AddRuns {
  Layout<2, Index> shared;  // offsets of the lines that share the index: in out, in the source
  Layout<3, Index> own;     // offsets of elements of the index: in out, without the position; in the source; in the index
  std::byte* out;
  const std::byte *source, *index;
  const Key* keys;
  const uint32_t* positions;
  Key none;
  int64_t step;
  Index elements, columns;

  MT_DEVICE void operator()(Thread& t) const {
    const Index n = elements * columns;
    for (Index i = static_cast<Index>(t.global_index()); i < n; i += static_cast<Index>(t.global_threads())) {
      const Index element = i / columns;
      const Key key = keys[element];
      if (key == none || (element > 0 && keys[element - 1] == key)) continue;
      int64_t column[2];
      shared.find(i - element * columns, column);
      add_run(key, element, column);
    }
  }

  MT_DEVICE void add_run(Key key, Index element, const int64_t (&column)[2]) const {
    int64_t at[3];
    own.find(static_cast<Index>(positions[element]), at);
    const int64_t position = *reinterpret_cast<const int64_t*>(index + at[2]);
    T& place = *reinterpret_cast<T*>(out + column[0] + at[0] + (position - 1) * step);
    auto sum = widen(place);
    constexpr int together = sizeof(Index) == 4 ? 8 : 4;  // loads in flight: long runs wait for memory; wide numbers need more registers
    for (bool more = true; more; element += together) {
      T terms[together];
      bool has[together];
#pragma unroll
      for (int u = 0; u < together; ++u) {
        has[u] = static_cast<Index>(u) < elements - element && keys[element + static_cast<Index>(u)] == key;
        if (has[u]) terms[u] = term(positions[element + static_cast<Index>(u)], column[1]);
      }
#pragma unroll
      for (int u = 0; u < together; ++u) {
        if (has[u]) sum = added(sum, widen(terms[u]));
      }
      more = has[together - 1] && static_cast<Index>(together) < elements - element;
    }
    place = narrow<T>(sum);
  }
  MT_DEVICE T term(uint32_t position, int64_t column) const {
    int64_t at[3];
    own.find(static_cast<Index>(position), at);
    return *reinterpret_cast<const T*>(source + column + at[1]);
  }
};

// The sizes of the lines that share the index.
Shape shared_sizes(const Tensor& index, int dim) {
  Shape sizes(index.sizes());
  for (int d = 0; d < sizes.size(); ++d) {
    if (d == dim || index.stride(d) != 0) sizes[d] = 1;
  }
  return sizes;
}

template <class T, class Key, class Index> void add_sorted(const Writes& writes, const Places& places) {
  const Tensor &index = writes.index, &out = writes.out;
  const int64_t size = out.size(writes.dim);
  const Stream stream = op_stream();
  const Shape own = own_sizes(index), columns = shared_sizes(index, writes.dim);
  const auto none = static_cast<Key>(places.count);
  const auto with_own = [&](const Tensor& t) { return seen_as(t, own, Shape(t.strides())); };

  Geometry numbered(own);
  numbered.add(with_own(index));
  numbered.add(with_own(places.lines));
  numbered.collapse(true);
  const int64_t n = numbered.numel();
  SortedKeys<Key> sorted(stream, 1, n);
  launch_each(stream, n, NumberPlaces<Key>{Layout<2, int64_t>(numbered), reachable(numbered.data(0)), sorted.keys(), none, size, n});
  sorted.sort(std::bit_width(static_cast<uint64_t>(none)));

  Geometry shared(columns);
  shared.add(seen_as(out, columns, Shape(out.strides())));
  shared.add(seen_as(writes.source, columns, Shape(writes.source.strides())));
  shared.collapse();
  Geometry elements(own);
  elements.add(line_starts(out, own, writes.dim));
  elements.add(with_own(writes.source));
  elements.add(with_own(index));
  elements.collapse(true);
  launch_each(stream, n * shared.numel(),
              AddRuns<T, Key, Index>{Layout<2, Index>(shared), Layout<3, Index>(elements), reachable(out.bytes()),
                                     reachable(writes.source.bytes()), reachable(index.bytes()), sorted.sorted_keys(), sorted.positions(),
                                     none, writes.step(), static_cast<Index>(n), static_cast<Index>(shared.numel())});
}

void add(const Writes& writes) {
  const Places places = places_of(writes);
  by_term(writes.out.dtype(), [&]<class T>(T) {
    if (writes.index.numel() < least_wide && places.count < least_wide)
      add_sorted<T, uint32_t, uint32_t>(writes, places);
    else
      add_sorted<T, uint64_t, int64_t>(writes, places);
  });
}

void write(const Writes& writes, Write mode) {
  const int64_t along = writes.along();
  if (writes.index.numel() == 0 || writes.out.size(writes.dim) == 0) return;
  const Shape own = own_sizes(writes.index);
  int64_t lines = 1;
  for (int d = 0; d < own.size(); ++d) lines *= d == writes.dim ? 1 : own[d];
  if (along <= most_looped || lines >= lines_enough) {
    if (mode == Write::add) return by_term(writes.out.dtype(), [&]<class T>(T) { scatter_lines<T, Add>(writes); });
    return by_width(writes.out.dtype(), [&]<class W>(W) { scatter_lines<W, Replace>(writes); });
  }
  if (mode == Write::replace) return in_parts(writes, most_numbered, replace);
  in_parts(writes, most_sorted / lines, add);
}

}  // namespace

void put_slices(const PutSlicesPlan& plan) {
  write({plan.out, steps_along(plan.index, plan.source.sizes(), plan.dim), plan.source, plan.dim}, plan.write);
}

void scatter(const ScatterPlan& plan) { write({plan.out, plan.index, plan.source, plan.dim}, plan.write); }

}  // namespace mt::cuda
