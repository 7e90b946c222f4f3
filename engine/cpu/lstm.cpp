// The CPU's kernels of a layer of long short-term memory. The weight is packed once for all steps, in panels of columns as wide as two
// vectors: a panel for each gate of a block of units, or for the gradient of a block of states. Each block's products are followed by its
// cells. Threads share the rows of the batch, each through all steps; or, if there are few rows, the blocks of each step.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/lstm.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <algorithm>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/functions-inl.h"
#include "engine/cpu/transpose.h"

#include "engine/cpu/first_lanes-inl.h"
#include "engine/cpu/small_product-inl.h"
#include "engine/ops/lstm.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

#include "engine/ops/lstm-inl.h"
#include "engine/ops/recurrent-inl.h"

// Blocks of units, or of states.
template <class T> struct Blocks {
  int64_t size;
  static int64_t width() { return 2 * static_cast<int64_t>(hn::Lanes(typename Simd<T>::D())); }
  int64_t count() const { return (size + width() - 1) / width(); }
  int64_t first(int64_t block) const { return block * width(); }
  int64_t width_of(int64_t block) const { return std::min(width(), size - first(block)); }
};

// Rows first..first + count of the batch, and a block.
struct Part {
  int64_t first, count, block;
};

// Calls f(i, part) for steps i = 0, 1, ... of all rows and blocks. A step begins where the earlier ones have ended, for the same rows.
template <class F> void each_step(const LstmSequence& s, int64_t blocks, F f) {
  constexpr int64_t worth_a_thread = 200'000, rows_of_thread = 8;  // multiplications; rows that use a panel well
  const int64_t of_row = 4 * s.size * s.size, of_block = std::max<int64_t>(1, s.batch * of_row / blocks);
  const int64_t threads = num_threads();
  if (threads == 1 || s.batch >= rows_of_thread * threads) {
    const int64_t grain = std::max(rows_of_thread, worth_a_thread / std::max<int64_t>(1, s.steps * of_row));
    parallel_ranges(s.batch, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < s.steps; ++i) {
        look_for_interrupt();
        for (int64_t block = 0; block < blocks; ++block) f(i, Part{begin, end - begin, block});
      }
    });
    return;
  }
  for (int64_t i = 0; i < s.steps; ++i) {
    parallel_ranges(blocks, std::max<int64_t>(1, worth_a_thread / of_block), [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) f(i, Part{0, s.batch, block});
    });
  }
}

// Calls f(row, unit, lanes) for the vectors of a part.
template <class T, class F> MT_FN void each_vector(const Blocks<T>& blocks, const Part& part, F f) {
  const int64_t lanes = Blocks<T>::width() / 2, end = blocks.first(part.block) + blocks.width_of(part.block);
  for (int64_t row = part.first; row < part.first + part.count; ++row) {
    for (int64_t j = blocks.first(part.block); j < end; j += lanes) f(row, j, std::min(lanes, end - j));
  }
}

// Rows of `to` become products of rows of `from`, of `depth` elements, and a panel. Steps are those between rows.
template <class T> void multiply(const Part& part, int64_t columns, int64_t depth, const T* from, const T* panel, T* to, int64_t to_step) {
  SmallProduct<T>{part.count, columns, depth, from + part.first * depth, depth, 1, panel, Blocks<T>::width(), to + part.first * to_step,
                  to_step}
      .run();
}

// The transposed weight (4 size, size): for each block a panel of each gate.
template <class T> Tensor pack_gates(const T* weight, const Blocks<T>& blocks) {
  const int64_t size = blocks.size, panel = size * Blocks<T>::width();
  const Tensor packed = Tensor::empty(dtype_of<T>, {4 * blocks.count() * panel});
  T* to = packed.data<T>();
  for (int64_t block = 0; block < blocks.count(); ++block) {
    for (int64_t gate = 0; gate < 4; ++gate, to += panel) {
      const T* const from = weight + (gate * size + blocks.first(block)) * size;
      cpu::transpose({reinterpret_cast<std::byte*>(to), Blocks<T>::width() * static_cast<int64_t>(sizeof(T)),
                      reinterpret_cast<const std::byte*>(from), size * static_cast<int64_t>(sizeof(T)), size, blocks.width_of(block),
                      static_cast<int>(sizeof(T)), false});
    }
  }
  return packed;
}

// The weight (4 size, size): a panel for each block of states.
template <class T> Tensor pack_states(const T* weight, const Blocks<T>& blocks) {
  const int64_t size = blocks.size, panel = 4 * size * Blocks<T>::width();
  const Tensor packed = Tensor::empty(dtype_of<T>, {blocks.count() * panel});
  for (int64_t block = 0; block < blocks.count(); ++block) {
    T* const to = packed.data<T>() + block * panel;
    for (int64_t k = 0; k < 4 * size; ++k)
      std::copy_n(weight + k * size + blocks.first(block), blocks.width_of(block), to + k * Blocks<T>::width());
  }
  return packed;
}

// Gates are a row of `m` elements apart.
template <class T> MT_FN LstmGates<Simd<T>> load_gates(const T* p, int64_t m, int64_t count) {
  return {load_some(p, count), load_some(p + m, count), load_some(p + 2 * m, count), load_some(p + 3 * m, count)};
}
template <class T> MT_FN void store_gates(const LstmGates<Simd<T>>& gates, T* p, int64_t m, int64_t count) {
  store_some(gates.i, p, count);
  store_some(gates.f, p + m, count);
  store_some(gates.g, p + 2 * m, count);
  store_some(gates.out, p + 3 * m, count);
}

