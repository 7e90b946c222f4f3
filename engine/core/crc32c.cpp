#include "engine/core/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace mt {
namespace {

constexpr uint32_t polynomial = 0x82f6'3b78;  // with its bits in reverse order
constexpr size_t word = sizeof(uint64_t);

// Row k has the checksums of each byte followed by k zeros, so that the bytes of a word are looked up independently.
constexpr auto tables = [] {
  std::array<std::array<uint32_t, 256>, word> rows{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? polynomial : 0);
    rows[0][byte] = crc;
  }
  for (size_t k = 1; k < word; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) rows[k][byte] = rows[k - 1][byte] >> 8 ^ rows[0][rows[k - 1][byte] & 0xff];
  }
  return rows;
}();

uint64_t word_at(const std::byte* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, word);
  return value;
}

uint32_t after_byte(uint32_t crc, std::byte byte) { return crc >> 8 ^ tables[0][(crc ^ static_cast<uint32_t>(byte)) & 0xff]; }

#ifdef __x86_64__
[[gnu::target("sse4.2")]] uint32_t by_instruction(std::span<const std::byte> bytes, uint32_t before) {
  uint64_t crc = ~before;
  size_t at = 0;
  for (; at + word <= bytes.size(); at += word) crc = __builtin_ia32_crc32di(crc, word_at(bytes.data() + at));
  auto rest = static_cast<uint32_t>(crc);
  for (; at < bytes.size(); ++at) rest = __builtin_ia32_crc32qi(rest, static_cast<uint8_t>(bytes[at]));
  return ~rest;
}
#endif

}  // namespace

uint32_t crc32c_by_table(std::span<const std::byte> bytes, uint32_t before) {
  uint32_t crc = ~before;
  size_t at = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (; at + word <= bytes.size(); at += word) {
      const uint64_t value = word_at(bytes.data() + at) ^ crc;
      crc = 0;
      for (size_t k = 0; k < word; ++k) crc ^= tables[word - 1 - k][value >> 8 * k & 0xff];
    }
  }
  for (; at < bytes.size(); ++at) crc = after_byte(crc, bytes[at]);
  return ~crc;
}

uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before) {
#ifdef __x86_64__
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return by_instruction(bytes, before);
#endif
  return crc32c_by_table(bytes, before);
}

}  // namespace mt
