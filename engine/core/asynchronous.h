// Devices that work behind the host's back: they know which op asked for what, and check elements without being waited for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/device.h"

namespace mt {

// What a plan expects of elements, and the words for the first one that is not so: its value, its position from 0, and a number that the
// words may need. `op`, `argument` and `words` stay for good.
struct ElementCheck {
  FindPlan find;
  std::string_view op, argument;
  std::string (*words)(int64_t value, int64_t position, int64_t number);
  int64_t number = 0;
};

// Raises "op: argument: words" where an element is found: at once, or later where its device does so. Kernels must stay inside memory
// whatever the elements are.
void expect_elements(const ElementCheck& check);

class AsynchronousDevice {
 public:
  // Makes the check in the order of the device's work, and raises its error when the host next waits for the device. False where it can't
  // now, and the check must be waited for.
  virtual bool check_later(const ElementCheck& check) = 0;
  // The op that this thread runs on the device, from its plan on; gives the one before. Empty: none.
  virtual std::string_view set_op(std::string_view op) noexcept = 0;

 protected:
  ~AsynchronousDevice() = default;
};

void set_asynchronous(DeviceId id, AsynchronousDevice& device);
AsynchronousDevice* asynchronous(DeviceId id);  // nullptr for the others

// The thread runs an op on a device.
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
