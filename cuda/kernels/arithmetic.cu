// Sums, products, quotients and remainders: kernels of the functors in engine/ops/arithmetic-inl.h.
#include "cuda/kernels/pointwise.h"

namespace mt::cuda {

#include "engine/ops/arithmetic-inl.h"

KernelRows arithmetic_rows() { return rows_of(ArithmeticOps()); }

}  // namespace mt::cuda
