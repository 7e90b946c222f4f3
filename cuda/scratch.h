// Temporary memory for the kernels of one call.
#pragma once

#include "cuda/runtime/context.h"
#include "cuda/runtime/device.h"

namespace mt::cuda {

// Uninitialised elements on the stream's device. Later work on the stream may get the same memory.
template <class T> class Scratch {
 public:
  Scratch(Stream stream, int64_t count) : stream_(stream) {
    const auto bytes = static_cast<size_t>(count) * sizeof(T);
    if (bytes == 0) return;
    memory_ = device(stream.device).allocator().allocate(bytes);
    if (memory_.data == nullptr) raise_no_memory("the device has no memory left for intermediate results");
  }
  Scratch(const Scratch&) = delete;
  ~Scratch() {
    if (memory_.data != nullptr) device(stream_.device).allocator().release(memory_);
  }
  T* data() const { return driver::reachable(static_cast<T*>(memory_.data)); }  // as kernels use it
  void* address() const { return memory_.data; }                                // for the driver's copies

 private:
  Stream stream_;
  Memory memory_;
};

}  // namespace mt::cuda
