// cuda/grid.h for the host's compiler. Threads are fibres of cuda/emulated/block.h.
#pragma once

#include <atomic>
#include <bit>

#include "cuda/emulated/block.h"

namespace mt::cuda {

// Elements in a block's shared memory. Each access is checked: reads need an earlier write, and races are errors.
template <class T> class Shared {
 public:
  Shared(emulated::Block& block, size_t offset, int count) : block_(&block), offset_(offset), count_(count) {}
  T get(int i) const {
    T value;
    std::memcpy(&value, block_->shared_access(place(i), sizeof(T), emulated::Access::read), sizeof(T));
    return value;
  }
  void set(int i, const T& value) const {
    std::memcpy(block_->shared_access(place(i), sizeof(T), emulated::Access::write), &value, sizeof(T));
  }
  T add(int i, T value) const {
    T* const at = reinterpret_cast<T*>(block_->shared_access(place(i), sizeof(T), emulated::Access::atomic));
    const T before = *at;
    *at = before + value;
    return before;
  }

 private:
  size_t place(int i) const {
    if (i < 0 || i >= count_) block_->fail("an access to shared memory outside an array");
    return offset_ + static_cast<size_t>(i) * sizeof(T);
  }

  emulated::Block* block_;
  size_t offset_;
  int count_;
};

class Thread {
 public:
  Thread(emulated::Block& block, int index) : block_(block), index_(index) {}

  int index() const { return index_; }
  int threads() const { return block_.threads(); }
  int64_t block() const { return block_.number(); }
  int64_t blocks() const { return block_.blocks(); }
  int64_t global_index() const { return block() * threads() + index(); }
  int64_t global_threads() const { return blocks() * threads(); }
  int lane() const { return index_ % warp_size; }
  int warp() const { return index_ / warp_size; }

  template <class T> Shared<T> shared(int count) {
    used_ = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
    const size_t at = used_;
    used_ += static_cast<size_t>(count) * sizeof(T);
    block_.expect_shared(used_);
    return Shared<T>(block_, at, count);
  }

  void barrier() { block_.barrier(); }
  void warp_barrier() { block_.warp_barrier(); }
  template <class T> T shuffle(T value, int lane) {
    return exchange(value, [&](int) { return lane % warp_size; });
  }
  template <class T> T shuffle_up(T value, int distance) {
    return exchange(value, [&](int lane) { return lane < distance ? lane : lane - distance; });
  }
  template <class T> T shuffle_down(T value, int distance) {
    return exchange(value, [&](int lane) { return lane + distance < warp_size ? lane + distance : lane; });
  }
  template <class T> T shuffle_xor(T value, int mask) {
    return exchange(value, [&](int lane) { return lane ^ mask; });
  }
  bool any(bool which) { return ballot(which) != 0; }
  bool all(bool which) { return ballot(which) == 0xffffffffu; }
  uint32_t ballot(bool which) {
    const emulated::Slot* const slots = block_.meet_warp(&which, sizeof which);
    uint32_t votes = 0;
    for (int i = 0; i < warp_size; ++i) votes |= uint32_t{slots[i].bytes[0] != std::byte{0}} << i;
    return votes;
  }
  void fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

 private:
  template <class T, class From> T exchange(T value, From from) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(emulated::Slot), "shuffles take at most 16 bytes");
    const emulated::Slot* const slots = block_.meet_warp(&value, sizeof value);
    T result;
    std::memcpy(&result, slots[from(lane())].bytes, sizeof result);
    return result;
  }

  emulated::Block& block_;
  int index_;
  size_t used_ = 0;
};

inline int count_ones(uint32_t bits) { return std::popcount(bits); }

template <class T> T atomic_add(T* p, T value) { return std::atomic_ref<T>(*p).fetch_add(value); }
template <class T> T atomic_or(T* p, T value) { return std::atomic_ref<T>(*p).fetch_or(value); }
template <class T> T atomic_swap_if(T* p, T expected, T value) {
  std::atomic_ref<T>(*p).compare_exchange_strong(expected, value);
  return expected;
}
template <class T> T atomic_min(T* p, T value) {
  T now = *p;
  while (value < now && !std::atomic_ref<T>(*p).compare_exchange_weak(now, value)) {
  }
  return now;
}
template <class T> T atomic_max(T* p, T value) {
  T now = *p;
  while (value > now && !std::atomic_ref<T>(*p).compare_exchange_weak(now, value)) {
  }
  return now;
}

}  // namespace mt::cuda
