// Convolutions of 8-bit integers as products: a row is a window. Tiles read the channels of each tap where they lie in the image, or in a
// row of padding. Rows whose parts are no multiples of 4 bytes, such as those of pictures, and elements with a sign are copied.
#include "engine/cpu/int8_conv.h"

#include <algorithm>
#include <cstring>

namespace mt::cpu {
namespace {

// Copies in pieces, faster for few bytes: reads and writes up to int8_slack - 1 bytes more.
void copy_in_pieces(const uint8_t* from, int64_t count, uint8_t* to) {
  for (int64_t i = 0; i < count; i += int8_slack) std::memcpy(to + i, from + i, int8_slack);
}

class TapsInPlace final : public Int8Rows {
 public:
  TapsInPlace(const Int8ConvPlan& plan, const Int8Taps& taps, int64_t channel) : plan_(plan), taps_(taps), channel_(channel) {}

  void place(int64_t first, int64_t count, const Int8Places& places) const override {
    const int64_t lines = plan_.axes[0].out, columns = plan_.axes[1].out;
    for (int64_t done = 0; done < count;) {
      const int64_t point = first + done, column = point % columns, some = std::min(columns - column, count - done);
      taps_.each(point / columns / lines, point / columns % lines, column, some,
                 [&](int64_t tap, int64_t begin, int64_t end, const uint8_t* from, int64_t step) {
                   const uint8_t** const to = places.parts + tap * int8_block_rows + done;
                   for (int64_t r = begin; r < end; ++r, from += step) to[r] = from + channel_;
                 });
      done += some;
    }
  }

 private:
  const Int8ConvPlan& plan_;
  const Int8Taps& taps_;
  int64_t channel_;
};

// Windows that are copied, for the channels of a group.
class CopiedWindows final : public Int8Rows {
 public:
  CopiedWindows(const Int8ConvPlan& plan, const uint8_t* x, int64_t channel, int64_t channels)
      : plan_(plan),
        x_(x),
        end_(x + plan.batch * plan.axes[0].size * plan.axes[1].size * plan.in),
        channel_(channel),
        channels_(channels),
        flip_(plan.input.x.dtype() == DType::int8 ? 128 : 0) {}

  void place(int64_t first, int64_t count, const Int8Places& places) const override {
    const int64_t lines = plan_.axes[0].out, columns = plan_.axes[1].out;
    int64_t column = first % columns, line = first / columns % lines, image = first / columns / lines;
    uint8_t* to = places.bytes;
    for (int64_t r = 0; r < count; ++r, to += places.step) {
      copy_window(image, line, column, to, to + places.step);
      places.parts[r] = to;
      if (++column < columns) continue;
      column = 0;
      if (++line < lines) continue;
      line = 0;
      ++image;
    }
    if (flip_ == 0) return;
    for (uint8_t* at = places.bytes; at < to; ++at) *at ^= flip_;
  }

 private:
  // What padding is filled with: the zero point of x.
  uint8_t padding(int64_t image) const {
    if (plan_.input.ranges) return static_cast<uint8_t>(plan_.input.ranges.data<float>()[2 * image + 1]);
    return static_cast<uint8_t>(plan_.scaling.zero);
  }

  void copy_window(int64_t image, int64_t line, int64_t column, uint8_t* to, uint8_t* end) const {
    const auto& [rows, lines] = plan_.axes;
    const int64_t left = column * lines.stride - lines.pad, run = lines.kernel * channels_;
    const bool is_run = left >= 0 && left + lines.kernel <= lines.size && lines.dilation == 1 && channels_ == plan_.in;
    for (int64_t ky = 0; ky < rows.kernel; ++ky, to += run) {
      const int64_t row = line * rows.stride - rows.pad + ky * rows.dilation;
      if (row < 0 || row >= rows.size) {
        std::memset(to, padding(image), static_cast<size_t>(run));
        continue;
      }
      const uint8_t* const from = x_ + ((image * rows.size + row) * lines.size + left) * plan_.in + channel_;
      if (is_run)
        copy(from, run, to);
      else
        copy_taps(image, left, from, to);
    }
    std::fill(to, end, uint8_t{0});
  }

