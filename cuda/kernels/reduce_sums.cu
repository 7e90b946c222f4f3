// Sums, means and products: kernels of the folds in engine/ops/reduce-inl.h.
#include "cuda/kernels/reduce.h"

namespace mt::cuda {

template <class T> struct OrderedReducer : FoldReducer<ProductFold, ProductFold, T> {};
template <class T> inline constexpr bool is_ordered<OrderedReducer<T>> = true;

struct OrderedProduct {
  template <class T> using Reducer = std::conditional_t<std::is_floating_point_v<T>, OrderedReducer<T>, void>;
};

KernelRows reduce_sums_rows() { return reduce_rows_of(SumOps()); }

}  // namespace mt::cuda
