// MT19937: the 32-bit Mersenne twister, with Torch7's seeding, draws and state.
// Source: Matsumoto & Nishimura (1998), "Mersenne Twister", ACM TOMACS 8(1); seeding by the authors' 2002 revision.
#pragma once

#include <cstdint>
#include <span>

namespace mt {

// Compiled Lua code reads and writes seed, next and state (lua/torch/names/draws.lua): keep their offsets.
class Mersenne {
 public:
  static constexpr int state_size = 624;

  explicit Mersenne(uint64_t seed) { manual_seed(seed); }

  void manual_seed(uint64_t seed);  // the low 32 bits choose the stream
  uint64_t initial_seed() const { return seed_; }

  uint32_t next() {
    if (next_ >= state_size) regenerate();
    return temper(state_[next_++]);
  }
  void fill(std::span<uint32_t> out);                  // the next draws, in order
  double uniform() { return next() * 0x1p-32; }        // [0, 1), one draw
  double normal();                                     // Box-Muller in pairs; the second of a pair is saved
  bool holds_normal() const { return normal_valid_; }  // the next value is the second of a pair

  // Torch7's layout, little-endian: u64 seed; i32 left, seeded; u64 next; u64 state[624]; f64 normal x, y, rho; i32 normal valid; 4 bytes.
  static constexpr int64_t state_bytes() { return 5048; }
  void save(uint8_t* bytes) const;
  void load(std::span<const uint8_t> bytes);  // raises an error if they are not a valid state

 private:
  static uint32_t temper(uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }
  void regenerate();

  uint64_t seed_ = 0;
  int next_ = state_size;
  bool fresh_ = true;  // no draw since seeding
  uint32_t state_[state_size];
  double normal_x_ = 0, normal_y_ = 0, normal_rho_ = 0;
  bool normal_valid_ = false;
};

}  // namespace mt
