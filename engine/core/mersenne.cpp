#include "engine/core/mersenne.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "engine/core/error.h"

namespace mt {

void Mersenne::manual_seed(uint64_t seed) {
  seed_ = seed;
  state_[0] = static_cast<uint32_t>(seed);
  for (uint32_t i = 1; i < state_size; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  next_ = state_size;
  fresh_ = true;
  normal_valid_ = false;
  normal_x_ = normal_y_ = normal_rho_ = 0;
}

void Mersenne::regenerate() {
  constexpr int n = state_size, m = 397;
  const auto twist = [](uint32_t high, uint32_t low) {
    const uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
    return (y >> 1) ^ ((0u - (low & 1u)) & 0x9908b0dfu);
  };
  for (int i = 0; i < n - m; ++i) state_[i] = state_[i + m] ^ twist(state_[i], state_[i + 1]);
  for (int i = n - m; i < n - 1; ++i) state_[i] = state_[i + m - n] ^ twist(state_[i], state_[i + 1]);
  state_[n - 1] = state_[m - 1] ^ twist(state_[n - 1], state_[0]);
  next_ = 0;
  fresh_ = false;
}

void Mersenne::fill(std::span<uint32_t> out) {
  for (size_t done = 0; done < out.size();) {
    if (next_ >= state_size) regenerate();
    const size_t n = std::min(out.size() - done, static_cast<size_t>(state_size - next_));
    const uint32_t* const from = state_ + next_;
    uint32_t* const to = out.data() + done;
    for (size_t i = 0; i < n; ++i) to[i] = temper(from[i]);
    next_ += static_cast<int>(n);
    done += n;
  }
}

double Mersenne::normal() {
  if (normal_valid_) {
    normal_valid_ = false;
    return normal_rho_ * std::sin(2 * std::numbers::pi * normal_x_);
  }
  normal_x_ = uniform();
  normal_y_ = uniform();
  normal_rho_ = std::sqrt(-2 * std::log(1 - normal_y_));
  normal_valid_ = true;
  return normal_rho_ * std::cos(2 * std::numbers::pi * normal_x_);
}

void Mersenne::save(uint8_t* bytes) const {
  const auto put = [&bytes](auto value) {
    std::memcpy(bytes, &value, sizeof value);
    bytes += sizeof value;
  };
  put(seed_);
  put(static_cast<int32_t>(fresh_ ? 1 : state_size - next_ + 1));  // draws until the state is regenerated, including that draw
  put(int32_t{1});
  put(static_cast<uint64_t>(fresh_ ? 0 : next_));
  for (const uint32_t word : state_) put(uint64_t{word});
  put(normal_x_);
  put(normal_y_);
  put(normal_rho_);
  put(static_cast<int32_t>(normal_valid_));
  put(int32_t{0});
}

void Mersenne::load(std::span<const uint8_t> saved) {
  const auto refuse = [] { fail("setRNGState", "state", "these bytes are no state of a generator"); };
  if (saved.size() != size_t{state_bytes()}) refuse();
  const uint8_t* bytes = saved.data();
  const auto get = [&bytes]<class T>(T value) {
    std::memcpy(&value, bytes, sizeof value);
    bytes += sizeof value;
    return value;
  };
  Mersenne loaded(get(uint64_t{}));
  const int32_t left = get(int32_t{});
  get(int32_t{});
  const uint64_t next = get(uint64_t{});
  if (left < 1 || left > state_size + 1 || next > state_size) refuse();
  for (uint32_t& word : loaded.state_) word = static_cast<uint32_t>(get(uint64_t{}));
  loaded.fresh_ = left == 1 && next == 0;
  loaded.next_ = left == 1 ? state_size : static_cast<int>(next);
  loaded.normal_x_ = get(double{});
  loaded.normal_y_ = get(double{});
  loaded.normal_rho_ = get(double{});
  loaded.normal_valid_ = get(int32_t{}) != 0;
  *this = loaded;
}

}  // namespace mt
