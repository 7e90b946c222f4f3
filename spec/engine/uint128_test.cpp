// Integers of two words: the compiler's of 128 bits, where it has them, are the reference.
#include "engine/core/uint128.h"

#include <doctest/doctest.h>

#ifdef __SIZEOF_INT128__

TEST_CASE("integers of two words compute as those of 128 bits") {
  using mt::PortableUint128, mt::Uint128;
  const auto same = [](PortableUint128 a, Uint128 b) {
    return a.high == static_cast<uint64_t>(b >> 64) && a.low == static_cast<uint64_t>(b);
  };
  uint64_t state = 1;
  const auto draw = [&] { return state = state * 0x5851'f42d'4c95'7f2d + 0x1405'7b7e'f767'814f; };
  for (int i = 0; i < 2000; ++i) {
    const uint64_t words[4] = {draw() >> (i % 64), draw(), i % 3 == 0 ? 0 : draw(), ~uint64_t{0} >> (i % 64)};
    const PortableUint128 a{words[0], words[1]}, b{words[2], words[3]};
    const Uint128 x = Uint128{words[0]} << 64 | words[1], y = Uint128{words[2]} << 64 | words[3];
    REQUIRE(same(~a, ~x));
    REQUIRE(same(a | b, x | y));
    REQUIRE(same(a * words[3], x * words[3]));
    REQUIRE(same(a << (i % 127 + 1), x << (i % 127 + 1)));
    REQUIRE(same(a >> (i % 127 + 1), x >> (i % 127 + 1)));
    REQUIRE((a < b) == (x < y));
    REQUIRE((a >= b) == (x >= y));
    REQUIRE(PortableUint128(words[0]) == PortableUint128(0, words[0]));
    REQUIRE(static_cast<uint32_t>(a) == static_cast<uint32_t>(x));
  }
}

#endif
