// A GPU as a device of the engine.
#pragma once

#include <string>

#include "cuda/runtime/allocator.h"
#include "cuda/runtime/checks.h"
#include "cuda/runtime/streams.h"
#include "engine/core/asynchronous.h"
#include "engine/core/device.h"
#include "engine/core/fused_device.h"

namespace mt::cuda {

class CudaDevice final : public Device, public AsynchronousDevice, public FusedDevice {
 public:
  explicit CudaDevice(int number);
  std::string_view name() const override { return name_; }
  bool is_called(std::string_view name) const override { return name == name_ || (name == "cuda" && current_device() == number_); }
  CachingAllocator& allocator() override { return allocator_; }
  void read(void* host, const void* from, size_t bytes) override;
  void write(void* to, const void* host, size_t bytes) override;
  void move(void* to, const void* from, size_t bytes) override;
  void clear(void* data, size_t bytes) override;
  void fill(const Tensor& t, const ScalarValue& element) override;
  int64_t find(const FindPlan& plan) override;
  bool draws_by_counter() const override { return true; }
  bool check_later(const ElementCheck& check) override;
  std::string_view set_op(std::string_view op) noexcept override;
  void launch(std::string_view op, const Kernel& kernel, const PlanRef& plan) override;
  bool prepare(const FusedLaunch& launch) override;
  void run(const FusedLaunch& launch) override;

  // Waits for a stream of this device, or for all of its streams; raises errors of their work.
  void synchronize(Stream stream);
  void synchronize();
  void report() { checks_.report(); }  // raises errors that finished work has found

 private:
  const int number_;
  const std::string name_;
  CachingAllocator allocator_;
  DeferredChecks checks_;
};

// Device `number`, from 0; there are driver::device_count() of them, created when the plug-in is loaded.
CudaDevice& device(int number);

}  // namespace mt::cuda
