// Sums, products, quotients and remainders: kernels of the functors in engine/ops/arithmetic-inl.h.
#include "cuda/functors/arithmetic.h"
#include "cuda/kernels/pointwise.h"

namespace mt::cuda {

KernelRows arithmetic_rows() { return rows_of(ArithmeticOps()); }

}  // namespace mt::cuda
