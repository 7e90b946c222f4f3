// The CPU's kernels of resampling. Each axis is a weighted sum of neighbouring lines, with weights that are computed once per call. For the
// vertical axis, vectors go along the lines. For the horizontal axis, lines are transposed, a cache line of them at a time, so that the
// same loop processes them, and transposed back: no gathers, no sums within a vector. Threads divide an image into bands; a band's lines
// stay in the second-level cache between the axes. Floats start with the vertical axis if that leaves less to transpose, bytes as the plan
// says, since they are rounded in between; their weights are integers of 16 bits, products of pairs of lines are added in 32.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/resample.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <optional>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/transpose.h"
#include "engine/cpu/weighted_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

// An axis whose elements have two taps at most: float32 lines are resampled without a transposition, as a gather of 64 bits loads both
// taps. Plain bilinear interpolation of 3 x 1080 x 1920 to 256 x 455 then takes two thirds of the time.
class PairsOfTaps {
 public:
  explicit PairsOfTaps(const AxisWeights<float>& axis) : n_(axis.out()) {
    const hn::ScalableTag<float> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    room_ = (n_ + lanes - 1) / lanes * lanes;
    places_ = Tensor::empty(DType::int64, {room_});
    weights_ = Tensor::empty(DType::float32, {2 * room_});
    for (int64_t i = 0; i < room_; ++i) {
      const int64_t from = std::min(i, n_ - 1), first = std::min(axis.first(from), axis.in() - 2), skipped = axis.first(from) - first;
      float pair[2] = {};
      for (int64_t k = 0; k < axis.count(from); ++k) pair[skipped + k] = axis.weights(from)[k];
      places_.data<int64_t>()[i] = first * static_cast<int64_t>(sizeof(float));
      weights_.data<float>()[i] = pair[0], weights_.data<float>()[room_ + i] = pair[1];
    }
  }

  // Processors with narrower vectors have no gathers.
  static bool fit(const AxisWeights<float>& axis) {
    return HWY_MAX_BYTES >= 32 && !axis.is_identity() && axis.width() <= 2 && axis.in() >= 2;
  }

  void run(const float* from, float* to) const {
    const hn::ScalableTag<float> d;
    const hn::Repartition<int64_t, decltype(d)> pairs;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d)), half = lanes / 2;
    const int64_t* const places = places_.data<int64_t>();
    const float *const left = weights_.data<float>(), *const right = left + room_;
    const auto* const base = reinterpret_cast<const int64_t*>(from);
    const auto at = [&](int64_t i) HWY_ATTR {
      const auto a = hn::BitCast(d, hn::GatherOffset(pairs, base, hn::LoadU(pairs, places + i)));
      const auto b = hn::BitCast(d, hn::GatherOffset(pairs, base, hn::LoadU(pairs, places + i + half)));
      const auto first = hn::Mul(hn::LoadU(d, left + i), hn::ConcatEven(d, b, a));
      return hn::MulAdd(hn::LoadU(d, right + i), hn::ConcatOdd(d, b, a), first);
    };
    int64_t i = 0;
    for (; i + lanes <= n_; i += lanes) hn::StoreU(at(i), d, to + i);
    if (i == n_) return;
    HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(at(i), d, rest);
    std::copy_n(rest, n_ - i, to + i);
  }

 private:
  int64_t n_, room_;
  Tensor places_, weights_;
};

constexpr int64_t line_bytes = 64;
template <class T> constexpr int64_t lines_turned = line_bytes / sizeof(T);

