// Loops of the ops in engine/ops/power-inl.h, for each CPU instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/power.cpp"
#include <hwy/foreach_target.h>  // must come before what is compiled several times

#include <span>

#include "engine/core/half.h"
#include "engine/cpu/lane-inl.h"
#include "engine/ops/power.h"

#include "engine/cpu/pointwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

#include "engine/ops/power-inl.h"

constexpr uint32_t number_exponent = 2;  // the bit of the second operand

template <class Op, class T> void power_loop(std::byte* const* pointers, const Rows& rows, uint32_t given) {
  run_loop<Op, T, number_exponent>(pointers, rows, given);
}

template <class Op>
constexpr PointwiseLoops power_loops = {{nullptr, nullptr, nullptr, nullptr, nullptr, &power_loop<Op, Half>, &power_loop<Op, float>,
                                         &power_loop<Op, double>, nullptr, &power_loop<Op, BFloat16>}};

constexpr PowerLoops all_power_loops = {
    loops_of<Pow>,          power_loops<PowerOne>,         power_loops<PowerSquare>,  power_loops<PowerCube>,
    power_loops<PowerRoot>, power_loops<PowerInverseRoot>, power_loops<PowerInverse>, power_loops<PowerInverseSquare>};

constexpr Row rows[] = {{&Pow::decl, &run_power, &all_power_loops}};

std::span<const Row> power_rows() { return rows; }

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
