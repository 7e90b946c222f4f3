// Elementwise ops of libraries: their loops receive contiguous runs of elements. Other elements, and those of a dtype without a loop, go
// through buffers that stay in the first-level cache.
#include <algorithm>

#include "engine/cpu/iterate.h"
#include "engine/extension/op.h"
#include "engine/ops/pointwise.h"

namespace mt {
namespace {

constexpr int64_t block = 256;
constexpr int widest = 8;  // bytes of an element

// Whether elements may be computed in another dtype: the steps of computed_in.
template <class From, class To> constexpr bool widens() {
  if (std::is_same_v<From, To>) return true;
  if (std::is_same_v<From, bool>) return std::is_same_v<To, int64_t> || std::is_same_v<To, double>;
  if (std::is_integral_v<From>) return std::is_same_v<To, int64_t>;
  return std::is_same_v<To, double> || (is_16bit_float<From> && std::is_same_v<To, float>);
}

// Copies n elements at byte strides, from one dtype to another; one of them widens to the other.
void convert(std::byte* to, DType to_dtype, int64_t to_stride, const std::byte* from, DType from_dtype, int64_t from_stride, int64_t n) {
  dispatch(from_dtype, [&]<class From>(std::type_identity<From>) {
    dispatch(to_dtype, [&]<class To>(std::type_identity<To>) {
      if constexpr (widens<From, To>() || widens<To, From>()) {
        for (int64_t i = 0; i < n; ++i) {
          *reinterpret_cast<To*>(to + i * to_stride) = convert_element<To>(*reinterpret_cast<const From*>(from + i * from_stride));
        }
      } else {
        MT_ASSERT(false);
      }
    });
  });
}

// The plan's operands in the form of the loop.
struct Loop {
  mt_op_loop_fn function;
  int operands;
  uint32_t numbers;  // as in the plan, with the result as bit 0
  bool in_order;
  DType stored[Geometry::max_operands], computed[Geometry::max_operands];
  alignas(64) std::byte values[Geometry::max_operands][block * widest];  // of numbers, each repeated

  bool is_number(int k) const { return (numbers >> k & 1) != 0; }
  bool is_direct(int k, int64_t stride) const { return !is_number(k) && stored[k] == computed[k] && stride == size_of(stored[k]); }
  void run(std::byte* const* at, const int64_t* strides, int64_t n) const;
};

void Loop::run(std::byte* const* at, const int64_t* strides, int64_t n) const {
  alignas(64) std::byte buffers[Geometry::max_operands][block * widest];
  void* given[Geometry::max_operands];
  bool all_direct = !in_order;
  for (int k = 0; k < operands; ++k) all_direct = all_direct && is_direct(k, strides[k]);
  const int64_t most = all_direct ? n : in_order ? 1 : block;
  for (int64_t begin = 0; begin < n; begin += most) {
    const int64_t count = std::min(most, n - begin);
    for (int k = 0; k < operands; ++k) {
      std::byte* const here = at[k] + begin * strides[k];
      if (is_direct(k, strides[k])) {
        given[k] = here;
      } else if (is_number(k)) {
        given[k] = const_cast<std::byte*>(values[k]);
      } else {
        given[k] = buffers[k];
        if (k > 0) convert(buffers[k], computed[k], size_of(computed[k]), here, stored[k], strides[k], count);
      }
    }
    function(count, given);
    if (given[0] == buffers[0])
      convert(at[0] + begin * strides[0], stored[0], strides[0], buffers[0], computed[0], size_of(computed[0]), count);
  }
}

void run_loops(const PointwisePlan& plan, const ExtensionOp& op) {
  const DType computed = *computed_in(op, plan.dtype);
  Loop loop;
  loop.function = op.loops[static_cast<size_t>(computed)];
  loop.operands = plan.count + 1;
  loop.numbers = plan.scalars << 1;
  loop.in_order = plan.in_order;
  const bool mask = op.own.result == Rule::mask;
  loop.stored[0] = plan.result_dtype;
  loop.computed[0] = mask ? plan.result_dtype : computed;  // a mask is bytes, also for booleans
  for (int k = 1; k < loop.operands; ++k) {
    loop.stored[k] = plan.dtype;
    loop.computed[k] = computed;
    if (!loop.is_number(k)) continue;
    dispatch(plan.dtype, [&]<class T>(std::type_identity<T>) {
      dispatch(computed, [&]<class To>(std::type_identity<To>) {
        std::fill_n(reinterpret_cast<To*>(loop.values[k]), block, convert_element<To>(plan.values[k - 1].as<Compute<T>>()));
      });
    });
  }
  const auto inner = [&](std::byte* const* at, const int64_t* strides, int64_t n) { loop.run(at, strides, n); };
  guard_library(op.own.name, [&] {
    if (plan.geometry) {
      if (plan.in_order) return iterate(plan.geometry, 0, plan.n, inner);
      return parallel_iterate(plan.geometry, inner);
    }
    parallel_alternating(plan.n, pointwise_grain, [&](int64_t begin, int64_t end) {
      std::byte* at[Geometry::max_operands];
      for (int k = 0; k < loop.operands; ++k) at[k] = plan.pointers[k] + begin * plan.strides[k];
      inner(at, plan.strides, end - begin);
    });
  });
}

}  // namespace

Kernel loop_kernel(const ExtensionOp& op) { return kernel<&run_loops>(op); }

}  // namespace mt
