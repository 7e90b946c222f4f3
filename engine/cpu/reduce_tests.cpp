// The CPU's kernels of tests of all elements, for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/reduce_tests.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include "engine/cpu/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

std::span<const Row> reduce_tests_rows() { return reduce_rows_of(TestOps()); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(reduce_tests_rows);
namespace cpu {
std::span<const Row> reduce_tests_rows() { return HWY_DYNAMIC_DISPATCH(reduce_tests_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
