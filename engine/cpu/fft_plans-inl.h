// Fourier transforms of a plan: the choice of the method, and the threads. fft_rows-inl.h explains how rows are transformed. Slices that
// are not contiguous are columns of vectors or, if they are long or few, copied to contiguous memory. Included once for each CPU
// instruction set: no include guard.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/cpu/fft_plan.h"
#include "engine/cpu/lane-inl.h"

#include "engine/cpu/first_lanes-inl.h"

#include "engine/cpu/fft_butterflies-inl.h"
#include "engine/cpu/fft_columns-inl.h"
#include "engine/cpu/fft_rows-inl.h"

#include "engine/cpu/fft_any-inl.h"
#include "engine/cpu/fft_real-inl.h"
#include "engine/ops/fft.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

constexpr int64_t grain_of_elements = 16384, longest_columns = 8192;

int64_t grain_of_rows(int64_t n) { return std::max<int64_t>(1, grain_of_elements / n); }

// Transforms rows one after the other.
template <class T> void transform_rows(const FourierPlan& plan) {
  const int64_t n = plan.n, rows = plan.outer, lanes = lanes_of<T>();
  T *const x = plan.x.data<T>(), *const out = plan.out.data<T>();
  const T scale = static_cast<T>(plan.scale);
  if (RowsTogether<T>::suits(n, rows)) {
    const RowsTogether<T> together(n, plan.inverse);
    const int64_t groups = (rows + lanes - 1) / lanes;
    return parallel_for(groups, std::max<int64_t>(1, grain_of_rows(n) / lanes), [&](int64_t begin, int64_t end) {
      const cpu::Elements<T> scratch(together.scratch_elements());
      for (int64_t group = begin; group < end; ++group) {
        const int64_t row = group * lanes;
        together.run(x + 2 * row * n, out + 2 * row * n, std::min(lanes, rows - row), scale, scratch.data());
      }
    });
  }
  const AnyLength<T> transform(n, plan.inverse, true, true);
  if (rows < 2 * num_threads()) {
    for (int64_t row = 0; row < rows; ++row) transform.run_alone({x + 2 * row * n, nullptr, 0}, {out + 2 * row * n, nullptr, 0}, scale);
    return;
  }
  parallel_for(rows, grain_of_rows(n), [&](int64_t begin, int64_t end) {
    const cpu::Elements<T> scratch(transform.scratch_elements());
    for (int64_t row = begin; row < end; ++row) {
      T *const from = x + 2 * row * n, *const to = out + 2 * row * n;
      transform.run({from, nullptr, 0}, {to, nullptr, 0}, scale, scratch.data(), {{from + 2 * n, 2 * n}, {to + 2 * n, 2 * n}});
    }
  });
}

// Transforms columns of matrices, in vectors of adjacent ones.
template <class T> void transform_matrices(const FourierPlan& plan) {
  const int64_t n = plan.n, inner = plan.inner, lanes = lanes_of<T>(), blocks = (inner + lanes - 1) / lanes;
  const auto columns = cpu::column_plan<T>(n);
  const T scale = static_cast<T>(plan.scale);
  parallel_for(plan.outer * blocks, std::max<int64_t>(1, grain_of_rows(n) / lanes), [&](int64_t begin, int64_t end) {
    const cpu::Elements<T> scratch(4 * lanes * n);
    for (int64_t block = begin; block < end; ++block) {
      const int64_t column = block % blocks * lanes, at = 2 * (block / blocks * n * inner + column);
      const int64_t count = std::min(lanes, inner - column);
      transform_columns<T>(*columns, {plan.x.data<T>() + at, nullptr, 2 * inner}, count, {plan.out.data<T>() + at, nullptr, 2 * inner},
                           count, plan.inverse, scale, scratch.data());
    }
  });
}

// Copies slices to rows and back, as many at a time as fit into a cache line.
template <class T, class Transform>
void through_rows(const FourierPlan& plan, int64_t from_size, int64_t from_parts, int64_t to_size, int64_t to_parts, Transform transform) {
  const int64_t inner = plan.inner, together = std::min<int64_t>(inner, 64 / static_cast<int64_t>(sizeof(T)) / 2);
  const int64_t groups = (inner + together - 1) / together;
  const auto grain = std::max<int64_t>(1, grain_of_elements / (plan.n * together));
  parallel_for(plan.outer * groups, grain, [&](int64_t begin, int64_t end) {
    const cpu::Elements<T> from(together * from_size * from_parts), to(together * to_size * to_parts);
    for (int64_t group = begin; group < end; ++group) {
      const int64_t outer = group / groups, first = group % groups * together, count = std::min(together, inner - first);
      const T* const x = plan.x.data<T>() + (outer * from_size * inner + first) * from_parts;
      T* const out = plan.out.data<T>() + (outer * to_size * inner + first) * to_parts;
      for (int64_t j = 0; j < from_size; ++j) {
        for (int64_t i = 0; i < count; ++i)
          std::copy_n(x + (j * inner + i) * from_parts, from_parts, from.data() + (i * from_size + j) * from_parts);
      }
      for (int64_t i = 0; i < count; ++i) transform(from.data() + i * from_size * from_parts, to.data() + i * to_size * to_parts);
      for (int64_t j = 0; j < to_size; ++j) {
        for (int64_t i = 0; i < count; ++i)
          std::copy_n(to.data() + (i * to_size + j) * to_parts, to_parts, out + (j * inner + i) * to_parts);
      }
    }
  });
}

template <class T> void complex_as(const FourierPlan& plan) {
  if (plan.inner == 1) return transform_rows<T>(plan);
  if (plan.n <= longest_columns && 2 * plan.inner >= lanes_of<T>() && cpu::has_small_factors(plan.n)) return transform_matrices<T>(plan);
  const AnyLength<T> transform(plan.n, plan.inverse, true, true);
  through_rows<T>(plan, plan.n, 2, plan.n, 2, [&](T* from, T* to) {
    transform.run_alone({from, nullptr, 0}, {to, nullptr, 0}, static_cast<T>(plan.scale));
  });
}

template <class T> void from_real_as(const FourierPlan& plan) {
  const int64_t n = plan.n, size = plan.onesided ? n / 2 + 1 : n;
  const FromReal<T> transform(n, plan.onesided, static_cast<T>(plan.scale));
  if (plan.inner > 1) return through_rows<T>(plan, n, 1, size, 2, [&](const T* from, T* to) { transform.run_alone(from, to); });
  transform.run_rows(plan.x.data<T>(), plan.out.data<T>(), plan.outer, grain_of_rows(n));
}

template <class T> void to_real_as(const FourierPlan& plan) {
  const int64_t n = plan.n;
  const ToReal<T> transform(n, static_cast<T>(plan.scale));
  if (plan.inner > 1) return through_rows<T>(plan, n / 2 + 1, 2, n, 1, [&](const T* from, T* to) { transform.run_alone(from, to); });
  transform.run_rows(plan.x.data<T>(), plan.out.data<T>(), plan.outer, grain_of_rows(n));
}

template <class T> void transform_as(const FourierPlan& plan) {
  switch (plan.kind) {
    case FourierKind::complex:
      return complex_as<T>(plan);
    case FourierKind::from_real:
      return from_real_as<T>(plan);
    case FourierKind::to_real:
      return to_real_as<T>(plan);
  }
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
