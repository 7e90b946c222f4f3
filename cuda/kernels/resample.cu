// Resampling, axis by axis: one kernel computes the weights of each element along an axis, another one the weighted sums along lines, one
// thread per element. Sums of bytes are in float64 and rounded after each axis.
#include "engine/ops/resample.h"

#include <algorithm>

#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/layout.h"
#include "cuda/scratch.h"
#include "cuda/value.h"

namespace mt::cuda {

#include "engine/ops/resample-inl.h"

namespace {

// Element i of an axis is the weighted sum of taps[2 i + 1] elements from taps[2 i] on; row i of `width` numbers has the weights.
template <class W> struct WeightsKernel {
  ResampleAxis axis;
  bool adjoint;
  int64_t* taps;
  W* weights;
  int64_t width;

  MT_DEVICE void operator()(Thread& t) const {
    const int64_t n = adjoint ? axis.in : axis.out;
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      const ResampleTaps of = adjoint ? axis.results(i) : axis.taps(i);
      taps[2 * i] = of.first, taps[2 * i + 1] = of.count;
      const double total = adjoint ? 1 : axis.total(i, of);
      for (int64_t k = 0; k < of.count; ++k) {
        const int64_t other = of.first + k;
        const double weight = adjoint ? axis.weight(other, i) / axis.total(other, axis.taps(other)) : axis.weight(i, other) / total;
        weights[i * width + k] = static_cast<W>(weight);
      }
    }
  }
};

// x (outer, in, inner) -> y (outer, out, inner), n elements.
template <class T, class W, class Index> struct AxisKernel {
  const T* x;
  T* y;
  const int64_t* taps;
  const W* weights;
  int64_t width, in;
  Index out, inner, n;

  MT_DEVICE void operator()(Thread& t) const {
    for (Index i = static_cast<Index>(t.global_index()); i < n; i += static_cast<Index>(t.global_threads())) {
      const Index line = i / inner, k = line % out;
      const T* const from = x + (line / out * in + taps[2 * k]) * inner + i % inner;
      W sum = 0;
      for (int64_t j = 0; j < taps[2 * k + 1]; ++j) sum += weights[k * width + j] * static_cast<W>(from[j * inner]);
      if constexpr (std::is_same_v<T, uint8_t>)
        y[i] = static_cast<T>(sum + W(0.5) < 0 ? W(0) : sum + W(0.5) > 255 ? W(255) : sum + W(0.5));
      else
        y[i] = sum;
    }
  }
};

template <class T> struct PickKernel {
  const T* x;
  T* y;
  ResampleAxis down, across;
  int64_t n;

  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      const int64_t line = i / across.out, image = line / down.out;
      y[i] = x[(image * down.in + down.taps(line % down.out).first) * across.in + across.taps(i % across.out).first];
    }
  }
};

template <class T> struct RoundKernel {
  T* y;
  T least, most;
  int64_t n;

  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      const T v = ::floor(y[i] + T(0.5));
      y[i] = v > least ? v < most ? v : most : least;
    }
  }
};

// The sizes of an axis, in the order in which a call resamples them.
struct Direction {
  ResampleAxis axis;
  bool adjoint;
  int64_t in() const { return adjoint ? axis.out : axis.in; }
  int64_t out() const { return adjoint ? axis.in : axis.out; }
  int64_t width() const {
    int64_t most = 1;
    for (int64_t i = 0; i < out(); ++i) most = std::max(most, (adjoint ? axis.results(i) : axis.taps(i)).count);
    return most;
  }
};

template <class T> void run_axis(const Direction& along, int64_t outer, int64_t inner, const T* x, T* y) {
  using W = std::conditional_t<std::is_same_v<T, float>, float, double>;
  const Stream stream = op_stream();
  const int64_t width = along.width(), n = outer * along.out() * inner;
  const Scratch<int64_t> taps(stream, 2 * along.out());
  const Scratch<W> weights(stream, width * along.out());
  launch_each(stream, along.out(), WeightsKernel<W>{along.axis, along.adjoint, taps.data(), weights.data(), width});
  count_by_index(n, [&]<class Index>(Index count) {
    launch_each(stream, n,
                AxisKernel<T, W, Index>{x, y, taps.data(), weights.data(), width, along.in(), static_cast<Index>(along.out()),
                                        static_cast<Index>(inner), count});
  });
}

template <class T> void run_axes(const ResamplePlan& plan) {
  const Direction down{plan.down, plan.adjoint}, across{plan.across, plan.adjoint};
  const T* const x = elements<T>(plan.x);
  T* const y = elements<T>(plan.y);
  const auto go_down = [&](const T* from, T* to, int64_t width) { run_axis(down, plan.planes, width, from, to); };
  const auto go_across = [&](const T* from, T* to, int64_t height) { run_axis(across, plan.planes * height, 1, from, to); };
  if (down.axis.is_identity()) return go_across(x, y, down.out());
  if (across.axis.is_identity()) return go_down(x, y, across.out());
  const bool down_first = std::is_same_v<T, uint8_t> ? plan.rounds_down_first() : down.out() <= down.in();
  const Scratch<T> between(op_stream(), plan.planes * (down_first ? down.out() * across.in() : down.in() * across.out()));
  if (down_first) {
    go_down(x, between.data(), across.in());
    go_across(between.data(), y, down.out());
  } else {
    go_across(x, between.data(), down.in());
    go_down(between.data(), y, across.out());
  }
}

void run_resample(const ResamplePlan& plan) {
  const int64_t n = plan.y.numel();
  if ((plan.down.is_identity() && plan.across.is_identity()) || (plan.down.filter == Filter::nearest && !plan.adjoint)) {
    ResampleAxis down = plan.down, across = plan.across;
    down.filter = across.filter = Filter::nearest;
    return by_width(size_of(plan.x.dtype()), [&]<class T>(T) {
      launch_each(op_stream(), n, PickKernel<T>{elements<T>(plan.x), elements<T>(plan.y), down, across, n});
    });
  }
  if (plan.x.dtype() == DType::uint8) return run_axes<uint8_t>(plan);
  (plan.x.dtype() == DType::float32 ? run_axes<float> : run_axes<double>)(plan);
  if (plan.whole.rounds) launch_each(op_stream(), n, RoundKernel<double>{elements<double>(plan.y), plan.whole.least, plan.whole.most, n});
}

}  // namespace

KernelRows resample_rows() {
  static constexpr KernelRow rows[] = {{Resample::decl.name, kernel<&run_resample>()}, {ResampleGrad::decl.name, kernel<&run_resample>()}};
  return rows;
}

}  // namespace mt::cuda
