// Devices, which hold the elements of tensors and compute with them. The CPU is device 0, with the host's memory; other devices are
// registered at run time by separate libraries. The host accesses elements only through the functions of this file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/device_id.h"
#include "engine/core/kernel.h"
#include "engine/core/plan.h"
#include "engine/core/tensor.h"

namespace mt {

struct Memory {
  void* data = nullptr;
  size_t bytes = 0;
};

// A device's memory, in blocks that are aligned to 64 bytes.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual Memory allocate(size_t bytes) = 0;  // at least so many; data is null if out of memory
  virtual void release(Memory memory) noexcept = 0;
  virtual void trim() = 0;  // returns cached memory to the system
};

// Searches t, of integers or booleans, for the first element in logical order that is outside low..high and not `besides`; or, with
// `inside`, for the first one in low..high.
struct FindPlan {
  Operand t;
  int64_t low, high;
  int64_t besides;
  bool inside;
};
inline constexpr int64_t not_found = -1;

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;  // as in x:to('cuda:1')
  // Whether the name denotes this device. A device may have further names: that of the current device of a kind.
  virtual bool is_called(std::string_view name) const { return name == this->name(); }
  virtual Allocator& allocator() = 0;
  // Copy bytes from and to the host's memory, and within the device's.
  virtual void read(void* host, const void* from, size_t bytes) = 0;
  virtual void write(void* to, const void* host, size_t bytes) = 0;
  virtual void move(void* to, const void* from, size_t bytes) = 0;
  virtual void clear(void* data, size_t bytes) = 0;
  // Sets every element of t.
  virtual void fill(const Tensor& t, const ScalarValue& element) = 0;
  virtual int64_t find(const FindPlan& plan) = 0;  // the element's number from 0, or not_found
  // Whether its random kernels use counters of Philox (RandomSource in engine/ops/random.h). Other devices draw like the CPU.
  virtual bool draws_by_counter() const { return false; }
  // Runs a kernel of this device, for the op of this name. The device may run it later, with a copy of the plan (plan.type.copy); it must
  // then hold the storages of the plan (plan.type.visit).
  virtual void launch(std::string_view op, const Kernel& kernel, const PlanRef& plan) {
    (void)op;
    kernel.run(plan.plan, kernel.data);
  }
};

// Copies src's elements to dst in logical order. Both have the same number, any dtypes and strides, and do not overlap.
using CopyFn = void (*)(const Tensor& dst, const Tensor& src);

// Registers a device, which must live as long as the process, and returns its number. `copy` copies within it. Raises an error if the name
// or all numbers are in use.
DeviceId add_device(Device& device, CopyFn copy);
// Sets the copy function between two devices. Without one, copies go through the host.
void set_copy(DeviceId from, DeviceId to, CopyFn copy);

int device_count();
Device& device(DeviceId id);
std::optional<DeviceId> device_called(std::string_view name);
std::string device_names();  // of all devices, as messages list them
// Returns the device with this name; raises an error with op, argument and the known names.
DeviceId find_device(std::string_view op, std::string_view argument, std::string_view name);
inline std::string_view device_name(DeviceId id) { return device(id).name(); }
void trim_devices();  // returns cached memory of all devices

void copy(const Tensor& dst, const Tensor& src);  // like CopyFn, between any devices
void fill(const Tensor& t, const ScalarValue& element);

// The host's access to elements: code outside of kernels uses only these functions.
int64_t find_outside(const Tensor& t, int64_t low, int64_t high, int64_t besides);
inline int64_t find_outside(const Tensor& t, int64_t low, int64_t high) { return find_outside(t, low, high, low); }
int64_t find_value(const Tensor& t, int64_t value);
ScalarValue read_element(const Storage& storage, int64_t offset);
inline ScalarValue read_element(const Tensor& t, int64_t offset) { return read_element(*t.storage(), offset); }  // offset in the storage
void write_element(const Tensor& t, int64_t offset, const ScalarValue& element);
Tensor to_device(const Tensor& x, DeviceId to);  // x itself if it is there
inline Tensor on_host(const Tensor& x) { return to_device(x, cpu_device); }

}  // namespace mt
