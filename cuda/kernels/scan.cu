// Running sums, products, extrema and sums of exponentials: kernels of engine/ops/scan-inl.h.
#include "cuda/complex_value.h"
#include "cuda/exponentials.h"
#include "cuda/kernels/register.h"
#include "cuda/kernels/scans.h"
#include "cuda/value.h"
#include "engine/ops/scan.h"

namespace mt::cuda {

#include "engine/ops/scan-inl.h"

template <class F, class T> struct RunningPolicy {
  static constexpr bool backward = false;
  using A = std::conditional_t<std::is_integral_v<T>, T, std::conditional_t<is_complex<T>, Complex<double>, double>>;
  using State = A;
  const T* x;
  T* out;

  RunningPolicy(const ScanPlan& plan) : x(elements<T>(plan.x)), out(elements<T>(plan.out)) {}  // NOLINT: implicit
  static MT_DEVICE A start() { return static_cast<A>(F::start); }
  static MT_DEVICE void merge(A& into, A later) { into = F()(Value<A>(into), Value<A>(later)).v; }
  MT_DEVICE void take(A& state, int64_t element, int64_t) const { merge(state, static_cast<A>(widen(x[element]))); }
  MT_DEVICE void put(A state, int64_t element, int64_t) const { out[element] = narrow<T>(state); }
};

template <class S> struct Best {
  S value;
  int64_t position;  // from 1; 0: none yet
};

template <class Order, class T> struct ExtremumPolicy {
  static constexpr bool backward = false;
  using S = Compute<T>;
  using State = Best<S>;
  const T* x;
  T* out;
  int64_t* positions;

  ExtremumPolicy(const ScanPlan& plan)  // NOLINT: implicit
      : x(elements<T>(plan.x)), out(elements<T>(plan.out)), positions(elements<int64_t>(plan.positions)) {}
  static MT_DEVICE State start() { return {S(0), 0}; }
  static MT_DEVICE void merge(State& into, const State& later) {
    if (later.position != 0 && (into.position == 0 || Order()(Value<S>(later.value), Value<S>(into.value)).b)) into = later;
  }
  MT_DEVICE void take(State& state, int64_t element, int64_t i) const { merge(state, {widen(x[element]), i + 1}); }
  MT_DEVICE void put(const State& state, int64_t element, int64_t) const {
    out[element] = narrow<T>(state.value);
    positions[element] = state.position;
  }
};

template <class T> struct LogSumPolicy {
  static constexpr bool backward = false;
  using State = Exponentials<double>;
  const T* x;
  T* out;

  LogSumPolicy(const ScanPlan& plan) : x(elements<T>(plan.x)), out(elements<T>(plan.out)) {}  // NOLINT: implicit
  static MT_DEVICE State start() { return {}; }
  static MT_DEVICE void merge(State& into, const State& later) { into.add(later.top, later.sum); }
  MT_DEVICE void take(State& state, int64_t element, int64_t) const { state.add(static_cast<double>(widen(x[element])), 1); }
  MT_DEVICE void put(const State& state, int64_t element, int64_t) const { out[element] = narrow<T>(state.top + std::log(state.sum)); }
};

// From each element to the next one, the sum so far is scaled by exp(y[i] - y[next]), so that no exponential is large if y increases:
// backward from the last element, or forward if transposed.
template <class T> struct CumulativeExpPolicy {
  struct State {
    double sum, y;  // of the last element
    int64_t count;
  };
  const T *g, *x, *y;
  T* out;
  bool transposed, backward;

  explicit CumulativeExpPolicy(const CumulativeExpPlan& plan)
      : g(elements<T>(plan.g)),
        x(elements<T>(plan.x)),
        y(elements<T>(plan.y)),
        out(elements<T>(plan.out)),
        transposed(plan.transposed),
        backward(!plan.transposed) {}

  static MT_DEVICE double distance(double a, double b) { return a == b ? 0 : a - b; }  // 0 for equal infinities
  MT_DEVICE double weight(int64_t element) const {
    const auto at = static_cast<double>(widen(x[element]));
    const bool nothing = at == -std::numeric_limits<double>::infinity();
    return nothing ? 0 : std::exp(distance(at, static_cast<double>(widen(y[element]))));
  }

  MT_DEVICE State start() const { return {0, 0, 0}; }
  MT_DEVICE void merge(State& into, const State& later) const {
    if (later.count == 0) return;
    if (into.count == 0) {
      into = later;
      return;
    }
    const double scale = std::exp(transposed ? distance(into.y, later.y) : distance(later.y, into.y));
    into = {into.sum * scale + later.sum, later.y, into.count + later.count};
  }
  MT_DEVICE void take(State& state, int64_t element, int64_t) const {
    const auto term = static_cast<double>(widen(g[element]));
    merge(state, {transposed ? term * weight(element) : term, static_cast<double>(widen(y[element])), 1});
  }
  MT_DEVICE void put(const State& state, int64_t element, int64_t) const {
    out[element] = narrow<T>(transposed ? state.sum : state.sum * weight(element));
  }
};

// ---- the scan policies that engine/ops/scan-inl.h names

template <class F> struct Running { template <class T> using Policy = RunningPolicy<F, T>; };
template <class Order> struct RunningExtremum { template <class T> using Policy = ExtremumPolicy<Order, T>; };
struct RunningLogSum {
  template <class T> using Policy = LogSumPolicy<T>;
};

template <class Op> void run_scan(const ScanPlan& plan) {
  dispatch<computed_dtypes(Op::decl) & arithmetic_dtypes>(
      plan.x.dtype(), [&]<class T>(std::type_identity<T>) { launch_scan(plan.x, plan.dim, typename Op::Scan::template Policy<T>(plan)); });
}

void run_cumulative_exp(const CumulativeExpPlan& plan) {
  dispatch<float_dtypes>(plan.out.dtype(),
                         [&]<class T>(std::type_identity<T>) { launch_scan(plan.out, plan.dim, CumulativeExpPolicy<T>(plan)); });
}

template <class... Op> KernelRows scan_rows_of(List<Op...>) {
  static constexpr KernelRow rows[] = {{Op::decl.name, kernel<&run_scan<Op>>()}...,
                                       {LogCumSumExpGrad::decl.name, kernel<&run_cumulative_exp>()}};
  return rows;
}

KernelRows scan_rows() { return scan_rows_of(ScanOps()); }

}  // namespace mt::cuda
