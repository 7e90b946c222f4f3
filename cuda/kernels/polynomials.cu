// Orthogonal polynomials: kernels of the functors in engine/ops/polynomials-inl.h, in double.
#include "cuda/kernels/pointwise.h"
#include "cuda/wide.h"
#include "engine/ops/polynomials.h"

namespace mt::cuda {

#include "engine/ops/polynomials-inl.h"

KernelRows polynomials_rows() { return rows_of(PolynomialsOps()); }

}  // namespace mt::cuda
