// The plans of products and convolutions of 8-bit integers. docs/packages/quantize.md describes the arithmetic.
#pragma once

#include <array>

#include "engine/core/registry.h"
#include "engine/ops/attention.h"
#include "engine/ops/pool.h"

namespace mt {

// The layout of packed weights (int8Pack): panels of 16 rows in blocks of 4 elements of each row, then the sums of the rows.
inline constexpr int64_t int8_panel = 16, int8_depth = 4, int8_block = int8_panel * int8_depth;
inline constexpr int64_t most_int8_depth = 65536;  // elements of a row: sums fit in an int32

constexpr int64_t int8_panels(int64_t columns) { return (columns + int8_panel - 1) / int8_panel; }
constexpr int64_t int8_blocks(int64_t depth) { return (depth + int8_depth - 1) / int8_depth; }
// Bytes of a panel.
constexpr int64_t int8_panel_bytes(int64_t depth) { return (int8_blocks(depth) + 1) * int8_block; }

// weight (groups * columns, depth), int8 and contiguous; packed (groups * panels, bytes).
struct Int8PackPlan {
  Operand weight, packed;
  int64_t groups, columns, depth;
};

// What follows the sums of a column. multiplier and bias are float32, weight_zero is int32, each with `columns` elements or without
// storage. The result is int32 without multiplier.
struct Int8Scaling {
  int64_t zero, out_zero;
  Operand multiplier, bias, weight_zero;
};

// x as rows that share a scale: uint8 or int8; or float32, with `quantized` (uint8) and `ranges` (rows, 2), float32, for the scale and the
// zero point of each.
struct Int8Input {
  Operand x, quantized, ranges;
};

// x (rows, depth) and out (rows, columns) are contiguous and have elements, except that depth may be 0.
struct Int8LinearPlan {
  Int8Input input;
  Operand packed, out;
  int64_t rows, columns, depth;
  Int8Scaling scaling;
};

// One dimension of images.
struct Int8Axis {
  int64_t size, out, kernel, stride, pad, dilation;
};

// x (batch, h, w, in) and out (batch, h', w', columns) in this order in memory. out has elements. columns and in are those of all groups.
struct Int8ConvPlan {
  Int8Input input;
  Operand packed, out;
  int64_t batch, in, columns, groups;
  std::array<Int8Axis, 2> axes;
  Int8Scaling scaling;
};

// x and y, uint8 or int8, are channels last; y has elements.
struct Int8MaxPoolPlan {
  PoolShape shape;
  Operand x, y;
};

// One addend of a sum.
struct Int8Term {
  Operand x;  // uint8 or int8
  float scale;
  int32_t zero;
};

// The terms and out have the same order in memory, and elements.
struct Int8AddPlan {
  Int8Term x, y;
  Operand out;
  int64_t out_zero;
};

// x and y are channels last; y has elements.
struct Int8AvgPoolPlan {
  PoolShape shape;
  bool count_pad;
  Int8Term x;
  Operand y;
  int64_t out_zero;
};

// Matrices of `outer` groups of `inner` ones. x (rows, depth) has adjacent elements in rows; y (depth, columns) has a step for both
// dimensions, one of which is 1. All are uint8 or int8, or both float32: then quantized (rows of all x) and ranges are those of Int8Input.
struct Int8MatmulPlan {
  HeadMatrices x, y;
  int64_t y_column_step;
  Operand quantized, ranges, out;  // out is contiguous and has elements
  int64_t outer, inner, rows, depth, columns;
  int64_t x_zero, y_zero, out_zero;
  float multiplier;
};

// Query, key and value are uint8 or int8, or all float32. res is contiguous and has elements.
struct Int8AttentionPlan {
  AttentionSizes sizes;
  HeadMatrices query, key, value;
  AttentionMask mask;  // float32
  Operand res;
  int64_t query_zero, value_zero, out_zero;
  float value_scale;
};

void plan_int8_pack(Call& call);
void plan_int8_linear(Call& call);
void plan_int8_conv2d(Call& call);
void plan_int8_max_pool2d(Call& call);
void plan_int8_add(Call& call);
void plan_int8_avg_pool2d(Call& call);
void plan_int8_matmul(Call& call);
void plan_int8_attention(Call& call);

}  // namespace mt
