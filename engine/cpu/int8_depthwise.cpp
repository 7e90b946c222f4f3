// Convolutions of 8-bit integers with a filter for each channel. Vectors hold channels. The product of two numbers of 8 bits with a sign is
// at most 2^14, so the sum of two of them fits in 16 bits, unless both weights are -128; it is added to sums of 32 bits. Elements without a
// sign are taken 128 less, and their zero point as well. Sums of a few windows stay in the cache until they are scaled.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/int8_depthwise.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/cpu/int8_conv.h"
#include "engine/cpu/int8_rows.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Halves = hn::ScalableTag<int16_t>;
using Sums = hn::RepartitionToWide<Halves>;
using Bytes = hn::Rebind<uint8_t, Halves>;
using SignedBytes = hn::Rebind<int8_t, Halves>;

int64_t depthwise_lanes() { return static_cast<int64_t>(hn::Lanes(Halves())); }

// Sums of even and odd channels in the order of the channels.
HWY_INLINE void store_sums(hn::Vec<Sums> even, hn::Vec<Sums> odd, int32_t* to) {
  const Sums d;
  HWY_ALIGN int32_t evens[hn::MaxLanes(d)];
  HWY_ALIGN int32_t odds[hn::MaxLanes(d)];
  hn::Store(even, d, evens);
  hn::Store(odd, d, odds);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    to[2 * i] = evens[i];
    to[2 * i + 1] = odds[i];
  }
}

