// The checksum CRC-32C (Castagnoli's polynomial, as in iSCSI, RFC 3720, appendix B.4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mt {

// The checksum of bytes that follow others, whose checksum is `before`.
uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before = 0);

// The same without the processor's instruction for it.
uint32_t crc32c_by_table(std::span<const std::byte> bytes, uint32_t before = 0);

}  // namespace mt
