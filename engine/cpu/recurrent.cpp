// Loops of recurrent cells: each element of the state needs its gates' elements, one row apart each, and gives its own; nothing is read
// twice.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/recurrent.cpp"
#include <hwy/foreach_target.h>  // must come before what is compiled several times

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/cpu/lane-inl.h"

#include "engine/cpu/first_lanes-inl.h"
#include "engine/ops/recurrent.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

constexpr int64_t grain_of_values = 4096;

// Calls f(row, j, count) for the vectors of all rows of `size` elements.
template <class T, class F> void each_row(int64_t batch, int64_t size, F f) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(typename Simd<T>::D()));
  parallel_for(batch, std::max<int64_t>(1, grain_of_values / size), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t j = 0;
      for (; j + lanes <= size; j += lanes) f(row, j, lanes);
      if (j < size) f(row, j, size - j);
    }
  });
}

template <class T> MT_FN Simd<T> squash(Simd<T> x) { return Simd<T>(1) / (Simd<T>(1) + exp(Simd<T>(0) - x)); }

// tanh by one exp of what is not above 0: a few epsilons of 1, where the function of its own is exact for small x, too, and five times as
// slow.
template <class T> MT_FN Simd<T> quick_tanh(Simd<T> x) {
  const Simd<T> e = exp(abs(x) * Simd<T>(-2));
  return copysign((Simd<T>(1) - e) / (Simd<T>(1) + e), x);
}

template <class T> const T* as(const std::byte* p) { return reinterpret_cast<const T*>(p); }
template <class T> T* as(std::byte* p) { return reinterpret_cast<T*>(p); }

template <class T> void lstm_as(const LstmForward& o) {
  using V = Simd<T>;
  const int64_t m = o.size;
  each_row<T>(o.batch, m, [&](int64_t row, int64_t j, int64_t count) {
    const T* const x = as<T>(o.x) + row * 4 * m + j;
    T* const gates = as<T>(o.gates) + row * 4 * m + j;
    const int64_t at = row * m + j;
    const V i = squash(load_some(x, count)), f = squash(load_some(x + m, count)), g = quick_tanh(load_some(x + 2 * m, count)),
            out = squash(load_some(x + 3 * m, count));
    const V c = f * load_some(as<T>(o.c0) + at, count) + i * g;
    store_some(i, gates, count);
    store_some(f, gates + m, count);
    store_some(g, gates + 2 * m, count);
    store_some(out, gates + 3 * m, count);
    store_some(c, as<T>(o.c) + at, count);
    store_some(out * quick_tanh(c), as<T>(o.h) + at, count);
  });
}

template <class T> void lstm_grad_as(const LstmBackward& o) {
  using V = Simd<T>;
  const int64_t m = o.size;
  each_row<T>(o.batch, m, [&](int64_t row, int64_t j, int64_t count) {
    const T* const gates = as<T>(o.gates) + row * 4 * m + j;
    T* const gx = as<T>(o.gx) + row * 4 * m + j;
    const int64_t at = row * m + j;
    const V one(1), i = load_some(gates, count), f = load_some(gates + m, count), g = load_some(gates + 2 * m, count),
                    out = load_some(gates + 3 * m, count);
    const V gh = o.gh ? load_some(as<T>(o.gh) + at, count) : V(0), t = quick_tanh(load_some(as<T>(o.c) + at, count));
    V gc = gh * out * (one - t * t);
    if (o.gc) gc = gc + load_some(as<T>(o.gc) + at, count);
    store_some(gc * g * i * (one - i), gx, count);
    store_some(gc * load_some(as<T>(o.c0) + at, count) * f * (one - f), gx + m, count);
    store_some(gc * i * (one - g * g), gx + 2 * m, count);
    store_some(gh * t * out * (one - out), gx + 3 * m, count);
    store_some(gc * f, as<T>(o.gc0) + at, count);
  });
}

template <class T> void gru_as(const GruForward& o) {
  using V = Simd<T>;
  const int64_t m = o.size;
  each_row<T>(o.batch, m, [&](int64_t row, int64_t j, int64_t count) {
    const T *const x = as<T>(o.x) + row * 3 * m + j, *const y = as<T>(o.y) + row * 3 * m + j;
    T* const gates = as<T>(o.gates) + row * 3 * m + j;
    const V r = squash(load_some(x, count) + load_some(y, count)), z = squash(load_some(x + m, count) + load_some(y + m, count));
    const V n = quick_tanh(load_some(x + 2 * m, count) + r * load_some(y + 2 * m, count));
    store_some(r, gates, count);
    store_some(z, gates + m, count);
    store_some(n, gates + 2 * m, count);
    store_some(n + z * (load_some(as<T>(o.h0) + row * m + j, count) - n), as<T>(o.h) + row * m + j, count);
  });
}

template <class T> void gru_grad_as(const GruBackward& o) {
  using V = Simd<T>;
  const int64_t m = o.size;
  each_row<T>(o.batch, m, [&](int64_t row, int64_t j, int64_t count) {
    const int64_t at = row * 3 * m + j;
    const T *const gates = as<T>(o.gates) + at, *const y = as<T>(o.y) + at;
    T *const gx = as<T>(o.gx) + at, *const gy = as<T>(o.gy) + at;
    const V one(1), g = load_some(as<T>(o.g) + row * m + j, count), h0 = load_some(as<T>(o.h0) + row * m + j, count);
    const V r = load_some(gates, count), z = load_some(gates + m, count), n = load_some(gates + 2 * m, count);
    const V gn = g * (one - z) * (one - n * n), gr = gn * load_some(y + 2 * m, count) * r * (one - r), gz = g * (h0 - n) * z * (one - z);
    store_some(gr, gx, count);
    store_some(gz, gx + m, count);
    store_some(gn, gx + 2 * m, count);
    store_some(gr, gy, count);
    store_some(gz, gy + m, count);
    store_some(gn * r, gy + 2 * m, count);
    store_some(g * z, as<T>(o.gh0) + row * m + j, count);
  });
}

void lstm(DType dtype, const LstmForward& o) { (dtype == DType::float32 ? lstm_as<float> : lstm_as<double>)(o); }
void lstm_grad(DType dtype, const LstmBackward& o) { (dtype == DType::float32 ? lstm_grad_as<float> : lstm_grad_as<double>)(o); }
void gru(DType dtype, const GruForward& o) { (dtype == DType::float32 ? gru_as<float> : gru_as<double>)(o); }
void gru_grad(DType dtype, const GruBackward& o) { (dtype == DType::float32 ? gru_grad_as<float> : gru_grad_as<double>)(o); }

}  // namespace

const RecurrentKernels* recurrent_kernels() {
  static constexpr RecurrentKernels kernels{&lstm, &lstm_grad, &gru, &gru_grad};
  return &kernels;
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/kernel_rows.h"
#include "engine/cpu/register.h"

namespace mt {
#include "engine/ops/recurrent-inl.h"

HWY_EXPORT(recurrent_kernels);

namespace cpu {
std::span<const Row> recurrent_rows() { return rows_with(HWY_DYNAMIC_DISPATCH(recurrent_kernels)(), RecurrentOps()); }

}  // namespace cpu
}  // namespace mt
#endif
