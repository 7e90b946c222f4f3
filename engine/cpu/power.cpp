// Loops of the ops in engine/ops/power-inl.h, for each CPU instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/power.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <array>
#include <limits>
#include <span>

#include "engine/core/built.h"
#include "engine/core/half.h"
#include "engine/cpu/functions-inl.h"
#include "engine/ops/pointwise.h"

#include "engine/cpu/pointwise-inl.h"

#include "engine/cpu/complex_functions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

#include "engine/ops/power-inl.h"

constexpr uint32_t number_exponent = 2;  // the bit of the second operand

template <class Op, class T> void power_loop(std::byte* const* pointers, const Rows& rows, uint32_t given) {
  run_loop<Op, T, number_exponent>(pointers, rows, given);
}

template <class Op> constexpr cpu::PointwiseLoops power_loops = {
    by_dtype<cpu::LoopFn, computed_dtypes(Op::decl)>([]<class T>(std::type_identity<T>) { return &power_loop<Op, T>; })};

// Exponents that need no logarithm have separate loops, as in Torch7.
struct SpecialLoops {
  double exponent;
  cpu::PointwiseLoops loops;
};
template <class... Op> constexpr std::array<SpecialLoops, sizeof...(Op)> special_loops(List<Op...>) {
  return {{{Op::exponent, power_loops<Op>}...}};
}

struct PowerLoops {
  cpu::PointwiseLoops general;
  decltype(special_loops(SpecialPowers())) special;
};

// The value of an element; NaN of a number with an imaginary part.
double real_number(const ScalarValue& number, DType dtype) {
  return dispatch<inexact_dtypes>(dtype, [&]<class T>(std::type_identity<T>) {
    const auto value = number.as<Compute<T>>();
    if constexpr (is_complex<T>)
      return value.im == 0 ? static_cast<double>(value.re) : std::numeric_limits<double>::quiet_NaN();
    else
      return static_cast<double>(value);
  });
}

constexpr PowerLoops all_power_loops = {loops_of<Pow>, special_loops(SpecialPowers())};

void run_power(const PointwisePlan& plan, const PowerLoops& powers) {
  const cpu::PointwiseLoops* loops = &powers.general;
  if (plan.scalars == number_exponent) {
    const double exponent = real_number(plan.values[1], plan.dtype);
    for (const auto& power : powers.special) {
      if (power.exponent == exponent) loops = &power.loops;
    }
  }
  cpu::run_pointwise(plan, *loops);
}

constexpr Row rows[] = {{&Pow::decl, &plan_pointwise, kernel<&run_power>(all_power_loops), nullptr, true}};

std::span<const Row> power_rows() { return built_rows<rows>(); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(power_rows);
namespace cpu {
std::span<const Row> power_rows() { return HWY_DYNAMIC_DISPATCH(power_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
