// The CPU's kernels of softmax and related ops. Slices are read several times while they are in the cache: for the largest element,
// exponentials and their sum, the result. Contiguous slices are processed vector by vector, adjacent ones in parallel. Sums of floats are
// added to a double every 512 elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/softmax.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <cmath>
#include <limits>
#include <span>

#include "engine/cpu/functions-inl.h"

#include "engine/core/built.h"
#include "engine/cpu/exp_nonpositive-inl.h"
#include "engine/cpu/first_lanes-inl.h"
#include "engine/cpu/slices.h"
#include "engine/ops/softmax.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

#include "engine/ops/softmax-inl.h"

constexpr int64_t carry_block = 512;

template <class T> MT_FN T sum_lanes(Simd<T> v) { return hn::GetLane(hn::SumOfLanes(typename Simd<T>::D(), v.v)); }

template <class T> T largest(const T* x, int64_t n) {
  using V = Simd<T>;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr T least = -std::numeric_limits<T>::infinity();
  V a(least), b = a, c = a, e = a;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a = V(hn::Max(a.v, hn::LoadU(d, x + i)));
    b = V(hn::Max(b.v, hn::LoadU(d, x + i + lanes)));
    c = V(hn::Max(c.v, hn::LoadU(d, x + i + 2 * lanes)));
    e = V(hn::Max(e.v, hn::LoadU(d, x + i + 3 * lanes)));
  }
  a = V(hn::Max(hn::Max(a.v, b.v), hn::Max(c.v, e.v)));
  for (; i + lanes <= n; i += lanes) a = V(hn::Max(a.v, hn::LoadU(d, x + i)));
  if (i < n) {
    const auto rest = hn::FirstN(d, static_cast<size_t>(n - i));
    a = V(hn::IfThenElse(rest, hn::Max(a.v, load_first(rest, d, x + i)), a.v));
  }
  return hn::GetLane(hn::MaxOfLanes(d, a.v));
}

// The sum of f(vector at i, i) over a row; f(vector, i, mask) for the last vector, whose other lanes are ignored.
template <class T, class F> double sum_row(int64_t n, F f) {
  using V = Simd<T>;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += carry_block) {
    const int64_t end = std::min(n, begin + carry_block);
    V a(0), b(0);
    int64_t i = begin;
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      a = a + f(i, lanes);
      b = b + f(i + lanes, lanes);
    }
    for (; i < end; i += lanes) {
      const int64_t left = std::min(lanes, end - i);
      const V v = f(i, left);
      a = a + V(hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(left)), v.v));
    }
    total += static_cast<double>(sum_lanes<T>(a + b));
  }
  return total;
}

// Calls f(i, count) for vectors of a row.
template <class T, class F> MT_FN void for_row(int64_t n, F f) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(typename Simd<T>::D()));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f(i, lanes);
  if (i < n) f(i, n - i);
}

// ---- rows
// --------------------------------------------------------------------------------------------------------------------------------

struct RowOf {
  template <class T> static void softmax(const T* x, const T*, T* out, int64_t n) {
    using V = Simd<T>;
    const V top(largest(x, n));
    const double sum = sum_row<T>(n, [&](int64_t i, int64_t count) {
      const V e = exp_nonpositive(load_some(x + i, count) - top);
      store_some(e, out + i, count);
      return e;
    });
    const V scale(static_cast<T>(1 / sum));
    for_row<T>(n, [&](int64_t i, int64_t count) { store_some(load_some(out + i, count) * scale, out + i, count); });
  }

  template <class T> static double exponentials(const T* x, int64_t n, Simd<T> top) {
    return sum_row<T>(n, [&](int64_t i, int64_t count) { return exp_nonpositive(load_some(x + i, count) - top); });
  }

  template <class T> static void logsoftmax(const T* x, const T*, T* out, int64_t n) {
    using V = Simd<T>;
    const V top(largest(x, n)), log_sum(static_cast<T>(std::log(exponentials(x, n, top))));
    for_row<T>(n, [&](int64_t i, int64_t count) { store_some(load_some(x + i, count) - top - log_sum, out + i, count); });
  }

  template <class T> static void logsumexp(const T* x, const T*, T* out, int64_t n) {
    const T top = largest(x, n);
    if (std::isinf(top)) {
      // Only the sum shows NaN: the maximum may ignore it.
      T sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += x[i] != x[i] ? x[i] : T(0);
      *out = top + sum;
      return;
    }
    *out = static_cast<T>(static_cast<double>(top) + std::log(exponentials(x, n, Simd<T>(top))));
  }

  template <class T> static void softmax_grad(const T* g, const T* y, T* out, int64_t n) {
    using V = Simd<T>;
    const V dot(static_cast<T>(sum_row<T>(n, [&](int64_t i, int64_t count) { return load_some(g + i, count) * load_some(y + i, count); })));
    for_row<T>(n, [&](int64_t i, int64_t count) { store_some(load_some(y + i, count) * (load_some(g + i, count) - dot), out + i, count); });
  }

