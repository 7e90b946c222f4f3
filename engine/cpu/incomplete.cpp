// Loops of the ops in engine/ops/incomplete-inl.h, for each CPU instruction set: lane by lane, in long double.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/incomplete.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <span>
#include <type_traits>
#include <utility>

#include "engine/core/half.h"
#include "engine/cpu/functions-inl.h"
#include "engine/ops/incomplete_beta.h"
#include "engine/ops/incomplete_gamma.h"
#include "engine/ops/pointwise.h"

#include "engine/cpu/pointwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

#include "engine/cpu/wide-inl.h"

#include "engine/ops/incomplete-inl.h"

std::span<const Row> incomplete_rows() { return rows_of(IncompleteOps()); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(incomplete_rows);
namespace cpu {
std::span<const Row> incomplete_rows() { return HWY_DYNAMIC_DISPATCH(incomplete_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
