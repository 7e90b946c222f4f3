// Conversions of runs of 16-bit floats against engine/core/half.h, element by element and bit for bit, at all positions of a vector.
#include "engine/cpu/convert.h"

#include <doctest/doctest.h>

#include <bit>
#include <random>
#include <vector>

#include "engine/cpu/target.h"

namespace {

using mt::BFloat16;
using mt::Half;

// For every vector width, some of these lengths end within a vector.
constexpr int64_t lengths[] = {1, 3, 4, 7, 8, 15, 16, 17, 31, 33, 100};

template <class T> int64_t differences_of_widening(const std::vector<T>& from) {
  std::vector<float> to(from.size());
  mt::cpu::widen(to.data(), from.data(), static_cast<int64_t>(from.size()));
  int64_t count = 0;
  for (size_t i = 0; i < from.size(); ++i) count += std::bit_cast<uint32_t>(to[i]) != std::bit_cast<uint32_t>(static_cast<float>(from[i]));
  return count;
}

template <class T> int64_t differences_of_narrowing(const std::vector<float>& from) {
  std::vector<T> to(from.size());
  mt::cpu::narrow(to.data(), from.data(), static_cast<int64_t>(from.size()));
  int64_t count = 0;
  for (size_t i = 0; i < from.size(); ++i) count += to[i].bits != T(from[i]).bits;
  return count;
}

template <class T> std::vector<T> all_patterns() {
  std::vector<T> all(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i].bits = static_cast<uint16_t>(i);
  return all;
}

// The midpoints of neighbouring values, and one step to either side: there rounding decides.
template <class T> std::vector<float> borders() {
  std::vector<float> found;
  for (const T x : all_patterns<T>()) {
    const auto low = std::bit_cast<uint32_t>(static_cast<float>(x));
    T next;
    next.bits = static_cast<uint16_t>(x.bits + 1);
    const auto high = std::bit_cast<uint32_t>(static_cast<float>(next));
    const uint32_t middle = low + (high - low) / 2;
    for (const uint32_t bits : {low - 1, low, low + 1, middle - 1, middle, middle + 1}) found.push_back(std::bit_cast<float>(bits));
  }
  return found;
}

template <class T> void check_all() {
  mt::cpu::choose_target();
  INFO("instruction set ", mt::cpu::target_name());
  const std::vector<T> all = all_patterns<T>();
  CHECK(differences_of_widening(all) == 0);
  CHECK(differences_of_narrowing<T>(borders<T>()) == 0);
  std::mt19937 random(5);
  std::vector<float> any(1 << 20);
  for (float& x : any) x = std::bit_cast<float>(static_cast<uint32_t>(random()));
  CHECK(differences_of_narrowing<T>(any) == 0);
  for (const int64_t n : lengths) {
    for (const size_t first : {size_t(0), size_t(1), size_t(0x7bf8), size_t(0xfbf0)}) {
      const auto from = all.begin() + static_cast<int64_t>(first);
      CHECK(differences_of_widening(std::vector<T>(from, from + n)) == 0);
      CHECK(differences_of_narrowing<T>(std::vector<float>(from, from + n)) == 0);
    }
  }
}

}  // namespace

TEST_CASE("runs of halves convert as each element does") { check_all<Half>(); }

TEST_CASE("runs of bfloat16s convert as each element does") { check_all<BFloat16>(); }

TEST_CASE("a conversion writes no further than its end") {
  mt::cpu::choose_target();
  const std::vector<Half> halves(40, Half(1));
  const std::vector<float> floats(40, 1.0F);
  for (const int64_t n : lengths) {
    if (n > 40) continue;
    std::vector<float> wide(41, -7);
    mt::cpu::widen(wide.data(), halves.data(), n);
    CHECK(wide[static_cast<size_t>(n - 1)] == 1);
    CHECK(wide[static_cast<size_t>(n)] == -7);
    std::vector<Half> narrow(41, Half(-7));
    mt::cpu::narrow(narrow.data(), floats.data(), n);
    CHECK(static_cast<float>(narrow[static_cast<size_t>(n - 1)]) == 1);
    CHECK(static_cast<float>(narrow[static_cast<size_t>(n)]) == -7);
  }
}
