// Special functions that few programs need: kernels of the functors in engine/ops/rare-inl.h, in double.
#include "cuda/kernels/pointwise.h"
#include "cuda/wide.h"
#include "engine/ops/bessel.h"
#include "engine/ops/normal_tails.h"

namespace mt::cuda {

#include "engine/ops/rare-inl.h"

KernelRows rare_rows() { return rows_of(RareOps()); }

}  // namespace mt::cuda
