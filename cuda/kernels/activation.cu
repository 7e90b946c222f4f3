// Smooth relatives of the rectifier: kernels of the functors in engine/ops/activation-inl.h.
#include "cuda/functions.h"
#include "cuda/kernels/pointwise.h"

namespace mt::cuda {

// The rounding error of `square`, the rounded z^2.
template <class T> MT_FN Value<T> rest_of_square(Value<T> z, Value<T> square) { return mul_add(z, z, Value<T>(0) - square); }

#include "engine/ops/tails-inl.h"

#include "engine/ops/activation-inl.h"

KernelRows activation_rows() { return rows_of(ActivationOps()); }

}  // namespace mt::cuda
