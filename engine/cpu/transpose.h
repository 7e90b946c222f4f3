// Copies between rows and columns.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mt::cpu {

// Strides are in bytes; to's elements follow each other along columns, from's along rows. width: bytes of an element, 1, 2, 4 or 8.
struct Transposed {
  std::byte* to;
  int64_t to_stride;  // between rows
  const std::byte* from;
  int64_t from_stride;  // between columns
  int64_t rows, columns;
  int width;
};

void transpose(const Transposed& t);

}  // namespace mt::cpu
