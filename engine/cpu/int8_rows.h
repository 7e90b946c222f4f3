// Conversions between floats and 8-bit integers: of rows before products, and of their sums.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/dtype.h"

namespace mt::cpu {

// The integer q represents the number scale * (q - zero).
struct Int8Scale {
  float scale;
  int32_t zero;
};

inline constexpr int32_t most_int8_zero = 1 << 20;  // the largest zero point for quantised results

// The scale and zero point with which uint8 covers all elements, and represents 0 exactly. NaN is ignored.
Int8Scale int8_range(const float* x, int64_t n);

// to[i] = x[i] / scale rounded (half to even), plus the zero point, within the bounds of the dtype, uint8 or int8. NaN becomes the least.
void int8_quantize(const float* x, int64_t n, Int8Scale scale, DType dtype, void* to);

// The sums of products of rows, for panels of columns, and the operations on them: engine/ops/int8-inl.h has the formula.
struct Int8Sums {
  int64_t rows, columns;
  const int32_t* products;  // of unsigned elements of x and a packed weight
  int64_t products_step;
  const int8_t* weight_sums;  // 16 int32 of the first panel
  int64_t panel_step;         // bytes
  const Int8Scale* scales;    // of x, for each row; the first one is that of all rows unless they differ
  bool scales_differ;
  const int32_t* centred_sums;     // for each row, the sum of x - zero; needed with weight_zero
  const float *multiplier, *bias;  // of the first column; whole panels
  const int32_t* weight_zero;      // likewise, or null
  int32_t out_zero;
  DType dtype;       // of the result: int32, float32, uint8 or int8
  int64_t out_step;  // bytes
};

void int8_requantize(const Int8Sums& sums, std::byte* to);

}  // namespace mt::cpu
