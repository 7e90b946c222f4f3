// Incomplete gamma and beta functions: kernels of the functors in engine/ops/incomplete-inl.h, in double.
#include "cuda/functions.h"
#include "cuda/kernels/pointwise.h"
#include "engine/ops/incomplete_beta.h"
#include "engine/ops/incomplete_gamma.h"

namespace mt::cuda {

template <class F, class T, class... More> MT_FN Value<T> element(const F&, Value<T> a, More... more) {
  return Value<T>(static_cast<T>(F::of(static_cast<double>(a.v), static_cast<double>(more.v)...)));
}

#include "engine/ops/incomplete-inl.h"

KernelRows incomplete_rows() { return rows_of(IncompleteOps()); }

}  // namespace mt::cuda
