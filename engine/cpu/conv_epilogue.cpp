#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/conv_epilogue.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include "engine/cpu/conv_epilogue-inl.h"
#include "engine/cpu/conv_epilogue.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

void finish_float(float* y, int64_t n, const float* added, Rectifier relu) { finish_convolution(y, n, added, relu, y); }
void finish_double(double* y, int64_t n, const double* added, Rectifier relu) { finish_convolution(y, n, added, relu, y); }

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(finish_float);
HWY_EXPORT(finish_double);

namespace cpu {

void finish_convolution(float* y, int64_t n, const float* added, Rectifier relu) { HWY_DYNAMIC_DISPATCH(finish_float)(y, n, added, relu); }
void finish_convolution(double* y, int64_t n, const double* added, Rectifier relu) {
  HWY_DYNAMIC_DISPATCH(finish_double)(y, n, added, relu);
}

}  // namespace cpu
}  // namespace mt
#endif
