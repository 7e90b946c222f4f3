// The 8-bit floats of the OCP specification (OFP8) as storage types: they convert from and to float.
#pragma once

#include <bit>
#include <cstdint>

namespace mt {

// A float of a sign bit, 7 - mantissa bits of exponent, and a mantissa. Conversion rounds to nearest, ties to even. Codes above `largest`
// are infinities and NaNs. Numbers that round to more than the largest one, and infinities, become `beyond`; NaNs become 0x7f. Both have
// the number's sign.
template <int mantissa, int bias, uint32_t largest, uint32_t beyond> struct Float8 {
  uint8_t bits = 0;

  Float8() = default;
  explicit Float8(float value) : bits(pack(value)) {}
  operator float() const { return unpack(bits); }

  static uint8_t pack(float value) {
    const uint32_t f = std::bit_cast<uint32_t>(value);
    const uint32_t sign = (f >> 24) & 0x80u, magnitude = f & 0x7fffffffu;
    if (magnitude > infinite) return static_cast<uint8_t>(sign | 0x7fu);
    if (magnitude < least_normal) {
      // Subnormal: the sum shifts the mantissa into place, and rounds as the hardware does.
      const float shifted = std::bit_cast<float>(magnitude) + std::bit_cast<float>(shifter);
      return static_cast<uint8_t>(sign | (std::bit_cast<uint32_t>(shifted) - shifter));
    }
    const uint32_t rounded = magnitude + (uint32_t{1} << (shift - 1)) - 1 + ((magnitude >> shift) & 1u);
    const uint32_t code = (rounded - rebias) >> shift;
    return static_cast<uint8_t>(sign | (code > largest ? beyond : code));
  }

  static float unpack(uint8_t code) {
    const uint32_t sign = static_cast<uint32_t>(code & 0x80u) << 24, magnitude = code & 0x7fu;
    if (magnitude > largest) return std::bit_cast<float>(sign | (magnitude == beyond ? infinite : 0x7fc00000u));
    if (magnitude < (uint32_t{1} << mantissa)) {
      const float value = static_cast<float>(magnitude) * std::bit_cast<float>(static_cast<uint32_t>(127 + 1 - bias - mantissa) << 23);
      return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
    }
    return std::bit_cast<float>(sign | ((magnitude << shift) + rebias));
  }

 private:
  static constexpr int shift = 23 - mantissa;
  static constexpr uint32_t infinite = 0x7f800000u, rebias = static_cast<uint32_t>(127 - bias) << 23,
                            least_normal = static_cast<uint32_t>(127 + 1 - bias) << 23,
                            shifter = static_cast<uint32_t>(127 + 1 - bias + shift) << 23;
};

// float8_e4m3fn has finite numbers up to 448, to which larger ones saturate, and NaN. float8_e5m2 is the upper half of a binary16: numbers
// up to 57344, infinities and NaNs. Both convert as in PyTorch 2.15.
using Float8E4m3 = Float8<3, 7, 0x7e, 0x7e>;
using Float8E5m2 = Float8<2, 15, 0x7b, 0x7c>;

}  // namespace mt
