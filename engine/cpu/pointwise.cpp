// Loops of the ops in engine/ops/pointwise-inl.h, for each CPU instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/pointwise.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <span>

#include "engine/core/half.h"
#include "engine/cpu/lane-inl.h"
#include "engine/ops/pointwise.h"

#include "engine/cpu/pointwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

#include "engine/ops/pointwise-inl.h"

std::span<const Row> pointwise_rows() { return rows_of(PointwiseOps()); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(pointwise_rows);
namespace cpu {
std::span<const Row> pointwise_rows() { return HWY_DYNAMIC_DISPATCH(pointwise_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
