// Probabilities of 8 bits from products of queries and keys (engine/ops/int8-inl.h has the formula).
#pragma once

#include <cstdint>

#include "engine/cpu/int8_rows.h"

namespace mt::cpu {

inline constexpr int32_t int8_certain = 255;  // the probability of the key with the largest score, before they are divided by their sum

// A row of scores, in binary logarithms. Arrays have room for whole panels.
struct Int8Scores {
  int32_t* products;       // of an unsigned query and the packed keys; memory for floats afterwards
  int64_t keys;            // those that the query may see, of `room`
  int64_t room;            // a multiple of 16
  Int8Scale query;         // its scale includes the factor of the scores
  const int32_t* offsets;  // for each key, the sum of its elements: times the query's zero point, unless of_keys is there
  const float* of_keys;    // scales; null if all are 1
  const float* added;      // a mask; null if there is none
};

// Writes the probabilities of all keys, 0 for those that the query may not see. Returns their sum.
int32_t int8_softmax(const Int8Scores& scores, uint8_t* to);

}  // namespace mt::cpu
