#include "engine/core/fused_device.h"

#include <atomic>

namespace mt {
namespace {

std::atomic<FusedDevice*> devices[max_devices + 1];  // the last one is pending_device

}  // namespace

void set_fused_device(DeviceId id, FusedDevice& device) { devices[id].store(&device); }
FusedDevice* fused_device(DeviceId id) { return devices[id].load(std::memory_order_relaxed); }

}  // namespace mt
