// The numbers by which the C interface (cuda/api.h) knows streams, events and graphs, and how its functions end.
#pragma once

#include <cstdint>
#include <cstring>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "cuda/api.h"
#include "cuda/runtime/driver.h"
#include "cuda/runtime/fork.h"
#include "engine/core/error.h"

namespace mt::cuda {

// Objects by number. Numbers are not reused.
template <class T> class Handles {
 public:
  explicit Handles(int32_t first) : next_(first) {}

  int32_t add(T value) {
    const std::lock_guard guard(lock_);
    values_.emplace(next_, std::move(value));
    return next_++;
  }
  bool find(int32_t number, T& value) const {
    const std::lock_guard guard(lock_);
    const auto found = values_.find(number);
    if (found == values_.end()) return false;
    value = found->second;
    return true;
  }
  bool take(int32_t number, T& value) {
    const std::lock_guard guard(lock_);
    const auto found = values_.find(number);
    if (found == values_.end()) return false;
    value = std::move(found->second);
    values_.erase(found);
    return true;
  }
  template <class F> int32_t find_if(F&& f) const {  // -1 if there is none
    const std::lock_guard guard(lock_);
    for (const auto& [number, value] : values_) {
      if (f(value)) return number;
    }
    return -1;
  }

 private:
  mutable std::mutex lock_;
  std::unordered_map<int32_t, T> values_;
  int32_t next_;
};

// Raise an error of the function if no object has the number.
int checked_device(const char* function, int32_t device);
Stream stream_called(const char* function, int32_t number);
Event event_called(const char* function, int32_t number);
int32_t number_of(Stream stream);

mt_cuda_status keep_error() noexcept;  // of the current exception
template <class F> mt_cuda_status guard(F&& f) {
  try {
    refuse_in_child();
    f();
    return 0;
  } catch (...) {
    return keep_error();
  }
}

template <class T> T& checked_out(const char* function, const char* argument, T* out) {
  if (out == nullptr) fail(function, argument, "NULL, expected an address");
  return *out;
}

// Copies the part of a struct that the caller's version has; both begin with their size.
// Copies a text, truncated to `size` bytes including the final 0.
inline void give_text(const char* function, char* text, size_t size, size_t* length, std::string_view whole) {
  if (text == nullptr && size > 0) fail(function, "text", "NULL, expected an address");
  if (size > 0) {
    const size_t n = std::min(size - 1, whole.size());
    std::memcpy(text, whole.data(), n);
    text[n] = '\0';
  }
  if (length != nullptr) *length = whole.size();
}

template <class T> void give_struct(const char* function, T* out, T value) {
  const size_t size = checked_out(function, "out", out).size;
  if (size < sizeof(size_t) || size > sizeof(T)) fail(function, "size", size, ", expected ", sizeof(T));
  value.size = size;
  std::memcpy(static_cast<void*>(out), &value, size);
}

}  // namespace mt::cuda
