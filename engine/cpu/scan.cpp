// The CPU's kernels of scans. Each element waits four cycles for the addition of the previous one: eight rows at once, or vectors of
// columns, hide this.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/scan.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <limits>
#include <span>

#include "engine/core/built.h"
#include "engine/cpu/functions-inl.h"
#include "engine/cpu/slices.h"
#include "engine/ops/scan.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

#include "engine/ops/scan-inl.h"

template <class T> using ScanAccumulator =
    std::conditional_t<std::is_integral_v<T>, T, std::conditional_t<is_complex<T>, Complex<double>, double>>;

template <class Op, class T, int count> void scan_together(const T* x, T* out, int64_t n) {
  using A = ScanAccumulator<T>;
  Scalar<A> acc[count];
#pragma GCC unroll 8
  for (int r = 0; r < count; ++r) acc[r] = Scalar<A>(Op::start);
  for (int64_t i = 0; i < n; ++i) {
#pragma GCC unroll 8
    for (int r = 0; r < count; ++r) {
      acc[r] = Op()(acc[r], Scalar<A>(convert_element<A>(x[r * n + i])));
      out[r * n + i] = convert_element<T>(acc[r].v);
    }
  }
}

template <class Op, class T> void scan_each_row(const std::byte* from, std::byte* to, int64_t*, int64_t n, int64_t m) {
  const T* x = reinterpret_cast<const T*>(from);
  T* out = reinterpret_cast<T*>(to);
  int64_t i = 0;
  for (; i + 8 <= m; i += 8) scan_together<Op, T, 8>(x + i * n, out + i * n, n);
  for (; i < m; ++i) scan_together<Op, T, 1>(x + i * n, out + i * n, n);
}

template <class Op, class T> void scan_each_column(const std::byte* from, std::byte* to, int64_t*, int64_t n, int64_t m, int64_t stride) {
  using A = ScanAccumulator<T>;
  A acc[slice_columns];
  std::fill_n(acc, m, static_cast<A>(Op::start));
  const T* x = reinterpret_cast<const T*>(from);
  T* out = reinterpret_cast<T*>(to);
  for (int64_t row = 0; row < n; ++row, x += stride, out += stride) {
    int64_t j = 0;
    if constexpr (std::is_floating_point_v<T>) {
      const hn::ScalableTag<double> d;
      const hn::Rebind<T, decltype(d)> dt;
      const auto lanes = static_cast<int64_t>(hn::Lanes(d));
      for (; j + lanes <= m; j += lanes) {
        Simd<double> v;
        if constexpr (std::is_same_v<T, double>)
          v = Simd<double>(hn::LoadU(d, x + j));
        else
          v = Simd<double>(hn::PromoteTo(d, hn::LoadU(dt, x + j)));
        v = Op()(Simd<double>(hn::LoadU(d, acc + j)), v);
        hn::StoreU(v.v, d, acc + j);
        if constexpr (std::is_same_v<T, double>)
          hn::StoreU(v.v, d, out + j);
        else
          hn::StoreU(hn::DemoteTo(dt, v.v), dt, out + j);
      }
    }
    for (; j < m; ++j) {
      acc[j] = Op()(Scalar<A>(acc[j]), Scalar<A>(convert_element<A>(x[j]))).v;
      out[j] = convert_element<T>(acc[j]);
    }
  }
}

// ---- an extremum and its position
// -----------------------------------------------------------------------------------------------------------

// The elements of one slice are `stride` apart.
template <class Order, class T> void scan_extremum(const T* x, T* out, int64_t* places, int64_t n, int64_t stride) {
  using S = Scalar<Compute<T>>;
  T best = *x;
  int64_t place = 1;
  for (int64_t i = 0; i < n; ++i, x += stride, out += stride, places += stride) {
    const bool better = Order()(S(convert_element<Compute<T>>(*x)), S(convert_element<Compute<T>>(best))).b;
    best = better ? *x : best;
    place = better ? i + 1 : place;
    *out = best;
    *places = place;
  }
}

template <class Order, class T> void scan_rows_for_extremum(const std::byte* from, std::byte* to, int64_t* places, int64_t n, int64_t m) {
  for (int64_t i = 0; i < m; ++i)
    scan_extremum<Order>(reinterpret_cast<const T*>(from) + i * n, reinterpret_cast<T*>(to) + i * n, places + i * n, n, 1);
}

