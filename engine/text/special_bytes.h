// Finds a few special bytes in a text (separators, line ends, quotes), 64 bytes at a time. A vector comparison yields one bit per byte, so
// that other bytes cost next to nothing.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mt::text {

class SpecialBytes {
 public:
  static constexpr int64_t padding = 64;  // bytes after the text that must be readable

  SpecialBytes(char a, char b, char c, char d, char e) : wanted_{a, b, c, d, e} {}

  // Sets the range text[at, end) for `next`.
  void start(const char* text, int64_t at, int64_t end) {
    text_ = text;
    end_ = end;
    look(at);
  }
  // The position of the next special byte, or the end.
  int64_t next() {
    while (found_ == 0) {
      if (block_ + 64 >= end_) return end_;
      look(block_ + 64);
    }
    const int64_t at = block_ + std::countr_zero(found_);
    found_ &= found_ - 1;
    return at;
  }

 private:
  void look(int64_t block) {
    block_ = block;
    found_ = 0;
    if (block >= end_) return;
    for (int i = 0; i < 4; ++i) found_ |= uint64_t{sixteen(text_ + block + 16 * i)} << (16 * i);
    if (end_ - block < 64) found_ &= (uint64_t{1} << (end_ - block)) - 1;
  }

#if defined(__SSE2__)
  uint32_t sixteen(const char* p) const {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    __m128i equal = _mm_setzero_si128();
    for (const char c : wanted_) equal = _mm_or_si128(equal, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
    return static_cast<uint32_t>(_mm_movemask_epi8(equal));
  }
#else
  uint32_t sixteen(const char* p) const {
    uint32_t mask = 0;
    for (int i = 0; i < 16; ++i)
      mask |= uint32_t{p[i] == wanted_[0] || p[i] == wanted_[1] || p[i] == wanted_[2] || p[i] == wanted_[3] || p[i] == wanted_[4]} << i;
    return mask;
  }
#endif

  char wanted_[5];
  const char* text_ = nullptr;
  int64_t end_ = 0, block_ = 0;
  uint64_t found_ = 0;
};

}  // namespace mt::text
