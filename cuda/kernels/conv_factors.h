// Each pass of a convolution as a matrix product per group: (rows, depth) times (depth, columns). The first factor and the result are in
// memory; elements of the second factor are gathered from images on demand: a tap of a window, or 0 outside of the image.
//
//   pass         rows                depth      columns    gathered from    first factor    result
//   forward      channels of y       patches    points     x                weight          y
//   input_grad   channels of x       patches    positions  y                weight          x
//   weight_grad  channels of y       points     patches    x                y               weight
//
// A patch is a channel and a tap of the kernel; a point is an image of the batch and a position in y. A patch and a point together select
// the position in the gathered images that is the sum of their shifts.
#pragma once

#include <algorithm>
#include <array>

#include "cuda/step.h"
#include "engine/ops/conv.h"

namespace mt::cuda {

// The contribution of a patch or a point to an element: its offsets in the factor or result in memory (own) and in the gathered images,
// and its shift in depth, height and width.
template <class N> struct ConvPart {
  N own, gathered;
  N shift[3];

  // For no element: a shift that lies outside of every image.
  static MT_DEVICE ConvPart none() {
    constexpr N far = std::is_same_v<N, int32_t> ? -(N{1} << 30) : -(N{1} << 40);
    return {0, 0, {far, far, far}};
  }
};

// Numbers the patches of a group: channel by channel, or tap by tap if images are channels last.
template <class N> struct ConvPatches {
  Step<N> channels, kernel[3];
  bool taps_first;
  N own_step;       // of a channel, in the weight
  N gathered_step;  // of a channel, in the images
  N shift_step[3];  // of a tap

  MT_DEVICE ConvPart<N> at(N i) const {
    N channel = 0;
    if (taps_first) channel = i % channels, i = i / channels;
    const N tap_w = i % kernel[2], lines = i / kernel[2];
    const N tap_h = lines % kernel[1], slices = lines / kernel[1];
    const N tap_d = slices % kernel[0];
    if (!taps_first) channel = slices / kernel[0];
    const N tap = (tap_d * kernel[1] + tap_h) * kernel[2] + tap_w;
    return {channel * own_step + tap, channel * gathered_step, {tap_d * shift_step[0], tap_h * shift_step[1], tap_w * shift_step[2]}};
  }
};

template <class N> struct ConvPoints {
  Step<N> sizes[3];
  N own_batch, own_step;  // of an image and of a position
  N gathered_batch;
  N shift[3], shift_step[3];

  MT_DEVICE ConvPart<N> at(N i) const {
    const N place_w = i % sizes[2], lines = i / sizes[2];
    const N place_h = lines % sizes[1], slices = lines / sizes[1];
    const N place_d = slices % sizes[0], batch = slices / sizes[0];
    const N place = (place_d * sizes[1] + place_h) * sizes[2] + place_w;
    return {batch * own_batch + place * own_step,
            batch * gathered_batch,
            {shift[0] + place_d * shift_step[0], shift[1] + place_h * shift_step[1], shift[2] + place_w * shift_step[2]}};
  }
};

// The gathered images. If they are y, shifts are divided by the convolution's strides.
template <class T, class N> struct ConvImages {
  const T* elements;
  N sizes[3], place_step;
  Step<N> strides[3];

  MT_DEVICE T gather(const ConvPart<N>& a, const ConvPart<N>& b) const {
    N place = 0;
    for (int i = 0; i < 3; ++i) {
      const N shift = a.shift[i] + b.shift[i];
      if (shift < 0) return T(0);
      const N at = shift / strides[i];
      if (at >= sizes[i] || at * strides[i] != shift) return T(0);
      place = place * sizes[i] + at;
    }
    return elements[a.gathered + b.gathered + place * place_step];
  }
};

// The strides of a tensor of images.
struct ConvLayout {
  int64_t batch, channel, place;  // in elements

