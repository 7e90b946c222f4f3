// Converts folds (engine/ops/reduce-inl.h) to kernels: a team of threads folds the elements of one result, or of a part of it. A second
// launch merges the parts. The teams, the parts and the order of merging depend on sizes and strides alone.
#pragma once

#include <array>
#include <utility>

#include "cuda/any_layout.h"
#include "cuda/complex_value.h"
#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/scratch.h"
#include "cuda/team.h"
#include "cuda/value.h"
#include "engine/ops/reduce.h"

namespace mt::cuda {

#include "engine/ops/reduce-inl.h"

// The elements of a result, and the threads that fold them.
struct ReduceShape {
  AnyLayout<1> reduced;  // of the elements of one result
  bool contiguous;       // these elements are contiguous
  Work work;
};

// For a plan with a dimension: a view of x that has the first element of each result.
Tensor first_elements(const ReducePlan& plan);

// The layout of x and of the results, over the dimensions that remain. An empty layout has only the first element.
template <int results> AnyLayout<1 + results> kept_layout(const ReducePlan& plan) {
  if (plan.dim < 0) return {};
  const Tensor first = first_elements(plan);
  Geometry g(first.sizes());
  g.add(first);
  for (int r = 0; r < plan.result_count; ++r) g.add(plan.results[r]);
  g.collapse();
  return AnyLayout<1 + results>(g);
}

ReduceShape shape_of(const ReducePlan& plan, bool strictly_in_order);

// The memory of a result.
struct ReduceOutput {
  std::byte* data = nullptr;
  bool wide = false;  // int64 or float64, for elements of any dtype
};

// A reducer for elements of type T is a struct with
//   Running, start(), take(running, elements, first, step): adds elements number first, first + step, ... of a result to `running`
//   State, close(running), merge(into, later)
//   results, its maximum number of results, and store(state, args, outputs, offsets of the outputs).
// A variant of an op names its reducer as Reducer<T>, which is void for a T that it does not support.
template <class Reducer> struct ReduceKernel {
  using T = typename Reducer::Element;
  using State = typename Reducer::State;
  static constexpr int width = pack_size<T>;
  const std::byte* x;
  ReduceShape shape;
  AnyLayout<1 + Reducer::results> kept;
  ReduceArgs args;
  std::array<ReduceOutput, Reducer::results> out;
  State* partial;  // [result][part]; null if there is one part

  template <int count>
  MT_DEVICE void take(typename Reducer::Running& running, const T (&elements)[count], int64_t first, int64_t step) const {
    Compute<T> values[count];
    for (int k = 0; k < count; ++k) values[k] = widen(elements[k]);
    Reducer::take(running, values, first, step, args);
  }

  // Folds elements begin, begin + step, ... before end.
  MT_DEVICE void fold_strided(typename Reducer::Running& running, const std::byte* from, int64_t begin, int64_t end, int64_t step) const {
    constexpr int together = 4;
    const auto load = [&](int64_t i) {
      int64_t at[1];
      shape.reduced.find(i, at);
      return *reinterpret_cast<const T*>(from + at[0]);
    };
    int64_t i = begin;
    for (; i + (together - 1) * step < end; i += together * step) {
      const T elements[together] = {load(i), load(i + step), load(i + 2 * step), load(i + 3 * step)};
      take(running, elements, i, step);
    }
    for (; i < end; i += step) {
      const T elements[1] = {load(i)};
      take(running, elements, i, step);
    }
  }

  MT_DEVICE State fold(const std::byte* from, int64_t begin, int64_t end, int place) const {
    const int size = shape.work.teams.size;
    auto running = Reducer::start();
    if (!shape.contiguous) {
      fold_strided(running, from, begin + place, end, size);
      return Reducer::close(running);
    }
    const T* const p = reinterpret_cast<const T*>(from);
    const auto beyond = static_cast<int64_t>(reinterpret_cast<uintptr_t>(p + begin) / sizeof(T) % width);
    const int64_t head = beyond == 0 ? begin : begin + width - beyond;
    if (head + width > end) {
      fold_strided(running, from, begin + place, end, size);
      return Reducer::close(running);
    }
    const int64_t tail = head + (end - head) / width * width;
    fold_strided(running, from, begin + place, head, size);
    for (int64_t i = head + int64_t{place} * width; i < tail; i += int64_t{size} * width) take(running, load_pack<width>(p + i).at, i, 1);
    fold_strided(running, from, tail + place, end, size);
    return Reducer::close(running);
  }

  MT_DEVICE void operator()(Thread& t) const {
    const Work& work = shape.work;
    const int place = work.teams.place(t);
    const Shared<State> scratch = t.template shared<State>(work.teams.shared_count());
    for (int64_t unit = t.block(), units = work.groups() * work.parts; unit < units; unit += t.blocks()) {
      const int64_t part = unit % work.parts, result = unit / work.parts * work.teams.count + work.teams.team(t);
      State state = Reducer::close(Reducer::start());
      int64_t at[1 + Reducer::results] = {};
      if (result < work.results) {
        kept.find(result, at);
        const int64_t begin = part * work.part_elements, end = begin + work.part_elements;
        state = fold(x + at[0], begin, end < work.n ? end : work.n, place);
      }
      merge_team(t, work.teams, state, scratch, [](State& into, const State& later) { Reducer::merge(into, later); });
      if (place != 0 || result >= work.results) continue;
      if (partial != nullptr)
        partial[result * work.parts + part] = state;
      else
        Reducer::store(state, args, out.data(), at + 1);
    }
  }
};

// Merges the parts of each result: one block per result.
template <class Reducer> struct JoinKernel {
  using State = typename Reducer::State;
  const State* partial;
  AnyLayout<1 + Reducer::results> kept;
  int64_t results, parts;
  Teams teams;
  ReduceArgs args;
  std::array<ReduceOutput, Reducer::results> out;

  MT_DEVICE void operator()(Thread& t) const {
    const Shared<State> scratch = t.template shared<State>(teams.shared_count());
    for (int64_t result = t.block(); result < results; result += t.blocks()) {
      State state = Reducer::close(Reducer::start());
      for (int64_t i = t.index(); i < parts; i += t.threads()) Reducer::merge(state, partial[result * parts + i]);
      merge_team(t, teams, state, scratch, [](State& into, const State& later) { Reducer::merge(into, later); });
      if (t.index() != 0) continue;
      int64_t at[1 + Reducer::results];
      kept.find(result, at);
      Reducer::store(state, args, out.data(), at + 1);
    }
  }
};

// Whether one thread must fold all elements of a result, in order.
template <class Reducer> inline constexpr bool is_ordered = false;

template <class Reducer> void launch_reduction(const ReducePlan& plan) {
  using State = typename Reducer::State;
  const Stream stream = op_stream();
  const ReduceShape shape = shape_of(plan, is_ordered<Reducer>);
  const Work& work = shape.work;
  const Scratch<State> partial(stream, work.parts > 1 ? work.parts * work.results : 0);
  const auto kept = kept_layout<Reducer::results>(plan);
  std::array<ReduceOutput, Reducer::results> out;
  for (int r = 0; r < plan.result_count; ++r) {
    const Tensor& result = plan.results[r];
    out[static_cast<size_t>(r)] = {reachable(result.bytes()), result.dtype() != plan.x.dtype()};
  }
  launch(stream, work.blocks(), work.teams.threads(), static_cast<size_t>(work.teams.shared_count()) * sizeof(State),
         ReduceKernel<Reducer>{reachable(plan.x.bytes()), shape, kept, plan.args, out, partial.data()});
  if (work.parts == 1) return;
  const Teams joined{.size = work.parts <= warp_size ? warp_size : block_threads};
  launch(stream, std::min(work.results, most_blocks), joined.size, static_cast<size_t>(joined.shared_count()) * sizeof(State),
         JoinKernel<Reducer>{partial.data(), kept, work.results, work.parts, joined, plan.args, out});
}

// ---- reducers with one accumulator

template <class T> using Wide =
    std::conditional_t<std::is_integral_v<T>, int64_t, std::conditional_t<is_complex<T>, Complex<double>, double>>;

template <class V> MT_FN V lowest() {
  using Limits = std::numeric_limits<typename V::Element>;
  return V(Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
}
template <class V> MT_FN V highest() {
  using Limits = std::numeric_limits<typename V::Element>;
  return V(Limits::has_infinity ? Limits::infinity() : Limits::max());
}

template <class A, class T> MT_DEVICE void store_value(A value, const ReduceOutput& out, int64_t offset) {
  if constexpr (!std::is_integral_v<A> || sizeof(A) == 8) {
    if (out.wide) {
      *reinterpret_cast<Wide<A>*>(out.data + offset) = value;
      return;
    }
  }
  *reinterpret_cast<T*>(out.data + offset) = narrow<T>(value);
}

// The fold whose loops reduce elements of type S for F: SameLoops<S> if F has it, else F.
template <class F, class S> struct LoopsOf { using Type = F; };
template <class F, class S>
requires requires { typename F::template SameLoops<S>; }
struct LoopsOf<F, S> {
  using Type = typename F::template SameLoops<S>;
};

// Last converts an accumulator to the result.
template <class F, class Last, class T> struct FoldReducer {
  using Element = T;
  using S = Compute<T>;
  using A = std::conditional_t<F::wide, Wide<S>, S>;
  using Running = A;
  using State = A;
  static constexpr int results = 1;
  static constexpr bool by_fours = F::by_fours && std::is_same_v<S, float>;

  static MT_DEVICE A start() { return F().template start<Value<A>>().v; }
  template <int count> static MT_DEVICE void take(A& acc, const S (&x)[count], int64_t, int64_t, const ReduceArgs& args) {
    if constexpr (by_fours && count % 4 == 0) {
      for (int k = 0; k < count; k += 4) acc += (x[k] + x[k + 1]) + (x[k + 2] + x[k + 3]);
    } else {
      for (int k = 0; k < count; ++k) acc = F().step(Value<A>(acc), Value<A>(x[k]), Value<A>(args.p)).v;
    }
  }
  static MT_DEVICE A close(A acc) { return acc; }
  static MT_DEVICE void merge(A& into, A later) { into = F().merge(Value<A>(into), Value<A>(later)).v; }
  static MT_DEVICE void store(A acc, const ReduceArgs& args, const ReduceOutput* out, const int64_t* at) {
    if constexpr (F::tests)
      *reinterpret_cast<uint8_t*>(out->data + at[0]) = static_cast<uint8_t>(acc != A(0));
    else if constexpr (requires { Last().finish(acc, args); })
      store_value<A, T>(Last().finish(acc, args), *out, at[0]);
    else
      store_value<A, T>(acc, *out, at[0]);
  }
};

// The type that a fold reads elements of T as: unsigned in tests for 0, which don't depend on the sign of an integer.
template <class F, class T> struct ElementOf { using Type = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>; };
template <class F, class T>
requires(F::tests&& std::is_integral_v<T> && !std::is_same_v<T, bool>) struct ElementOf<F, T> {
  using Type = std::make_unsigned_t<T>;
};

template <class F> struct Fold {
  static constexpr bool has_finish = requires(double a, const ReduceArgs& args) { F().finish(a, args); };
  template <class E> using Loops = typename LoopsOf<F, Compute<E>>::Type;
  template <class E> using OfElement = FoldReducer<Loops<E>, std::conditional_t<has_finish, F, Loops<E>>, E>;
  template <class T> using Reducer = OfElement<typename ElementOf<F, T>::Type>;
};

// ---- several reducers, with their results in order

template <class First, class... Rest> struct JoinedReducer : First {};
template <class First, class Second, class... Rest> struct JoinedReducer<First, Second, Rest...> {
  using Others = JoinedReducer<Second, Rest...>;
  using Element = typename First::Element;
  using S = Compute<Element>;
  struct Running {
    typename First::Running first;
    typename Others::Running others;
  };
  struct State {
    typename First::State first;
    typename Others::State others;
  };
  static constexpr int results = First::results + Others::results;
  static_assert(std::is_same_v<Element, typename Others::Element>);

  static MT_DEVICE Running start() { return {First::start(), Others::start()}; }
  template <int count>
  static MT_DEVICE void take(Running& running, const S (&x)[count], int64_t first, int64_t step, const ReduceArgs& args) {
    First::take(running.first, x, first, step, args);
    Others::take(running.others, x, first, step, args);
  }
  static MT_DEVICE State close(const Running& running) { return {First::close(running.first), Others::close(running.others)}; }
  static MT_DEVICE void merge(State& into, const State& later) {
    First::merge(into.first, later.first);
    Others::merge(into.others, later.others);
  }
  static MT_DEVICE void store(const State& state, const ReduceArgs& args, const ReduceOutput* out, const int64_t* at) {
    First::store(state.first, args, out, at);
    Others::store(state.others, args, out + First::results, at + First::results);
  }
};

template <class... Variant> struct Together { template <class T> using Reducer = JoinedReducer<typename Variant::template Reducer<T>...>; };

// ---- tables of kernels

// Whether a plan reduces complex numbers as real ones: then its ops need no kernels for them.
template <PlanFn plan> inline constexpr bool reduces_as_real = false;
template <> inline constexpr bool reduces_as_real<&plan_norm> = true;
template <> inline constexpr bool reduces_as_real<&plan_variance> = true;

template <class Op> constexpr DTypeSet folded_dtypes() {
  return computed_dtypes(Op::decl) & (reduces_as_real<Op::plan> ? ordered_dtypes : arithmetic_dtypes);
}

template <class Op, class Variant> void run_variant(const ReducePlan& plan) {
  dispatch<folded_dtypes<Op>()>(plan.x.dtype(), [&]<class T>(std::type_identity<T>) {
    using Reducer = typename Variant::template Reducer<T>;
    if constexpr (!std::is_void_v<Reducer>) launch_reduction<Reducer>(plan);
  });
}

template <class Op, class... Variant> void run_one_of(const ReducePlan& plan, List<Variant...>) {
  int number = 0;
  ((number++ == plan.variant ? run_variant<Op, Variant>(plan) : void()), ...);
}

template <class Op> void run_reduction(const ReducePlan& plan) { run_one_of<Op>(plan, typename Op::Kernels()); }

template <class... Op> KernelRows reduce_rows_of(List<Op...>) {
  static constexpr KernelRow rows[] = {{Op::decl.name, kernel<&run_reduction<Op>>()}...};
  return rows;
}

}  // namespace mt::cuda
