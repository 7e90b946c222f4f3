// Loops of the ops in engine/ops/rare-inl.h, for each CPU instruction set: lane by lane, in long double.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/rare.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <span>
#include <type_traits>
#include <utility>

#include "engine/core/half.h"
#include "engine/cpu/functions-inl.h"
#include "engine/ops/bessel.h"
#include "engine/ops/normal_tails.h"
#include "engine/ops/pointwise.h"

#include "engine/cpu/pointwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

#include "engine/cpu/wide-inl.h"

#include "engine/ops/rare-inl.h"

std::span<const Row> rare_rows() { return rows_of(RareOps()); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(rare_rows);
namespace cpu {
std::span<const Row> rare_rows() { return HWY_DYNAMIC_DISPATCH(rare_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