  ConvLayout(ImageLayout layout, int64_t channels, int64_t places)
      : batch(channels * places),
        channel(layout == ImageLayout::channels_last ? 1 : places),
        place(layout == ImageLayout::channels_last ? channels : 1) {}
};

// The factors and the result of a pass.
template <class T, class N> struct ConvFactors {
  ConvPatches<N> patches;
  ConvPoints<N> points;
  ConvImages<T, N> images;
  const T* first;
  T* result;
  const T* bias;  // one element per row, or null
  bool depth_is_patches;
  N rows, depth, columns, groups;
  N first_row, result_row;                            // strides from row to row
  int64_t first_group, gathered_group, result_group;  // strides from group to group
  bool first_lies_by_rows, gathered_lies_by_depth;    // which index is contiguous in memory
  int64_t results() const { return int64_t{rows} * columns * groups; }

  MT_DEVICE ConvPart<N> part_of_depth(N i) const {
    return i >= depth ? ConvPart<N>::none() : depth_is_patches ? patches.at(i) : points.at(i);
  }
  MT_DEVICE ConvPart<N> part_of_column(N i) const {
    return i >= columns ? ConvPart<N>::none() : depth_is_patches ? points.at(i) : patches.at(i);
  }
};

// Whether all indices that kernels compute for the shape fit into 32 bits.
inline bool is_narrow(const ConvShape& s) {
  double reach = 1;  // number of positions that windows and images cover
  for (const ConvAxis& a : s.axes) reach *= static_cast<double>(a.size + 2 * a.pad + a.window() + a.stride);
  const auto most_channels = static_cast<double>(std::max({s.in, s.out, int64_t{1}}));
  const double images = reach * most_channels * static_cast<double>(std::max<int64_t>(s.batch, 1));
  const double weight = static_cast<double>(s.out) * static_cast<double>(s.patch());
  constexpr auto limit = static_cast<double>(least_wide / 2);
  return images < limit && weight < limit;
}

template <class T, class N> ConvFactors<T, N> factors_of(const ConvPlan& plan, const T* x, const T* weight, const T* y, T* result) {
  const ConvShape& s = plan.shape;
  const bool of_x = plan.pass == ConvPass::input_grad, of_weight = plan.pass == ConvPass::weight_grad;
  const bool last = plan.layout == ImageLayout::channels_last;
  const int64_t in = s.in / s.groups, out = s.out / s.groups, taps = s.taps(), patch = s.patch();
  const ConvLayout x_lies(plan.layout, s.in, s.image()), y_lies(plan.layout, s.out, s.points());
  const ConvLayout &gathered = of_x ? y_lies : x_lies, &own = of_x ? x_lies : y_lies;
  const auto n = [](int64_t number) { return static_cast<N>(number); };
  const auto each = [&](auto f) { return std::array{f(s.axes[0]), f(s.axes[1]), f(s.axes[2])}; };
  const auto kernels = each([](const ConvAxis&a) { return a.kernel; }), strides = each([](const ConvAxis&a) { return a.stride; });
  const auto pads = each([](const ConvAxis&a) { return a.pad; }), dilations = each([](const ConvAxis&a) { return a.dilation; });
  const auto sizes = each([](const ConvAxis&a) { return a.size; }), outs = each([](const ConvAxis&a) { return a.out(); });
  const auto &own_sizes = of_x ? sizes : outs, &gathered_sizes = of_x ? outs : sizes;
  const int64_t sign = of_x ? -1 : 1;
  return {
      .patches = {.channels = std::max<int64_t>(1, of_x ? out : in),
                  .kernel = {kernels[0], kernels[1], kernels[2]},
                  .taps_first = last,
                  .own_step = n(of_x ? patch : taps),
                  .gathered_step = n(gathered.channel),
                  .shift_step = {n(sign * dilations[0]), n(sign * dilations[1]), n(sign * dilations[2])}},
      .points = {.sizes = {own_sizes[0], own_sizes[1], own_sizes[2]},
                 .own_batch = n(own.batch),
                 .own_step = n(own.place),
                 .gathered_batch = n(gathered.batch),
                 .shift = {n(-sign * pads[0]), n(-sign * pads[1]), n(-sign * pads[2])},
                 .shift_step = {n(of_x ? 1 : strides[0]), n(of_x ? 1 : strides[1]), n(of_x ? 1 : strides[2])}},
      .images = {.elements = of_x ? y : x,
                 .sizes = {n(gathered_sizes[0]), n(gathered_sizes[1]), n(gathered_sizes[2])},
                 .place_step = n(gathered.place),
                 .strides = {of_x ? strides[0] : 1, of_x ? strides[1] : 1, of_x ? strides[2] : 1}},
      .first = of_weight ? y : weight,
      .result = result,
      .bias = nullptr,
      .depth_is_patches = !of_weight,
      .rows = n(of_x ? in : out),
      .depth = n(of_x        ? out * taps
                 : of_weight ? s.batch * s.points()
                             : patch),
      .columns = n(of_x        ? s.batch * s.image()
                   : of_weight ? patch
                               : s.batch * s.points()),
      .groups = n(s.groups),
      .first_row = n(of_weight ? own.channel
                     : of_x    ? taps
                               : patch),
      .result_row = n(of_weight ? patch : own.channel),
      .first_group = of_weight ? out * own.channel : out * patch,
      .gathered_group = (of_x ? out : in) * gathered.channel,
      .result_group = of_weight ? out * patch : (of_x ? in : out) * own.channel,
      .first_lies_by_rows = of_weight && last,
      .gathered_lies_by_depth = of_weight != last,
  };
}

}  // namespace mt::cuda
