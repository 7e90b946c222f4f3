// The CPU's kernels of recurrent cells: each element of the state needs its gates' elements, one row apart each, and gives its own; nothing
// is read twice.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/recurrent.cpp"
#include <hwy/foreach_target.h>  // must come before what is compiled several times

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/cpu/functions-inl.h"

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

template <class T> void lstm_as(const LstmPlan& plan) {
  using V = Simd<T>;
  const int64_t m = plan.size;
  const T *const all_x = plan.x.data<T>(), *const c0 = plan.c0.data<T>();
  T *const all_gates = plan.gates.data<T>(), *const all_c = plan.c.data<T>(), *const h = plan.h.data<T>();
  each_row<T>(plan.batch, m, [&](int64_t row, int64_t j, int64_t count) {
    const T* const x = all_x + row * 4 * m + j;
    T* const gates = all_gates + row * 4 * m + j;
    const int64_t at = row * m + j;
    const V i = squash(load_some(x, count)), f = squash(load_some(x + m, count)), g = quick_tanh(load_some(x + 2 * m, count)),
            out = squash(load_some(x + 3 * m, count));
    const V c = f * load_some(c0 + at, count) + i * g;
    store_some(i, gates, count);
    store_some(f, gates + m, count);
    store_some(g, gates + 2 * m, count);
    store_some(out, gates + 3 * m, count);
    store_some(c, all_c + at, count);
    store_some(out * quick_tanh(c), h + at, count);
  });
}

template <class T> void lstm_grad_as(const LstmGradPlan& plan) {
  using V = Simd<T>;
  const int64_t m = plan.size;
  const T *const all_gates = plan.gates.data<T>(), *const c0 = plan.c0.data<T>(), *const c = plan.c.data<T>();
  const T *const all_gh = plan.gh.data<T>(), *const all_gc = plan.gc.data<T>();
  T *const all_gx = plan.gx.data<T>(), *const gc0 = plan.gc0.data<T>();
  each_row<T>(plan.batch, m, [&](int64_t row, int64_t j, int64_t count) {
    const T* const gates = all_gates + row * 4 * m + j;
    T* const gx = all_gx + row * 4 * m + j;
    const int64_t at = row * m + j;
    const V one(1), i = load_some(gates, count), f = load_some(gates + m, count), g = load_some(gates + 2 * m, count),
                    out = load_some(gates + 3 * m, count);
    const V gh = all_gh ? load_some(all_gh + at, count) : V(0), t = quick_tanh(load_some(c + at, count));
    V gc = gh * out * (one - t * t);
    if (all_gc) gc = gc + load_some(all_gc + at, count);
    store_some(gc * g * i * (one - i), gx, count);
    store_some(gc * load_some(c0 + at, count) * f * (one - f), gx + m, count);
    store_some(gc * i * (one - g * g), gx + 2 * m, count);
    store_some(gh * t * out * (one - out), gx + 3 * m, count);
    store_some(gc * f, gc0 + at, count);
  });
}

template <class T> void gru_as(const GruPlan& plan) {
  using V = Simd<T>;
  const int64_t m = plan.size;
  const T *const all_x = plan.x.data<T>(), *const all_y = plan.y.data<T>(), *const h0 = plan.h0.data<T>();
  T *const all_gates = plan.gates.data<T>(), *const h = plan.h.data<T>();
  each_row<T>(plan.batch, m, [&](int64_t row, int64_t j, int64_t count) {
    const T *const x = all_x + row * 3 * m + j, *const y = all_y + row * 3 * m + j;
    T* const gates = all_gates + row * 3 * m + j;
    const V r = squash(load_some(x, count) + load_some(y, count)), z = squash(load_some(x + m, count) + load_some(y + m, count));
    const V n = quick_tanh(load_some(x + 2 * m, count) + r * load_some(y + 2 * m, count));
    store_some(r, gates, count);
    store_some(z, gates + m, count);
    store_some(n, gates + 2 * m, count);
    store_some(n + z * (load_some(h0 + row * m + j, count) - n), h + row * m + j, count);
  });
}

template <class T> void gru_grad_as(const GruGradPlan& plan) {
  using V = Simd<T>;
  const int64_t m = plan.size;
  const T *const all_gates = plan.gates.data<T>(), *const all_y = plan.y.data<T>(), *const all_g = plan.g.data<T>();
  const T* const all_h0 = plan.h0.data<T>();
  T *const all_gx = plan.gx.data<T>(), *const all_gy = plan.gy.data<T>(), *const gh0 = plan.gh0.data<T>();
  each_row<T>(plan.batch, m, [&](int64_t row, int64_t j, int64_t count) {
    const int64_t at = row * 3 * m + j;
    const T *const gates = all_gates + at, *const y = all_y + at;
    T *const gx = all_gx + at, *const gy = all_gy + at;
    const V one(1), g = load_some(all_g + row * m + j, count), h0 = load_some(all_h0 + row * m + j, count);
    const V r = load_some(gates, count), z = load_some(gates + m, count), n = load_some(gates + 2 * m, count);
    const V gn = g * (one - z) * (one - n * n), gr = gn * load_some(y + 2 * m, count) * r * (one - r), gz = g * (h0 - n) * z * (one - z);
    store_some(gr, gx, count);
    store_some(gz, gx + m, count);
    store_some(gn, gx + 2 * m, count);
    store_some(gr, gy, count);
    store_some(gz, gy + m, count);
    store_some(gn * r, gy + 2 * m, count);
    store_some(g * z, gh0 + row * m + j, count);
  });
}

template <class Plan> void run(const Plan& plan, const Tensor& like, void (*in_float)(const Plan&), void (*in_double)(const Plan&)) {
  (like.dtype() == DType::float32 ? in_float : in_double)(plan);
}
void lstm(const LstmPlan& plan) { run(plan, plan.x, lstm_as<float>, lstm_as<double>); }
void lstm_grad(const LstmGradPlan& plan) { run(plan, plan.gates, lstm_grad_as<float>, lstm_grad_as<double>); }
void gru(const GruPlan& plan) { run(plan, plan.x, gru_as<float>, gru_as<double>); }
void gru_grad(const GruGradPlan& plan) { run(plan, plan.g, gru_grad_as<float>, gru_grad_as<double>); }

#include "engine/ops/recurrent-inl.h"

constexpr Row rows[] = {{&LstmCell::decl, &plan_lstm, kernel<&lstm>()},
                        {&LstmCellGrad::decl, &plan_lstm_grad, kernel<&lstm_grad>()},
                        {&GruCell::decl, &plan_gru, kernel<&gru>()},
                        {&GruCellGrad::decl, &plan_gru_grad, kernel<&gru_grad>()}};

}  // namespace

std::span<const Row> recurrent_rows() { return rows; }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(recurrent_rows);
namespace cpu {
std::span<const Row> recurrent_rows() { return HWY_DYNAMIC_DISPATCH(recurrent_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
