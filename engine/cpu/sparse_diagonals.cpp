// The CPU's kernels of sparse matrices of diagonals. A product with a vector adds a diagonal after the other to few enough rows that they
// stay in the cache; a product with a matrix keeps sums of eight vectors of columns in registers for all diagonals.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/sparse_diagonals.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <hwy/cache_control.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "engine/core/built.h"
#include "engine/cpu/lane-inl.h"

#include "engine/cpu/first_lanes-inl.h"

#include "engine/cpu/csr-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

constexpr int64_t line = 64, rows_at_once = 2048, rows_ahead = 1;  // rows_ahead: how far rows of x are prefetched

// A diagonal of a product: row i of the result, first to last - 1, gets element data + i times row i + shift of x.
struct Diagonal {
  int64_t first, last, shift, data;
};

// The diagonals with elements inside of the matrix.
std::vector<Diagonal> diagonals_of(const DiaMatmulPlan& plan) {
  constexpr int64_t most = int64_t{1} << 60;  // beyond every size
  const int64_t* const offsets = plan.offsets.data<int64_t>();
  const int64_t columns = plan.data.size(1);
  std::vector<Diagonal> list;
  for (int64_t k = 0; k < plan.offsets.numel(); ++k) {
    const int64_t offset = std::clamp(offsets[k], -most, most), shift = plan.transposed ? -offset : offset;
    const int64_t moved = plan.transposed ? 0 : offset;
    const int64_t first = std::max<int64_t>(0, -shift);
    const int64_t last = std::min({plan.out.size(0), plan.x.size(0) - shift, columns - moved});
    if (first < last) list.push_back({first, last, shift, k * columns + moved});
  }
  return list;
}

// Adds a diagonal to the rows first to last - 1 of a product with a vector.
template <class T> void add_diagonal(const Diagonal& own, const T* data, const T* x, T* out, int64_t first, int64_t last) {
  int64_t i = std::max(first, own.first);
  const int64_t end = std::min(last, own.last);
  if constexpr (has_vectors<T>) {
    const typename Simd<T>::D d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    for (; i < end; i += lanes) {
      const int64_t some = std::min(lanes, end - i);
      const auto sum =
          hn::MulAdd(load_some(data + (own.data + i), some).v, load_some(x + (i + own.shift), some).v, load_some(out + i, some).v);
      store_some(Simd<T>(sum), out + i, some);
    }
  } else {
    for (; i < end; ++i) out[i] += data[own.data + i] * x[i + own.shift];
  }
}

// Of a diagonal, the element in a row, and the row of x that it multiplies.
template <class T> struct Term { const T *data, *x; };

// Computes `vectors` vectors of columns of a row of the product, or the first `some` columns of one. `at` is their place in x and out; the
// row of x to prefetch lies `later` elements behind.
template <size_t vectors, class T>
HWY_INLINE void multiply_columns(const std::vector<Term<T>>& terms, T* out, int64_t row, int64_t at, int64_t later, int64_t some) {
  using V = Simd<T>;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  V sums[vectors];
#pragma GCC unroll 8
  for (size_t k = 0; k < vectors; ++k) sums[k] = V(0);
  for (const Term<T>& term : terms) {
    const T* const from = term.x + at;
    const V factor(term.data[row]);
#pragma GCC unroll 8
    for (size_t k = 0; k < vectors; ++k) {
      const T* const part = from + static_cast<int64_t>(k) * lanes;
      hwy::Prefetch(part + later);
      sums[k] = V(hn::MulAdd((vectors > 1 ? V(hn::LoadU(d, part)) : load_some(part, some)).v, factor.v, sums[k].v));
    }
  }
#pragma GCC unroll 8
  for (size_t k = 0; k < vectors; ++k) {
    T* const to = out + at + static_cast<int64_t>(k) * lanes;
    if (vectors > 1)
      hn::StoreU(sums[k].v, d, to);
    else
      store_some(sums[k], to, some);
  }
}

// Computes some rows of a product with a matrix, in which all terms have elements. Terms and out begin with the first of them.
template <class T> void multiply_rows(const std::vector<Term<T>>& terms, T* out, int64_t rows, int64_t width) {
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t begin = row * width, end = begin + width, later = std::min(rows_ahead, rows - 1 - row) * width;
    if constexpr (has_vectors<T>) {
      const auto lanes = static_cast<int64_t>(hn::Lanes(typename Simd<T>::D()));
      int64_t at = begin;
      for (; at + 8 * lanes <= end; at += 8 * lanes) multiply_columns<8>(terms, out, row, at, later, lanes);
      if (at + 4 * lanes <= end) {
        multiply_columns<4>(terms, out, row, at, later, lanes);
        at += 4 * lanes;
      }
      if (at + 2 * lanes <= end) {
        multiply_columns<2>(terms, out, row, at, later, lanes);
        at += 2 * lanes;
      }
      for (; at < end; at += lanes) multiply_columns<1>(terms, out, row, at, later, std::min(lanes, end - at));
    } else {
      std::fill(out + begin, out + end, T{});
      for (const Term<T>& term : terms) add_multiple(term.data[row], term.x + begin, out + begin, width);
    }
  }
}

