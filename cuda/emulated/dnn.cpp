// Implements cuda/vendor/dnn.h on the host: the library is missing, unless the environment variable MOONTORCH_EMULATED_DNN is 1; then plain
// loops in the stream's thread compute convolutions.
#include "cuda/vendor/dnn.h"

#include <algorithm>
#include <string_view>

#include "cuda/emulated/launch.h"
#include "cuda/runtime/context.h"
#include "engine/core/environment.h"

namespace mt::cuda::dnn {
namespace {

// Strides in elements.
struct Strides {
  int64_t batch, channel, place;
};
Strides strides(ImageLayout layout, int64_t channels, int64_t places) {
  const bool last = layout == ImageLayout::channels_last;
  return {channels * places, last ? 1 : places, last ? channels : 1};
}

// Calls f(position in y, tap, position in x) for all products of the convolution.
template <class F> void each_meeting(const ConvShape& s, F f) {
  const auto& a = s.axes;
  for (int64_t point = 0; point < s.points(); ++point)
    for (int64_t tap = 0; tap < s.taps(); ++tap) {
      int64_t rest_of_point = point, rest_of_tap = tap, place = 0, step = 1;
      bool inside = true;
      for (int i = ConvShape::max_dims - 1; i >= 0; --i) {
        const int64_t at = rest_of_point % a[i].out() * a[i].stride + rest_of_tap % a[i].kernel * a[i].dilation - a[i].pad;
        inside = inside && at >= 0 && at < a[i].size;
        place += at * step;
        step *= a[i].size;
        rest_of_point /= a[i].out();
        rest_of_tap /= a[i].kernel;
      }
      if (inside) f(point, tap, place);
    }
}

template <class T> void run(const Convolution& c, T* x, T* weight, T* y) {
  const ConvShape& s = c.shape;
  const int64_t in = s.in / s.groups, out = s.out / s.groups;
  const bool last = c.layout == ImageLayout::channels_last;
  const Strides of_x = strides(c.layout, s.in, s.image()), of_y = strides(c.layout, s.out, s.points());
  T* const result = c.pass == ConvPass::forward ? y : c.pass == ConvPass::input_grad ? x : weight;
  const int64_t results[] = {s.batch * s.out * s.points(), s.batch * s.in * s.image(), s.out * s.patch()};
  std::fill_n(result, results[static_cast<int>(c.pass)], T(0));
  each_meeting(s, [&](int64_t point, int64_t tap, int64_t place) {
    for (int64_t n = 0; n < s.batch; ++n)
      for (int64_t o = 0; o < s.out; ++o)
        for (int64_t i = 0; i < in; ++i) {
          T& at_x = x[n * of_x.batch + (o / out * in + i) * of_x.channel + place * of_x.place];
          T& at_y = y[n * of_y.batch + o * of_y.channel + point * of_y.place];
          T& at_weight = weight[o * s.patch() + (last ? tap * in + i : i * s.taps() + tap)];
          switch (c.pass) {
            case ConvPass::forward:
              at_y += at_x * at_weight;
              break;
            case ConvPass::input_grad:
              at_x += at_y * at_weight;
              break;
            case ConvPass::weight_grad:
              at_weight += at_x * at_y;
              break;
          }
        }
  });
}

template <class T> void enqueue(Stream stream, const Convolution& c, void* x, void* weight, void* y) {
  const auto seen = [](void* address) { return driver::reachable(static_cast<T*>(address)); };
  T *const seen_x = seen(x), *const seen_weight = seen(weight), *const seen_y = seen(y);
  emulated::enqueue(stream, [=](emulated::Block&) { run(c, seen_x, seen_weight, seen_y); });
}

}  // namespace

bool takes(Stream, const Convolution& c) {
  const char* const wanted = own_variable("MOONTORCH_EMULATED_DNN");
  return wanted != nullptr && std::string_view(wanted) == "1" && (c.dtype == DType::float32 || c.dtype == DType::float64);
}

void convolve(Stream stream, const Convolution& c, void* x, void* weight, void* y) {
  count(Count::launch);
  (c.dtype == DType::float32 ? enqueue<float> : enqueue<double>)(stream, c, x, weight, y);
}

}  // namespace mt::cuda::dnn
