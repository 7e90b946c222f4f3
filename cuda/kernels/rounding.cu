// Rounding, clamping, selection: kernels of the functors in engine/ops/pointwise-inl.h.
#include "cuda/kernels/pointwise.h"

namespace mt::cuda {

#include "engine/ops/pointwise-inl.h"

KernelRows rounding_rows() { return rows_of(PointwiseOps()); }

}  // namespace mt::cuda
