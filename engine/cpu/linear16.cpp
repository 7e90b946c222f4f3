// Products with a weight of 16 bits. Few rows take as long as reading the weight does; each vector of its elements becomes float32 in
// registers, and is multiplied by three rows.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/linear16.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "engine/core/half.h"
#include "engine/core/parallel.h"
#include "engine/cpu/linear16.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

#include "engine/cpu/widened-inl.h"

HWY_INLINE Floats elements(const float* from) { return hn::LoadU(floats, from); }

template <class T> HWY_INLINE Floats elements(const T* from) {
  const auto v = hn::LoadU(halves, reinterpret_cast<const uint16_t*>(from));
  if constexpr (std::is_same_v<T, Half> && has_instruction)
    return hn::PromoteTo(floats, hn::BitCast(hn::Rebind<hwy::float16_t, decltype(floats)>(), v));
  else
    return widened(std::type_identity<T>(), v);
}

// The sums of products of some rows of x and of the weight.
template <class T, int rows, int columns> void multiply(const Linear16Plan& plan, int64_t row, int64_t column) {
  const int64_t depth = plan.depth;
  const auto lanes = static_cast<int64_t>(hn::Lanes(floats));
  const float* const x = plan.x.data<float>() + row * depth;
  const T* const w = plan.weight.data<T>() + column * depth;
  Floats sums[rows][columns];
  for (auto& of_row : sums) {
    for (Floats& sum : of_row) sum = hn::Zero(floats);
  }
  const auto add = [&](const float* from, int64_t x_step, const T* of, int64_t w_step) HWY_ATTR {
    Floats v[rows];
#pragma GCC unroll 3
    for (int r = 0; r < rows; ++r) v[r] = hn::LoadU(floats, from + r * x_step);
#pragma GCC unroll 4
    for (int c = 0; c < columns; ++c) {
      const Floats weights = elements(of + c * w_step);
#pragma GCC unroll 3
      for (int r = 0; r < rows; ++r) sums[r][c] = hn::MulAdd(v[r], weights, sums[r][c]);
    }
  };
  int64_t k = 0;
  for (; k + lanes <= depth; k += lanes) add(x + k, depth, w + k, depth);
  if (k < depth) {
    constexpr size_t most = hn::MaxLanes(floats);
    float rest_x[rows * most] = {};
    T rest_w[columns * most] = {};
    for (int64_t r = 0; r < rows; ++r) std::copy(x + r * depth + k, x + (r + 1) * depth, rest_x + r * lanes);
    for (int64_t c = 0; c < columns; ++c) std::copy(w + c * depth + k, w + (c + 1) * depth, rest_w + c * lanes);
    add(rest_x, lanes, rest_w, lanes);
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const float bias = plan.bias ? plan.bias.data<float>()[column + c] : 0;
      plan.out.data<float>()[(row + r) * plan.columns + column + c] = hn::GetLane(hn::SumOfLanes(floats, sums[r][c])) + bias;
    }
  }
}

template <class T, int columns> void multiply_rows(const Linear16Plan& plan, int64_t column) {
  int64_t row = 0;
  for (; row + 3 <= plan.rows; row += 3) multiply<T, 3, columns>(plan, row, column);
  if (row + 2 == plan.rows) return multiply<T, 2, columns>(plan, row, column);
  if (row < plan.rows) multiply<T, 1, columns>(plan, row, column);
}

template <class T> void multiply_columns(const Linear16Plan& plan, int64_t begin, int64_t end) {
  int64_t column = begin;
  for (; column + 4 <= end; column += 4) multiply_rows<T, 4>(plan, column);
  for (; column < end; ++column) multiply_rows<T, 1>(plan, column);
}

void linear16_columns(const Linear16Plan& plan, int64_t begin, int64_t end) {
  switch (plan.weight.dtype()) {
    case DType::bfloat16:
      return multiply_columns<BFloat16>(plan, begin, end);
    case DType::float16:
      return multiply_columns<Half>(plan, begin, end);
    default:
      return multiply_columns<float>(plan, begin, end);
  }
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(linear16_columns);

namespace cpu {

void run_linear16(const Linear16Plan& plan) {
  constexpr int64_t worth_a_thread = 1 << 16;  // products
  const int64_t grain = std::max<int64_t>(4, worth_a_thread / std::max<int64_t>(1, plan.rows * plan.depth));
  parallel_for(plan.columns, grain, [&](int64_t begin, int64_t end) { HWY_DYNAMIC_DISPATCH(linear16_columns)(plan, begin, end); });
}

}  // namespace cpu
}  // namespace mt
#endif
