// Scans go element after element, four cycles each for the addition: rows go in step by eights, columns by vectors, so that this is hidden.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/scan.cpp"
#include <hwy/foreach_target.h>  // must come before what is compiled several times

#include <span>

#include "engine/cpu/lane-inl.h"
#include "engine/cpu/slices.h"
#include "engine/ops/scan.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

#include "engine/ops/scan-inl.h"

template <class T> using ScanAccumulator = std::conditional_t<std::is_integral_v<T>, T, double>;

template <class Op, class T, int count> void scan_together(const T* x, T* out, int64_t n) {
  using A = ScanAccumulator<T>;
  Scalar<A> acc[count];
#pragma GCC unroll 8
  for (int r = 0; r < count; ++r) acc[r] = Scalar<A>(Op::start);
  for (int64_t i = 0; i < n; ++i) {
#pragma GCC unroll 8
    for (int r = 0; r < count; ++r) {
      acc[r] = Op()(acc[r], Scalar<A>(convert_element<A>(x[r * n + i])));
      out[r * n + i] = convert_element<T>(acc[r].v);
    }
  }
}

template <class Op, class T> void scan_each_row(const std::byte* from, std::byte* to, int64_t n, int64_t m) {
  const T* x = reinterpret_cast<const T*>(from);
  T* out = reinterpret_cast<T*>(to);
  int64_t i = 0;
  for (; i + 8 <= m; i += 8) scan_together<Op, T, 8>(x + i * n, out + i * n, n);
  for (; i < m; ++i) scan_together<Op, T, 1>(x + i * n, out + i * n, n);
}

template <class Op, class T> void scan_each_column(const std::byte* from, std::byte* to, int64_t n, int64_t m, int64_t stride) {
  using A = ScanAccumulator<T>;
  A acc[slice_columns];
  std::fill_n(acc, m, static_cast<A>(Op::start));
  for (int64_t row = 0; row < n; ++row) {
    const T* x = reinterpret_cast<const T*>(from + row * stride);
    T* out = reinterpret_cast<T*>(to + row * stride);
    int64_t j = 0;
    if constexpr (std::is_floating_point_v<T>) {
      const hn::ScalableTag<double> d;
      const hn::Rebind<T, decltype(d)> dt;
      const auto lanes = static_cast<int64_t>(hn::Lanes(d));
      for (; j + lanes <= m; j += lanes) {
        Simd<double> v;
        if constexpr (std::is_same_v<T, double>)
          v = Simd<double>(hn::LoadU(d, x + j));
        else
          v = Simd<double>(hn::PromoteTo(d, hn::LoadU(dt, x + j)));
        v = Op()(Simd<double>(hn::LoadU(d, acc + j)), v);
        hn::StoreU(v.v, d, acc + j);
        if constexpr (std::is_same_v<T, double>)
          hn::StoreU(v.v, d, out + j);
        else
          hn::StoreU(hn::DemoteTo(dt, v.v), dt, out + j);
      }
    }
    for (; j < m; ++j) {
      acc[j] = Op()(Scalar<A>(acc[j]), Scalar<A>(convert_element<A>(x[j]))).v;
      out[j] = convert_element<T>(acc[j]);
    }
  }
}

struct ScanLoop {
  // m contiguous rows of n elements, one after the other.
  void (*rows)(const std::byte* x, std::byte* out, int64_t n, int64_t m) = nullptr;
  // n rows `stride` bytes apart, of which m adjacent elements are scanned downward.
  void (*columns)(const std::byte* x, std::byte* out, int64_t n, int64_t m, int64_t stride) = nullptr;
};

using ScanLoops = std::array<ScanLoop, dtype_count>;

template <class Op> inline constexpr ScanLoops scan_loops = by_dtype<ScanLoop>([]<class T>(std::type_identity<T>) -> ScanLoop {
  if constexpr (std::is_same_v<T, bool>)
    return {};
  else
    return {&scan_each_row<Op, T>, &scan_each_column<Op, T>};
});

void run_scan(const ScanPlan& plan, const ScanLoops& loops) {
  const Slices slices(plan.x, plan.dim);
  const ScanLoop& loop = loops[static_cast<size_t>(plan.x.dtype())];
  const int64_t width = size_of(plan.x.dtype());
  const std::byte* from = plan.x.bytes();
  std::byte* to = plan.out.bytes();
  slices.run([&](int64_t first, int64_t m) { loop.rows(from + first * slices.n * width, to + first * slices.n * width, slices.n, m); },
             [&](int64_t at, int64_t m) { loop.columns(from + at * width, to + at * width, slices.n, m, slices.inner * width); });
}

template <class... Op> std::span<const Row> scan_rows_of(List<Op...>) {
  static constexpr Row rows[] = {{&Op::decl, &plan_scan, kernel<&run_scan>(scan_loops<Op>)}...};
  return rows;
}

std::span<const Row> scan_rows() { return scan_rows_of(ScanOps()); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(scan_rows);
namespace cpu {
std::span<const Row> scan_rows() { return HWY_DYNAMIC_DISPATCH(scan_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
