// Parallel loops. Kernels split their ranges here; nothing else in the engine starts threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "engine/core/interrupt.h"

namespace mt {

namespace parallel_detail {
// 0 until the first use: start-up must not read the environment and the affinity mask.
inline std::atomic<int> thread_count{0};
inline thread_local int own_count = 0;  // set by the calling thread for itself; 0: not set
int read_default_threads();
using RangeFn = void (*)(void* body, int64_t begin, int64_t end);
void run(int64_t n, int64_t grain, RangeFn fn, void* body);
}  // namespace parallel_detail

/// The number of threads for a parallel_for of the calling thread: its own setting, else the last setting of the process, else
/// OMP_NUM_THREADS, else the cores of the affinity mask.
inline int num_threads() {
  if (const int own = parallel_detail::own_count; own != 0) return own;
  const int n = parallel_detail::thread_count.load(std::memory_order_relaxed);
  return n != 0 ? n : parallel_detail::read_default_threads();
}

/// Sets the number for the whole process; values below 1 mean 1. A child of fork() starts with 1.
void set_num_threads(int n);

/// Sets the number for the calling thread alone, so that Lua states in different threads are independent.
void set_own_threads(int n);

/// Whether the caller runs inside a parallel_for with several threads.
bool in_parallel();

/// For its lifetime, OpenMP regions of this thread (in OpenBLAS and oneDNN) use `n` threads; afterwards it restores the host's setting.
/// Loads the OpenMP runtime with a short spin time: create one before loading a library that depends on the runtime.
class OpenMpThreads {
 public:
  explicit OpenMpThreads(int n);
  ~OpenMpThreads();
  OpenMpThreads(const OpenMpThreads&) = delete;
  OpenMpThreads& operator=(const OpenMpThreads&) = delete;

 private:
  int before_ = 0;  // 0: no runtime
};

/// Calls f(begin, end) on at most num_threads() disjoint ranges that cover 0..n; all but the last have at least `grain` elements. Runs
/// inline if n <= grain, with one thread, or inside another parallel_for. Rethrows the first exception of f when all ranges have ended. For
/// an f with a fixed cost per range; a long f must check for interrupts itself.
template <class F> void parallel_ranges(int64_t n, int64_t grain, F&& f) {
  if (n <= 0) return;
  if (n <= grain || num_threads() == 1) {
    f(int64_t{0}, n);
    return;
  }
  using Body = std::remove_reference_t<F>;
  parallel_detail::run(
      n, grain, [](void* body, int64_t begin, int64_t end) { (*static_cast<Body*>(body))(begin, end); },
      const_cast<void*>(static_cast<const void*>(&f)));
}

/// Calls f(begin, end) on consecutive blocks of a range, each at least 16 grains, and checks for an interrupt before each one.
template <class F> void in_blocks(int64_t begin, int64_t end, int64_t grain, F&& f) {
  constexpr int64_t most_blocks = 32, grains = 16;
  int64_t block = (end - begin + most_blocks - 1) / most_blocks;
  if (grain > 1) block = std::max(block, grain < (end - begin) / grains ? grain * grains : end - begin);
  if (block >= 4096) block = (block + 63) / 64 * 64;  // like the ranges themselves
  for (; begin < end; begin += std::min(block, end - begin)) {
    look_for_interrupt();
    f(begin, begin + std::min(block, end - begin));
  }
}

/// Like parallel_ranges, but each thread runs its range in blocks, and checks for an interrupt between them.
template <class F> void parallel_for(int64_t n, int64_t grain, F&& f) {
  if (n <= 0) return;
  if (n <= grain) return f(int64_t{0}, n);
  parallel_ranges(n, grain, [&f, grain](int64_t begin, int64_t end) { in_blocks(begin, end, grain, f); });
}

}  // namespace mt
