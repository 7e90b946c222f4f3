#include "engine/graph/fused/gather.h"

#include <algorithm>
#include <cstring>

#include "engine/core/dtype.h"

namespace mt {
namespace {

// Two copies that overlap serve all numbers of bytes from `size` to twice as many.
template <int size> void copy_ends(std::byte* to, const std::byte* from, int64_t bytes) {
  std::byte first[size], last[size];
  std::memcpy(first, from, size);
  std::memcpy(last, from + bytes - size, size);
  std::memcpy(to, first, size);
  std::memcpy(to + bytes - size, last, size);
}

void copy_row(std::byte* to, const std::byte* from, int64_t bytes) {
  if (bytes > 64) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  } else if (bytes >= 16) {
    for (; bytes > 32; bytes -= 16, to += 16, from += 16) std::memcpy(to, from, 16);
    copy_ends<16>(to, from, bytes);
  } else if (bytes >= 8) {
    copy_ends<8>(to, from, bytes);
  } else if (bytes >= 4) {
    copy_ends<4>(to, from, bytes);
  } else {
    for (int64_t i = 0; i < bytes; ++i) to[i] = from[i];
  }
}

// By vectors, of which the last one ends behind the row.
template <class W> void repeat(std::byte* to, W element, int64_t n) {
  constexpr auto each = gather_slack / static_cast<int64_t>(sizeof(W));
  W elements[each];
  std::fill_n(elements, each, element);
  for (int64_t i = 0; i < n; i += each) std::memcpy(to + i * static_cast<int64_t>(sizeof(W)), elements, gather_slack);
}

}  // namespace

void gather_rows(std::byte* to, const std::byte* from, int64_t stride, int64_t next, int64_t n, int64_t count, int width) {
  by_width(width, [&]<class W>(W) {
    for (int64_t row = 0; row < count; ++row, to += n * width, from += next) {
      if (stride == width) {
        copy_row(to, from, n * width);
      } else if (stride == 0) {
        repeat(to, *reinterpret_cast<const W*>(from), n);
      } else {
        for (int64_t i = 0; i < n; ++i) reinterpret_cast<W*>(to)[i] = *reinterpret_cast<const W*>(from + i * stride);
      }
    }
  });
}

}  // namespace mt
