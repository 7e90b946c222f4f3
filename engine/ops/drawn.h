// Converts the random bits of a counter-based generator to exact numbers, which become values of a distribution (drawn-inl.h). The
// functions are constexpr, so that kernels of other devices may call them.
//   fraction  0 <= u < 1
//   positive  0 < u <= 1
//   centred   -1/2 < u < 1/2, symmetric, never 0
// 32 bits make a float, 64 bits a double: 52 of them and an exponent make a number from 1 to 2.
#pragma once

#include <bit>
#include <cstdint>

#include "engine/core/dtype.h"

namespace mt::drawn {

enum class Kind : uint8_t { uniform, normal, log_normal, exponential, cauchy };

// Its parameters are the op's. A fraction of 32 bits has as many digits as the result's type, so that no fraction is rounded to 1.
struct Distribution {
  Kind kind;
  double a, b;
  int unused_bits;
  float unit;  // value of a fraction's last digit

  static constexpr int digits(DType result) { return result == DType::float16 ? 11 : result == DType::bfloat16 ? 8 : 24; }
  constexpr Distribution(Kind which, double a_, double b_, DType result)
      : kind(which), a(a_), b(b_), unused_bits(32 - digits(result)), unit(1.0f / static_cast<float>(1 << digits(result))) {}
};

constexpr float fraction(uint32_t bits, const Distribution& d) {
  return static_cast<float>(static_cast<int32_t>(bits >> d.unused_bits)) * d.unit;
}
constexpr float positive(uint32_t bits) { return static_cast<float>(static_cast<int32_t>(bits >> 1)) * 0x1p-31f + 0x1p-32f; }
constexpr float centred(uint32_t bits) { return static_cast<float>(static_cast<int32_t>(bits >> 8 | 1) - (1 << 23)) * 0x1p-24f; }

constexpr double from_one(uint64_t bits) { return std::bit_cast<double>(bits >> 12 | 0x3ff0000000000000u); }
constexpr double fraction(uint64_t bits) { return from_one(bits) - 1; }
constexpr double fraction(uint64_t bits, const Distribution&) { return fraction(bits); }
constexpr double positive(uint64_t bits) { return 2 - from_one(bits); }
constexpr double centred(uint64_t bits) { return from_one(bits) - 1.5 + 0x1p-53; }

// bernoulli: 32 bits against a probability, 0 to 1. `below` is 2^32 times that, rounded up: the number of 32-bit fractions below it.
constexpr uint64_t below(double chance) {
  const double scaled = chance * 0x1p32;
  const auto whole = static_cast<uint64_t>(scaled);
  return whole + (static_cast<double>(whole) < scaled ? 1 : 0);
}

// random: maps 64 bits to one of `count` integers; for a count of 0, returns the higher 32 bits.
constexpr uint64_t one_of(uint64_t bits, uint64_t count) {
  if (count == 0) return bits >> 32;
  // The higher half of the product of 128 bits.
  const uint64_t low = (bits & 0xffffffff) * (count & 0xffffffff);
  const uint64_t middle = (bits >> 32) * (count & 0xffffffff) + (low >> 32);
  const uint64_t other = (bits & 0xffffffff) * (count >> 32) + (middle & 0xffffffff);
  return (bits >> 32) * (count >> 32) + (middle >> 32) + (other >> 32);
}

}  // namespace mt::drawn
