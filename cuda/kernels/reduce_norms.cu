// Norms and variances: kernels of the folds in engine/ops/reduce-inl.h.
#include "cuda/functions.h"
#include "cuda/kernels/reduce.h"
#include "cuda/moments.h"

namespace mt::cuda {

template <class T, class... Result> struct MomentReducer {
  using Element = T;
  using S = Compute<T>;
  using Running = ShiftedSums;
  using State = Spread;
  static constexpr int results = sizeof...(Result);

  static MT_DEVICE Running start() { return {}; }
  template <int count> static MT_DEVICE void take(Running& sums, const S (&x)[count], int64_t, int64_t, const ReduceArgs&) {
    for (int k = 0; k < count; ++k) sums.take(x[k]);
  }
  static MT_DEVICE State close(const Running& sums) { return sums.spread(); }
  static MT_DEVICE void merge(State& into, const State& later) { into.join(later); }
  static MT_DEVICE void store(const State& all, const ReduceArgs& args, const ReduceOutput* out, const int64_t* at) {
    (store_value<double, T>(Result()(all.mean, all.squares, args), *out++, *at++), ...);
  }
};

template <class... Result> struct Moments { template <class T> using Reducer = MomentReducer<T, Result...>; };

KernelRows reduce_norms_rows() { return reduce_rows_of(NormOps()); }

}  // namespace mt::cuda