// Row after row, each compared with the results before it.
template <class Order, class T>
void scan_columns_for_extremum(const std::byte* from, std::byte* to, int64_t* places, int64_t n, int64_t m, int64_t stride) {
  using S = Scalar<Compute<T>>;
  const T* x = reinterpret_cast<const T*>(from);
  T* out = reinterpret_cast<T*>(to);
  std::copy_n(x, m, out);
  std::fill_n(places, m, 1);
  for (int64_t row = 1; row < n; ++row) {
    const T* const best = out;
    const int64_t* const before = places;
    x += stride;
    out += stride;
    places += stride;
    for (int64_t j = 0; j < m; ++j) {
      const bool better = Order()(S(convert_element<Compute<T>>(x[j])), S(convert_element<Compute<T>>(best[j]))).b;
      out[j] = better ? x[j] : best[j];
      places[j] = better ? row + 1 : before[j];
    }
  }
}

// ---- exponentials
// ------------------------------------------------------------------------------------------------------------------------

// Adjacent slices, one per lane of doubles: `apart` elements from one to the next, `count` of them.
struct Side {
  using V = Simd<double>;
  static constexpr size_t most = HWY_MAX_BYTES / sizeof(double);
  int64_t count, apart;

  template <class T> V load(const T* from) const {
    HWY_ALIGN double lanes[most] = {};
    for (int64_t i = 0; i < count; ++i) lanes[i] = convert_element<double>(from[i * apart]);
    return V(hn::Load(V::D(), lanes));
  }
  template <class T> void store(V v, T* to) const {
    HWY_ALIGN double lanes[most];
    hn::Store(v.v, V::D(), lanes);
    for (int64_t i = 0; i < count; ++i) to[i * apart] = convert_element<T>(lanes[i]);
  }
};

// Calls scan(Side, first element, stride of a slice's elements) for m slices, each `apart` from the next.
template <class F> void side_by_side(int64_t m, int64_t apart, int64_t stride, F scan) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Side::V::D()));
  for (int64_t j = 0; j < m; j += lanes) scan(Side{std::min(lanes, m - j), apart}, j * apart, stride);
}

// a - b, and 0 for equal operands, infinite or not.
MT_FN Simd<double> distance(Simd<double> a, Simd<double> b) { return select(a == b, Simd<double>(0), a - b); }

// The largest element so far, and the sum of exponentials of the elements' distances from it. A new largest element rescales the sum.
template <class T> void scan_log_sum(Side side, const T* x, T* out, int64_t n, int64_t stride) {
  using V = Side::V;
  V top(-std::numeric_limits<double>::infinity()), sum(0);
  for (int64_t i = 0; i < n; ++i) {
    const V v = side.load(x + i * stride), d = distance(v, top), e = exp(V(0) - abs(d));
    const auto larger = v > top;
    sum = select(larger, sum * e + V(1), sum + e);
    top = select(larger, v, top);
    side.store(top + log(sum), out + i * stride);
  }
}

// The same along a row, with exponentials, and then logarithms, computed in vectors for a block: a sum waits for the previous one, but
// distances do not. 1e5 floats take 0.9 ms this way, and 6 ms element by element.
template <class T> void scan_row_for_log_sum(const T* x, T* out, int64_t n) {
  using V = Side::V;
  constexpr int64_t block = 256;
  const V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN double tops[block] = {}, distances[block] = {}, terms[block] = {};
  double top = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int64_t first = 0; first < n; first += block) {
    const int64_t count = std::min(block, n - first);
    for (int64_t i = 0; i < count; ++i) {
      const auto v = convert_element<double>(x[first + i]);
      distances[i] = v == top ? 0 : v - top;
      top = v > top ? v : top;
      tops[i] = top;
    }
    for (int64_t i = 0; i < count; i += lanes) hn::Store(exp(V(0) - abs(V(hn::Load(d, distances + i)))).v, d, terms + i);
    for (int64_t i = 0; i < count; ++i) {
      sum = distances[i] > 0 ? sum * terms[i] + 1 : sum + terms[i];
      terms[i] = sum;
    }
    for (int64_t i = 0; i < count; i += lanes) hn::Store((V(hn::Load(d, tops + i)) + log(V(hn::Load(d, terms + i)))).v, d, terms + i);
    for (int64_t i = 0; i < count; ++i) out[first + i] = convert_element<T>(terms[i]);
  }
}

template <class T> void scan_rows_for_log_sum(const std::byte* from, std::byte* to, int64_t*, int64_t n, int64_t m) {
  for (int64_t i = 0; i < m; ++i) scan_row_for_log_sum(reinterpret_cast<const T*>(from) + i * n, reinterpret_cast<T*>(to) + i * n, n);
}

template <class T> void scan_columns_for_log_sum(const std::byte* from, std::byte* to, int64_t*, int64_t n, int64_t m, int64_t step) {
  side_by_side(m, 1, step, [&](Side side, int64_t at, int64_t stride) {
    scan_log_sum(side, reinterpret_cast<const T*>(from) + at, reinterpret_cast<T*>(to) + at, n, stride);
  });
}

