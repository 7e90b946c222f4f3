// The CPU as a device: its memory is the host's.
#pragma once

#include "engine/core/device.h"
#include "engine/cpu/copy.h"

namespace mt::cpu {

Device& device();

// Device::find, for devices that use the CPU's loops; Device::fill is in copy.h.
int64_t find(const FindPlan& plan);

}  // namespace mt::cpu
