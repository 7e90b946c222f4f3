// Convolutions of few channels. A block of rows of an image is copied between zeros, with columns grouped by their remainder modulo the
// stride, so that a tap of neighbouring results is a plain vector. Tiles of 8 channels of results by two vectors of columns stay in
// registers while all taps are added; weights are stored in the order in which they are read. Neither images nor results are reordered. Zen
// 4, one thread, float32 (oneDNN with its reorders): 5x5, 32 x 3 x 32 x 32 to 32: 1.44 ms (1.57); 7x7 with stride 2, 8 x 3 x 224 x 224 to
// 64: 17.5 (19.4); 3x3, 2 x 3 x 224 x 224 to 64: 3.7 (6.1); 5x5, 128 x 1 x 28 x 28 to 32: 1.47 (1.95).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/few_channels.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "engine/core/parallel.h"
#include "engine/core/tensor.h"
#include "engine/cpu/few_channels.h"

#include "engine/cpu/rows_between_zeros-inl.h"

#include "engine/cpu/row_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t channels = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 ? 4 : 8;  // per tile: those sets have 16 registers
constexpr int64_t most_rows = 32;                                                      // of results, per block of copied rows
constexpr int64_t grain_of_work = 1 << 18;                                             // multiplications per thread
using Channels = std::make_index_sequence<channels>;

// The weights of tiles, (tiles, taps, channels), with zeros for missing channels, and the position that each tap reads.
template <class T> class Taps {
 public:
  Taps(const ConvShape& s, const T* weight, const T* bias, const RowsBetweenZeros<T>& copied)
      : count_(s.patch()), width_(static_cast<int64_t>(channels)) {
    const int64_t tiles = (s.out + width_ - 1) / width_;
    packed_ = Tensor::empty(dtype_of<T>, {tiles * (count_ + 1) * width_});
    places_ = Tensor::empty(DType::int64, {count_});
    for (int64_t tile = 0; tile < tiles; ++tile)
      for (int64_t j = 0; j < width_; ++j) {
        const int64_t channel = tile * width_ + j;
        T* const to = packed_.template data<T>() + tile * (count_ + 1) * width_ + j;
        *to = bias && channel < s.out ? bias[channel] : T(0);
        for (int64_t t = 0; t < count_; ++t) to[(t + 1) * width_] = channel < s.out ? weight[channel * count_ + t] : T(0);
      }
    const ConvAxis &down = s.axes[1], &across = s.axes[2];
    for (int64_t t = 0; t < count_; ++t)
      places_.data<int64_t>()[t] =
          t / s.taps() * copied.plane + t / across.kernel % down.kernel * down.dilation * copied.row + copied.column_of(t % across.kernel);
  }
  int64_t count() const { return count_; }
  const int64_t* places() const { return places_.data<int64_t>(); }
  // The biases of a tile's channels, then the weights.
  const T* tile(int64_t i) const { return packed_.template data<T>() + i * (count_ + 1) * width_; }

 private:
  const int64_t count_, width_;
  Tensor packed_, places_;
};

template <class D, class T, size_t... j>
HWY_INLINE void add_products(D d, std::index_sequence<j...>, const T* w, hn::Vec<D> x, hn::Vec<D> (&sums)[channels]) {
  ((sums[j] = hn::MulAdd(hn::Set(d, w[j]), x, sums[j])), ...);
}
template <class D, class T, size_t... j>
HWY_INLINE void begin_with(D d, std::index_sequence<j...>, const T* bias, hn::Vec<D> (&sums)[channels]) {
  ((sums[j] = hn::Set(d, bias[j])), ...);
}
template <class D, class T, size_t... j>
HWY_INLINE void store(D d, std::index_sequence<j...>, const hn::Vec<D> (&sums)[channels], T* to, int64_t step, int64_t count) {
  ((static_cast<int64_t>(j) < count ? hn::StoreU(sums[j], d, to + static_cast<int64_t>(j) * step) : void()), ...);
}

// Computes two vectors of columns of `count` channels of results, `step` apart; x is the position of the first tap of the first column.
template <class D, class T>
HWY_INLINE void tile_of_two(D d, const Taps<T>& taps, const T* w, const T* x, T* to, int64_t step, int64_t count) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<D> left[channels], right[channels];
  begin_with(d, Channels(), w, left);
  begin_with(d, Channels(), w, right);
  const int64_t* const places = taps.places();
  const int64_t n = taps.count();
  for (int64_t t = 0; t < n; ++t) {
    const T* const at = x + places[t];
    w += channels;
    const auto first = hn::LoadU(d, at), second = hn::LoadU(d, at + lanes);
    add_products(d, Channels(), w, first, left);
    add_products(d, Channels(), w, second, right);
  }
  store(d, Channels(), left, to, step, count);
  store(d, Channels(), right, to + lanes, step, count);
}

