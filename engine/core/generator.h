// Random number generators: a Mersenne twister with sequential draws, as in Torch7; or Philox, which computes draws from counters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/core/device_id.h"
#include "engine/core/mersenne.h"
#include "engine/core/philox.h"

namespace mt {

class Generator {
 public:
  explicit Generator(uint64_t seed) : mersenne_(seed) {}
  explicit Generator(const Philox& philox) : is_twister_(false), philox_(philox) {}
  // By kind: 'mersenne' or 'philox'.
  static std::optional<Generator> of_kind(std::string_view name, uint64_t seed);
  static uint64_t random_seed();  // from the operating system

  void manual_seed(uint64_t seed);  // keeps the kind
  uint64_t initial_seed() const;
  Mersenne* twister() { return is_twister_ ? &mersenne_ : nullptr; }
  // The counters of one call. A Mersenne twister uses its next draws as the key.
  Draws take(uint64_t blocks);

  int64_t state_bytes() const;
  void save(uint8_t* bytes) const;
  // The size of a state that begins with these header_bytes bytes.
  static constexpr int64_t header_bytes = Philox::state_bytes();
  static int64_t state_bytes(const uint8_t* header);
  // Restores a state, which includes the kind. Raises an error if the bytes are invalid.
  void load(std::span<const uint8_t> bytes);

  // For compiled Lua loops, which draw from the twister while the flag, of a byte, is set (lua/torch/names/draws.lua).
  struct View {
    const bool* is_twister;
    Mersenne* twister;
  };
  View view() { return {&is_twister_, &mersenne_}; }

 private:
  template <class F> decltype(auto) visit(F&& f) { return is_twister_ ? f(mersenne_) : f(philox_); }
  template <class F> decltype(auto) visit(F&& f) const { return is_twister_ ? f(mersenne_) : f(philox_); }

  bool is_twister_ = true;  // else Philox
  Mersenne mersenne_{0};
  Philox philox_;
};

// The caller's generators for calls without a generator argument: a Philox generator per device with counter-based draws
// (Device::draws_by_counter), and one for all other devices.
struct Generators {
  explicit Generators(uint64_t seed) : own(seed) { manual_seed(seed); }
  void manual_seed(uint64_t seed) {
    own.manual_seed(seed);
    for (Philox& philox : of_device) philox.manual_seed(seed);
  }

  Generator own;
  Philox of_device[max_devices];
};

}  // namespace mt
