// The only door to threads. Kernels split their range here; nothing else in the engine starts a thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "engine/core/interrupt.h"

namespace mt {

namespace parallel_detail {
// 0 until somebody asks: reading the environment and the affinity mask is not for start-up.
inline std::atomic<int> thread_count{0};
inline thread_local int own_count = 0;  // what the calling thread asked for itself; 0: nothing
int read_default_threads();
using RangeFn = void (*)(void* body, int64_t begin, int64_t end);
void run(int64_t n, int64_t grain, RangeFn fn, void* body);
}  // namespace parallel_detail

/// How many threads a parallel_for of the calling thread may use: what it has set for itself, else what was set last for the process, else
/// OMP_NUM_THREADS, else the cores of the affinity mask.
inline int num_threads() {
  if (const int own = parallel_detail::own_count; own != 0) return own;
  const int n = parallel_detail::thread_count.load(std::memory_order_relaxed);
  return n != 0 ? n : parallel_detail::read_default_threads();
}

/// Sets it for the whole process; values below 1 mean 1. A child of fork() starts with 1.
void set_num_threads(int n);

/// Sets it for the calling thread, whatever the process has: Lua states in threads of their own do not disturb each other.
void set_own_threads(int n);

/// Whether the caller runs inside a parallel_for that was split.
bool in_parallel();

/// For its lifetime, OpenMP regions that this thread starts (those of OpenBLAS and oneDNN) have `n` threads; the host's setting comes back
/// afterwards. Opens the runtime with our waiting policy: to be made once before a library is opened that would bring it along.
class OpenMpThreads {
 public:
  explicit OpenMpThreads(int n);
  ~OpenMpThreads();
  OpenMpThreads(const OpenMpThreads&) = delete;
  OpenMpThreads& operator=(const OpenMpThreads&) = delete;

 private:
  int before_ = 0;  // 0: there is no runtime
};

/// Calls f(begin, end) on disjoint ranges that cover 0..n, at most num_threads() of them and none below `grain` but the last. Runs inline
/// when n <= grain, with one thread, and inside another parallel_for. The first exception of f arrives at the caller, when all ranges are
/// done. For an f that costs something a range, whatever its length; a long one looks for an interrupt by itself.
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

/// Calls f(begin, end) on blocks of a range, one after the other, none below 16 grains, and looks for an interrupt before each.
template <class F> void in_blocks(int64_t begin, int64_t end, int64_t grain, F&& f) {
  constexpr int64_t most_blocks = 32, grains = 16;
  int64_t block = (end - begin + most_blocks - 1) / most_blocks;
  if (grain > 1) block = std::max(block, grain < (end - begin) / grains ? grain * grains : end - begin);
  if (block >= 4096) block = (block + 63) / 64 * 64;  // as the ranges themselves
  for (; begin < end; begin += std::min(block, end - begin)) {
    look_for_interrupt();
    f(begin, begin + std::min(block, end - begin));
  }
}

/// As parallel_ranges, with each thread's range in blocks: between them an interrupt stops it all.
template <class F> void parallel_for(int64_t n, int64_t grain, F&& f) {
  if (n <= 0) return;
  if (n <= grain) return f(int64_t{0}, n);
  parallel_ranges(n, grain, [&f, grain](int64_t begin, int64_t end) { in_blocks(begin, end, grain, f); });
}

}  // namespace mt
