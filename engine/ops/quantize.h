// The plans of conversions between floats and integers of 8 bits.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// x as (outer, slices, inner), of which each slice has a scale and a zero point. scale has one element or `slices` ones, in the dtype of
// the floats, float32 or float64; zero is int32 and has as many, or no storage.
struct QuantizedSlices {
  int64_t outer, slices, inner;
  Operand scale, zero;
};

// x is contiguous; q, of the same sizes, is uint8 or int8.
struct QuantizePlan {
  QuantizedSlices slices;
  Operand x, q;
};

// q is contiguous: uint8, int8 or int32.
struct DequantizePlan {
  QuantizedSlices slices;
  Operand q, out;
};

// x, g and out are contiguous and have the dtype of scale. Without g it is fakeQuantize, with g its gradient.
struct FakeQuantizePlan {
  QuantizedSlices slices;
  Operand x, g, out;
  double least, most;
};

// x: uint8 or int8; values: 256 elements; out: x's sizes, values' dtype. All are contiguous.
struct Int8MapPlan {
  Operand x, values, out;
};

// x (rows, depth), weight (columns, depth): float32, or 16 bits; bias (columns) or without storage; out (rows, columns), with elements. All
// are contiguous.
struct Linear16Plan {
  int64_t rows, depth, columns;
  Operand x, weight, bias, out;
};

void plan_quantize(Call& call);
void plan_dequantize(Call& call);
void plan_fake_quantize(Call& call);
void plan_fake_quantize_grad(Call& call);
void plan_int8_map(Call& call);
void plan_linear16(Call& call);

}  // namespace mt