// The sum so far is scaled by exp(y[i] - y[next]) from one element to the next, so that no exponential is large where y rises: backward
// from the last element, forward if transposed.
template <class T>
void scan_cumulative_exp(Side side, const T* g, const T* x, const T* y, T* out, int64_t n, int64_t stride, bool transposed) {
  using V = Side::V;
  V sum(0), before(0);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = (transposed ? i : n - 1 - i) * stride;
    const V vg = side.load(g + at), vx = side.load(x + at), vy = side.load(y + at);
    const V weight = select(vx == V(-std::numeric_limits<double>::infinity()), V(0), exp(distance(vx, vy)));
    const V scale = transposed ? exp(distance(before, vy)) : exp(distance(vy, before));
    const V scaled = i == 0 ? V(0) : sum * scale;
    sum = scaled + (transposed ? vg * weight : vg);
    side.store(transposed ? sum : sum * weight, out + at);
    before = vy;
  }
}

void run_cumulative_exp(const CumulativeExpPlan& plan) {
  constexpr int64_t grain = 2048;
  dispatch<float_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    const Slices slices(plan.out, plan.dim);
    const auto scan = [&](int64_t first, int64_t m, int64_t apart) {
      side_by_side(m, apart, slices.inner, [&](Side side, int64_t at, int64_t stride) {
        at += first;
        scan_cumulative_exp(side, plan.g.data<T>() + at, plan.x.data<T>() + at, plan.y.data<T>() + at, plan.out.data<T>() + at, slices.n,
                            stride, plan.transposed);
      });
    };
    slices.run([&](int64_t first, int64_t m) { scan(first * slices.n, m, slices.n); }, [&](int64_t at, int64_t m) { scan(at, m, 1); },
               grain);
  });
}

// ---- tables
// ------------------------------------------------------------------------------------------------------------------------------

struct ScanLoop {
  // m contiguous rows of n elements, one after the other; positions of their results from 1, if the op returns them.
  void (*rows)(const std::byte* x, std::byte* out, int64_t* places, int64_t n, int64_t m) = nullptr;
  // n rows `stride` elements apart, of which m adjacent elements are scanned downward.
  void (*columns)(const std::byte* x, std::byte* out, int64_t* places, int64_t n, int64_t m, int64_t stride) = nullptr;
};

template <class F> struct Running {
  template <class T> static constexpr ScanLoop loop() { return {&scan_each_row<F, T>, &scan_each_column<F, T>}; }
};

template <class Order> struct RunningExtremum {
  template <class T> static constexpr ScanLoop loop() { return {&scan_rows_for_extremum<Order, T>, &scan_columns_for_extremum<Order, T>}; }
};

struct RunningLogSum {
  template <class T> static constexpr ScanLoop loop() { return {&scan_rows_for_log_sum<T>, &scan_columns_for_log_sum<T>}; }
};

using ScanLoops = std::array<ScanLoop, dtype_count>;

template <class Op>
inline constexpr ScanLoops scan_loops = by_dtype<ScanLoop, computed_dtypes(Op::decl)>([]<class T>(std::type_identity<T>) {
  return Op::Scan::template loop<T>();
});

void run_scan(const ScanPlan& plan, const ScanLoops& loops) {
  const Slices slices(plan.x, plan.dim);
  const ScanLoop& loop = loops[static_cast<size_t>(plan.x.dtype())];
  const int64_t width = size_of(plan.x.dtype());
  const std::byte* from = plan.x.bytes();
  std::byte* to = plan.out.bytes();
  int64_t* const places = plan.positions.data<int64_t>();
  const auto places_at = [&](int64_t i) { return places == nullptr ? places : places + i; };
  slices.run(
      [&](int64_t row, int64_t m) {
        const int64_t first = row * slices.n;
        loop.rows(from + first * width, to + first * width, places_at(first), slices.n, m);
      },
      [&](int64_t at, int64_t m) { loop.columns(from + at * width, to + at * width, places_at(at), slices.n, m, slices.inner); });
}

template <class... Op> std::span<const Row> scan_rows_of(List<Op...>) {
  static constexpr Row rows[] = {{&Op::decl, &plan_scan, kernel<&run_scan>(scan_loops<Op>)}...,
                                 {&LogCumSumExpGrad::decl, &plan_cumulative_exp, kernel<&run_cumulative_exp>()}};
  return built_rows<rows>();
}

std::span<const Row> scan_rows() { return scan_rows_of(ScanOps()); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(scan_rows);
namespace cpu {
std::span<const Row> scan_rows() { return HWY_DYNAMIC_DISPATCH(scan_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
