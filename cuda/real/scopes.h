// Settings of CUDA's runtime library for a scope.
#pragma once

#include <cuda_runtime.h>

#include "cuda/real/status.h"

namespace mt::cuda {

// Makes the device current for its scope.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    check(cudaGetDevice(&before_), "the current device");
    if (device != before_) check(cudaSetDevice(device), "choosing a device");
    changed_ = device != before_;
  }
  ~OnDevice() {
    if (changed_) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

// For its lifetime, this thread may allocate memory and load kernels during a capture of one of its streams.
class InCapture {
 public:
  InCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~InCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  InCapture(const InCapture&) = delete;
  InCapture& operator=(const InCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace mt::cuda
