// Copies between rows and columns, and between images with channels first and last.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/image_layout.h"

namespace mt::cpu {

// Strides are in bytes; to's elements are contiguous along columns, from's along rows. width: bytes of an element, 1, 2, 4 or 8.
struct Transposed {
  std::byte* to;
  int64_t to_stride;  // between rows
  const std::byte* from;
  int64_t from_stride;  // between columns
  int64_t rows, columns;
  int width;
  bool streams;  // the result is too large to be in the caches when it is read
};

void transpose(const Transposed& t);

// Images of `channels` times `points` elements, one after the other. width as in Transposed.
struct Images {
  int64_t batch, channels, points;
  int width;
};

// Copies images from the other layout to `layout`.
void lay_out(const Images& images, ImageLayout layout, const std::byte* from, std::byte* to);

}  // namespace mt::cpu
