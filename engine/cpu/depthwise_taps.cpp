// Depthwise convolutions of any kernel and stride, without oneDNN: a plane is copied between zeros, with columns grouped by their remainder
// modulo the stride. A vector of results is the sum of as many plain vectors as the kernel has taps.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/depthwise_taps.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/core/tensor.h"
#include "engine/cpu/depthwise.h"

#include "engine/cpu/rows_between_zeros-inl.h"

#include "engine/cpu/row_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t grain_of_work = 1 << 18;  // multiplications per thread

template <class T> void taps_as(const ConvShape& s, const T* x, const T* weight, const T* bias, T* y) {
  const ConvAxis &down = s.axes[1], &across = s.axes[2];
  const int64_t height = down.out(), width = across.out(), taps = s.taps();
  const RowsBetweenZeros<T> copied(s, height);
  const Tensor places = Tensor::empty(DType::int64, {taps});
  int64_t* const place = places.data<int64_t>();
  for (int64_t t = 0; t < taps; ++t) place[t] = t / across.kernel * down.dilation * copied.row + copied.column_of(t % across.kernel);
  const int64_t grain = std::max<int64_t>(1, grain_of_work / (taps * height * width));
  parallel_for(s.batch * s.in, grain, [&](int64_t begin, int64_t end) {
    const Tensor space = Tensor::empty(dtype_of<T>, {copied.plane});
    with_row_vectors<T>(width, [&](auto d) HWY_ATTR {
      for (int64_t plane = begin; plane < end; ++plane) {
        const int64_t channel = plane % s.in;
        copied.fill(x + plane * s.image(), 1, -down.pad, (height - 1) * down.stride + down.window(), space.data<T>());
        const T* const w = weight + channel * taps;
        const auto start = hn::Set(d, bias ? bias[channel] : T(0));
        for (int64_t r = 0; r < height; ++r) {
          const T* const row = space.data<T>() + r * down.stride * copied.row;
          T* const to = y + plane * height * width + r * width;
          each_row_vector(d, width, [&](int64_t c, int64_t) HWY_ATTR {
            auto sum = start;
            for (int64_t t = 0; t < taps; ++t) sum = hn::MulAdd(hn::Set(d, w[t]), hn::LoadU(d, row + place[t] + c), sum);
            hn::StoreU(sum, d, to + c);
          });
        }
      }
    });
  });
}

void taps_of(DType dtype, const ConvShape& s, const std::byte* x, const std::byte* weight, const std::byte* bias, std::byte* y) {
  const auto run = [&]<class T>(T) {
    const auto as = [](const std::byte* operand) { return reinterpret_cast<const T*>(operand); };
    taps_as<T>(s, as(x), as(weight), as(bias), reinterpret_cast<T*>(y));
  };
  if (dtype == DType::float32)
    run(float());
  else
    run(double());
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(taps_of);

namespace cpu {

bool suits_depthwise_taps(ConvPass pass, const ConvShape& s) {
  constexpr int64_t narrowest = 4;
  return pass == ConvPass::forward && s.groups == s.in && s.in == s.out && s.axes[0].size == 1 && s.axes[0].plain() &&
         s.axes[2].out() >= narrowest;
}

void depthwise_taps(DType dtype, const ConvShape& shape, const std::byte* x, const std::byte* weight, const std::byte* bias, std::byte* y) {
  HWY_DYNAMIC_DISPATCH(taps_of)(dtype, shape, x, weight, bias, y);
}

}  // namespace cpu
}  // namespace mt
#endif
