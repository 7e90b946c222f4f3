// The CPU's kernels of norms and variances, for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/reduce_norms.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include "engine/cpu/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

// For each part that fits into the cache: its mean, then its deviations from that; parts are joined by Chan, Golub & LeVeque's formula.
struct MomentLoops {
  static constexpr int64_t part = 8192;         // elements of a run
  static constexpr int64_t half_part = 1024;    // the same for 16-bit floats
  static constexpr int64_t part_bytes = 65536;  // of a block of columns

  static void start(const Accumulators& acc, int64_t m) {
    for (int f = 0; f < 3; ++f) std::fill_n(acc.field<double>(f), m, 0.0);
  }

  static void join(const Accumulators& acc, int64_t i, double mean, double squares, double n) {
    double &mean_before = acc.field<double>(0)[i], &squares_before = acc.field<double>(1)[i], &n_before = acc.field<double>(2)[i];
    if (n == 0) return;
    const double all = n_before + n, delta = mean - mean_before;
    squares_before += squares + delta * delta * (n_before * (n / all));
    mean_before += delta * (n / all);
    n_before = all;
  }

  template <class S> static void take_part(const S* x, int64_t n, const Accumulators& acc, int64_t i) {
    const double mean = fold_run<SumFold, double>(x, n, 0.0) / static_cast<double>(n);
    join(acc, i, mean, fold_run<DeviationsFold, double>(x, n, mean), static_cast<double>(n));
  }

  template <class T>
  static void rows(const ReduceArgs&, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t, const Accumulators& acc) {
    for (int64_t i = 0; i < m; ++i) {
      const T* const run = reinterpret_cast<const T*>(x + i * stride);
      if constexpr (is_16bit_float<T>) {
        float buffer[half_part];
        for (int64_t done = 0; done < n; done += half_part) {
          const int64_t count = std::min(half_part, n - done);
          cpu::widen(buffer, run + done, count);
          take_part(static_cast<const float*>(buffer), count, acc, i);
        }
      } else {
        for (int64_t done = 0; done < n; done += part) take_part(run + done, std::min(part, n - done), acc, i);
      }
    }
  }

  template <class F, class T>
  static void fold_block(const std::byte* x, int64_t n, int64_t m, int64_t stride, double* acc, const double* parameters) {
    if constexpr (is_16bit_float<T>) {
      const auto fold = [&](const std::byte* block, int64_t rows, int64_t step, int64_t columns, int64_t, int64_t column) {
        fold_columns<F, float, double>(block, rows, columns, step, acc + column, parameters == nullptr ? nullptr : parameters + column,
                                       0.0);
      };
      cpu::in_float_blocks(&cpu::widen_elements<T>, x, n, m, stride, fold);
    } else {
      fold_columns<F, T, double>(x, n, m, stride, acc, parameters, 0.0);
    }
  }

  template <class T>
  static void columns(const ReduceArgs&, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t, const Accumulators& acc) {
    alignas(64) double means[cpu::accumulators_block], squares[cpu::accumulators_block];
    const int64_t rows = std::max<int64_t>(8, part_bytes / (m * static_cast<int64_t>(sizeof(T))));
    for (int64_t row = 0; row < n; row += rows) {
      const int64_t count = std::min(rows, n - row);
      std::fill_n(means, m, 0.0);
      std::fill_n(squares, m, 0.0);
      fold_block<SumFold, T>(x + row * stride, count, m, stride, means, nullptr);
      for (int64_t i = 0; i < m; ++i) means[i] /= static_cast<double>(count);
      fold_block<DeviationsFold, T>(x + row * stride, count, m, stride, squares, means);
      for (int64_t i = 0; i < m; ++i) join(acc, i, means[i], squares[i], static_cast<double>(count));
    }
  }

  static void merge(const Accumulators& into, const Accumulators& later, int64_t m) {
    for (int64_t i = 0; i < m; ++i) join(into, i, later.field<double>(0)[i], later.field<double>(1)[i], later.field<double>(2)[i]);
  }

  template <class Result>
  [[gnu::noinline]] static void compute(const ReduceArgs& args, const Accumulators& acc, int64_t m, double* values) {
    const double *const means = acc.field<double>(0), *const squares = acc.field<double>(1);
    for (int64_t i = 0; i < m; ++i) values[i] = Result()(means[i], squares[i], args);
  }

  template <class T, class... Result>
  static void finish(const ReduceArgs& args, const Accumulators& acc, int64_t m, const ReduceOutput* to) {
    double values[cpu::accumulators_block];
    const Accumulators computed{reinterpret_cast<std::byte*>(values), 1};
    ((compute<Result>(args, acc, m, values), finish_plain<double, T>(args, computed, m, to++)), ...);
  }
};

template <class... Result> struct Moments {
  template <class T> static constexpr ReduceLoops loops() {
    return {.fields = 3,
            .results = sizeof...(Result),
            .start = &MomentLoops::start,
            .rows = &MomentLoops::rows<T>,
            .columns = &MomentLoops::columns<T>,
            .merge = &MomentLoops::merge,
            .finish = &MomentLoops::finish<T, Result...>};
  }
};

std::span<const Row> reduce_norms_rows() { return reduce_rows_of(NormOps()); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(reduce_norms_rows);
namespace cpu {
std::span<const Row> reduce_norms_rows() { return HWY_DYNAMIC_DISPATCH(reduce_norms_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