template <class D, class T>
HWY_INLINE void tile_of_one(D d, const Taps<T>& taps, const T* w, const T* x, T* to, int64_t step, int64_t count) {
  hn::Vec<D> sums[channels];
  begin_with(d, Channels(), w, sums);
  const int64_t* const places = taps.places();
  const int64_t n = taps.count();
  for (int64_t t = 0; t < n; ++t) {
    w += channels;
    add_products(d, Channels(), w, hn::LoadU(d, x + places[t]), sums);
  }
  store(d, Channels(), sums, to, step, count);
}

template <class T> void few_channels_as(const ConvShape& s, const T* x, const T* weight, const T* bias, T* y) {
  const ConvAxis &down = s.axes[1], &across = s.axes[2];
  const int64_t height = down.out(), width = across.out(), points = s.points();
  const int64_t rows_at_once = std::min(height, most_rows), blocks = (height + rows_at_once - 1) / rows_at_once;
  const RowsBetweenZeros<T> copied(s, rows_at_once);
  const Taps<T> taps(s, weight, bias, copied);
  const int64_t grain = std::max<int64_t>(1, grain_of_work * s.batch * blocks / std::max<int64_t>(1, s.work()));
  parallel_for(s.batch * blocks, grain, [&](int64_t begin, int64_t end) {
    const Tensor space = Tensor::empty(dtype_of<T>, {s.in * copied.plane});
    with_row_vectors<T>(width, [&](auto d) HWY_ATTR {
      const auto lanes = static_cast<int64_t>(hn::Lanes(d)), many = static_cast<int64_t>(channels);
      for (int64_t block = begin; block < end; ++block) {
        const int64_t image = block / blocks, first = block % blocks * rows_at_once, rows = std::min(rows_at_once, height - first);
        copied.fill(x + image * s.in * s.image(), s.in, first * down.stride - down.pad, (rows - 1) * down.stride + down.window(),
                    space.data<T>());
        for (int64_t channel = 0; channel < s.out; channel += many) {
          const T* const w = taps.tile(channel / many);
          const int64_t count = std::min(many, s.out - channel);
          for (int64_t r = 0; r < rows; ++r) {
            const T* const from = space.data<T>() + r * down.stride * copied.row;
            T* const to = y + (image * s.out + channel) * points + (first + r) * width;
            int64_t c = 0;
            for (; c + 2 * lanes <= width; c += 2 * lanes) tile_of_two(d, taps, w, from + c, to + c, points, count);
            while (c < width) {  // the last tile may repeat columns
              if (width - c <= lanes / 2) {
                c = width - lanes / 2;
                tile_of_one(hn::Half<decltype(d)>(), taps, w, from + c, to + c, points, count);
                break;
              }
              c = std::min(c, width - lanes);
              tile_of_one(d, taps, w, from + c, to + c, points, count);
              c += lanes;
            }
          }
        }
      }
    });
  });
}

void few_channels(DType dtype, const ConvShape& s, const std::byte* x, const std::byte* weight, const std::byte* bias, std::byte* y) {
  const auto run = [&]<class T>(T) {
    const auto as = [](const std::byte* operand) { return reinterpret_cast<const T*>(operand); };
    few_channels_as<T>(s, as(x), as(weight), as(bias), reinterpret_cast<T*>(y));
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

HWY_EXPORT(few_channels);

namespace cpu {

// Chooses rows that vectors of 8 cover with little waste. Short rows, and large strides, are as fast by oneDNN, except for a single
// channel.
bool suits_few_channels(ConvPass pass, const ConvShape& s) {
  constexpr int64_t most_channels = 4, least_results = 8, largest_stride = 2, lanes = 8;
  const ConvAxis& across = s.axes[2];
  const int64_t width = across.out(), least_width = s.in == 1 ? 24 : 32, covered = (width + lanes - 1) / lanes * lanes;
  return pass == ConvPass::forward && s.groups == 1 && s.in <= most_channels && s.out >= least_results && s.axes[0].size == 1 &&
         s.axes[0].plain() && across.stride <= largest_stride && width >= least_width && covered * 14 <= width * 15;
}

bool fits_few_channels(ConvPass pass, const ConvShape& s) {
  constexpr int64_t most_channels = 8, narrowest = 8;
  return pass == ConvPass::forward && s.groups == 1 && s.in <= most_channels && s.axes[0].size == 1 && s.axes[0].plain() &&
         s.axes[2].out() >= narrowest;
}

void few_channels_conv(DType dtype, const ConvShape& shape, const std::byte* x, const std::byte* weight, const std::byte* bias,
                       std::byte* y) {
  HWY_DYNAMIC_DISPATCH(few_channels)(dtype, shape, x, weight, bias, y);
}

}  // namespace cpu
}  // namespace mt
#endif
