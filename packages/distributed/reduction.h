// Arithmetic of reductions: elements of several ranks become one, in the order of the ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mt::distributed {

enum class Reduction : int32_t { sum, product, min, max, mean };

// Writes to `out` the reduction of `count` elements of a dtype (a number of DType) of each input, input after input: ((x0 + x1) + x2) + ...
// Floats of 8 and 16 bits are added in float32 and rounded once. Booleans: sum and max are "or", product and min "and". min and max of a
// NaN are NaN. `out` may be one of the inputs.
void reduce(Reduction reduction, int32_t dtype, std::span<const void* const> inputs, void* out, size_t count);

// One step of the same reduction: combines the partial results of the ranks before this one with its elements, x. Partial results have
// `partial_dtype`; those of the first rank are its elements. `last`: writes the result of all `ranks`, in the dtype. `out` may be x.
struct Step {
  bool second, last;
  int ranks;
};
void reduce_step(Reduction reduction, int32_t dtype, const Step& step, const void* partial, const void* x, void* out, size_t count);

// The dtype of partial results: float32 for floats of 8 and 16 bits.
int32_t partial_dtype(int32_t dtype);

// Bytes of an element of a dtype.
size_t size_of(int32_t dtype);

}  // namespace mt::distributed
