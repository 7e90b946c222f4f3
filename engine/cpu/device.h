// The CPU as a device: its memory is the host's.
#pragma once

#include "engine/core/device.h"

namespace mt::cpu {

Device& device();

// Device::fill and Device::find, for devices that borrow the CPU's loops.
void fill(const Tensor& t, const ScalarValue& element);
int64_t find(const FindPlan& plan);

}  // namespace mt::cpu
