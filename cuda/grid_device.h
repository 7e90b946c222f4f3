// cuda/grid.h for nvcc.
#pragma once

#include <cuda_runtime.h>

namespace mt::cuda {

// Elements in a block's shared memory.
template <class T> class Shared {
 public:
  __device__ explicit Shared(T* elements) : elements_(elements) {}
  __device__ T get(int i) const { return elements_[i]; }
  __device__ void set(int i, const T& value) const { elements_[i] = value; }
  __device__ T add(int i, T value) const { return atomicAdd(elements_ + i, value); }  // atomically; returns the old value

 private:
  T* elements_;
};

extern __shared__ __align__(16) unsigned char shared_memory[];

class Thread {
 public:
  __device__ int index() const { return static_cast<int>(threadIdx.x); }  // in its block
  __device__ int threads() const { return static_cast<int>(blockDim.x); }
  __device__ int64_t block() const { return blockIdx.x; }
  __device__ int64_t blocks() const { return gridDim.x; }
  __device__ int64_t global_index() const { return block() * threads() + index(); }  // in the grid
  __device__ int64_t global_threads() const { return blocks() * threads(); }
  __device__ int lane() const { return index() % warp_size; }
  __device__ int warp() const { return index() / warp_size; }

  // Reserves the next `count` elements of the block's shared memory, the same in all threads. The launch sets the number of bytes.
  template <class T> __device__ Shared<T> shared(int count) {
    used_ = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
    T* const at = reinterpret_cast<T*>(shared_memory + used_);
    used_ += static_cast<unsigned>(count) * sizeof(T);
    return Shared<T>(at);
  }

  __device__ void barrier() { __syncthreads(); }
  __device__ void warp_barrier() { __syncwarp(); }
  template <class T> __device__ T shuffle(T value, int lane) { return __shfl_sync(all_lanes, value, lane); }
  template <class T> __device__ T shuffle_up(T value, int distance) { return __shfl_up_sync(all_lanes, value, distance); }
  template <class T> __device__ T shuffle_down(T value, int distance) { return __shfl_down_sync(all_lanes, value, distance); }
  template <class T> __device__ T shuffle_xor(T value, int mask) { return __shfl_xor_sync(all_lanes, value, mask); }
  __device__ bool any(bool which) { return __any_sync(all_lanes, which) != 0; }
  __device__ bool all(bool which) { return __all_sync(all_lanes, which) != 0; }
  __device__ uint32_t ballot(bool which) { return __ballot_sync(all_lanes, which); }
  __device__ void fence() { __threadfence(); }  // earlier writes become visible to other blocks

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;
  unsigned used_ = 0;
};

__device__ inline int count_ones(uint32_t bits) { return __popc(bits); }

// Atomic operations on global memory, which return the old value.
__device__ inline float atomic_add(float* p, float value) { return atomicAdd(p, value); }
__device__ inline double atomic_add(double* p, double value) { return atomicAdd(p, value); }
__device__ inline int32_t atomic_add(int32_t* p, int32_t value) { return atomicAdd(p, value); }
__device__ inline uint32_t atomic_add(uint32_t* p, uint32_t value) { return atomicAdd(p, value); }
__device__ inline int64_t atomic_add(int64_t* p, int64_t value) {
  return static_cast<int64_t>(atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value)));
}
__device__ inline int32_t atomic_min(int32_t* p, int32_t value) { return atomicMin(p, value); }
__device__ inline int64_t atomic_min(int64_t* p, int64_t value) {
  return static_cast<int64_t>(atomicMin(reinterpret_cast<long long*>(p), static_cast<long long>(value)));
}
__device__ inline int32_t atomic_max(int32_t* p, int32_t value) { return atomicMax(p, value); }
__device__ inline uint32_t atomic_or(uint32_t* p, uint32_t value) { return atomicOr(p, value); }
__device__ inline uint32_t atomic_swap_if(uint32_t* p, uint32_t expected, uint32_t value) { return atomicCAS(p, expected, value); }
__device__ inline uint64_t atomic_swap_if(uint64_t* p, uint64_t expected, uint64_t value) {
  return atomicCAS(reinterpret_cast<unsigned long long*>(p), expected, value);
}

}  // namespace mt::cuda
