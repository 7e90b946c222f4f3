// Tests of all elements: kernels of the folds in engine/ops/reduce-inl.h.
#include "cuda/kernels/reduce.h"

namespace mt::cuda {

KernelRows reduce_tests_rows() { return reduce_rows_of(TestOps()); }

}  // namespace mt::cuda
