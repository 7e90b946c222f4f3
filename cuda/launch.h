// Launching kernels (cuda/grid.h) on streams.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/grid.h"
#include "cuda/runtime/context.h"
#include "cuda/runtime/driver.h"
#include "cuda/runtime/streams.h"

#if defined(__CUDACC__)
#include "cuda/real/launch.h"
#else
#include "cuda/emulated/launch.h"
#endif

namespace mt::cuda {

inline constexpr int block_threads = 256;
inline constexpr size_t most_kernel_bytes = 32764;  // limit of a kernel's arguments, from CUDA 12.1 and compute capability 7.0 on
inline constexpr int64_t most_blocks = int64_t{1} << 30;

#if defined(__CUDACC__)
template <class K> __global__ void run_kernel(const __grid_constant__ K kernel) {
  Thread thread;
  kernel(thread);
}
#endif

// Launches `blocks` blocks of `threads` threads, a multiple of 32, at most 1024. shared_bytes covers all shared() calls of a thread.
template <class K> void launch(Stream stream, int64_t blocks, int threads, size_t shared_bytes, const K& kernel) {
  static_assert(std::is_trivially_copyable_v<K> && sizeof(K) <= most_kernel_bytes, "a kernel is a value of at most 32 KB");
  if (blocks == 0) return;
  count(Count::launch);
#if defined(__CUDACC__)
  prepare_launch(stream, shared_bytes, reinterpret_cast<const void*>(&run_kernel<K>));
  run_kernel<K>
      <<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), shared_bytes, static_cast<cudaStream_t>(stream.handle)>>>(kernel);
  check_launch();
#else
  emulated::launch(stream, blocks, threads, shared_bytes, kernel);
#endif
}

// One thread per element, up to a few waves, then several elements per thread: kernels loop from t.global_index() by t.global_threads().
inline int64_t blocks_for(Stream stream, int64_t n, int threads = block_threads) {
  const int64_t waves = int64_t{properties_of(stream).multiprocessors} * 32;
  return std::clamp<int64_t>((n + threads - 1) / threads, n > 0 ? 1 : 0, std::max<int64_t>(waves, 1));
}

template <class K> void launch_each(Stream stream, int64_t n, const K& kernel) {
  launch(stream, blocks_for(stream, n), block_threads, 0, kernel);
}

}  // namespace mt::cuda
