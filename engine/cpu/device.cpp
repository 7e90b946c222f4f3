#include "engine/cpu/device.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

#include "engine/core/parallel.h"
#include "engine/core/registry.h"
#include "engine/cpu/copy.h"
#include "engine/cpu/iterate.h"

namespace mt::cpu {

namespace {

// Whether is_hit(p[i]) for some i of begin..end. Without branches, so that it is vectorised.
template <class T, class Hit> bool any(const T* p, int64_t begin, int64_t end, const Hit& is_hit) {
  std::make_unsigned_t<T> hits = 0;
  for (int64_t i = begin; i < end; ++i) hits |= is_hit(p[i]) ? 1 : 0;
  return hits != 0;
}

// The first element for which is_hit is true.
template <class T, class Hit> int64_t first(const T* p, int64_t n, const Hit& is_hit) {
  std::atomic<bool> some = false;
  parallel_for(n, pointwise_grain, [&](int64_t begin, int64_t end) {
    if (any(p, begin, end, is_hit)) some = true;
  });
  return some ? std::find_if(p, p + n, is_hit) - p : not_found;
}

// The first element that a plan looks for. Values and borders are compared in the elements' own width.
template <class T> int64_t find_in(const FindPlan& plan, const T* p, int64_t n) {
  using U = std::make_unsigned_t<T>;
  using Limits = std::numeric_limits<T>;
  const int64_t low = std::max<int64_t>(plan.low, Limits::min()), high = std::min<int64_t>(plan.high, Limits::max());
  if (low > high) {  // no value of T is inside the range
    if (plan.inside) return not_found;
    return first(p, n, [besides = plan.besides](T value) { return static_cast<int64_t>(value) != besides; });
  }
  const auto from = static_cast<U>(low), span = static_cast<U>(high - low);
  const auto beyond = [from, span](T value) { return static_cast<U>(static_cast<U>(value) - from) > span; };
  if (plan.inside) return first(p, n, [beyond](T value) { return !beyond(value); });
  const auto besides = static_cast<T>(plan.besides);
  if (static_cast<int64_t>(besides) != plan.besides || !beyond(besides)) return first(p, n, beyond);
  return first(p, n, [beyond, besides](T value) { return beyond(value) & (value != besides); });
}

}  // namespace

int64_t find(const FindPlan& plan) {
  if (!plan.t.is_contiguous()) return cpu::find({contiguous(plan.t), plan.low, plan.high, plan.besides, plan.inside});
  if (is_float(plan.t.dtype())) return not_found;
  const int64_t n = plan.t.numel();
  return dispatch<integer_dtypes | boolean_dtype>(plan.t.dtype(), [&]<class T>(std::type_identity<T>) {
    return find_in(plan, plan.t.data<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>(), n);
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
