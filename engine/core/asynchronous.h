// Asynchronous devices: they know which op requested what, and check elements without blocking the host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/device.h"

namespace mt {

// A condition on elements, and a function that words the error of the first violating element from its value, its position from 0, and a
// further number. `op`, `argument` and `words` must live as long as the process.
struct ElementCheck {
  FindPlan find;
  std::string_view op, argument;
  std::string (*words)(int64_t value, int64_t position, int64_t number);
  int64_t number = 0;
};

// Raises "op: argument: words" if an element violates it: at once, or later on asynchronous devices. Kernels must stay inside memory for
// any elements.
void expect_elements(const ElementCheck& check);

class AsynchronousDevice {
 public:
  // Enqueues the check in the order of the device's work; its error is raised when the host next waits for the device. Returns false
  // if this is not possible now; then the caller must wait for the check.
  virtual bool check_later(const ElementCheck& check) = 0;
  // Sets the op that this thread runs on the device; returns the previous one. Empty: none.
  virtual std::string_view set_op(std::string_view op) noexcept = 0;

 protected:
  ~AsynchronousDevice() = default;
};

void set_asynchronous(DeviceId id, AsynchronousDevice& device);
AsynchronousDevice* asynchronous(DeviceId id);  // nullptr for synchronous devices

// Marks that this thread runs an op on a device, for its lifetime.
class OpOnDevice {
 public:
  OpOnDevice(DeviceId id, std::string_view op) : device_(asynchronous(id)) {
    if (device_ != nullptr) outer_ = device_->set_op(op);
  }
  ~OpOnDevice() {
    if (device_ != nullptr) device_->set_op(outer_);
  }
  OpOnDevice(const OpOnDevice&) = delete;
  OpOnDevice& operator=(const OpOnDevice&) = delete;

 private:
  AsynchronousDevice* const device_;
  std::string_view outer_;
};

}  // namespace mt
