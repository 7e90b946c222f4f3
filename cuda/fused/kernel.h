// What the source of a fused kernel (cuda/fused/source.h) includes. It defines the struct mt::cuda::Fused, a kernel as in cuda/grid.h, and
// ends with MT_FUSED_KERNEL and the number of bytes that the host passes.
#pragma once

#include "cuda/functors.h"
#include "cuda/grid.h"
#include "cuda/offsets.h"

namespace mt::cuda {

template <class T> MT_DEVICE T& at_offset(T* first, int64_t bytes) {
  return *reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(first) + static_cast<uintptr_t>(bytes));
}

}  // namespace mt::cuda

#if defined(__CUDACC__)
#define MT_FUSED_KERNEL(bytes)                                                                              \
  static_assert(sizeof(mt::cuda::Fused) == bytes);                                                          \
  extern "C" __global__ void __launch_bounds__(256) fused(const __grid_constant__ mt::cuda::Fused kernel) { \
    mt::cuda::Thread thread;                                                                                \
    kernel(thread);                                                                                         \
  }
#else
#define MT_FUSED_KERNEL(bytes)                     \
  static_assert(sizeof(mt::cuda::Fused) == bytes); \
  extern "C" void fused(const void* kernel, mt::cuda::Thread& thread) { (*static_cast<const mt::cuda::Fused*>(kernel))(thread); }
#endif
