// Sums, means and products: kernels of the folds in engine/ops/reduce-inl.h.
#include "cuda/kernels/reduce.h"

namespace mt::cuda {

template <class T> struct OrderedWay : FoldWay<ProductFold, ProductFold, T> {};
template <class T> inline constexpr bool is_ordered<OrderedWay<T>> = true;

struct OrderedProduct {
  template <class T> using Way = std::conditional_t<std::is_floating_point_v<T>, OrderedWay<T>, void>;
};

KernelRows reduce_sums_rows() { return reduce_rows_of(SumOps()); }

}  // namespace mt::cuda
