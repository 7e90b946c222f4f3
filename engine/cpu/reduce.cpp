// Kernels of the ops in engine/ops/reduce-inl.h, for each CPU instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/reduce.cpp"
#include <hwy/foreach_target.h>  // must come before what is compiled several times

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "engine/cpu/lane-inl.h"
#include "engine/ops/reduce.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

#include "engine/ops/reduce-inl.h"

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#include "engine/cpu/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

std::span<const Row> reduce_rows() { return reduce_rows_of(ReduceOps()); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(reduce_rows);
namespace cpu {
std::span<const Row> reduce_rows() { return HWY_DYNAMIC_DISPATCH(reduce_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
