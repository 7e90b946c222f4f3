// Bilinear warping of float32 images, a vector of elements of the result at a time. Positions and weights are computed for a run of a
// row, and then used for all channels. Each element needs two pairs of neighbours: a gather of 64 bits loads a pair at once, with half
// as many loads as one per tap. Runs of several rows below each other are processed in turn, as a rotated row crosses many pages of
// memory.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/warp_bilinear.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "engine/core/parallel.h"
#include "engine/cpu/warp_bilinear.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<float> lanes32;
using Floats = hn::Vec<decltype(lanes32)>;
constexpr hn::RebindToSigned<decltype(lanes32)> whole32;
constexpr hn::Repartition<int64_t, decltype(lanes32)> pairs;
constexpr int64_t run_length = 64, band_rows = 16;

// A run of elements of a row: the positions of their upper left taps, in bytes, and the distances from them.
struct Run {
  HWY_ALIGN int32_t at[run_length];
  HWY_ALIGN float down[run_length], across[run_length];
  HWY_ALIGN float inside[run_length];  // 1, or 0 if it is filled
  bool all_inside;
};

// Along one axis: the tap before a position, and the distance from it. NaN counts as 0.
struct Axis {
  Floats last, last_before;
  explicit Axis(int64_t size)
      : last(hn::Set(lanes32, static_cast<float>(size - 1))),
        last_before(hn::Set(lanes32, static_cast<float>(std::max<int64_t>(size - 2, 0)))) {}
  HWY_INLINE Floats clamped(Floats at) const {
    const auto positive = hn::IfThenElseZero(hn::Gt(at, hn::Zero(lanes32)), at);
    return hn::IfThenElse(hn::Lt(positive, last), positive, last);
  }
  static HWY_INLINE Floats slack() { return hn::Set(lanes32, static_cast<float>(warp_slack)); }
  HWY_INLINE auto is_inside(Floats at) const { return hn::And(hn::Ge(at, hn::Neg(slack())), hn::Le(at, hn::Add(last, slack()))); }
  HWY_INLINE Floats before(Floats clamped) const {
    const auto below = hn::Floor(clamped);
    return hn::IfThenElse(hn::Lt(below, last_before), below, last_before);
  }
};

class Warper {
 public:
  explicit Warper(const WarpPlan& plan) : plan_(plan), s_(plan.shape), down_(s_.height), across_(s_.width) {}

  // Computes rows `first` to `last` of the images of a field.
  void run(int64_t number, int64_t first, int64_t last) {
    const float* const field = plan_.field.data<float>() + number * 2 * s_.out_plane();
    for (int64_t j = 0; j < s_.out_width; j += run_length) {
      const int64_t n = std::min(run_length, s_.out_width - j);
      for (int64_t i = first; i < last; ++i) {
        const int64_t at = i * s_.out_width + j;
        locate(field + at, i, j, n);
        for (int64_t image = number * s_.images_of_field; image < (number + 1) * s_.images_of_field; ++image)
          interpolate(plan_.x.data<float>() + image * s_.plane(), plan_.y.data<float>() + image * s_.out_plane() + at, n);
      }
    }
  }

