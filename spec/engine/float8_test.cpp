// The 8-bit floats: each code's value by its definition, and the nearest code of a float32 by search.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "engine/core/float8.h"

namespace {

struct Format {
  int mantissa, bias;
  unsigned largest;     // the code of the largest number
  bool has_infinities;  // else all bits but the sign are NaN, and numbers saturate
};

constexpr Format e4m3 = {3, 7, 0x7e, false}, e5m2 = {2, 15, 0x7b, true};

// The value of a finite code without its sign.
double value_of(const Format& f, unsigned code) {
  const unsigned steps = 1u << f.mantissa, exponent = code / steps, rest = code % steps;
  if (exponent == 0) return std::ldexp(rest, 1 - f.bias - f.mantissa);
  return std::ldexp(steps + rest, static_cast<int>(exponent) - f.bias - f.mantissa);
}

// The code of a number that is no NaN: the nearest one, of two equally near ones the even one. Beyond the largest number the next code
// stands for all that is too large.
unsigned nearest(const Format& f, float value) {
  const unsigned sign = std::signbit(value) ? 0x80 : 0;
  const double magnitude = std::fabs(static_cast<double>(value));
  unsigned low = 0, high = f.largest + 1;  // value_of(low) <= magnitude
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    (value_of(f, middle) <= magnitude ? low : high) = middle;
  }
  const double below = magnitude - value_of(f, low), above = value_of(f, low + 1) - magnitude;
  const unsigned code = below < above || (below == above && low % 2 == 0) ? low : low + 1;
  return sign | (code > f.largest && !f.has_infinities ? f.largest : code);
}

template <class T> void check_codes(const Format& f) {
  for (unsigned code = 0; code < 256; ++code) {
    const unsigned magnitude = code & 0x7f;
    const float value = T::unpack(static_cast<uint8_t>(code));
    CAPTURE(code);
    if (magnitude <= f.largest) {
      CHECK(std::fabs(value) == value_of(f, magnitude));
      CHECK(std::signbit(value) == (code >= 0x80));
      CHECK(T::pack(value) == code);
    } else if (f.has_infinities && magnitude == f.largest + 1) {
      CHECK(std::isinf(value));
      CHECK(std::signbit(value) == (code >= 0x80));
      CHECK(T::pack(value) == code);
    } else {
      CHECK(std::isnan(value));
      CHECK(T::pack(value) == (0x7f | (code & 0x80)));
    }
  }
}

// Floats with any upper half, and lower halves that round down, tie or round up.
template <class T> void check_rounding(const Format& f) {
  int wrong = 0;
  for (uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (const uint32_t lower : {0x0u, 0x1u, 0x7fffu, 0x8000u, 0xffffu}) {
      const auto value = std::bit_cast<float>(upper << 16 | lower);
      const unsigned code = T::pack(value);
      if (std::isnan(value)) {
        wrong += (code & 0x7f) != 0x7f;
      } else if (std::isinf(value)) {
        wrong += code != ((upper >> 8 & 0x80) | (f.has_infinities ? f.largest + 1 : f.largest));
      } else {
        wrong += code != nearest(f, value);
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("each code of float8_e4m3fn") { check_codes<mt::Float8E4m3>(e4m3); }
TEST_CASE("each code of float8_e5m2") { check_codes<mt::Float8E5m2>(e5m2); }
TEST_CASE("float32 to float8_e4m3fn") { check_rounding<mt::Float8E4m3>(e4m3); }
TEST_CASE("float32 to float8_e5m2") { check_rounding<mt::Float8E5m2>(e5m2); }

}  // namespace
