// The programming interface of kernels: a grid of blocks, a block of threads in warps of 32, shared memory, barriers, warp collectives,
// atomics and vector loads. nvcc compiles it as CUDA; the host's compiler compiles it as plain C++ whose threads are fibres
// (cuda/emulated), so that kernels can be tested without a GPU.
//
// A kernel is a struct of values (pointers, numbers) with
//     MT_DEVICE void operator()(Thread& t) const;
// and is launched by cuda/launch.h. Rules, which the emulation checks: all threads of a block reach its barriers; all lanes of a warp take
// part in its collectives; other threads see a write to shared memory after a barrier, not before. Blocks run in any order, and none waits
// for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__CUDACC__)
#define MT_DEVICE __device__ inline
#define MT_HOST_DEVICE __host__ __device__ inline  // a call of an MT_DEVICE function on the host exits; nvcc doesn't warn in templates
#else
#define MT_DEVICE inline
#define MT_HOST_DEVICE inline
#endif

namespace mt::cuda {

inline constexpr int warp_size = 32;

// N elements that are loaded and stored at once: 16 bytes if possible.
template <class T, int N> struct alignas(sizeof(T) * N <= 16 ? sizeof(T) * N : 16) Pack { T at[N]; };
template <class T> inline constexpr int pack_size = sizeof(T) >= 16 ? 1 : static_cast<int>(16 / sizeof(T));

template <int N, class T> MT_DEVICE Pack<T, N> load_pack(const T* p) { return *reinterpret_cast<const Pack<T, N>*>(p); }
template <int N, class T> MT_DEVICE void store_pack(T* p, const Pack<T, N>& pack) { *reinterpret_cast<Pack<T, N>*>(p) = pack; }
template <int N, class T> MT_HOST_DEVICE bool is_pack_aligned(const T* p) {
  return reinterpret_cast<uintptr_t>(p) % sizeof(Pack<T, N>) == 0;
}

}  // namespace mt::cuda

#if defined(__CUDACC__)
#include "cuda/grid_device.h"
#else
#include "cuda/emulated/grid_host.h"
#endif

namespace mt::cuda {

// The combined value of all lanes of a warp; each lane gets the result. op combines two values.
template <class T, class Op> MT_DEVICE T warp_reduce(Thread& t, T value, Op op) {
  for (int distance = warp_size / 2; distance > 0; distance /= 2) value = op(value, t.shuffle_xor(value, distance));
  return value;
}

// The combined value of all threads of a block; each thread gets the result. `scratch` is shared memory of warp_size elements, and may be
// reused after the call. The order of operations is the same for any schedule.
template <class T, class Op> MT_DEVICE T block_reduce(Thread& t, T value, T none, Op op, Shared<T> scratch) {
  value = warp_reduce(t, value, op);
  if (t.threads() <= warp_size) return value;
  if (t.lane() == 0) scratch.set(t.warp(), value);
  t.barrier();
  const int warps = t.threads() / warp_size;
  value = warp_reduce(t, t.lane() < warps ? scratch.get(t.lane()) : none, op);
  t.barrier();
  return value;
}

}  // namespace mt::cuda
