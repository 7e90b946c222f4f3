// The engine's interface to libraries that add a device. They reach the engine through virtual functions alone, so that they don't link
// against Moontorch, which exports nothing more for them.
//
// mt_device_load opens such a library and never unloads it. It defines the two symbols at the end of this file. The library manages the
// elements of its tensors; it only reads tensors and storages themselves, which belong to the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/core/asynchronous.h"
#include "engine/core/device.h"
#include "engine/core/fused_device.h"

namespace mt {

// Must be equal on both sides: the version, the functions of shared classes, and the layouts of shared structs.
constexpr uint64_t device_abi(std::string_view version) {
  uint64_t hash = detail::hashed(plan_id<ElementCheck>, version);
  constexpr int revision = 5;  // of DeviceHost, Device and Allocator: grows with every change of their functions
  for (const size_t part :
       {sizeof(Tensor), sizeof(Storage), sizeof(Kernel), sizeof(ScalarValue), size_t{dtype_count}, size_t{max_devices}, size_t{revision}}) {
    hash = detail::hashed(hash, uint64_t{part});
  }
  return hash;
}

// Its functions raise errors like all functions of the engine; a device library lets them pass through.
class DeviceHost {
 public:
  // Registers a device, which must live as long as the process, and returns its number. `copy` copies within the device.
  virtual DeviceId add(Device& device, CopyFn copy) = 0;
  // Sets the copy function between two devices; without one, copies go through the host.
  virtual void set_copy(DeviceId from, DeviceId to, CopyFn copy) = 0;
  virtual void set_asynchronous(DeviceId id, AsynchronousDevice& device) = 0;  // for an asynchronous device
  virtual void set_fused_device(DeviceId id, FusedDevice& device) = 0;         // for a device that runs fused loops as one kernel
  // An existing device, such as the CPU; and the copy function of the CPU.
  virtual Device& device(DeviceId id) = 0;
  virtual CopyFn cpu_copy() = 0;

  // All ops by number, and the CPU's kernel of an op. Its `plan` identifies the plan struct (plan_id, engine/ops) that kernels on all
  // devices take. If it has no function, the op needs no kernel on any device.
  virtual int op_count() = 0;
  virtual std::string_view op_name(int number) = 0;
  virtual Kernel cpu_kernel(std::string_view op) = 0;
  virtual void add_kernel(std::string_view op, DeviceId device, const Kernel& kernel) = 0;

  // Asks this thread's front end, such as a Lua state, to collect garbage; returns whether it did. For allocators without memory, which
  // must not hold a lock that release() takes.
  virtual bool collect_garbage() = 0;
  // Raises an error; Status::memory if a device is out of memory.
  [[noreturn]] virtual void fail(Status status, std::string_view message) = 0;

 protected:
  ~DeviceHost() = default;
};

}  // namespace mt

extern "C" {

// In a device library: the result of mt::device_abi at its build. The engine compares it before it calls anything else.
__attribute__((visibility("default"))) extern const uint64_t mt_device_abi;

// In a device library: registers the device and its kernels. Returns NULL, or the reason why the device can't be used here.
__attribute__((visibility("default"))) const char* mt_device_main(mt::DeviceHost& host);
}
