#include "engine/cpu/device.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "engine/core/parallel.h"
#include "engine/core/registry.h"
#include "engine/cpu/copy.h"
#include "engine/cpu/iterator.h"

namespace mt::cpu {

void fill(const Tensor& t, const ScalarValue& element) {
  const int64_t n = t.numel();
  const int width = size_of(t.dtype());
  constexpr int64_t few = 512;  // done before a copy has begun
  if (t.is_contiguous() && n <= few) {
    by_width(width, [&]<class W>(W) { std::fill_n(t.data<W>(), n, element.as<W>()); });
    return;
  }
  const bool zero = std::all_of(element.bytes, element.bytes + width, [](std::byte b) { return b == std::byte{}; });
  if (zero && lies_without_gaps(t)) {
    std::memset(t.bytes(), 0, static_cast<size_t>(n) * static_cast<size_t>(width));
    return;
  }
  const Tensor one = Tensor::empty(t.dtype(), {1});
  std::memcpy(one.bytes(), element.bytes, static_cast<size_t>(width));
  cpu::copy(t, expand_to(one, t.sizes()));
}

namespace {

// Whether the plan looks for some value of p[begin..end). Without branches it goes by vectors.
template <class T> bool any(const FindPlan& plan, const T* p, int64_t begin, int64_t end) {
  const auto low = static_cast<uint64_t>(plan.low), span = static_cast<uint64_t>(plan.high) - low;
  bool hit = false;
  for (int64_t i = begin; i < end; ++i) {
    const auto value = static_cast<int64_t>(p[i]);
    hit |= plan.inside ? static_cast<uint64_t>(value) - low <= span : (static_cast<uint64_t>(value) - low > span) & (value != plan.besides);
  }
  return hit;
}

}  // namespace

int64_t find(const FindPlan& plan) {
  const Tensor t = contiguous(plan.t);
  const int64_t n = t.numel();
  return dispatch(t.dtype(), [&]<class T>(std::type_identity<T>) -> int64_t {
    if constexpr (!std::is_integral_v<T>) {
      return not_found;
    } else {
      const T* p = t.data<T>();
      std::atomic<bool> hit = false;
      parallel_for(n, pointwise_grain, [&](int64_t begin, int64_t end) {
        if (any(plan, p, begin, end)) hit = true;
      });
      if (!hit) return not_found;
      for (int64_t i = 0;; ++i) {
        if (any(plan, p, i, i + 1)) return i;
      }
    }
  });
}

namespace {

class HostAllocator final : public Allocator {
 public:
  Memory allocate(size_t bytes) override {
    const Block block = mt::allocate(bytes);
    return {block.data, block_bytes(block.size_class)};
  }
  void release(Memory memory) noexcept override { mt::release({memory.data, size_class(memory.bytes)}); }
  MemoryStats stats() const override { return memory_stats(); }
  void trim() override { trim_cache(); }
};

class Cpu final : public Device {
 public:
  std::string_view name() const override { return "cpu"; }
  Allocator& allocator() override { return allocator_; }
  void read(void* host, const void* from, size_t bytes) override { std::memcpy(host, from, bytes); }
  void write(void* to, const void* host, size_t bytes) override { std::memcpy(to, host, bytes); }
  void move(void* to, const void* from, size_t bytes) override { std::memmove(to, from, bytes); }
  void clear(void* data, size_t bytes) override { std::memset(data, 0, bytes); }
  void fill(const Tensor& t, const ScalarValue& element) override { cpu::fill(t, element); }
  int64_t find(const FindPlan& plan) override { return cpu::find(plan); }

 private:
  HostAllocator allocator_;
};

}  // namespace

Device& device() {
  static Cpu cpu;
  return cpu;
}

}  // namespace mt::cpu