  template <class T> static void logsoftmax_grad(const T* g, const T* y, T* out, int64_t n) {
    using V = Simd<T>;
    const V sum(static_cast<T>(sum_row<T>(n, [&](int64_t i, int64_t count) { return load_some(g + i, count); })));
    for_row<T>(n,
               [&](int64_t i, int64_t count) { store_some(load_some(g + i, count) - exp(load_some(y + i, count)) * sum, out + i, count); });
  }
};

// ---- columns
// -----------------------------------------------------------------------------------------------------------------------------

// Per column: the results of the first passes. Sums are in the element's type, which suffices for columns of usual lengths.
template <class T> struct ColumnState {
  alignas(64) T top[slice_columns];
  alignas(64) T sum[slice_columns];

  // Calls f(accumulator, row, column, count) for vectors of rows 0..n, with the accumulators in `acc`.
  template <class F> static void fold(T* acc, T start, int64_t n, int64_t m, F f) {
    std::fill_n(acc, m, start);
    for (int64_t r = 0; r < n; ++r) {
      for_row<T>(m, [&](int64_t j, int64_t count) { store_some(f(load_some(acc + j, count), r, j, count), acc + j, count); });
    }
  }
};

struct ColumnsOf {
  template <class T> static void find_top(ColumnState<T>& s, const T* x, int64_t n, int64_t m, int64_t stride) {
    s.fold(s.top, -std::numeric_limits<T>::infinity(), n, m, [&](Simd<T> acc, int64_t r, int64_t j, int64_t count) {
      const Simd<T> v = load_some(x + r * stride + j, count);
      return select(v > acc, v, acc);
    });
  }

  template <class T> static void add_exponentials(ColumnState<T>& s, const T* x, int64_t n, int64_t m, int64_t stride) {
    s.fold(s.sum, T(0), n, m, [&](Simd<T> acc, int64_t r, int64_t j, int64_t count) {
      return acc + exp_nonpositive(load_some(x + r * stride + j, count) - load_some(s.top + j, count));
    });
  }

  template <class T> static void softmax(const T* x, const T*, T* out, int64_t n, int64_t m, int64_t stride) {
    ColumnState<T> s;
    find_top(s, x, n, m, stride);
    s.fold(s.sum, T(0), n, m, [&](Simd<T> acc, int64_t r, int64_t j, int64_t count) {
      const Simd<T> e = exp_nonpositive(load_some(x + r * stride + j, count) - load_some(s.top + j, count));
      store_some(e, out + r * stride + j, count);
      return acc + e;
    });
    for (int64_t j = 0; j < m; ++j) s.sum[j] = 1 / s.sum[j];
    for (int64_t r = 0; r < n; ++r) {
      T* to = out + r * stride;
      for_row<T>(m, [&](int64_t j, int64_t count) { store_some(load_some(to + j, count) * load_some(s.sum + j, count), to + j, count); });
    }
  }

  template <class T> static void logsoftmax(const T* x, const T*, T* out, int64_t n, int64_t m, int64_t stride) {
    ColumnState<T> s;
    find_top(s, x, n, m, stride);
    add_exponentials(s, x, n, m, stride);
    for (int64_t j = 0; j < m; ++j) s.sum[j] = std::log(s.sum[j]);
    for (int64_t r = 0; r < n; ++r) {
      for_row<T>(m, [&](int64_t j, int64_t count) {
        store_some(load_some(x + r * stride + j, count) - load_some(s.top + j, count) - load_some(s.sum + j, count), out + r * stride + j,
                   count);
      });
    }
  }

  template <class T> static void logsumexp(const T* x, const T*, T* out, int64_t n, int64_t m, int64_t stride) {
    ColumnState<T> s;
    find_top(s, x, n, m, stride);
    for (int64_t j = 0; j < m; ++j) {
      if (std::isinf(s.top[j])) s.top[j] = 0;
    }
    s.fold(s.sum, T(0), n, m, [&](Simd<T> acc, int64_t r, int64_t j, int64_t count) {
      return acc + exp(load_some(x + r * stride + j, count) - load_some(s.top + j, count));
    });
    for (int64_t j = 0; j < m; ++j) out[j] = s.top[j] + std::log(s.sum[j]);
  }

  template <class T> static void softmax_grad(const T* g, const T* y, T* out, int64_t n, int64_t m, int64_t stride) {
    ColumnState<T> s;
    s.fold(s.sum, T(0), n, m, [&](Simd<T> acc, int64_t r, int64_t j, int64_t count) {
      return acc + load_some(g + r * stride + j, count) * load_some(y + r * stride + j, count);
    });
    for (int64_t r = 0; r < n; ++r) {
      const int64_t at = r * stride;
      for_row<T>(m, [&](int64_t j, int64_t count) {
        store_some(load_some(y + at + j, count) * (load_some(g + at + j, count) - load_some(s.sum + j, count)), out + at + j, count);
      });
    }
  }

