// Extrema and their positions: kernels of the folds in engine/ops/reduce-inl.h.
#include "cuda/kernels/reduce.h"

namespace mt::cuda {

template <class S> struct Extremum {
  S value;
  int64_t place;  // -1: none yet
};

// The first position on ties.
template <class Order, class T> struct PositionReducer {
  using Element = T;
  using S = Compute<T>;
  using State = Extremum<S>;
  using Running = State;
  static constexpr int results = 2;

  static MT_DEVICE bool beats(S x, S y) { return Order()(Value<S>(x), Value<S>(y)).b || (x != x && y == y); }
  static MT_DEVICE State start() { return {S(0), -1}; }
  template <int count> static MT_DEVICE void take(State& best, const S (&x)[count], int64_t first, int64_t step, const ReduceArgs&) {
    for (int k = 0; k < count; ++k) {
      if (best.place < 0 || beats(x[k], best.value)) best = {x[k], first + k * step};
    }
  }
  static MT_DEVICE State close(const State& best) { return best; }
  static MT_DEVICE void merge(State& into, const State& later) {
    if (later.place < 0) return;
    const bool ties = !beats(into.value, later.value);
    if (into.place < 0 || beats(later.value, into.value) || (ties && later.place < into.place)) into = later;
  }
  static MT_DEVICE void store(const State& best, const ReduceArgs&, const ReduceOutput* out, const int64_t* at) {
    const int positions = out[1].data != nullptr ? 1 : 0;  // without values, positions are the first result
    if (positions == 1) *reinterpret_cast<T*>(out[0].data + at[0]) = narrow<T>(best.value);
    *reinterpret_cast<int64_t*>(out[positions].data + at[positions]) = best.place + 1;
  }
};

template <class Order, bool with_values> struct Positions {
  template <class T> using Reducer = PositionReducer<Order, std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;
};

KernelRows reduce_extrema_rows() { return reduce_rows_of(ExtremumOps()); }

}  // namespace mt::cuda
