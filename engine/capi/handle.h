// The structs behind C handles, and the guard that converts all exceptions to statuses.
#pragma once

#include <atomic>
#include <exception>
#include <new>

#include "engine/core/allocator.h"
#include "engine/core/generator.h"
#include "engine/core/tensor.h"
#include "moontorch/moontorch.h"

// Handles are blocks of the engine's allocator: the host's hooks and the statistics include them.
struct mt_tensor {
  std::atomic<int64_t> references{1};
  uint8_t size_class = 0;
  mt::Tensor tensor;
};

struct mt_generator {
  uint8_t size_class = 0;
  mt::Generator generator;
};

namespace mt::capi {

// Saves the message of the current exception for mt_error_message() and returns its status. Allocates nothing.
mt_status keep_message() noexcept;

template <class F> mt_status guard(F&& f) noexcept {
  try {
    f();
    return MT_OK;
  } catch (...) {
    return keep_message();
  }
}

mt_tensor* give(Tensor tensor);   // a new handle with one reference
Generators& thread_generators();  // seeded by the operating system unless mt_seed() was called first

template <class T> T& take(T* handle, const char* function, const char* argument) {
  if (handle == nullptr) fail(function, argument, "NULL, expected an address");
  return *handle;
}

}  // namespace mt::capi
