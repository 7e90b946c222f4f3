// Loops of the ops in engine/ops/compare-inl.h, for each CPU instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/compare.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <span>

#include "engine/core/half.h"
#include "engine/cpu/lane-inl.h"
#include "engine/ops/pointwise.h"

#include "engine/cpu/pointwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

#include "engine/ops/compare-inl.h"

std::span<const Row> compare_rows() { return rows_of(CompareOps()); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(compare_rows);
namespace cpu {
std::span<const Row> compare_rows() { return HWY_DYNAMIC_DISPATCH(compare_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
