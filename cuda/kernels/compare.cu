// Comparisons: kernels of the functors in engine/ops/compare-inl.h.
#include "cuda/functors/compare.h"
#include "cuda/kernels/pointwise.h"

namespace mt::cuda {

KernelRows compare_rows() { return rows_of(CompareOps()); }

}  // namespace mt::cuda