template <class T> void run_layer(const LstmLayerPlan& plan) {
  using V = Simd<T>;
  const LstmSequence& s = plan.sequence;
  const Blocks<T> blocks{s.size};
  const int64_t m = s.size, states = s.batch * m;
  const Tensor packed = pack_gates(plan.weight.data<T>(), blocks);
  each_step(s, blocks.count(), [&](int64_t i, const Part& part) {
    const int64_t t = s.at(i), slot = plan.keeps ? t : 0;
    const T* const x = plan.x.data<T>() + 4 * t * states;
    const T* const h = i == 0 ? plan.h0.data<T>() : plan.y.data<T>() + s.at(i - 1) * states;
    const T* const c = i == 0 ? plan.c0.data<T>() : plan.c.data<T>() + (plan.keeps ? s.at(i - 1) : 0) * states;
    T* const gates = plan.gates.data<T>() + 4 * slot * states;
    T *const new_h = plan.y.data<T>() + t * states, *const new_c = plan.c.data<T>() + slot * states;
    for (int64_t gate = 0; gate < 4; ++gate) {
      const T* const panel = packed.data<T>() + (4 * part.block + gate) * m * Blocks<T>::width();
      multiply(part, blocks.width_of(part.block), m, h, panel, gates + gate * m + blocks.first(part.block), 4 * m);
    }
    each_vector(blocks, part, [&](int64_t row, int64_t j, int64_t lanes) {
      const int64_t at = row * m + j, at_gates = row * 4 * m + j;
      const LstmGates<V> from_h = load_gates(gates + at_gates, m, lanes), from_x = load_gates(x + at_gates, m, lanes);
      LstmGates<V> out;
      V next_c, next_h;
      LstmCell()({from_h.i + from_x.i, from_h.f + from_x.f, from_h.g + from_x.g, from_h.out + from_x.out}, load_some(c + at, lanes), out,
                 next_c, next_h);
      store_gates(out, gates + at_gates, m, lanes);
      store_some(next_c, new_c + at, lanes);
      store_some(next_h, new_h + at, lanes);
    });
  });
}

template <class T> void copy_or_zero(const Operand& from, const Operand& to) {
  if (from)
    std::copy_n(from.data<T>(), to.numel(), to.data<T>());
  else
    std::fill_n(to.data<T>(), to.numel(), T(0));
}

// gh0 and gc0 have the gradients by the states before the step that was computed last.
template <class T> void run_layer_grad(const LstmLayerGradPlan& plan) {
  using V = Simd<T>;
  const LstmSequence& s = plan.sequence;
  const Blocks<T> blocks{s.size};
  const int64_t m = s.size, states = s.batch * m;
  const Tensor packed = pack_states(plan.weight.data<T>(), blocks);
  copy_or_zero<T>(plan.gh, plan.gh0);
  copy_or_zero<T>(plan.gc, plan.gc0);
  T *const gh = plan.gh0.data<T>(), *const gc = plan.gc0.data<T>();
  const auto to_states = [&](const Part& part, int64_t t) {
    multiply(part, blocks.width_of(part.block), 4 * m, plan.gx.data<T>() + 4 * t * states,
             packed.data<T>() + part.block * 4 * m * Blocks<T>::width(), gh + blocks.first(part.block), m);
  };
  each_step(s, blocks.count(), [&](int64_t i, const Part& part) {
    const int64_t last = s.steps - 1 - i, t = s.at(last);
    if (i > 0) to_states(part, s.at(last + 1));
    const T* const gy = plan.gy ? plan.gy.data<T>() + t * states : nullptr;
    const T* const before = last == 0 ? plan.c0.data<T>() : plan.c.data<T>() + s.at(last - 1) * states;
    const T *const c = plan.c.data<T>() + t * states, *const gates = plan.gates.data<T>() + 4 * t * states;
    T* const gx = plan.gx.data<T>() + 4 * t * states;
    each_vector(blocks, part, [&](int64_t row, int64_t j, int64_t lanes) {
      const int64_t at = row * m + j, at_gates = row * 4 * m + j;
      const V direct = gy == nullptr ? V(0) : load_some(gy + at, lanes);
      LstmGates<V> to_x;
      V to_c;
      LstmCellGrad()(load_some(gh + at, lanes) + direct, load_some(gc + at, lanes), load_gates(gates + at_gates, m, lanes),
                     load_some(before + at, lanes), load_some(c + at, lanes), to_x, to_c);
      store_gates(to_x, gx + at_gates, m, lanes);
      store_some(to_c, gc + at, lanes);
    });
  });
  LstmSequence one = s;
  one.steps = 1;
  each_step(one, blocks.count(), [&](int64_t, const Part& part) { to_states(part, s.at(0)); });
}

void lstm_layer(const LstmLayerPlan& plan) { (plan.x.dtype() == DType::float32 ? run_layer<float> : run_layer<double>)(plan); }
void lstm_layer_grad(const LstmLayerGradPlan& plan) {
  (plan.gx.dtype() == DType::float32 ? run_layer_grad<float> : run_layer_grad<double>)(plan);
}

constexpr Row rows[] = {{&LstmLayer::decl, &plan_lstm_layer, kernel<&lstm_layer>()},
                        {&LstmLayerGrad::decl, &plan_lstm_layer_grad, kernel<&lstm_layer_grad>()}};

}  // namespace

std::span<const Row> lstm_rows() { return built_rows<rows>(); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(lstm_rows);
namespace cpu {
std::span<const Row> lstm_rows() { return HWY_DYNAMIC_DISPATCH(lstm_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
