// Normal values for float tensors, several at a time.
#pragma once

#include <cstdint>

namespace mt::cpu {

// out[2i] and out[2i + 1] are the pair of normal values that Box & Muller's formula computes from draws[2i] and draws[2i + 1], times std
// plus mean. Computed in double with functions exact to 1 ulp, then rounded.
void normal_pairs(const uint32_t* draws, int64_t pairs, double mean, double std, float* out);

}  // namespace mt::cpu
