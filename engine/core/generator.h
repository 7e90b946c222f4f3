// Generators of random numbers: a Mersenne twister, whose draws come in order, as Torch7's; or Philox, whose calls take counters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "engine/core/device_id.h"
#include "engine/core/mersenne.h"
#include "engine/core/philox.h"

namespace mt {

class Generator {
 public:
  explicit Generator(uint64_t seed) : algorithm_(std::in_place_type<Mersenne>, seed) {}
  explicit Generator(const Philox& philox) : algorithm_(philox) {}
  // Of the kind called so: 'mersenne' or 'philox'.
  static std::optional<Generator> of_kind(std::string_view name, uint64_t seed);
  static uint64_t random_seed();  // from the operating system

  void manual_seed(uint64_t seed);  // of the kind that it is
  uint64_t initial_seed() const;
  Mersenne* twister() { return std::get_if<Mersenne>(&algorithm_); }
  // Counters for one call. A Mersenne twister's next draws make a key.
  Draws take(uint64_t blocks);

  int64_t state_bytes() const;
  void save(uint8_t* bytes) const;
  // How long a state is that starts with these bytes, header_bytes of them.
  static constexpr int64_t header_bytes = Philox::state_bytes();
  static int64_t state_bytes(const uint8_t* header);
  // A state brings its kind. Raises an error when the bytes are none.
  void load(std::span<const uint8_t> bytes);

 private:
  std::variant<Mersenne, Philox> algorithm_;
};

// What calls draw from when no generator is among their arguments: on a device whose kernels draw by counter (Device::draws_by_counter)
// the caller's Philox for that device, elsewhere the caller's own.
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
