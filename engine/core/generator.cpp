#include "engine/core/generator.h"

#include <cstring>

#include "engine/core/error.h"
#include "engine/core/host_hooks.h"
#include "engine/core/system.h"

namespace mt {
namespace {

constexpr int32_t philox4x32 = 1;  // second number of a Philox state

}  // namespace

void Philox::save(uint8_t* bytes) const {
  const int32_t marks[] = {0, philox4x32};
  std::memcpy(bytes, &seed_, sizeof seed_);
  std::memcpy(bytes + 8, marks, sizeof marks);
  std::memcpy(bytes + 16, &offset_, sizeof offset_);
}

bool Philox::is_state(std::span<const uint8_t> bytes) {
  if (bytes.size() != size_t{state_bytes()}) return false;
  int32_t marks[2];
  std::memcpy(marks, bytes.data() + 8, sizeof marks);
  return marks[0] == 0 && marks[1] == philox4x32;
}

void Philox::load(std::span<const uint8_t> bytes) {
  if (!is_state(bytes)) fail("setRNGState", "state", "these bytes are no state of a Philox generator");
  std::memcpy(&seed_, bytes.data(), sizeof seed_);
  std::memcpy(&offset_, bytes.data() + 16, sizeof offset_);
}

std::optional<Generator> Generator::of_kind(std::string_view name, uint64_t seed) {
  if (name == "mersenne") return Generator(seed);
  if (name == "philox") return Generator(Philox(seed));
  return std::nullopt;
}

uint64_t Generator::random_seed() {
  if (const std::optional<uint64_t> seed = host_seed()) return *seed;
  return system_seed();
}

void Generator::manual_seed(uint64_t seed) {
  visit([seed](auto& algorithm) { algorithm.manual_seed(seed); });
}

uint64_t Generator::initial_seed() const {
  return visit([](const auto& algorithm) { return algorithm.initial_seed(); });
}

Draws Generator::take(uint64_t blocks) {
  if (!is_twister_) return philox_.take(blocks);
  const uint64_t low = mersenne_.next();
  return {uint64_t{mersenne_.next()} << 32 | low, 0};
}

int64_t Generator::state_bytes() const {
  return visit([](const auto& algorithm) { return algorithm.state_bytes(); });
}

void Generator::save(uint8_t* bytes) const {
  visit([bytes](const auto& algorithm) { algorithm.save(bytes); });
}

int64_t Generator::state_bytes(const uint8_t* header) {
  return Philox::is_state({header, size_t{header_bytes}}) ? Philox::state_bytes() : Mersenne::state_bytes();
}

void Generator::load(std::span<const uint8_t> bytes) {
  constexpr int64_t philox = Philox::state_bytes(), twister = Mersenne::state_bytes();
  if (bytes.size() != size_t{philox} && bytes.size() != size_t{twister}) {
    fail("setRNGState", "state", "RNG state is wrong size: ", bytes.size(), " bytes, expected ", twister, " of a Mersenne twister or ",
         philox, " of a Philox generator");
  }
  Generator loaded = bytes.size() == size_t{philox} ? Generator(Philox()) : Generator(uint64_t{0});
  loaded.visit([bytes](auto& algorithm) { algorithm.load(bytes); });
  *this = loaded;
}

}  // namespace mt
