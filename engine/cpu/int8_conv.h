// Convolutions of 8-bit integers.
#pragma once

#include <algorithm>

#include "engine/cpu/int8_product.h"

namespace mt::cpu {

void run_int8_conv2d(const Int8ConvPlan& plan);

// A filter for each channel: groups == in == columns, and no zero points of weights.
void int8_depthwise(const Int8ConvPlan& plan, const uint8_t* x, const PaddedScaling& scaling);

// The channels of a position that a window reads: of the image, or padding, which is filled with the zero point of the image.
class Int8Taps {
 public:
  Int8Taps(const Int8ConvPlan& plan, const uint8_t* x);

  // Calls f(tap, begin, end, address, step) for each tap of `count` windows from window `column` of a line of an image on: those of windows
  // from begin to end, counted from `column`, are at the address and at that distance from each other.
  template <class F> void each(int64_t image, int64_t line, int64_t column, int64_t count, F f) const {
    const auto& [rows, lines] = plan_.axes;
    const uint8_t* const padding = padding_.data() + (plan_.input.ranges ? image * plan_.in : 0);
    for (int64_t tap = 0; tap < rows.kernel * lines.kernel; ++tap) {
      const int64_t row = line * rows.stride - rows.pad + tap / lines.kernel * rows.dilation;
      const int64_t point = column * lines.stride - lines.pad + tap % lines.kernel * lines.dilation;
      const bool is_inside = row >= 0 && row < rows.size;
      const int64_t begin = is_inside ? std::min(count, std::max<int64_t>(0, (lines.stride - 1 - point) / lines.stride)) : count;
      const int64_t end = is_inside ? std::max(begin, std::min(count, (lines.size - point + lines.stride - 1) / lines.stride)) : count;
      if (begin > 0) f(tap, int64_t{0}, begin, padding, int64_t{0});
      if (begin < end)
        f(tap, begin, end, x_ + ((image * rows.size + row) * lines.size + point + begin * lines.stride) * plan_.in,
          lines.stride * plan_.in);
      if (end < count) f(tap, end, count, padding, int64_t{0});
    }
  }

 private:
  const Int8ConvPlan& plan_;
  const uint8_t* x_;
  std::vector<uint8_t> padding_;
};

}  // namespace mt::cpu
