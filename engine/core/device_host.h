// What a library with a device of its own gets from the engine: all it needs is behind virtual functions, so that it links against nothing
// of Moontorch's, and Moontorch shows nothing more.
//
// Such a library, which mt_device_load opens and which stays, defines the two symbols at the end of this file. Its tensors' elements are
// its own business; tensors and storages are the engine's, and it only reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/core/asynchronous.h"
#include "engine/core/device.h"

namespace mt {

// What must be alike on both sides: the version, the functions of the classes that both call, and the layouts of what both look into.
constexpr uint64_t device_abi(std::string_view version) {
  uint64_t hash = detail::hashed(plan_id<ElementCheck>, version);
  constexpr int revision = 3;  // of DeviceHost, Device and Allocator: it grows with every change of their functions
  for (const size_t part :
       {sizeof(Tensor), sizeof(Storage), sizeof(Kernel), sizeof(ScalarValue), size_t{dtype_count}, size_t{max_devices}, size_t{revision}}) {
    hash = detail::hashed(hash, uint64_t{part});
  }
  return hash;
}

// What goes wrong in its functions is raised, as by all functions of the engine: a device library lets errors pass through.
class DeviceHost {
 public:
  // The device's number; it stays, and so does `device`. `copy` is from it to itself.
  virtual DeviceId add(Device& device, CopyFn copy) = 0;
  // What copies between two devices; what is not set goes by way of the host.
  virtual void set_copy(DeviceId from, DeviceId to, CopyFn copy) = 0;
  virtual void set_asynchronous(DeviceId id, AsynchronousDevice& device) = 0;  // of one that works behind the host's back
  // A device that is there, such as the CPU, whose memory is the host's; and what copies on the CPU.
  virtual Device& device(DeviceId id) = 0;
  virtual CopyFn cpu_copy() = 0;

  // Every op by number, and the CPU's kernel of one, whose `plan` tells the type of plan that all devices' kernels take: the plan_id of a
  // struct in engine/ops. An op whose kernel has no function needs none, on any device.
  virtual int op_count() = 0;
  virtual std::string_view op_name(int number) = 0;
  virtual Kernel cpu_kernel(std::string_view op) = 0;
  virtual void add_kernel(std::string_view op, DeviceId device, const Kernel& kernel) = 0;

  // Asks the front end that runs on this thread, such as a Lua state, to collect its garbage; whether it did. For an allocator that has no
  // memory left, and holds no lock that release() takes.
  virtual bool collect_garbage() = 0;
  // Raises an error: of Status::memory where a device has none left.
  [[noreturn]] virtual void fail(Status status, std::string_view message) = 0;

 protected:
  ~DeviceHost() = default;
};

}  // namespace mt

extern "C" {

// In a device library: the result of mt::device_abi for the version it was built for, which is compared before anything is called.
__attribute__((visibility("default"))) extern const uint64_t mt_device_abi;

// In a device library: registers the device and its kernels. NULL, or why the device can't be used here, such as that there is none.
__attribute__((visibility("default"))) const char* mt_device_main(mt::DeviceHost& host);
}
