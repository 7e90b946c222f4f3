// The CPU's kernel of equal: it compares blocks, and stops at the first that differs.
#include "engine/ops/equal.h"
#include "engine/core/built.h"

#include <algorithm>
#include <atomic>

#include "engine/cpu/iterate.h"
#include "engine/cpu/register.h"

namespace mt::cpu {
namespace {

#include "engine/ops/equal-inl.h"

constexpr int64_t block = 4096;

template <class T> bool same_elements(const T* x, const T* y, int64_t n) {
  using C = Compute<T>;
  using Flag = std::conditional_t<sizeof(C) == 8, uint64_t, std::conditional_t<sizeof(C) == 4, uint32_t, uint8_t>>;  // as wide as C
  std::atomic<bool> differ = false;
  parallel_for(n, pointwise_grain, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end && !differ.load(std::memory_order_relaxed); at += block) {
      Flag differing = 0;
      for (int64_t i = at, stop = std::min(end, at + block); i < stop; ++i)
        differing |= static_cast<Flag>(static_cast<C>(x[i]) != static_cast<C>(y[i]));
      if (differing != 0) differ.store(true, std::memory_order_relaxed);
    }
  });
  return !differ;
}

void run_equal(const EqualPlan& plan) {
  *plan.same.data<bool>() = dispatch<all_dtypes>(
      plan.x.dtype(), [&]<class T>(std::type_identity<T>) { return same_elements(plan.x.data<T>(), plan.y.data<T>(), plan.x.numel()); });
}

constexpr Row rows[] = {{&Equal::decl, &plan_equal, kernel<&run_equal>()}};

}  // namespace

std::span<const Row> equal_rows() { return built_rows<rows>(); }

}  // namespace mt::cpu