  void copy_taps(int64_t image, int64_t left, const uint8_t* from, uint8_t* to) const {
    const Int8Axis& lines = plan_.axes[1];
    for (int64_t kx = 0; kx < lines.kernel; ++kx, to += channels_) {
      const int64_t point = left + kx * lines.dilation;
      if (point >= 0 && point < lines.size)
        copy(from + kx * lines.dilation * plan_.in, channels_, to);
      else
        std::memset(to, padding(image), static_cast<size_t>(channels_));
    }
  }

  // The bytes behind a run are written afterwards; those behind x must not be read.
  void copy(const uint8_t* from, int64_t count, uint8_t* to) const {
    if (count <= 64 && end_ - from >= count + int8_slack)
      copy_in_pieces(from, count, to);
    else
      std::memcpy(to, from, static_cast<size_t>(count));
  }

  const Int8ConvPlan& plan_;
  const uint8_t *x_, *end_;
  int64_t channel_, channels_;
  uint8_t flip_;
};

// Rows of images, where they lie.
class PointsInPlace final : public Int8Rows {
 public:
  PointsInPlace(const uint8_t* x, int64_t depth) : x_(x), depth_(depth) {}

  void place(int64_t first, int64_t count, const Int8Places& places) const override {
    for (int64_t r = 0; r < count; ++r) places.parts[r] = x_ + (first + r) * depth_;
  }

 private:
  const uint8_t* x_;
  int64_t depth_;
};

}  // namespace

Int8Taps::Int8Taps(const Int8ConvPlan& plan, const uint8_t* x)
    : plan_(plan), x_(x), padding_(static_cast<size_t>((plan.input.ranges ? plan.batch : 1) * plan.in)) {
  for (size_t i = 0; i < padding_.size(); ++i) {
    const auto image = static_cast<int64_t>(i) / plan.in;
    padding_[i] =
        static_cast<uint8_t>(plan.input.ranges ? static_cast<int64_t>(plan.input.ranges.data<float>()[2 * image + 1]) : plan.scaling.zero);
  }
}

void run_int8_conv2d(const Int8ConvPlan& plan) {
  const auto& [rows, lines] = plan.axes;
  const uint8_t* const x = int8_bytes(plan.input, plan.batch, rows.size * lines.size * plan.in);
  const bool is_signed = plan.input.x.dtype() == DType::int8;
  const int64_t channels = plan.in / plan.groups, columns = plan.columns / plan.groups, points = rows.out * lines.out;
  const int64_t taps = rows.kernel * lines.kernel, depth = channels * taps, bytes = size_of(plan.out.dtype());
  const bool in_place = !is_signed && channels > 0 && channels % int8_depth == 0;
  const auto is_plain = [](const Int8Axis& axis) { return axis.kernel == 1 && axis.stride == 1 && axis.size == axis.out; };
  if (plan.groups > 1 && channels == 1 && columns == 1 && !plan.scaling.weight_zero)
    return int8_depthwise(plan, x, PaddedScaling(plan.scaling, 0, plan.columns));
  const Int8Taps places(plan, x);
  for (int64_t group = 0; group < plan.groups; ++group) {
    const PaddedScaling scaling(plan.scaling, group * columns, columns);
    const Int8Product product{plan.batch * points,
                              depth,
                              columns,
                              in_place ? taps : 1,
                              in_place ? channels : int8_blocks(depth) * int8_depth,
                              !in_place,
                              plan.packed.data<int8_t>() + group * int8_panels(columns) * int8_panel_bytes(depth),
                              plan.input.ranges ? plan.input.ranges.data<float>() : nullptr,
                              points,
                              static_cast<int32_t>(plan.scaling.zero + (is_signed ? 128 : 0)),
                              plan.out.dtype(),
                              plan.out.data<std::byte>() + group * columns * bytes,
                              plan.columns * bytes};
    if (!in_place)
      int8_multiply(product, scaling, CopiedWindows(plan, x, group * channels, channels));
    else if (is_plain(rows) && is_plain(lines) && plan.groups == 1)
      int8_multiply(product, scaling, PointsInPlace(x, depth));
    else
      int8_multiply(product, scaling, TapsInPlace(plan, places, group * channels));
  }
}

}  // namespace mt::cpu
