// Special functions: kernels of the functors in engine/ops/special-inl.h.
#include "cuda/kernels/pointwise.h"
#include "cuda/special_functions.h"

namespace mt::cuda {

#include "engine/ops/special-inl.h"

KernelRows special_rows() { return rows_of(SpecialOps()); }

}  // namespace mt::cuda
