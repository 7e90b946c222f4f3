// Unsigned integers of 128 bits, which compilers for 32-bit processors lack.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>

namespace mt {

// The operations that the engine uses. Shifts are by 1 to 127 bits.
struct PortableUint128 {
  uint64_t high = 0, low = 0;  // in the order of comparisons

  constexpr PortableUint128() = default;
  constexpr explicit PortableUint128(uint64_t value) : low(value) {}
  constexpr PortableUint128(uint64_t upper, uint64_t lower) : high(upper), low(lower) {}
  template <std::unsigned_integral T> constexpr explicit operator T() const { return static_cast<T>(low); }

  friend constexpr PortableUint128 operator~(PortableUint128 a) { return {~a.high, ~a.low}; }
  friend constexpr PortableUint128 operator|(PortableUint128 a, PortableUint128 b) { return {a.high | b.high, a.low | b.low}; }
  friend constexpr PortableUint128 operator<<(PortableUint128 a, int bits) {
    if (bits >= 64) return {a.low << (bits - 64), 0};
    return {a.high << bits | a.low >> (64 - bits), a.low << bits};
  }
  friend constexpr PortableUint128 operator>>(PortableUint128 a, int bits) {
    if (bits >= 64) return {0, a.high >> (bits - 64)};
    return {a.high >> bits, a.high << (64 - bits) | a.low >> bits};
  }
  // By the halves of b, as in a product by hand.
  friend constexpr PortableUint128 operator*(PortableUint128 a, uint64_t b) {
    const uint64_t half = 0xffff'ffff, a0 = a.low & half, a1 = a.low >> 32, b0 = b & half, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & half);
    return {a.high * b + a1 * b1 + (middle >> 32) + (other >> 32), a.low * b};
  }
  friend constexpr auto operator<=>(const PortableUint128&, const PortableUint128&) = default;
};

#ifdef __SIZEOF_INT128__
__extension__ using Uint128 = unsigned __int128;
#else
using Uint128 = PortableUint128;
#endif

}  // namespace mt
