// Special functions: kernels of the functors in engine/ops/special-inl.h.
#include "cuda/complex_functions.h"
#include "cuda/functors/special.h"
#include "cuda/kernels/pointwise.h"

namespace mt::cuda {

KernelRows special_rows() { return rows_of(SpecialOps()); }

}  // namespace mt::cuda
