// Sums, means and products: kernels of the folds in engine/ops/reduce-inl.h.
#include "cuda/kernels/reduce.h"

namespace mt::cuda {

// One thread multiplies all elements of a result.
struct OrderedProduct {
  template <class T> static void run(const ReducePlan& plan) {
    if constexpr (std::is_floating_point_v<T>) launch_reduction<FoldWay<ProductFold, ProductFold, T>>(plan, true);
  }
};

KernelRows reduce_sums_rows() { return reduce_rows_of(SumOps()); }

}  // namespace mt::cuda
