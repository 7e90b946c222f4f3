// Philox4x32-10 against Random123's published vectors (kat_vectors), and its SIMD version against one block at a time.
#include "engine/core/philox.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "engine/core/generator.h"
#include "engine/cpu/philox.h"

namespace {

constexpr bool gives(mt::PhiloxBlock counter, uint32_t key0, uint32_t key1, mt::PhiloxBlock expected) {
  return std::equal(expected.words, expected.words + 4, mt::philox(counter, key0, key1).words);
}

constexpr uint32_t ones = 0xffffffff;
static_assert(gives({{0, 0, 0, 0}}, 0, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}));
static_assert(gives({{ones, ones, ones, ones}}, ones, ones, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}));
static_assert(gives({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0,
                    {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}));

}  // namespace

TEST_CASE("vectors of blocks are the blocks, one by one") {
  for (const mt::Draws& draws : {mt::Draws{0, 0}, mt::Draws{0x299f31d0a4093822, 0xfffffff0}, mt::Draws{~uint64_t{0}, ~uint64_t{0} - 20}}) {
    for (const int64_t blocks : {1, 2, 3, 17, 255, 256, 257, 1000}) {
      std::vector<uint32_t> words(static_cast<size_t>(4 * blocks + 1), 7);
      mt::cpu::philox_words(draws, 5, blocks, words.data());
      bool same = words.back() == 7;  // nothing is written past the end
      for (uint64_t i = 0; i < static_cast<uint64_t>(4 * blocks); ++i) same = same && words[i] == draws.bits32(20 + i);
      for (uint64_t i = 0; i < static_cast<uint64_t>(2 * blocks); ++i)
        same = same && (uint64_t{words[2 * i + 1]} << 32 | words[2 * i]) == draws.bits64(10 + i);
      CHECK(same);
    }
  }
}

TEST_CASE("numbers of bits are exact, and within their bounds") {
  using namespace mt::drawn;
  const Distribution floats(Kind::uniform, 0, 1, mt::DType::float32), halves(Kind::uniform, 0, 1, mt::DType::float16);
  CHECK(fraction(0u, floats) == 0);
  CHECK(fraction(ones, floats) == 1 - 0x1p-24f);
  CHECK(fraction(ones, halves) == 1 - 0x1p-11f);
  CHECK(positive(0u) == 0x1p-32f);
  CHECK(positive(ones) == 1);
  CHECK(centred(0u) == -centred(ones));
  CHECK(centred(ones) == 0.5f - 0x1p-24f);
  CHECK(fraction(uint64_t{0}) == 0);
  CHECK(fraction(~uint64_t{0}) == 1 - 0x1p-52);
  CHECK(positive(uint64_t{0}) == 1);
  CHECK(positive(~uint64_t{0}) == 0x1p-52);
  CHECK(centred(uint64_t{0}) == -centred(~uint64_t{0}));
  CHECK(below(0) == 0);
  CHECK(below(1) == uint64_t{1} << 32);
  CHECK(below(0x1p-40) == 1);
  CHECK(one_of(~uint64_t{0}, 10) == 9);
  CHECK(one_of(~uint64_t{0}, ~uint64_t{0}) == ~uint64_t{0} - 1);
  CHECK(one_of(uint64_t{1} << 63, uint64_t{3} << 40) == uint64_t{3} << 39);
  CHECK(one_of(0x123456789abcdef0, 0) == 0x12345678);
}

TEST_CASE("a call's counters follow the last one's; a twister's next draws make a key") {
  mt::Philox philox(3);
  CHECK(philox.take(10).first == 0);
  CHECK(philox.take(1).first == 10);
  CHECK(philox.take(0).key == 3);
  mt::Generator twister(uint64_t{5489});
  const mt::Draws draws = twister.take(10);
  CHECK(draws.key == (uint64_t{581869302} << 32 | 3499211612));  // MT19937's published first draws
  CHECK(draws.first == 0);
  CHECK(twister.take(10).key != draws.key);
}
