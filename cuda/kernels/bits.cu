// Shifts and bitwise operations: kernels of the functors in engine/ops/bits-inl.h.
#include "cuda/functors/bits.h"
#include "cuda/kernels/pointwise.h"

namespace mt::cuda {

KernelRows bits_rows() { return rows_of(BitOps()); }

}  // namespace mt::cuda
