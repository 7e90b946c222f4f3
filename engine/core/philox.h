// Philox4x32-10: random bits as a function of a key and a counter, so that each thread of any device can compute the bits of its elements.
// Source: Salmon, Moraes, Dror & Shaw (2011), "Parallel random numbers: as easy as 1, 2, 3", SC'11. The functions are constexpr, so that
// kernels on other devices can call them.
#pragma once

#include <cstdint>
#include <span>

namespace mt {

struct PhiloxBlock {
  uint32_t words[4];
};

inline constexpr uint32_t philox_multiplier0 = 0xd2511f53, philox_multiplier1 = 0xcd9e8d57, philox_step0 = 0x9e3779b9,
                          philox_step1 = 0xbb67ae85;  // not arrays, which other devices can't read
inline constexpr int philox_rounds = 10;

constexpr PhiloxBlock philox(PhiloxBlock counter, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < philox_rounds; ++round) {
    const uint64_t a = uint64_t{philox_multiplier0} * counter.words[0], b = uint64_t{philox_multiplier1} * counter.words[2];
    counter = {{static_cast<uint32_t>(b >> 32) ^ counter.words[1] ^ key0, static_cast<uint32_t>(b),
                static_cast<uint32_t>(a >> 32) ^ counter.words[3] ^ key1, static_cast<uint32_t>(a)}};
    key0 += philox_step0;
    key1 += philox_step1;
  }
  return counter;
}

// The bits of one call: consecutive blocks of four words, starting at block `first`. A block serves four elements with 32 bits or two with
// 64, in order.
struct Draws {
  uint64_t key = 0, first = 0;

  constexpr PhiloxBlock block(uint64_t number) const {
    const uint64_t at = first + number;
    return philox({{static_cast<uint32_t>(at), static_cast<uint32_t>(at >> 32), 0, 0}}, static_cast<uint32_t>(key),
                  static_cast<uint32_t>(key >> 32));
  }
  constexpr uint32_t bits32(uint64_t element) const { return block(element / 4).words[element % 4]; }
  constexpr uint64_t bits64(uint64_t element) const {
    const PhiloxBlock both = block(element / 2);
    return element % 2 == 0 ? pair(both, 0) : pair(both, 1);
  }
  static constexpr uint64_t pair(const PhiloxBlock& block, int which) {
    return uint64_t{block.words[2 * which + 1]} << 32 | block.words[2 * which];
  }
};

// A stream of calls: the seed is the key, and each call uses the blocks after those of the previous one.
class Philox {
 public:
  explicit Philox(uint64_t seed = 0) : seed_(seed) {}

  void manual_seed(uint64_t seed) { *this = Philox(seed); }
  uint64_t initial_seed() const { return seed_; }
  Draws take(uint64_t blocks) {
    const Draws taken{seed_, offset_};
    offset_ += blocks;
    return taken;
  }

  // Little-endian: u64 seed; i32 0 (1 or more in the state of a Mersenne twister); i32 1; u64 number of blocks used.
  static constexpr int64_t state_bytes() { return 24; }
  void save(uint8_t* bytes) const;
  static bool is_state(std::span<const uint8_t> bytes);
  void load(std::span<const uint8_t> bytes);  // raises an error if they are invalid

 private:
  uint64_t seed_, offset_ = 0;
};

}  // namespace mt
