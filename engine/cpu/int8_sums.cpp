// Sums and means of 8-bit integers: the same operations in the same order for all instruction sets, each rounded once (CMakeLists.txt
// forbids this file fused ones).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/int8_sums.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "engine/core/parallel.h"
#include "engine/cpu/int8_sums.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#include "engine/cpu/int8_store-inl.h"

// The first elements of a vector, of which the others are 0.
template <class T> HWY_INLINE hn::Vec<Integers> load_first(const T* from, size_t count) {
  const hn::Rebind<T, Integers> narrow;
  HWY_ALIGN T all[hn::MaxLanes(narrow)] = {};
  std::copy_n(from, count, all);
  return hn::PromoteTo(Integers(), hn::Load(narrow, all));
}

template <class T> HWY_INLINE hn::Vec<Integers> load(const T* from) {
  return hn::PromoteTo(Integers(), hn::LoadU(hn::Rebind<T, Integers>(), from));
}

template <class T> HWY_INLINE void store_first(hn::Vec<Floats> v, int32_t zero, size_t count, T* to) {
  HWY_ALIGN T all[hn::MaxLanes(Floats())];
  store_floats(v, zero, all);
  std::copy_n(all, count, to);
}

HWY_INLINE hn::Vec<Floats> scaled(hn::Vec<Integers> q, int32_t zero, float scale) {
  return hn::Mul(hn::ConvertTo(Floats(), hn::Sub(q, hn::Set(Integers(), zero))), hn::Set(Floats(), scale));
}

template <class X, class Y, class T> void add(const Int8AddPlan& plan, int64_t begin, int64_t end) {
  const X* const x = plan.x.x.data<X>();
  const Y* const y = plan.y.x.data<Y>();
  T* const out = plan.out.data<T>();
  const float x_scale = plan.x.scale, y_scale = plan.y.scale;
  const int32_t x_zero = plan.x.zero, y_zero = plan.y.zero, out_zero = static_cast<int32_t>(plan.out_zero);
  const auto lanes = static_cast<int64_t>(hn::Lanes(Floats()));
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes)
    store_floats(hn::Add(scaled(load(x + i), x_zero, x_scale), scaled(load(y + i), y_zero, y_scale)), out_zero, out + i);
  if (i == end) return;
  const auto rest = static_cast<size_t>(end - i);
  store_first(hn::Add(scaled(load_first(x + i, rest), x_zero, x_scale), scaled(load_first(y + i, rest), y_zero, y_scale)), out_zero, rest,
              out + i);
}

// The means of a window for all channels. A sum of x - zero is one of x, minus zero for each element.
template <class X, class T> void mean_of_window(const Int8AvgPoolPlan& plan, int64_t image, int64_t row, int64_t column) {
  const PoolAxis &h = plan.shape.h, &w = plan.shape.w;
  const int64_t channels = plan.shape.channels, top = row * h.stride - h.pad, left = column * w.stride - w.pad;
  const PoolRange rows = h.taps(top), columns = w.taps(left);
  const auto elements = static_cast<float>(h.counted(row, plan.count_pad) * w.counted(column, plan.count_pad));
  const float factor = plan.x.scale / elements;
  const auto offset = static_cast<int32_t>(rows.count() * columns.count() * plan.x.zero);
  const X* const from = plan.x.x.data<X>() + ((image * h.size + top) * w.size + left) * channels;
  T* const to = plan.y.data<T>() + ((image * h.out + row) * w.out + column) * channels;
  const auto out_zero = static_cast<int32_t>(plan.out_zero);
  const auto total = [&](int64_t c, auto load_at) HWY_ATTR {
    auto sum = hn::Set(Integers(), -offset);
    for (int64_t ky = rows.first; ky < rows.last; ++ky) {
      for (int64_t kx = columns.first; kx < columns.last; ++kx) sum = hn::Add(sum, load_at(from + (ky * w.size + kx) * channels + c));
    }
    return hn::Mul(hn::ConvertTo(Floats(), sum), hn::Set(Floats(), factor));
  };
  const auto lanes = static_cast<int64_t>(hn::Lanes(Floats()));
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes) store_floats(total(c, [](const X* at) HWY_ATTR { return load(at); }), out_zero, to + c);
  if (c == channels) return;
  const auto rest = static_cast<size_t>(channels - c);
  store_first(total(c, [rest](const X* at) HWY_ATTR { return load_first(at, rest); }), out_zero, rest, to + c);
}

template <class X, class T> void means(const Int8AvgPoolPlan& plan, int64_t begin, int64_t end) {
  const int64_t of_row = plan.shape.w.out, of_image = plan.shape.h.out * of_row;
  for (int64_t i = begin; i < end; ++i) mean_of_window<X, T>(plan, i / of_image, i % of_image / of_row, i % of_row);
}

// Calls f with an element of the dtype of integers, or of a result.
template <class F> void by_integer(DType dtype, F f) { dtype == DType::uint8 ? f(uint8_t{}) : f(int8_t{}); }
template <class F> void by_result(DType dtype, F f) { dtype == DType::float32 ? f(float{}) : by_integer(dtype, f); }

void add_part(const Int8AddPlan& plan, int64_t begin, int64_t end) {
  by_integer(plan.x.x.dtype(), [&]<class X>(X) {
    by_integer(plan.y.x.dtype(), [&]<class Y>(Y) { by_result(plan.out.dtype(), [&]<class T>(T) { add<X, Y, T>(plan, begin, end); }); });
  });
}

void means_part(const Int8AvgPoolPlan& plan, int64_t begin, int64_t end) {
  by_integer(plan.x.x.dtype(), [&]<class X>(X) { by_result(plan.y.dtype(), [&]<class T>(T) { means<X, T>(plan, begin, end); }); });
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(add_part);
HWY_EXPORT(means_part);

namespace cpu {

void run_int8_add(const Int8AddPlan& plan) {
  parallel_for(plan.out.numel(), 32768, [&](int64_t begin, int64_t end) { HWY_DYNAMIC_DISPATCH(add_part)(plan, begin, end); });
}

void run_int8_avg_pool(const Int8AvgPoolPlan& plan) {
  const PoolShape& s = plan.shape;
  const int64_t of_window = s.channels * s.h.kernel * s.w.kernel;
  parallel_for(s.planes * s.h.out * s.w.out, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, of_window)),
               [&](int64_t begin, int64_t end) {
                 HWY_DYNAMIC_DISPATCH(means_part)
                 (plan, begin, end);
               });
}

}  // namespace cpu
}  // namespace mt
#endif
