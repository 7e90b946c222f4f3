// The CPU's kernels of products of 8-bit integers, and the order of packed weights. Elements with a sign get 128 added, and the zero point
// as well.
#include "engine/ops/int8.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/int8_attention.h"
#include "engine/cpu/int8_conv.h"
#include "engine/cpu/int8_matmul.h"
#include "engine/cpu/int8_pool.h"
#include "engine/cpu/int8_product.h"
#include "engine/cpu/int8_sums.h"
#include "engine/cpu/register.h"

namespace mt::cpu {
namespace {

#include "engine/ops/int8-inl.h"

void run_pack(const Int8PackPlan& plan) {
  const int64_t panels = int8_panels(plan.columns), bytes = int8_panel_bytes(plan.depth), blocks = int8_blocks(plan.depth);
  parallel_for(plan.groups * panels, std::max<int64_t>(1, 65536 / bytes), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      int8_t* const to = plan.packed.data<int8_t>() + p * bytes;
      std::memset(to, 0, static_cast<size_t>(bytes));
      std::array<int32_t, int8_panel> sums{};
      const int64_t group = p / panels, first = p % panels * int8_panel;
      for (int64_t c = 0; c < std::min(int8_panel, plan.columns - first); ++c) {
        const int8_t* const from = plan.weight.data<int8_t>() + (group * plan.columns + first + c) * plan.depth;
        for (int64_t k = 0; k < plan.depth; ++k) {
          to[k / int8_depth * int8_block + c * int8_depth + k % int8_depth] = from[k];
          sums[static_cast<size_t>(c)] += from[k];
        }
      }
      std::memcpy(to + blocks * int8_block, sums.data(), sizeof(sums));
    }
  });
}

void run_linear(const Int8LinearPlan& plan) {
  const int64_t depth = plan.depth, padded = int8_blocks(depth) * int8_depth;
  const uint8_t* const x = int8_bytes(plan.input, plan.rows, depth);
  const bool is_signed = plan.input.x.dtype() == DType::int8, copies = is_signed || depth != padded;
  const Int8Product product{plan.rows,
                            depth,
                            plan.columns,
                            1,
                            padded,
                            copies,
                            plan.packed.data<int8_t>(),
                            plan.input.ranges ? plan.input.ranges.data<float>() : nullptr,
                            1,
                            static_cast<int32_t>(plan.scaling.zero + (is_signed ? 128 : 0)),
                            plan.out.dtype(),
                            plan.out.data<std::byte>(),
                            plan.columns * size_of(plan.out.dtype())};
  int8_multiply(product, PaddedScaling(plan.scaling, 0, plan.columns), RowsOfMatrix(x, depth, depth, copies, is_signed));
}

constexpr Row rows[] = {{&Int8Pack::decl, &plan_int8_pack, kernel<&run_pack>()},
                        {&Int8Linear::decl, &plan_int8_linear, kernel<&run_linear>()},
                        {&Int8Conv2d::decl, &plan_int8_conv2d, kernel<&run_int8_conv2d>()},
                        {&Int8MaxPool2d::decl, &plan_int8_max_pool2d, kernel<&run_int8_max_pool>()},
                        {&Int8Add::decl, &plan_int8_add, kernel<&run_int8_add>()},
                        {&Int8AvgPool2d::decl, &plan_int8_avg_pool2d, kernel<&run_int8_avg_pool>()},
                        {&Int8Matmul::decl, &plan_int8_matmul, kernel<&run_int8_matmul>()},
                        {&Int8Attention::decl, &plan_int8_attention, kernel<&run_int8_attention>()}};

}  // namespace

std::span<const Row> int8_rows() { return built_rows<rows>(); }

}  // namespace mt::cpu
