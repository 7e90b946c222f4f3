// For each group, the product of its weight and its part of the image, which is read as it is: six channels by two vectors of points stay
// in registers. The last points, which fill no two vectors, are copied first, so that vectors don't extend past the image. Zen 5, one
// thread, 4 groups of 68 channels, 14 x 14: 41 us (oneDNN with its reorders 322).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/grouped_pointwise.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/core/parallel.h"
#include "engine/cpu/grouped_pointwise.h"

#include "engine/cpu/conv_epilogue-inl.h"
#include "engine/cpu/product_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using product_tiles::panel_width;

int64_t widest_panel() { return panel_width(); }  // floats

// y = relu(y + bias + added) for a row of n points, up to a largest value.
void finish_row(int64_t n, float bias, const float* added, Rectifier relu, float* y) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto most = static_cast<float>(relu.most);
  const auto summand = hn::Set(d, bias), limit = hn::Set(d, most);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto sum = hn::Add(hn::LoadU(d, y + i), summand);
    if (added != nullptr) sum = hn::Add(sum, hn::LoadU(d, added + i));
    hn::StoreU(relu.is_on ? rectified(d, sum, limit) : sum, d, y + i);
  }
  for (; i < n; ++i) {
    const float sum = y[i] + bias + (added != nullptr ? added[i] : 0);
    y[i] = relu.is_on ? rectified(sum, most) : sum;
  }
}

// One group of one image. Without a change of the sums, `added` may be y.
void multiply_group(const ConvShape& s, const float* x, const float* weight, const float* bias, const float* added, Rectifier relu,
                    float* scratch, float* y) {
  const int64_t points = s.points(), in = s.in / s.groups, out = s.out / s.groups, width = panel_width();
  const int64_t covered = points / width * width, rest = points - covered;
  const auto multiply = [&](int64_t columns, const float* image, int64_t row_step, float* to) {
    const product_tiles::Product m{out, in, columns, weight, in, image, width, row_step, nullptr, added == y, to, points};
    product_tiles::multiply_packed(m, 0, product_tiles::panel_count(columns));
  };
  if (covered > 0) multiply(covered, x, points, y);
  if (rest > 0) {
    for (int64_t k = 0; k < in; ++k) std::memcpy(scratch + k * width, x + k * points + covered, static_cast<size_t>(rest) * sizeof(float));
    multiply(rest, scratch, width, y + covered);
  }
  for (int64_t c = 0; c < out; ++c) {
    const float* const other = added != nullptr && added != y ? added + c * points : nullptr;
    if (bias != nullptr || other != nullptr || relu.is_on) finish_row(points, bias != nullptr ? bias[c] : 0, other, relu, y + c * points);
  }
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(widest_panel);
HWY_EXPORT(multiply_group);

namespace cpu {

// A group's channels must fill some vectors, and not only whole ones.
bool suits_grouped_pointwise(const ConvShape& s) {
  constexpr int64_t least_channels = 4, lanes = 16;
  const auto suits = [](int64_t channels) { return channels >= least_channels && channels % lanes != 0; };
  return s.groups > 1 && s.axes[0].plain() && s.axes[1].plain() && s.axes[2].plain() && (suits(s.in / s.groups) || suits(s.out / s.groups));
}

int64_t grouped_pointwise_room(const ConvShape& s) { return s.batch * s.groups * (s.in / s.groups) * HWY_DYNAMIC_DISPATCH(widest_panel)(); }

void grouped_pointwise(const ConvShape& s, const float* x, const float* weight, const float* bias, const ConvEpilogue& epilogue,
                       float* scratch, float* y) {
  constexpr int64_t grain_of_work = 1 << 18;  // multiplications per thread
  const int64_t parts = s.batch * s.groups, in = s.in / s.groups, out = s.out / s.groups;
  const int64_t room = grouped_pointwise_room(s) / parts;
  parallel_ranges(parts, std::max<int64_t>(1, grain_of_work * parts / std::max<int64_t>(1, s.work())), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i % s.groups, at = i * out * s.points();
      HWY_DYNAMIC_DISPATCH(multiply_group)
      (s, x + i * in * s.image(), weight + group * out * in, bias != nullptr ? bias + group * out : nullptr,
       epilogue.added != nullptr ? epilogue.added + at : nullptr, epilogue.relu, scratch + i * room, y + at);
    }
  });
}

}  // namespace cpu
}  // namespace mt
#endif
