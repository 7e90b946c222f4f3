// Incomplete gamma and beta functions: kernels of the functors in engine/ops/incomplete-inl.h, in double.
#include "cuda/kernels/pointwise.h"
#include "cuda/wide.h"
#include "engine/ops/incomplete_beta.h"
#include "engine/ops/incomplete_gamma.h"

namespace mt::cuda {

#include "engine/ops/incomplete-inl.h"

KernelRows incomplete_rows() { return rows_of(IncompleteOps()); }

}  // namespace mt::cuda
