// Devices by number, as storages and tensors name them.
#pragma once

#include <cstdint>

namespace mt {

using DeviceId = uint8_t;
inline constexpr DeviceId cpu_device = 0;
inline constexpr DeviceId meta_device = 1;  // tensors with sizes and without elements: plans run on them, kernels don't
inline constexpr int max_devices = 8;
// Tensors of the CPU whose elements follow later (pending.h). No other tensors are here: memory that is asked for here is the CPU's.
inline constexpr DeviceId pending_device = max_devices;
inline DeviceId settled_device(DeviceId id) { return id == pending_device ? cpu_device : id; }
inline constexpr DeviceId unresolved_device = 0xff;

}  // namespace mt
