// Fourier transforms of doubles, for each CPU instruction set. A separate file for each type, as they take long to compile.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/fft_double.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include "engine/cpu/fft.h"

#include "engine/cpu/fft_plans-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

void transform_doubles(const FourierPlan& plan) { transform_as<double>(plan); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {
HWY_EXPORT(transform_doubles);
namespace cpu {
void transform_doubles(const FourierPlan& plan) { HWY_DYNAMIC_DISPATCH(transform_doubles)(plan); }
}  // namespace cpu
}  // namespace mt
#endif
