// Elementary functions: kernels of the functors in engine/ops/elementary-inl.h.
#include "cuda/complex_functions.h"
#include "cuda/functors/elementary.h"
#include "cuda/kernels/pointwise.h"

namespace mt::cuda {

KernelRows elementary_rows() { return rows_of(ElementaryOps()); }

}  // namespace mt::cuda
