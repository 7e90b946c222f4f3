// The properties of new tensors that a call doesn't specify.
#pragma once

#include "engine/core/device_id.h"
#include "engine/core/dtype.h"

namespace mt::lua {

struct Defaults {
  DType dtype = DType::float64;
  DeviceId device = cpu_device;
  bool inferring = false;  // new tensors are on meta, even if a call names another device
};

}  // namespace mt::lua