// The state of a thread that resamples images of one call.
template <class T> class Resampler {
 public:
  Resampler(const ResamplePlan& plan, const AxisWeights<T>& down, const AxisWeights<T>& across, int64_t most_between)
      : down_(down), across_(across), x_(plan.x.data<T>()), y_(plan.y.data<T>()) {
    if constexpr (std::is_same_v<T, float>) {
      if (PairsOfTaps::fit(across)) pairs_.emplace(across);
    }
    if (!across.is_identity() && !pairs_) {
      side_ = Tensor::empty(dtype_of<T>, {across.in() * lines_turned<T>});
      turned_ = Tensor::empty(dtype_of<T>, {across.out() * lines_turned<T>});
    }
    if (most_between > 0) between_ = Tensor::empty(dtype_of<T>, {most_between});
  }

  // Computes lines first to last of an image's result.
  void run(int64_t image, int64_t first, int64_t last, bool down_first) const {
    const Lines<const T> x{x_ + image * down_.in() * across_.in(), across_.in()};
    const Lines<T> y{y_ + image * down_.out() * across_.out(), across_.out()};
    if (down_.is_identity()) return stretch({x[first], x.step}, {y[first], y.step}, last - first);
    if (across_.is_identity()) return squeeze(x, 0, y, first, last);
    if (down_first) {
      const int64_t together = pairs_ ? 1 : lines_turned<T>;
      for (int64_t i = first; i < last; i += together) {
        const int64_t end = std::min(last, i + together);
        const Lines<T> lines{between_.data<T>() - i * across_.in(), across_.in()};
        squeeze(x, 0, lines, i, end);
        stretch({lines[i], lines.step}, {y[i], y.step}, end - i);
      }
    } else {
      const int64_t top = down_.first(first);
      const Lines<T> lines{between_.data<T>(), across_.out()};
      stretch({x[top], x.step}, lines, down_.end(last - 1) - top);
      squeeze({lines.first, lines.step}, top, y, first, last);
    }
  }

 private:
  // Computes lines first to last of `to` from lines of which `top` is the first.
  void squeeze(const Lines<const T>& from, int64_t top, const Lines<T>& to, int64_t first, int64_t last) const {
    for (int64_t i = first; i < last; ++i) combine({from[down_.first(i) - top], from.step}, down_, i, to[i], from.step);
  }

  // Resamples each of n lines along the line.
  void stretch(const Lines<const T>& from, const Lines<T>& to, int64_t n) const {
    if (across_.is_identity()) {
      for (int64_t i = 0; i < n; ++i) std::copy_n(from[i], across_.in(), to[i]);
      return;
    }
    if constexpr (std::is_same_v<T, float>) {
      if (pairs_) {
        for (int64_t i = 0; i < n; ++i) pairs_->run(from[i], to[i]);
        return;
      }
    }
    constexpr int64_t most = lines_turned<T>;
    for (int64_t i = 0; i < n; i += most) {
      const int64_t lines = std::min(most, n - i);
      turn(side_.data<T>(), most, from[i], from.step, across_.in(), lines);
      const Lines<const T> side{side_.data<T>(), most};
      for (int64_t k = 0; k < across_.out(); ++k)
        combine({side[across_.first(k)], side.step}, across_, k, turned_.data<T>() + k * most, lines);
      turn(to[i], to.step, turned_.data<T>(), most, lines, across_.out());
    }
  }

  // Transposes: rows of `to` are columns of `from`.
  static void turn(T* to, int64_t to_step, const T* from, int64_t from_step, int64_t rows, int64_t columns) {
    constexpr int64_t size = sizeof(T);
    cpu::transpose({reinterpret_cast<std::byte*>(to), to_step * size, reinterpret_cast<const std::byte*>(from), from_step * size, rows,
                    columns, size, false});
  }

  const AxisWeights<T>&down_, &across_;
  const T* x_;
  T* y_;
  std::optional<PairsOfTaps> pairs_;
  Tensor side_, turned_, between_;
};

