// Handles of vendors' libraries, which are no thread's and no stream's own, but one user's at a time: those that nobody uses wait here.
#pragma once

#include <mutex>
#include <vector>

#include "cuda/runtime/streams.h"

namespace mt::cuda::real {

template <class Handle> class IdleHandles {
 public:
  // One for the device, which is the current one.
  template <class F> Handle take(int device, F create) {
    {
      const std::lock_guard guard(lock_);
      auto& own = idle_[device];
      if (!own.empty()) {
        const Handle handle = own.back();
        own.pop_back();
        return handle;
      }
    }
    return create();
  }
  void give_back(int device, Handle handle) {
    const std::lock_guard guard(lock_);
    idle_[device].push_back(handle);
  }

 private:
  std::mutex lock_;
  std::vector<Handle> idle_[most_devices];
};

// They live as long as the program: CUDA may be gone before static objects.
template <class Handle> IdleHandles<Handle>& idle_handles() {
  static IdleHandles<Handle>& all = *new IdleHandles<Handle>;
  return all;
}

}  // namespace mt::cuda::real