// The sums of `vectors` vectors of channels of one window, from the addresses of its taps, of which there are two for each pair. The
// weights are those of a vector for each tap, vector by vector.
void sum_taps(const uint8_t* const* taps, int64_t pairs, int64_t vectors, uint8_t flip, const int16_t* weights, int32_t* to) {
  const Halves d;
  const Sums ds;
  const Bytes db;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto flips = hn::Set(db, flip);
  for (int64_t v = 0; v < vectors; ++v, to += lanes) {
    auto even = hn::Zero(ds), odd = hn::Zero(ds);
    const auto product = [&](int64_t tap) HWY_ATTR {
      const auto x = hn::BitCast(SignedBytes(), hn::Xor(hn::LoadU(db, taps[tap] + v * lanes), flips));
      const auto p = hn::Mul(hn::PromoteTo(d, x), hn::LoadU(d, weights));
      weights += lanes;
      return p;
    };
    for (int64_t pair = 0; pair < pairs; ++pair) {
      const auto first = product(2 * pair);
      const auto both = hn::BitCast(ds, hn::Add(first, product(2 * pair + 1)));
      even = hn::Add(even, hn::ShiftRight<16>(hn::ShiftLeft<16>(both)));
      odd = hn::Add(odd, hn::ShiftRight<16>(both));
    }
    store_sums(even, odd, to);
  }
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(depthwise_lanes);
HWY_EXPORT(sum_taps);

namespace cpu {
namespace {

constexpr int64_t block_points = 8;

// The weights of a filter for each channel, from panels that have one column each.
struct Filters {
  int64_t lanes = HWY_DYNAMIC_DISPATCH(depthwise_lanes)();
  int64_t taps, pairs, vectors;
  std::vector<int64_t> places;   // of each tap in the pairs
  std::vector<int16_t> weights;  // for each vector of channels, and both taps of each pair
  std::vector<int32_t> sums;     // for each channel, and panels of int8_requantize

  explicit Filters(const Int8ConvPlan& plan) : taps(plan.axes[0].kernel * plan.axes[1].kernel), vectors((plan.in + lanes - 1) / lanes) {
    sums.resize(static_cast<size_t>(int8_panels(plan.in) * int8_panel));
    bool has_least = false;
    each(plan, [&](int64_t channel, int64_t, int8_t w) {
      sums[static_cast<size_t>(channel)] += w;
      has_least = has_least || w == -128;
    });
    // The sum of two products with -128 may not fit in 16 bits: each tap gets a pair of its own.
    const int64_t of_tap = has_least ? 2 : 1;
    pairs = (taps * of_tap + 1) / 2;
    for (int64_t tap = 0; tap < taps; ++tap) places.push_back(tap * of_tap);
    weights.resize(static_cast<size_t>(vectors * 2 * pairs * lanes));
    each(plan, [&](int64_t channel, int64_t tap, int8_t w) {
      const int64_t vector = channel / lanes;
      weights[static_cast<size_t>((vector * 2 * pairs + tap * of_tap) * lanes + channel % lanes)] = w;
    });
  }

 private:
  template <class F> void each(const Int8ConvPlan& plan, F f) const {
    const int64_t bytes = int8_panel_bytes(taps);
    for (int64_t channel = 0; channel < plan.in; ++channel) {
      const int8_t* const panel = plan.packed.data<int8_t>() + channel * bytes;
      for (int64_t tap = 0; tap < taps; ++tap) f(channel, tap, panel[tap / int8_depth * int8_block + tap % int8_depth]);
    }
  }
};

// What a thread needs.
struct Room {
  std::vector<const uint8_t*> taps;  // of each window of a block, in pairs
  std::vector<int32_t> products;
  std::vector<uint8_t> last;  // the channels of the last vector, with whole vectors for each tap
};

class Depthwise {
 public:
  Depthwise(const Int8ConvPlan& plan, const uint8_t* x, const PaddedScaling& scaling)
      : plan_(plan), scaling_(scaling), filters_(plan), places_(plan, x), flip_(plan.input.x.dtype() == DType::int8 ? 0 : 128) {}

  void run() const {
    const int64_t lines = plan_.axes[0].out, columns = plan_.axes[1].out;
    const int64_t of_line = columns * plan_.in * filters_.taps;
    parallel_for(plan_.batch * lines, std::max<int64_t>(1, (1 << 18) / std::max<int64_t>(1, of_line)), [&](int64_t begin, int64_t end) {
      Room room{std::vector<const uint8_t*>(static_cast<size_t>(block_points * 2 * filters_.pairs)),
                std::vector<int32_t>(static_cast<size_t>(block_points * step())),
                std::vector<uint8_t>(static_cast<size_t>(2 * filters_.pairs * filters_.lanes))};
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t column = 0; column < columns; column += block_points)
          sum_points(i / lines, i % lines, column, std::min(block_points, columns - column), room);
      }
    });
  }

 private:
  // Elements from window to window: whole vectors, and whole panels.
  int64_t step() const { return std::max(filters_.vectors * filters_.lanes, int8_panels(plan_.in) * int8_panel); }

  void sum_points(int64_t image, int64_t line, int64_t column, int64_t count, Room& room) const {
    const int64_t taps = 2 * filters_.pairs;
    places_.each(image, line, column, count, [&](int64_t tap, int64_t begin, int64_t end, const uint8_t* from, int64_t step) {
      for (int64_t i = begin; i < end; ++i, from += step) {
        const uint8_t** const to = room.taps.data() + i * taps;
        if (tap == 0) std::fill_n(to, taps, from);  // taps without a weight are those of any address
        to[filters_.places[static_cast<size_t>(tap)]] = from;
      }
    });
    for (int64_t i = 0; i < count; ++i) sum_window(room.taps.data() + i * taps, room.last, room.products.data() + i * step());
    scale(image, line, column, count, room);
  }

  void sum_window(const uint8_t** taps, std::vector<uint8_t>& lasts, int32_t* to) const {
    const int64_t pairs = filters_.pairs, lanes = filters_.lanes, whole = plan_.in / lanes, rest = plan_.in - whole * lanes;
    const auto sum = [&](int64_t first, int64_t vectors) {
      HWY_DYNAMIC_DISPATCH(sum_taps)
      (taps, pairs, vectors, flip_, filters_.weights.data() + first * 2 * pairs * lanes, to + first * lanes);
    };
    sum(0, whole);
    if (rest == 0) return;
    for (int64_t tap = 0; tap < 2 * pairs; ++tap) {
      uint8_t* const last = lasts.data() + tap * lanes;
      std::copy_n(taps[tap] + whole * lanes, rest, last);
      taps[tap] = last;
    }
    sum(whole, 1);
  }

  void scale(int64_t image, int64_t line, int64_t column, int64_t count, const Room& room) const {
    const float* const range = plan_.input.ranges ? plan_.input.ranges.data<float>() + 2 * image : nullptr;
    std::array<Int8Scale, block_points> scales;
    scales.fill(range == nullptr ? Int8Scale{1.0F, static_cast<int32_t>(plan_.scaling.zero) - flip_}
                                 : Int8Scale{range[0], static_cast<int32_t>(range[1]) - flip_});
    const auto data = [](const auto& values) { return values.empty() ? nullptr : values.data(); };
    const int64_t out_step = plan_.columns * size_of(plan_.out.dtype());
    const int64_t point = (image * plan_.axes[0].out + line) * plan_.axes[1].out + column;
    int8_requantize({count, plan_.columns, room.products.data(), step(), reinterpret_cast<const int8_t*>(filters_.sums.data()),
                     int8_panel * static_cast<int64_t>(sizeof(int32_t)), scales.data(), false, nullptr, data(scaling_.multiplier),
                     data(scaling_.bias), nullptr, scaling_.out_zero, plan_.out.dtype(), out_step},
                    plan_.out.data<std::byte>() + point * out_step);
  }

  const Int8ConvPlan& plan_;
  const PaddedScaling& scaling_;
  Filters filters_;
  Int8Taps places_;
  uint8_t flip_;
};

}  // namespace

void int8_depthwise(const Int8ConvPlan& plan, const uint8_t* x, const PaddedScaling& scaling) { Depthwise(plan, x, scaling).run(); }

}  // namespace cpu
}  // namespace mt
#endif
