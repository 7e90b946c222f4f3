// Temporary memory of kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/allocator.h"

namespace mt::cpu {

// Temporary memory for elements, uninitialised and aligned to cache lines. Its allocator keeps freed blocks, so that
// runs of the same sizes don't call malloc.
template <class T> class Elements {
 public:
  explicit Elements(int64_t count) : block_(allocate(static_cast<size_t>(count) * sizeof(T))) {}
  ~Elements() { release(block_); }
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
  T* data() const { return static_cast<T*>(block_.data); }

 private:
  Block block_;
};

}  // namespace mt::cpu
