// Devices by number: a place in every storage and tensor.
#pragma once

#include <cstdint>

namespace mt {

using DeviceId = uint8_t;
inline constexpr DeviceId cpu_device = 0;
inline constexpr DeviceId meta_device = 1;  // tensors of sizes alone, without elements: an op's plan runs on them, its kernel does not
inline constexpr int max_devices = 8;
inline constexpr DeviceId unresolved_device = 0xff;

}  // namespace mt