 private:
  HWY_INLINE void locate(const float* field, int64_t i, int64_t j, int64_t n) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(lanes32));
    const auto row = hn::Set(lanes32, s_.offset ? static_cast<float>(i) : 0.0f);
    HWY_ALIGN float rest[2 * HWY_MAX_BYTES / sizeof(float)] = {};
    run_.all_inside = true;
    for (int64_t k = 0; k < n; k += lanes) {
      const float *ys = field + k, *xs = field + s_.out_plane() + k;
      if (k + lanes > n) {
        std::copy_n(ys, n - k, rest);
        std::copy_n(xs, n - k, rest + lanes);
        ys = rest, xs = rest + lanes;
      }
      const auto own = s_.offset ? hn::ConvertTo(lanes32, hn::Iota(whole32, static_cast<int32_t>(j + k))) : hn::Zero(lanes32);
      const auto y = hn::Add(hn::LoadU(lanes32, ys), row), x = hn::Add(hn::LoadU(lanes32, xs), own);
      const auto near_y = down_.clamped(y), near_x = across_.clamped(x);
      const auto top = down_.before(near_y), left = across_.before(near_x);
      const auto at =
          hn::Add(hn::Mul(hn::ConvertTo(whole32, top), hn::Set(whole32, static_cast<int32_t>(s_.width))), hn::ConvertTo(whole32, left));
      hn::Store(at, whole32, run_.at + k);
      hn::Store(hn::Sub(near_y, top), lanes32, run_.down + k);
      hn::Store(hn::Sub(near_x, left), lanes32, run_.across + k);
      if (s_.border != Border::pad) continue;
      const auto inside = hn::And(down_.is_inside(y), across_.is_inside(x));
      hn::Store(hn::IfThenElseZero(inside, hn::Set(lanes32, 1.0f)), lanes32, run_.inside + k);
      run_.all_inside = run_.all_inside && hn::AllTrue(lanes32, inside);
    }
  }

  struct Taps {
    Floats left, right;
  };

  // Loads the pairs that start at these elements of an image.
  static HWY_INLINE Taps gather(const float* image, const int32_t* at) {
    const hn::Half<decltype(whole32)> half;
    constexpr size_t count = hn::MaxLanes(pairs);
    const auto* const base = reinterpret_cast<const int64_t*>(image);
    const auto low = hn::GatherOffset(pairs, base, hn::ShiftLeft<2>(hn::PromoteTo(pairs, hn::Load(half, at))));
    const auto high = hn::GatherOffset(pairs, base, hn::ShiftLeft<2>(hn::PromoteTo(pairs, hn::Load(half, at + count))));
    const auto a = hn::BitCast(lanes32, low), b = hn::BitCast(lanes32, high);
    return {hn::ConcatEven(lanes32, b, a), hn::ConcatOdd(lanes32, b, a)};
  }

  static HWY_INLINE Floats between(Floats a, Floats b, Floats part) { return hn::MulAdd(hn::Sub(b, a), part, a); }

  HWY_INLINE void interpolate(const float* image, float* y, int64_t n) const {
    const auto lanes = static_cast<int64_t>(hn::Lanes(lanes32));
    const float* const below = s_.height > 1 ? image + s_.width : image;
    for (int64_t k = 0; k < n; k += lanes) {
      const auto across = hn::Load(lanes32, run_.across + k);
      const Taps top = gather(image, run_.at + k), bottom = gather(below, run_.at + k);
      auto value =
          between(between(top.left, top.right, across), between(bottom.left, bottom.right, across), hn::Load(lanes32, run_.down + k));
      if (!run_.all_inside) {
        const auto outside = hn::Eq(hn::Load(lanes32, run_.inside + k), hn::Zero(lanes32));
        value = hn::IfThenElse(outside, hn::Set(lanes32, static_cast<float>(s_.fill)), value);
      }
      if (k + lanes <= n) {
        hn::StoreU(value, lanes32, y + k);
      } else {
        HWY_ALIGN float last[HWY_MAX_BYTES / sizeof(float)];
        hn::Store(value, lanes32, last);
        std::copy_n(last, n - k, y + k);
      }
    }
  }

  const WarpPlan& plan_;
  const WarpShape& s_;
  Axis down_, across_;
  Run run_;
};

}  // namespace

// Returns false if the processor has no gathers.
bool warp_floats(const WarpPlan& plan) {
  if (HWY_MAX_BYTES < 32) return false;
  const WarpShape& s = plan.shape;
  const int64_t fields = s.images / s.images_of_field, bands = (s.out_height + band_rows - 1) / band_rows;
  const int64_t work = band_rows * s.out_width * (2 + s.images_of_field);
  parallel_for(fields * bands, std::max<int64_t>(1, 8192 / work), [&](int64_t begin, int64_t end) {
    Warper warper(plan);
    for (int64_t band = begin; band < end; ++band) {
      const int64_t first = band % bands * band_rows;
      warper.run(band / bands, first, std::min(first + band_rows, s.out_height));
    }
  });
  return true;
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {
HWY_EXPORT(warp_floats);

namespace cpu {

bool warp_bilinear(const WarpPlan& plan) {
  const WarpShape& s = plan.shape;
  constexpr int64_t exact = 1 << 24;  // float32 represents all integers up to this one
  if (plan.x.dtype() != DType::float32 || s.border == Border::zeros || s.width < 2 || s.plane() >= std::numeric_limits<int32_t>::max())
    return false;
  if (s.height > exact || s.width > exact || s.out_height > exact || s.out_width > exact) return false;
  return HWY_DYNAMIC_DISPATCH(warp_floats)(plan);
}

}  // namespace cpu
}  // namespace mt
#endif
