// The CPU's kernel of distances: differences are squared and summed directly, in double for floats, since |a|^2 - 2ab + |b|^2 would cancel
// for near rows.
#include "engine/ops/distance.h"

#include <algorithm>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/register.h"

namespace mt::cpu {
namespace {

#include "engine/ops/distance-inl.h"

template <class T> using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

template <class T> Sum<T> squared_distance(const T* a, const T* b, int64_t n) {
  Sum<T> sums[4] = {};  // four chains, because an addition depends on the previous one
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) {
      const auto d = convert_element<Sum<T>>(a[i + k]) - convert_element<Sum<T>>(b[i + k]);
      sums[k] += d * d;
    }
  }
  for (; i < n; ++i) {
    const auto d = convert_element<Sum<T>>(a[i]) - convert_element<Sum<T>>(b[i]);
    sums[0] += d * d;
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class T> void measure(const DistancePlan& plan) {
  const int64_t n = plan.n, m = plan.out.size(0), k = plan.out.size(1);
  const T *x = plan.x.data<T>(), *y = plan.y.data<T>();
  T* out = plan.out.data<T>();
  const auto factor = [&]() -> Sum<T> {
    if constexpr (std::is_integral_v<T>)
      return static_cast<uint64_t>(element_from<int64_t>(plan.gain));
    else
      return plan.gain;
  }();
  parallel_for(m, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, n * k)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j < k; ++j) out[i * k + j] = convert_element<T>(factor * squared_distance(x + i * n, y + j * n, n));
    }
  });
}

void run_match(const DistancePlan& plan) {
  dispatch(plan.out.dtype(), [&]<class T>(std::type_identity<T>) { measure<T>(plan); });
}

constexpr Row rows[] = {{&Match::decl, &plan_match, kernel<&run_match>()}};

}  // namespace

std::span<const Row> distance_rows() { return built_rows<rows>(); }

}  // namespace mt::cpu
