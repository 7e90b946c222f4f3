// Devices that run a fused loop (engine/ops/fused_launch.h) as one kernel. On other devices its ops run one by one.
#pragma once

#include "engine/core/device_id.h"

namespace mt {

struct FusedLaunch;

class FusedDevice {
 public:
  // Finds or compiles the kernel for a launch. Returns false, without an error, if there is none. Any thread may call it.
  virtual bool prepare(const FusedLaunch& launch) = 0;
  virtual void run(const FusedLaunch& launch) = 0;  // after prepare

 protected:
  ~FusedDevice() = default;
};

void set_fused_device(DeviceId id, FusedDevice& device);
FusedDevice* fused_device(DeviceId id);  // nullptr for devices without such kernels

}  // namespace mt
