// Elementary functions: kernels of the functors in engine/ops/elementary-inl.h.
#include "cuda/functions.h"
#include "cuda/kernels/pointwise.h"

namespace mt::cuda {

#include "engine/ops/elementary-inl.h"

KernelRows elementary_rows() { return rows_of(ElementaryOps()); }

}  // namespace mt::cuda
