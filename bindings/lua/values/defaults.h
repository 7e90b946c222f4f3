// What new tensors are where a call does not say it.
#pragma once

#include "engine/core/device_id.h"
#include "engine/core/dtype.h"

namespace mt::lua {

struct Defaults {
  DType dtype = DType::float64;
  DeviceId device = cpu_device;
  bool inferring = false;  // new tensors are on meta, whatever device a call names
};

}  // namespace mt::lua
