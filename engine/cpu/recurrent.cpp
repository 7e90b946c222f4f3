// The CPU's kernels of recurrent cells: each element of the state reads its elements of the gates, which are one row apart, and writes its
// own; nothing is read twice.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/recurrent.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <algorithm>

#include "engine/core/built.h"
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

#include "engine/ops/recurrent-inl.h"

// Gates are a row of `m` elements apart.
template <class T> MT_FN LstmGates<Simd<T>> load_lstm(const T* p, int64_t m, int64_t count) {
  return {load_some(p, count), load_some(p + m, count), load_some(p + 2 * m, count), load_some(p + 3 * m, count)};
}
template <class T> MT_FN void store_lstm(const LstmGates<Simd<T>>& gates, T* p, int64_t m, int64_t count) {
  store_some(gates.i, p, count);
  store_some(gates.f, p + m, count);
  store_some(gates.g, p + 2 * m, count);
  store_some(gates.out, p + 3 * m, count);
}
template <class T> MT_FN GruGates<Simd<T>> load_gru(const T* p, int64_t m, int64_t count) {
  return {load_some(p, count), load_some(p + m, count), load_some(p + 2 * m, count)};
}
template <class T> MT_FN void store_gru(const GruGates<Simd<T>>& gates, T* p, int64_t m, int64_t count) {
  store_some(gates.r, p, count);
  store_some(gates.z, p + m, count);
  store_some(gates.n, p + 2 * m, count);
}

template <class T> void lstm_as(const LstmPlan& plan) {
  using V = Simd<T>;
  const int64_t m = plan.size;
  const T *const x = plan.x.data<T>(), *const c0 = plan.c0.data<T>();
  T *const gates = plan.gates.data<T>(), *const c = plan.c.data<T>(), *const h = plan.h.data<T>();
  each_row<T>(plan.batch, m, [&](int64_t row, int64_t j, int64_t count) {
    const int64_t at = row * m + j, at_gates = row * 4 * m + j;
    LstmGates<V> out;
    V new_c, new_h;
    LstmCell()(load_lstm(x + at_gates, m, count), load_some(c0 + at, count), out, new_c, new_h);
    store_lstm(out, gates + at_gates, m, count);
    store_some(new_c, c + at, count);
    store_some(new_h, h + at, count);
  });
}

template <class T> void lstm_grad_as(const LstmGradPlan& plan) {
  using V = Simd<T>;
  const int64_t m = plan.size;
  const T *const gates = plan.gates.data<T>(), *const c0 = plan.c0.data<T>(), *const c = plan.c.data<T>();
  const T *const gh = plan.gh.data<T>(), *const gc = plan.gc.data<T>();
  T *const gx = plan.gx.data<T>(), *const gc0 = plan.gc0.data<T>();
  each_row<T>(plan.batch, m, [&](int64_t row, int64_t j, int64_t count) {
    const int64_t at = row * m + j, at_gates = row * 4 * m + j;
    const auto load_or_0 = [&](const T* p) { return p == nullptr ? V(0) : load_some(p + at, count); };
    const LstmGates<V> had = load_lstm(gates + at_gates, m, count);
    LstmGates<V> to_x;
    V to_c0;
    LstmCellGrad()(load_or_0(gh), load_or_0(gc), had, load_some(c0 + at, count), load_some(c + at, count), to_x, to_c0);
    store_lstm(to_x, gx + at_gates, m, count);
    store_some(to_c0, gc0 + at, count);
  });
}

template <class T> void gru_as(const GruPlan& plan) {
  using V = Simd<T>;
  const int64_t m = plan.size;
  const T *const x = plan.x.data<T>(), *const y = plan.y.data<T>(), *const h0 = plan.h0.data<T>();
  T *const gates = plan.gates.data<T>(), *const h = plan.h.data<T>();
  each_row<T>(plan.batch, m, [&](int64_t row, int64_t j, int64_t count) {
    const int64_t at = row * m + j, at_gates = row * 3 * m + j;
    GruGates<V> out;
    V new_h;
    GruCell()(load_gru(x + at_gates, m, count), load_gru(y + at_gates, m, count), load_some(h0 + at, count), out, new_h);
    store_gru(out, gates + at_gates, m, count);
    store_some(new_h, h + at, count);
  });
}

template <class T> void gru_grad_as(const GruGradPlan& plan) {
  using V = Simd<T>;
  const int64_t m = plan.size;
  const T *const gates = plan.gates.data<T>(), *const y = plan.y.data<T>(), *const g = plan.g.data<T>(), *const h0 = plan.h0.data<T>();
  T *const gx = plan.gx.data<T>(), *const gy = plan.gy.data<T>(), *const gh0 = plan.gh0.data<T>();
  each_row<T>(plan.batch, m, [&](int64_t row, int64_t j, int64_t count) {
    const int64_t at = row * m + j, at_gates = row * 3 * m + j;
    const GruGates<V> had = load_gru(gates + at_gates, m, count);
    GruGates<V> to_x, to_y;
    V to_h0;
    GruCellGrad()(load_some(g + at, count), had, load_some(y + at_gates + 2 * m, count), load_some(h0 + at, count), to_x, to_y, to_h0);
    store_gru(to_x, gx + at_gates, m, count);
    store_gru(to_y, gy + at_gates, m, count);
    store_some(to_h0, gh0 + at, count);
  });
}

template <class Plan> void run(const Plan& plan, const Tensor& like, void (*in_float)(const Plan&), void (*in_double)(const Plan&)) {
  (like.dtype() == DType::float32 ? in_float : in_double)(plan);
}
void lstm(const LstmPlan& plan) { run(plan, plan.x, lstm_as<float>, lstm_as<double>); }
void lstm_grad(const LstmGradPlan& plan) { run(plan, plan.gates, lstm_grad_as<float>, lstm_grad_as<double>); }
void gru(const GruPlan& plan) { run(plan, plan.x, gru_as<float>, gru_as<double>); }
void gru_grad(const GruGradPlan& plan) { run(plan, plan.g, gru_grad_as<float>, gru_grad_as<double>); }

constexpr Row rows[] = {{&LstmCell::decl, &plan_lstm, kernel<&lstm>()},
                        {&LstmCellGrad::decl, &plan_lstm_grad, kernel<&lstm_grad>()},
                        {&GruCell::decl, &plan_gru, kernel<&gru>()},
                        {&GruCellGrad::decl, &plan_gru_grad, kernel<&gru_grad>()}};

}  // namespace

std::span<const Row> recurrent_rows() { return built_rows<rows>(); }

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