// The number of lines of the result per task, and the number of elements between the axes.
template <class T> struct Bands {
  bool down_first;
  int64_t lines, between = 0;

  Bands(const ResamplePlan& plan, const AxisWeights<T>& down, const AxisWeights<T>& across)
      : down_first(std::is_integral_v<T> ? plan.rounds_down_first() : down.out() <= down.in()) {
    const bool both = !down.is_identity() && !across.is_identity();
    if (!both || down_first) {
      lines = lines_turned<T>;
      if (both) between = lines * across.in();
      return;
    }
    // Lines that two bands need are resampled twice: so bands are as large as the cache allows, but enough to keep all threads busy.
    constexpr int64_t cache = 1 << 19;
    const int threads = num_threads();
    const int64_t bands = plan.planes % threads == 0 || plan.planes >= 4 * threads ? 1 : threads;
    lines = (down.out() + bands - 1) / bands;
    while (lines > 1 && most_lines(down) * across.out() * static_cast<int64_t>(sizeof(T)) > cache) lines = (lines + 1) / 2;
    between = most_lines(down) * across.out();
  }

 private:
  // The most lines of x that a band reads.
  int64_t most_lines(const AxisWeights<T>& down) const {
    int64_t most = 0;
    for (int64_t i = 0; i < down.out(); i += lines) most = std::max(most, down.end(std::min(i + lines, down.out()) - 1) - down.first(i));
    return most;
  }
};

template <class T> void resample_as(const ResamplePlan& plan) {
  const AxisWeights<T> down(plan.down, plan.adjoint), across(plan.across, plan.adjoint);
  const Bands<T> bands(plan, down, across);
  const int64_t in_image = (down.out() + bands.lines - 1) / bands.lines;
  const int64_t work = bands.lines * (across.in() * down.width() + across.out() * across.width());
  parallel_for(plan.planes * in_image, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, work)), [&](int64_t begin, int64_t end) {
    const Resampler<T> resampler(plan, down, across, bands.between);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % in_image * bands.lines;
      resampler.run(i / in_image, first, std::min(first + bands.lines, down.out()), bands.down_first);
    }
  });
}

}  // namespace

void resample_images(const ResamplePlan& plan) {
  if (plan.x.dtype() == DType::uint8) return resample_as<uint8_t>(plan);
  (plan.x.dtype() == DType::float32 ? resample_as<float> : resample_as<double>)(plan);
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"
#include "engine/cpu/whole.h"

namespace mt {
#include "engine/ops/resample-inl.h"

HWY_EXPORT(resample_images);

namespace cpu {
namespace {

// Each element of the result is an element of x: equal lines of the result are copied.
template <class W> void pick(const ResamplePlan& plan) {
  const ResampleAxis &down = plan.down, &across = plan.across;
  const Tensor places = Tensor::empty(DType::int64, {across.out});
  auto* const place = places.data<int64_t>();
  for (int64_t k = 0; k < across.out; ++k) place[k] = across.taps(k).first;
  const int64_t grain = std::max<int64_t>(1, 32768 / across.out);
  parallel_for(plan.planes * down.out, grain, [&](int64_t begin, int64_t end) {
    int64_t last = -1;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t line = i / down.out * down.in + down.taps(i % down.out).first;
      const W* const from = plan.x.data<W>() + line * across.in;
      W* const to = plan.y.data<W>() + i * across.out;
      if (line == last) {
        std::copy_n(to - across.out, across.out, to);
      } else {
        for (int64_t k = 0; k < across.out; ++k) to[k] = from[place[k]];
      }
      last = line;
    }
  });
}

void run_resample(const ResamplePlan& plan) {
  if (plan.down.filter == Filter::nearest && !plan.adjoint)
    by_width(size_of(plan.x.dtype()), [&]<class W>(W) { pick<W>(plan); });
  else
    HWY_DYNAMIC_DISPATCH(resample_images)(plan);
  round_whole(plan.y, plan.whole);
}

constexpr Row rows[] = {{&Resample::decl, &plan_resample, kernel<&run_resample>()},
                        {&ResampleGrad::decl, &plan_resample_grad, kernel<&run_resample>()}};

}  // namespace

std::span<const Row> resample_rows() { return built_rows<rows>(); }

}  // namespace cpu
}  // namespace mt
#endif
