// Rounding, clamping, selection: kernels of the functors in engine/ops/pointwise-inl.h.
#include "cuda/functors/rounding.h"
#include "cuda/kernels/pointwise.h"

namespace mt::cuda {

KernelRows rounding_rows() { return rows_of(PointwiseOps()); }

}  // namespace mt::cuda