// Computes rows first to last - 1 of the product, in parts to each of which the same diagonals belong.
template <class T> void multiply(const std::vector<Diagonal>& list, const T* data, const T* x, T* out, int64_t first, int64_t last,
                                 int64_t width, std::vector<Term<T>>& terms) {
  for (int64_t row = first, next; row < last; row = next) {
    next = last;
    terms.clear();
    for (const Diagonal& own : list) {
      if (row < own.first) next = std::min(next, own.first);
      if (row < own.first || row >= own.last) continue;
      next = std::min(next, own.last);
      terms.push_back({data + (own.data + row), x + (row + own.shift) * width});
    }
    // So many places are read in turns that the processor doesn't see that each of them advances.
    for (const Term<T>& term : terms) {
      for (int64_t r = 0; r < next - row; r += line / static_cast<int64_t>(sizeof(T))) hwy::Prefetch(term.data + r);
    }
    multiply_rows(terms, out + row * width, next - row, width);
  }
}

void run_dia_matmul(const DiaMatmulPlan& plan) {
  const std::vector<Diagonal> list = diagonals_of(plan);
  dispatch<summed_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    const T *const data = plan.data.data<T>(), *const x = plan.x.data<T>();
    T* const out = plan.out.data<T>();
    const int64_t rows = plan.out.size(0), width = plan.width, count = static_cast<int64_t>(list.size());
    const int64_t step = width == 1 ? rows_at_once : 64;
    parallel_ranges(rows, std::max<int64_t>(1, grain_of_work / (width * (count + 1))), [&](int64_t begin, int64_t end) {
      std::vector<Term<T>> terms;
      for (int64_t first = begin, last; first < end; first = last) {
        last = std::min(end, first + step);
        look_for_interrupt();
        if (width > 1)
          multiply(list, data, x, out, first, last, width, terms);
        else {
          std::fill(out + first, out + last, T{});
          for (const Diagonal& own : list) add_diagonal(own, data, x, out, first, last);
        }
      }
    });
  });
}

// Computes the places first to last - 1 of a diagonal, each the product of a row of a and a row of b.
template <class T> void sample(const DiaSampledPlan& plan, const T* a, const T* b, T* out, int64_t offset, int64_t first, int64_t last) {
  const int64_t width = plan.width, begin = std::clamp(offset, first, last);
  const int64_t end = std::clamp(std::min(plan.b.size(0), plan.a.size(0) + offset), begin, last);
  std::fill(out + first, out + begin, T{});
  if (width == 1)
    for (int64_t j = begin; j < end; ++j) out[j] = a[j - offset] * b[j];
  else
    for (int64_t j = begin; j < end; ++j) out[j] = product_of_rows(a + (j - offset) * width, b + j * width, width);
  std::fill(out + end, out + last, T{});
}

void run_dia_sampled(const DiaSampledPlan& plan) {
  constexpr int64_t most = int64_t{1} << 60;  // beyond every size
  dispatch<summed_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    const T *const a = plan.a.data<T>(), *const b = plan.b.data<T>();
    const int64_t* const offsets = plan.offsets.data<int64_t>();
    T* const out = plan.out.data<T>();
    const int64_t count = plan.out.size(0), columns = plan.out.size(1), work = count * std::max<int64_t>(1, plan.width);
    const int64_t step = plan.width == 1 ? rows_at_once : 64;  // so that rows of a and b are in the cache for all diagonals
    parallel_ranges(columns, std::max<int64_t>(1, grain_of_work / work), [&](int64_t begin, int64_t end) {
      for (int64_t first = begin, last; first < end; first = last) {
        last = std::min(end, first + step);
        look_for_interrupt();
        for (int64_t k = 0; k < count; ++k) sample(plan, a, b, out + k * columns, std::clamp(offsets[k], -most, most), first, last);
      }
    });
  });
}

#include "engine/ops/sparse-inl.h"

constexpr Row rows[] = {{&DiaMatmul::decl, &plan_dia_matmul, kernel<&run_dia_matmul>()},
                        {&DiaSampled::decl, &plan_dia_sampled, kernel<&run_dia_sampled>()}};

}  // namespace

std::span<const Row> sparse_diagonals_rows() { return built_rows<rows>(); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(sparse_diagonals_rows);
namespace cpu {
std::span<const Row> sparse_diagonals_rows() { return HWY_DYNAMIC_DISPATCH(sparse_diagonals_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
