// Computed matrices as second operands of products of 8-bit integers.
#pragma once

#include <cstdint>

#include "engine/ops/int8.h"

namespace mt::cpu {

// One of the steps is 1.
struct Int8Matrix {
  const void* data;
  int64_t depth, columns;
  int64_t depth_step, column_step;  // elements
};

// Writes a matrix of uint8 or int8 in the order of int8Pack. Elements without a sign get 128 subtracted.
void int8_pack_matrix(const Int8Matrix& m, bool is_signed, int8_t* packed);

// Integers of a matrix of float32, with a scale for each column: its largest element becomes 127 or -127. Returns the integers in `to`,
// whose elements have the order of m without gaps.
Int8Matrix int8_quantize_columns(const Int8Matrix& m, int8_t* to, float* scales);

// The integer that represents 0 in a packed matrix.
constexpr int32_t packed_zero(int64_t zero, bool is_signed) { return static_cast<int32_t>(is_signed ? zero : zero - 128); }

}  // namespace mt::cpu
