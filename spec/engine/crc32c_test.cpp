// CRC-32C: the values of RFC 3720, appendix B.4, and the instruction against the tables.
#include "engine/core/crc32c.h"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

using namespace mt;

TEST_CASE("crc32c has the values of RFC 3720") {
  const auto of = [](const std::vector<uint8_t>& bytes) { return crc32c(std::as_bytes(std::span(bytes))); };
  std::vector<uint8_t> rising(32), falling(32);
  for (uint8_t i = 0; i < 32; ++i) {
    rising[i] = i;
    falling[i] = static_cast<uint8_t>(31 - i);
  }
  CHECK(of(std::vector<uint8_t>(32, 0)) == 0x8a9136aa);
  CHECK(of(std::vector<uint8_t>(32, 0xff)) == 0x62a8ab43);
  CHECK(of(rising) == 0x46dd794e);
  CHECK(of(falling) == 0x113fdb5c);
  const std::string_view digits = "123456789";
  CHECK(crc32c(std::as_bytes(std::span(digits))) == 0xe3069283);
}

TEST_CASE("crc32c of parts, and without the instruction") {
  std::vector<uint8_t> bytes(1000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * i + 7 * i);
  const auto all = std::as_bytes(std::span(bytes));
  for (const size_t length : {0u, 1u, 7u, 8u, 9u, 63u, 1000u}) {
    const auto part = all.first(length);
    CHECK(crc32c(part) == crc32c_by_table(part));
    CHECK(crc32c(all.subspan(length), crc32c(part)) == crc32c(all));
    CHECK(crc32c_by_table(all.subspan(length), crc32c_by_table(part)) == crc32c(all));
  }
}
