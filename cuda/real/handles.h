// A pool of idle handles of vendors' libraries. Handles belong to no thread and no stream; each has one user at a time.
#pragma once

#include <mutex>
#include <vector>

#include "cuda/runtime/streams.h"

namespace mt::cuda::real {

template <class Handle> class IdleHandles {
 public:
  // Takes an idle handle for the current device, or creates one.
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

// Never destroyed: CUDA may end before static objects are destroyed.
template <class Handle> IdleHandles<Handle>& idle_handles() {
  static IdleHandles<Handle>& all = *new IdleHandles<Handle>;
  return all;
}

}  // namespace mt::cuda::real
