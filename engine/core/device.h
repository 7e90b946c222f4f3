// Where tensors' elements are and what computes on them there. The CPU is device 0, whose memory is the host's; others register themselves
// at run time, from libraries of their own. Whatever the host wants to know of elements, it asks here.
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

// A device's memory, in runs that are aligned to 64 bytes.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual Memory allocate(size_t bytes) = 0;  // at least so many; without data when there is no memory
  virtual void release(Memory memory) noexcept = 0;
  virtual void trim() = 0;  // gives back what is kept for the next allocation
};

// Which element of t, of integers or booleans, is the first in logical order whose value is outside low..high, and not `besides`; or, where
// `inside`, the first in low..high.
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
  // Whether it is the one that this name stands for: a device may have others, such as one of the current of several.
  virtual bool is_called(std::string_view name) const { return name == this->name(); }
  virtual Allocator& allocator() = 0;
  // Bytes from and to the host's memory, and within the device's.
  virtual void read(void* host, const void* from, size_t bytes) = 0;
  virtual void write(void* to, const void* host, size_t bytes) = 0;
  virtual void move(void* to, const void* from, size_t bytes) = 0;
  virtual void clear(void* data, size_t bytes) = 0;
  // Sets every element of t.
  virtual void fill(const Tensor& t, const ScalarValue& element) = 0;
  virtual int64_t find(const FindPlan& plan) = 0;  // the element's number from 0, or not_found
  // Whether its kernels of random numbers take counters of Philox (RandomSource in engine/ops/random.h). Others draw as the CPU does.
  virtual bool draws_by_counter() const { return false; }
  // Runs a kernel of this device, for the op of this name. It may run later, with a copy of the plan (plan.type.copy): then the device
  // also holds the storages that the plan names (plan.type.visit).
  virtual void launch(std::string_view op, const Kernel& kernel, const PlanRef& plan) {
    (void)op;
    kernel.run(plan.plan, kernel.data);
  }
};

// dst gets src's elements in logical order; both have equally many, of any dtypes and strides, and do not overlap.
using CopyFn = void (*)(const Tensor& dst, const Tensor& src);

// Gives a device its number. The device stays for good; `copy` is from it to itself. Raises an error when the name or all numbers are
// taken.
DeviceId add_device(Device& device, CopyFn copy);
// What copies between two devices; what is not set goes by way of the host.
void set_copy(DeviceId from, DeviceId to, CopyFn copy);

int device_count();
Device& device(DeviceId id);
std::optional<DeviceId> device_called(std::string_view name);
std::string device_names();  // of all there are, as messages list them
// The device of this name; raises an error that names op, argument and the names there are.
DeviceId find_device(std::string_view op, std::string_view argument, std::string_view name);
inline std::string_view device_name(DeviceId id) { return device(id).name(); }
void trim_devices();  // gives back what the allocators of all devices keep for later

void copy(const Tensor& dst, const Tensor& src);  // as CopyFn, between any devices
void fill(const Tensor& t, const ScalarValue& element);

// What the host asks of elements: the one way to them for all that is no kernel.
int64_t find_outside(const Tensor& t, int64_t low, int64_t high, int64_t besides);
inline int64_t find_outside(const Tensor& t, int64_t low, int64_t high) { return find_outside(t, low, high, low); }
int64_t find_value(const Tensor& t, int64_t value);
ScalarValue read_element(const Storage& storage, int64_t offset);
inline ScalarValue read_element(const Tensor& t, int64_t offset) { return read_element(*t.storage(), offset); }  // from the storage's first
void write_element(const Tensor& t, int64_t offset, const ScalarValue& element);
Tensor to_device(const Tensor& x, DeviceId to);  // x itself when it is there
inline Tensor on_host(const Tensor& x) { return to_device(x, cpu_device); }

}  // namespace mt
