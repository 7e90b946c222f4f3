// Searches in the elements of a device, for the host.
#pragma once

#include "engine/core/device.h"

namespace mt::cuda {

int64_t find_element(const FindPlan& plan);  // as Device::find; waits for the device

}  // namespace mt::cuda
