// The CPU's kernels of counting values and of finding positions. Threads count into separate tables, which are added up: sums of integers
// do not depend on the order.
#include "engine/ops/histogram.h"
#include "engine/core/mutex.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/register.h"

namespace mt::cpu {
namespace {

#include "engine/ops/histogram-inl.h"

constexpr int64_t grain = 1 << 15;

// The least and the greatest of n elements; n is 1 or more.
template <class T> Bounds limits_of(const T* x, int64_t n) {
  double low = static_cast<double>(static_cast<Compute<T>>(x[0])), high = low;
  for (int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<double>(static_cast<Compute<T>>(x[i]));
    low = v < low || low != low ? v : low;
    high = v > high || high != high ? v : high;
  }
  return {low, high};
}

// Adds the counts of n elements to counts[0 .. bins).
template <class T> void count_bins(const T* x, int64_t n, Bounds b, int64_t bins, int64_t* counts) {
  const double width = b.max - b.min, count = static_cast<double>(bins);
  for (int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<double>(static_cast<Compute<T>>(x[i]));
    if (!(v >= b.min && v <= b.max)) continue;
    ++counts[std::min(static_cast<int64_t>((v - b.min) / width * count), bins - 1)];
  }
}

template <class T> void count_row(const T* x, int64_t n, Bounds b, int64_t bins, T* out) {
  std::vector<int64_t> counts(static_cast<size_t>(bins));
  ThreadMutex adding;
  parallel_for(n, std::max(grain, bins), [&](int64_t begin, int64_t end) {
    std::vector<int64_t> own(static_cast<size_t>(bins));
    count_bins(x + begin, end - begin, b, bins, own.data());
    const std::lock_guard lock(adding);
    for (size_t i = 0; i < own.size(); ++i) counts[i] += own[i];
  });
  for (int64_t i = 0; i < bins; ++i) out[i] = convert_element<T>(counts[static_cast<size_t>(i)]);
}

template <class T> void count_rows(const T* x, const HistogramPlan& plan, Bounds b, T* out) {
  parallel_for(plan.rows, std::max<int64_t>(1, grain / (plan.n + plan.bins)), [&](int64_t begin, int64_t end) {
    std::vector<int64_t> counts(static_cast<size_t>(plan.bins));
    for (int64_t r = begin; r < end; ++r) {
      std::fill(counts.begin(), counts.end(), 0);
      count_bins(x + r * plan.n, plan.n, b, plan.bins, counts.data());
      for (int64_t i = 0; i < plan.bins; ++i) out[r * plan.bins + i] = convert_element<T>(counts[static_cast<size_t>(i)]);
    }
  });
}

template <class T> void count_parts(const HistogramPlan& plan) {
  const T* x = plan.x.data<T>();
  Bounds b{-1, 1};
  if (plan.has_bounds) {
    b = plan.bounds;
  } else if (plan.x.numel() > 0) {
    b = *plan.of_data = limits_of(x, plan.x.numel());
    if (!std::isfinite(b.min) || !std::isfinite(b.max)) return;
    if (b.min == b.max) b = {b.min - 1, b.max + 1};
  }
  if (plan.rows == 1)
    count_row(x, plan.n, b, plan.bins, plan.out.data<T>());
  else
    count_rows(x, plan, b, plan.out.data<T>());
}

void run_histogram(const HistogramPlan& plan) {
  dispatch<float_dtypes>(plan.x.dtype(), [&]<class T>(std::type_identity<T>) { count_parts<T>(plan); });
}

void run_bincount(const BincountPlan& plan) {
  const auto* x = plan.x.data<int64_t>();
  const int64_t n = plan.x.numel();
  if (plan.pass == BincountPass::limits) {
    int64_t least = x[0], greatest = x[0];
    for (int64_t i = 1; i < n; ++i) {
      least = std::min(least, x[i]);
      greatest = std::max(greatest, x[i]);
    }
    *plan.least = least;
    *plan.greatest = greatest;
  } else if (plan.weights) {
    auto* sums = plan.out.data<double>();
    std::fill_n(sums, plan.out.numel(), 0.0);
    for (int64_t i = 0; i < n; ++i) sums[x[i] - 1] += plan.weights.data<double>()[i];
  } else {
    auto* counts = plan.out.data<int64_t>();
    std::fill_n(counts, plan.out.numel(), int64_t{0});
    for (int64_t i = 0; i < n; ++i) ++counts[x[i] - 1];
  }
}

// The number of n sorted elements that are less than v or, from the right, at most v. Without branches, which no processor predicts,
// searches for the next values overlap with it.
template <bool right, class T> int64_t place(const T* sorted, int64_t n, Compute<T> v) {
  const auto before = [v](T element) {
    const auto e = static_cast<Compute<T>>(element);
    return static_cast<int64_t>(right ? e <= v : e < v);
  };
  if (n == 0) return 0;
  int64_t begin = 0;
  for (int64_t rest = n; rest > 1;) {
    const int64_t half = rest / 2;
    begin += half & -before(sorted[begin + half - 1]);
    rest -= half;
  }
  return begin + before(sorted[begin]);
}

// The same with NaN above all numbers, as in sorting.
template <class T> int64_t ordered_place(const T* sorted, int64_t n, Compute<T> v, bool right) {
  if (v != v) return right ? n : place<true>(sorted, n, std::numeric_limits<Compute<T>>::infinity());
  return right ? place<true>(sorted, n, v) : place<false>(sorted, n, v);
}

template <class T> void search_row(const T* sorted, int64_t n, const T* x, int64_t m, bool right, int64_t* out) {
  for (int64_t i = 0; i < m; ++i) out[i] = 1 + ordered_place(sorted, n, static_cast<Compute<T>>(x[i]), right);
}

void run_search(const SearchPlan& plan) {
  const int64_t n = plan.n, m = plan.m;
  dispatch(plan.x.dtype(), [&]<class T>(std::type_identity<T>) {
    const T *sorted = plan.sorted.data<T>(), *x = plan.x.data<T>();
    auto* out = plan.out.data<int64_t>();
    parallel_for(plan.x.numel(), 4096, [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end;) {
        const int64_t row = at / m, part = std::min(end, (row + 1) * m) - at;
        search_row(sorted + row * n, n, x + at, part, plan.right, out + at);
        at += part;
      }
    });
  });
}

constexpr Row rows[] = {{&Histc::decl, &plan_histc, kernel<&run_histogram>()},
                        {&Bhistc::decl, &plan_bhistc, kernel<&run_histogram>()},
                        {&Bincount::decl, &plan_bincount, kernel<&run_bincount>()},
                        {&Searchsorted::decl, &plan_searchsorted, kernel<&run_search>()}};

}  // namespace

std::span<const Row> histogram_rows() { return built_rows<rows>(); }

}  // namespace mt::cpu
