// Sums of runs of floats, in vectors as wide as the processor's.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/add_elements.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include "engine/cpu/add_elements.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T> HWY_INLINE void add_run(T* out, const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto a = hn::Add(hn::LoadU(d, out + i), hn::LoadU(d, x + i));
    const auto b = hn::Add(hn::LoadU(d, out + i + lanes), hn::LoadU(d, x + i + lanes));
    hn::StoreU(a, d, out + i);
    hn::StoreU(b, d, out + i + lanes);
  }
  for (; i < n; ++i) out[i] += x[i];
}

void add_floats(float* out, const float* x, int64_t n) { add_run(out, x, n); }
void add_doubles(double* out, const double* x, int64_t n) { add_run(out, x, n); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {
HWY_EXPORT(add_floats);
HWY_EXPORT(add_doubles);
namespace cpu {
void add_elements(float* out, const float* x, int64_t n) { HWY_DYNAMIC_DISPATCH(add_floats)(out, x, n); }
void add_elements(double* out, const double* x, int64_t n) { HWY_DYNAMIC_DISPATCH(add_doubles)(out, x, n); }
}  // namespace cpu
}  // namespace mt
#endif