  template <class T> static void logsoftmax_grad(const T* g, const T* y, T* out, int64_t n, int64_t m, int64_t stride) {
    ColumnState<T> s;
    s.fold(s.sum, T(0), n, m, [&](Simd<T> acc, int64_t r, int64_t j, int64_t count) { return acc + load_some(g + r * stride + j, count); });
    for (int64_t r = 0; r < n; ++r) {
      const int64_t at = r * stride;
      for_row<T>(m, [&](int64_t j, int64_t count) {
        store_some(load_some(g + at + j, count) - exp(load_some(y + at + j, count)) * load_some(s.sum + j, count), out + at + j, count);
      });
    }
  }
};

// ---- loops over slices, by dtype
// ---------------------------------------------------------------------------------------------------------

// For float32 or float64: one or two arguments, then the result.
struct SliceLoop {
  // m contiguous slices of n elements.
  void (*rows)(const void* a, const void* b, void* out, int64_t n, int64_t m) = nullptr;
  // m adjacent slices of n elements that are `stride` elements apart.
  void (*columns)(const void* a, const void* b, void* out, int64_t n, int64_t m, int64_t stride) = nullptr;
};

template <class T> using RowFn = void (*)(const T* a, const T* b, T* out, int64_t n);
template <class T> using ColumnsFn = void (*)(const T* a, const T* b, T* out, int64_t n, int64_t m, int64_t stride);

template <class T, RowFn<T> row, ColumnsFn<T> columns, bool reduces> constexpr SliceLoop slice_loop() {
  return {[](const void* a, const void* b, void* out, int64_t n, int64_t m) {
            for (int64_t i = 0; i < m; ++i) {
              const T* const second = b == nullptr ? nullptr : static_cast<const T*>(b) + i * n;
              row(static_cast<const T*>(a) + i * n, second, static_cast<T*>(out) + i * (reduces ? 1 : n), n);
            }
          },
          [](const void* a, const void* b, void* out, int64_t n, int64_t m, int64_t stride) {
            columns(static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(out), n, m, stride);
          }};
}

struct SliceLoops {
  SliceLoop float32, float64;
  bool reduces;  // the result has one element per slice
};

template <RowFn<float> row32, RowFn<double> row64, ColumnsFn<float> columns32, ColumnsFn<double> columns64, bool reduces = false>
inline constexpr SliceLoops slice_loops = {slice_loop<float, row32, columns32, reduces>(), slice_loop<double, row64, columns64, reduces>(),
                                           reduces};

void run_softmax(const SoftmaxPlan& plan, const SliceLoops& loops) {
  constexpr int64_t grain = 8192;  // exponentials take a few times as long as sums
  const bool is_double = plan.x.dtype() == DType::float64;
  const SliceLoop& loop = is_double ? loops.float64 : loops.float32;
  const int64_t width = is_double ? 8 : 4;
  const Slices s(plan.x, plan.dim);
  const std::byte *const x = plan.x.bytes(), *const y = plan.y.bytes();
  std::byte* const out = plan.out.bytes();
  const auto at = [&](const std::byte* p, int64_t i) { return p == nullptr ? p : p + i * width; };
  s.run([&](int64_t first,
            int64_t m) { loop.rows(at(x, first * s.n), at(y, first * s.n), out + first * (loops.reduces ? 1 : s.n) * width, s.n, m); },
        [&](int64_t i, int64_t m) {
          const int64_t to = loops.reduces ? i / (s.n * s.inner) * s.inner + i % s.inner : i;
          loop.columns(at(x, i), at(y, i), out + to * width, s.n, m, s.inner);
        },
        grain);
}

#define MT_LOOPS(name) &RowOf::name, &RowOf::name, &ColumnsOf::name, &ColumnsOf::name
std::span<const Row> softmax_rows() {
  static constexpr Row rows[] = {
      {&Softmax::decl, Softmax::plan, kernel<&run_softmax>(slice_loops<MT_LOOPS(softmax)>)},
      {&LogSoftmax::decl, LogSoftmax::plan, kernel<&run_softmax>(slice_loops<MT_LOOPS(logsoftmax)>)},
      {&LogSumExp::decl, LogSumExp::plan, kernel<&run_softmax>(slice_loops<MT_LOOPS(logsumexp), true>)},
      {&SoftmaxGrad::decl, SoftmaxGrad::plan, kernel<&run_softmax>(slice_loops<MT_LOOPS(softmax_grad)>)},
      {&LogSoftmaxGrad::decl, LogSoftmaxGrad::plan, kernel<&run_softmax>(slice_loops<MT_LOOPS(logsoftmax_grad)>)}};
  return built_rows<rows>();
}
#undef MT_LOOPS

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(softmax_rows);
namespace cpu {
std::span<const Row> softmax_rows() { return HWY_DYNAMIC_DISPATCH(softmax_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
