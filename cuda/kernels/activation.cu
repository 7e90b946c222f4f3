// Smooth relatives of the rectifier: kernels of the functors in engine/ops/activation-inl.h.
#include "cuda/functors/activation.h"
#include "cuda/kernels/pointwise.h"

namespace mt::cuda {

KernelRows activation_rows() { return rows_of(ActivationOps()); }

}  // namespace mt::cuda
