// Norms and variances: kernels of the folds in engine/ops/reduce-inl.h.
#include "cuda/functions.h"
#include "cuda/kernels/reduce.h"
#include "cuda/moments.h"

namespace mt::cuda {

template <bool root, class T> struct MomentWay {
  using Element = T;
  using S = Compute<T>;
  using Running = ShiftedSums;
  using State = Spread;

  static MT_DEVICE Running start() { return {}; }
  template <int count> static MT_DEVICE void take(Running& sums, const S (&x)[count], int64_t, int64_t, const ReduceArgs&) {
    for (int k = 0; k < count; ++k) sums.take(x[k]);
  }
  static MT_DEVICE State close(const Running& sums) { return sums.spread(); }
  static MT_DEVICE void merge(State& into, const State& later) { into.join(later); }
  static MT_DEVICE void store(const State& all, const ReduceArgs& args, const ReduceOutputs& out, const int64_t* at) {
    const auto divisor = static_cast<double>(args.biased ? args.count : args.count - 1);
    const double variance = args.count == 0 ? std::numeric_limits<double>::quiet_NaN() : all.squares / divisor;
    store_value<double, T>(root ? std::sqrt(variance) : variance, out, at[0]);
  }
};

template <bool root> struct Moments {
  template <class T> static void run(const ReducePlan& plan) { launch_reduction<MomentWay<root, T>>(plan); }
};

KernelRows reduce_norms_rows() { return reduce_rows_of(NormOps()); }

}  // namespace mt::cuda
