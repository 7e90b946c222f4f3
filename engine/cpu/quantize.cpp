// The CPU's kernels of conversions between floats and integers of 8 bits.
#include "engine/ops/quantize.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/int8_rows.h"
#include "engine/cpu/int8_table.h"
#include "engine/cpu/linear16.h"
#include "engine/cpu/register.h"

namespace mt::cpu {
namespace {

#include "engine/ops/quantize-inl.h"

constexpr int64_t grain = 32768;

template <class T> struct Scale { T scale, zero; };

// Calls f(first element, count, scale) for runs of elements that share a scale; threads divide them.
template <class T, class F> void each_run(const QuantizedSlices& s, F f) {
  const T* const scales = s.scale.template data<T>();
  const int32_t* const zeros = s.zero ? s.zero.template data<int32_t>() : nullptr;
  const int64_t run = std::max<int64_t>(1, s.inner);
  parallel_for(s.outer * s.slices * s.inner, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end;) {
      const int64_t slice = i / run % s.slices, next = std::min(end, (i / run + 1) * run);
      f(i, next - i, Scale<T>{scales[slice], zeros == nullptr ? T(0) : static_cast<T>(zeros[slice])});
      i = next;
    }
  });
}

// The integer for a number, before bounds.
template <class T> T rounded(T x, const Scale<T>& s) { return std::nearbyint(x / s.scale) + s.zero; }

// NaN becomes the least.
template <class T> T bounded(T v, T least, T most) { return v >= least ? std::min(v, most) : least; }

template <class Q, class T> void quantize_run(const T* x, int64_t count, const Scale<T>& s, Q* q) {
  for (int64_t i = 0; i < count; ++i)
    q[i] = static_cast<Q>(bounded<T>(rounded(x[i], s), std::numeric_limits<Q>::min(), std::numeric_limits<Q>::max()));
}

// Vectors need a small zero point.
template <class Q> void quantize_run(const float* x, int64_t count, const Scale<float>& s, Q* q) {
  if (std::abs(s.zero) > most_int8_zero) return quantize_run<Q, float>(x, count, s, q);
  int8_quantize(x, count, {s.scale, static_cast<int32_t>(s.zero)}, dtype_of<Q>, q);
}

template <class Q, class T> void quantize(const QuantizePlan& plan) {
  each_run<T>(plan.slices, [&](int64_t first, int64_t count, const Scale<T>& s) {
    quantize_run<Q>(plan.x.data<T>() + first, count, s, plan.q.data<Q>() + first);
  });
}

template <class T> void quantize_from(const QuantizePlan& plan) {
  plan.q.dtype() == DType::uint8 ? quantize<uint8_t, T>(plan) : quantize<int8_t, T>(plan);
}

void run_quantize(const QuantizePlan& plan) { plan.x.dtype() == DType::float64 ? quantize_from<double>(plan) : quantize_from<float>(plan); }

template <class Q, class T> void dequantize(const DequantizePlan& plan) {
  const Q* const q = plan.q.data<Q>();
  T* const out = plan.out.data<T>();
  each_run<T>(plan.slices, [&](int64_t first, int64_t count, const Scale<T>& s) {
    if constexpr (sizeof(Q) == 1) {
      for (int64_t i = first; i < first + count; ++i) out[i] = (static_cast<T>(q[i]) - s.zero) * s.scale;
    } else {
      const auto zero = static_cast<int64_t>(s.zero);
      for (int64_t i = first; i < first + count; ++i) out[i] = static_cast<T>(q[i] - zero) * s.scale;
    }
  });
}

template <class Q> void dequantize_to(const DequantizePlan& plan) {
  plan.out.dtype() == DType::float64 ? dequantize<Q, double>(plan) : dequantize<Q, float>(plan);
}

void run_dequantize(const DequantizePlan& plan) {
  switch (plan.q.dtype()) {
    case DType::uint8:
      return dequantize_to<uint8_t>(plan);
    case DType::int8:
      return dequantize_to<int8_t>(plan);
    default:
      return dequantize_to<int32_t>(plan);
  }
}

template <class T> void fake_quantize(const FakeQuantizePlan& plan) {
  const T* const x = plan.x.data<T>();
  const T* const g = plan.g ? plan.g.data<T>() : nullptr;
  T* const out = plan.out.data<T>();
  const T least = static_cast<T>(plan.least), most = static_cast<T>(plan.most);
  each_run<T>(plan.slices, [&](int64_t first, int64_t count, const Scale<T>& s) {
    for (int64_t i = first; i < first + count; ++i) {
      const T q = rounded(x[i], s);
      if (g != nullptr)
        out[i] = q >= least && q <= most ? g[i] : T(0);
      else
        out[i] = (bounded(q, least, most) - s.zero) * s.scale;
    }
  });
}

void run_fake_quantize(const FakeQuantizePlan& plan) {
  plan.out.dtype() == DType::float64 ? fake_quantize<double>(plan) : fake_quantize<float>(plan);
}

void run_int8_map(const Int8MapPlan& plan) {
  const auto* const x = plan.x.data<uint8_t>();
  const unsigned first = plan.x.dtype() == DType::int8 ? 128 : 0;
  by_width(plan.out.dtype(), [&]<class T>(T) {
    T* const out = plan.out.data<T>();
    T values[256];
    for (unsigned i = 0; i < 256; ++i) values[i] = plan.values.data<T>()[i ^ first];
    parallel_for(plan.x.numel(), grain, [&](int64_t begin, int64_t end) {
      if constexpr (sizeof(T) == 1) {
        int8_look_up(x + begin, end - begin, reinterpret_cast<const uint8_t*>(values), reinterpret_cast<uint8_t*>(out + begin));
      } else {
        for (int64_t i = begin; i < end; ++i) out[i] = values[x[i]];
      }
    });
  });
}

constexpr Row rows[] = {{&Quantize::decl, &plan_quantize, kernel<&run_quantize>()},
                        {&Dequantize::decl, &plan_dequantize, kernel<&run_dequantize>()},
                        {&FakeQuantize::decl, &plan_fake_quantize, kernel<&run_fake_quantize>()},
                        {&FakeQuantizeGrad::decl, &plan_fake_quantize_grad, kernel<&run_fake_quantize>()},
                        {&Int8Map::decl, &plan_int8_map, kernel<&run_int8_map>()},
                        {&Linear16::decl, &plan_linear16, kernel<&run_linear16>()}};

}  // namespace

std::span<const Row> quantize_rows() { return built_rows<rows>(); }

}  // namespace mt::cpu
