// The entry points of the plug-in: engine/core/device_host.h.
#include <deque>

#include "cuda/kernels/copy.h"
#include "cuda/kernels/register.h"
#include "cuda/runtime/context.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/peers.h"
#include "engine/core/device_host.h"
#include "engine/core/device_kind.h"

namespace mt::cuda {
namespace {

std::deque<CudaDevice>& devices() {
  static auto& all = *new std::deque<CudaDevice>;  // never destroyed: tensors may outlive static objects
  return all;
}

void add_devices(DeviceHost& engine) {
  set_host(engine);
  const int count = std::min(driver::device_count(), most_devices);
  for (int i = 0; i < count; ++i) {
    const DeviceId id = engine.add(devices().emplace_back(i), &copy_elements);
    engine.set_asynchronous(id, devices().back());
    engine.set_fused_device(id, devices().back());
    add_device_number(i, id);
    for (int other = 0; other < i; ++other) {
      engine.set_copy(id, id_of(other), &copy_to_peer);
      engine.set_copy(id_of(other), id, &copy_to_peer);
    }
    for (const KernelRows& rows : all_kernel_rows()) {
      for (const KernelRow& row : rows) engine.add_kernel(row.op, id, row.kernel);
    }
  }
}

}  // namespace

CudaDevice& device(int number) { return devices()[static_cast<size_t>(number)]; }

}  // namespace mt::cuda

extern "C" {

const uint64_t mt_device_abi = mt::device_abi(MT_VERSION);
const char mt_device_kind[] = "cuda";

const char* mt_device_main(mt::DeviceHost& engine) {
  static std::string missing;
  missing = mt::cuda::driver::missing();
  if (!missing.empty()) return missing.c_str();
  mt::cuda::add_devices(engine);
  return nullptr;
}
}
