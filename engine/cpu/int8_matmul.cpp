// Each second operand is packed as weights are, once for each product; threads share the products, or the blocks of a large one.
#include "engine/cpu/int8_matmul.h"

#include <algorithm>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/cpu/int8_matrix.h"
#include "engine/cpu/int8_product.h"

namespace mt::cpu {
namespace {

constexpr int64_t worth_a_thread = 1 << 20;  // products

// What a thread needs for the second operand of a product.
struct SecondOperand {
  explicit SecondOperand(const Int8MatmulPlan& p) : packed(static_cast<size_t>(int8_panels(p.columns) * int8_panel_bytes(p.depth))) {
    const auto columns = static_cast<size_t>(int8_panels(p.columns) * int8_panel);
    scaling.out_zero = static_cast<int32_t>(p.out_zero);
    if (p.out.dtype() != DType::int32) scaling.multiplier.assign(columns, p.multiplier);
    if (p.quantized) {
      quantized.resize(static_cast<size_t>(p.depth * p.columns));
      return;
    }
    if (const int32_t zero = packed_zero(p.y_zero, p.y.data.dtype() == DType::int8); zero != 0) scaling.weight_zero.assign(columns, zero);
  }

  void pack(const Int8MatmulPlan& p, int64_t position) {
    Int8Matrix m{p.y.data.data<std::byte>() + position * size_of(p.y.data.dtype()), p.depth, p.columns, p.y.row_step, p.y_column_step};
    if (p.quantized) {
      m = int8_quantize_columns(m, quantized.data(), scaling.multiplier.data());
      for (int64_t c = 0; c < p.columns; ++c) scaling.multiplier[static_cast<size_t>(c)] *= p.multiplier;
    }
    int8_pack_matrix(m, p.quantized || p.y.data.dtype() == DType::int8, packed.data());
  }

  std::vector<int8_t> packed, quantized;
  PaddedScaling scaling;
};

}  // namespace

void run_int8_matmul(const Int8MatmulPlan& p) {
  const bool is_dynamic = static_cast<bool>(p.quantized);
  const int64_t count = p.outer * p.inner, bytes = size_of(p.out.dtype());
  const Int8Input input{p.x.data, p.quantized, p.ranges};
  const uint8_t* const x = int8_bytes(input, count * p.rows, p.depth);
  const int64_t padded = int8_blocks(p.depth) * int8_depth;
  const bool is_signed = p.x.data.dtype() == DType::int8, copies = is_signed || p.depth != padded;
  const int64_t work = std::max<int64_t>(1, p.rows * p.columns * p.depth);
  parallel_ranges(count, std::max<int64_t>(1, worth_a_thread / work), [&](int64_t begin, int64_t end) {
    SecondOperand second(p);
    for (int64_t i = begin, last = -1; i < end; ++i) {
      look_for_interrupt();
      const int64_t outer = i / p.inner, inner = i % p.inner, position = outer * p.y.outer_step + inner * p.y.head_step;
      if (position != last) second.pack(p, position);
      last = position;
      const Int8Product product{p.rows,
                                p.depth,
                                p.columns,
                                1,
                                padded,
                                copies,
                                second.packed.data(),
                                is_dynamic ? p.ranges.data<float>() + i * p.rows * 2 : nullptr,
                                1,
                                static_cast<int32_t>(p.x_zero + (is_signed ? 128 : 0)),
                                p.out.dtype(),
                                p.out.data<std::byte>() + i * p.rows * p.columns * bytes,
                                p.columns * bytes};
      const int64_t first = is_dynamic ? i * p.rows * p.depth : outer * p.x.outer_step + inner * p.x.head_step;
      int8_multiply(product, second.scaling, RowsOfMatrix(x + first, p.depth, is_dynamic ? p.depth : p.x.row_step, copies, is_signed));
    }
  });
}

}  // namespace mt::cpu
