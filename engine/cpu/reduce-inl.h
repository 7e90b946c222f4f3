// Turns folds into loops over memory: eight vectors of accumulators for a run (an addition takes four cycles, and two start per cycle), a
// vector of results at a time for columns. Code that several ops or dtypes share is compiled once. Included once for each CPU instruction
// set: no include guard.

#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "engine/core/built.h"
#include "engine/cpu/functions-inl.h"
#include "engine/cpu/reduce.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

#include "engine/ops/reduce-inl.h"

using cpu::Accumulators, cpu::ReduceLoops, cpu::ReduceOutput;

// The type for arithmetic and loads.
template <class T> using Plain = std::conditional_t<is_16bit_float<T>, float, std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;
template <class F, class T> using AccumulatorOf = std::conditional_t<F::wide, Accumulator<T>, Plain<T>>;

constexpr size_t extrema = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 ? 4 : 8;  // vectors, with as many sums: those have 16 registers

template <class V> MT_FN V lowest() {
  using E = typename V::Element;
  if constexpr (std::is_floating_point_v<E>)
    return V(-std::numeric_limits<E>::infinity());
  else
    return V(std::numeric_limits<E>::lowest());
}
template <class V> MT_FN V highest() {
  using E = typename V::Element;
  if constexpr (std::is_floating_point_v<E>)
    return V(std::numeric_limits<E>::infinity());
  else
    return V(std::numeric_limits<E>::max());
}

// Loads as many elements as a vector of A has, converted to A; with `count`, only the first ones, the rest as 0.
template <class A, class S, class... Count> MT_FN Simd<A> load_as(const S* p, Count... count) {
  const typename Simd<A>::D d;
  const hn::Rebind<S, decltype(d)> ds;
  const auto v = [&] {
    if constexpr (sizeof...(count) == 0)
      return hn::LoadU(ds, p);
    else
      return load_first(hn::FirstN(ds, static_cast<size_t>(count)...), ds, p);
  }();
  if constexpr (std::is_same_v<A, S>) {
    return Simd<A>(v);
  } else if constexpr (std::is_integral_v<S> && sizeof(S) < 4) {
    const hn::Rebind<int32_t, decltype(d)> d32;
    return Simd<A>(hn::PromoteTo(d, hn::PromoteTo(d32, v)));
  } else {
    return Simd<A>(hn::PromoteTo(d, v));
  }
}

// Loads sums of four floats each, converted to double.
MT_FN Simd<double> load_fours(const float* a, const float* b, const float* c, const float* e) {
  const Simd<double>::D d;
  const hn::Rebind<float, decltype(d)> df;
  const auto sum = hn::Add(hn::Add(hn::LoadU(df, a), hn::LoadU(df, b)), hn::Add(hn::LoadU(df, c), hn::LoadU(df, e)));
  return Simd<double>(hn::PromoteTo(d, sum));
}
template <class F, class A, class S> constexpr bool by_fours = F::by_fours&& std::is_same_v<A, double>&& std::is_same_v<S, float>;

// Adds `count` rows, a compile-time multiple of four, to sums of columns: as many columns as fill vectors of floats; returns their number.
// Without a loop over rows, reads of memory overlap; with that many streams the code must prefetch what these rows and the next ones read
// soon: 2500 x 4000 floats take 1.2 ms on a Zen 4, instead of 1.6.
template <int count> int64_t add_columns(const float* rows, int64_t step, int64_t m, double* sums) {
  const Simd<float>::D df;
  const Simd<double>::D d;
  const hn::Half<decltype(df)> dh;
  const auto lanes = static_cast<int64_t>(hn::Lanes(df)), half = lanes / 2;
  constexpr int64_t ahead = 64;
  int64_t j = 0;
  for (; j + lanes <= m; j += lanes) {
    auto low = hn::LoadU(d, sums + j), high = hn::LoadU(d, sums + j + half);
    const float* at = rows + j;
    const float* soon = at + ahead < rows + m ? at + ahead : at + ahead - m + count * step;
#pragma GCC unroll 8
    for (int row = 0; row < count; row += 4, at += 4 * step, soon += 4 * step) {
      for (int r = 0; r < 4; ++r) hwy::Prefetch(soon + r * step);
      const auto four = hn::Add(hn::Add(hn::LoadU(df, at), hn::LoadU(df, at + step)),
                                hn::Add(hn::LoadU(df, at + 2 * step), hn::LoadU(df, at + 3 * step)));
      low = hn::Add(low, hn::PromoteTo(d, hn::LowerHalf(dh, four)));
      high = hn::Add(high, hn::PromoteTo(d, hn::UpperHalf(dh, four)));
    }
    hn::StoreU(low, d, sums + j);
    hn::StoreU(high, d, sums + j + half);
  }
  return j;
}

// Merges all lanes into one accumulator. Stays in registers if lanes can be reversed: each reversal pairs lanes that are apart.
template <class F, class A> A merge_lanes(Simd<A> v) {
  using V = Simd<A>;
  const typename V::D d;
  constexpr size_t most = hn::MaxLanes(d);
  const F f;
  if constexpr (sizeof(A) >= 4) {
    v = f.merge(v, V(hn::Reverse(d, v.v)));
    if constexpr (most > 8) v = f.merge(v, V(hn::Reverse8(d, v.v)));
    if constexpr (most > 4) v = f.merge(v, V(hn::Reverse4(d, v.v)));
    if constexpr (most > 2) v = f.merge(v, V(hn::Reverse2(d, v.v)));
    return hn::GetLane(v.v);
  } else {
    HWY_ALIGN A lanes[HWY_MAX_BYTES / sizeof(A)];
    hn::Store(v.v, d, lanes);
    for (size_t step = most / 2; step > 0; step /= 2) {
      for (size_t i = 0; i < step; ++i) lanes[i] = f.merge(Scalar<A>(lanes[i]), Scalar<A>(lanes[i + step])).v;
    }
    return lanes[0];
  }
}

// Finds the largest (or smallest) of n floats; returns false if their sum shows that one may be NaN, or if they are few. A test of each
// number would take as long as three loads from the cache.
template <class F, class A, size_t... i> bool extremum_run(const A* x, int64_t n, A& extremum, std::index_sequence<i...>) {
  const typename Simd<A>::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d)), step = static_cast<int64_t>(sizeof...(i)) * lanes;
  if (n < step) return false;
  const auto better = [](auto x, auto best) { return std::is_same_v<F, MaxFold> ? hn::Max(x, best) : hn::Min(x, best); };
  std::array best{hn::LoadU(d, x + i * lanes)...}, sums = best;
  for (int64_t at = step; at < n; at += step) {
    const A* const from = x + std::min(at, n - step);  // the last elements may be read twice
    const std::array v{hn::LoadU(d, from + i * lanes)...};
    ((best[i] = better(v[i], best[i])), ...);
    ((sums[i] = hn::Add(sums[i], v[i])), ...);
  }
  auto sum = hn::Zero(d);
  ((sum = hn::Add(sum, sums[i])), ...);
  if (!hn::AllTrue(d, hn::Eq(sum, sum))) return false;
  auto all = best[0];
  ((all = better(best[i], all)), ...);
  extremum = hn::GetLane(std::is_same_v<F, MaxFold> ? hn::MaxOfLanes(d, all) : hn::MinOfLanes(d, all));
  return true;
}

// The two positions in a run from which `count` times `unit` elements are read in parallel. They are adjacent, except for runs of
// megabytes: two distant positions use more of the memory's bandwidth there, and 1e7 floats add up in 0.43 ms instead of 0.55 (Zen 5).
struct TwoPlaces {
  static constexpr int64_t far = 131072;
  int64_t step, apart, count, end;

  TwoPlaces(int64_t n, int64_t unit) : count(n / 2 / unit), end(2 * count * unit) {
    step = n >= far ? unit : 2 * unit;
    apart = n >= far ? count * unit : unit;
  }
};

template <class F, class A, class S> A fold_run(const S* x, int64_t n, A parameter) {
  using V = Simd<A>;
  if constexpr (std::is_floating_point_v<A> && (std::is_same_v<F, MaxFold> || std::is_same_v<F, MinFold>)) {
    A extremum;
    if (extremum_run<F>(x, n, extremum, std::make_index_sequence<extrema>())) return extremum;
  }
  const F f;
  const auto lanes = static_cast<int64_t>(hn::Lanes(typename V::D()));
  const V p(parameter);
  V a = f.template start<V>();
  int64_t i = 0;
  if constexpr (by_fours<F, A, S>) {
    const auto fours = [&](int64_t at) { return load_fours(x + at, x + at + lanes, x + at + 2 * lanes, x + at + 3 * lanes); };
    V b = a, c = a, d = a;
    const TwoPlaces two(n, 8 * lanes);
    for (int64_t turn = 0; turn < two.count; ++turn) {
      const int64_t at = turn * two.step, other = at + two.apart;
      a = a + fours(at);
      b = b + fours(at + 4 * lanes);
      c = c + fours(other);
      d = d + fours(other + 4 * lanes);
    }
    i = two.end;
    a = (a + b) + (c + d);
  } else if (n >= 8 * lanes) {
    V b = a, c = a, d = a, e = a, g = a, h = a, k = a;
    const TwoPlaces two(n, 4 * lanes);
    for (int64_t turn = 0; turn < two.count; ++turn) {
      const S *const at = x + turn * two.step, *const other = at + two.apart;
      a = f.step(a, load_as<A>(at), p);
      b = f.step(b, load_as<A>(at + lanes), p);
      c = f.step(c, load_as<A>(at + 2 * lanes), p);
      d = f.step(d, load_as<A>(at + 3 * lanes), p);
      e = f.step(e, load_as<A>(other), p);
      g = f.step(g, load_as<A>(other + lanes), p);
      h = f.step(h, load_as<A>(other + 2 * lanes), p);
      k = f.step(k, load_as<A>(other + 3 * lanes), p);
    }
    i = two.end;
    a = f.merge(f.merge(f.merge(a, b), f.merge(c, d)), f.merge(f.merge(e, g), f.merge(h, k)));
  }
  for (; i + lanes <= n; i += lanes) a = f.step(a, load_as<A>(x + i), p);
  if (i < n) {
    const typename V::Mask rest{hn::FirstN(typename V::D(), static_cast<size_t>(n - i))};
    a = select(rest, f.step(a, load_as<A>(x + i, n - i), p), a);
  }
  return merge_lanes<F>(a);
}

// Whether a fold adds the real and the imaginary parts of complex numbers, each as real numbers.
template <class F, class A> constexpr bool adds_parts = is_complex<A>&& F::by_fours;

// The same for elements without vectors: four accumulators, because an addition waits for the previous one.
template <class F, class A, class S>
requires(!has_vectors<A> && !adds_parts<F, A>) A fold_run(const S* x, int64_t n, A parameter) {
  using V = Scalar<A>;
  const F f;
  const V p(parameter), none = f.template start<V>();
  V acc[] = {none, none, none, none};
  for (int64_t i = 0; i < n; ++i) acc[i % 4] = f.step(acc[i % 4], V(x[i]), p);
  return f.merge(f.merge(acc[0], acc[1]), f.merge(acc[2], acc[3])).v;
}

// Folds n rows of m elements into acc; parameters: one per column, or none.
template <class F, class S, class A>
void fold_columns(const std::byte* x, int64_t n, int64_t m, int64_t stride, A* acc, const A* parameters, A parameter) {
  using V = Simd<A>;
  // Rows folded between load and store of an accumulator. Sums fold many: each is a stream that the processor prefetches.
  constexpr int64_t together = by_fours<F, A, S> ? 16 : 4;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const F f;
  const int64_t step = stride / static_cast<int64_t>(sizeof(S));
  for (int64_t row = 0; row < n; row += together) {
    const int64_t count = std::min(together, n - row);
    const S* const rows = reinterpret_cast<const S*>(x + row * stride);
    int64_t j = 0;
    if constexpr (by_fours<F, A, S>) {
      if (count == together) j = add_columns<together>(rows, step, m, acc);
    }
    for (; j + lanes <= m; j += lanes) {
      const V p = parameters != nullptr ? V(hn::LoadU(d, parameters + j)) : V(parameter);
      V a(hn::LoadU(d, acc + j));
      const S* at = rows + j;
      int64_t left = count;
      for (; left >= 4; left -= 4, at += 4 * step) {
        if constexpr (by_fours<F, A, S>) {
          a = a + load_fours(at, at + step, at + 2 * step, at + 3 * step);
        } else {
          for (int r = 0; r < 4; ++r) a = f.step(a, load_as<A>(at + r * step), p);
        }
      }
      for (; left > 0; --left, at += step) a = f.step(a, load_as<A>(at), p);
      hn::StoreU(a.v, d, acc + j);
    }
    for (; j < m; j += lanes) {
      const int64_t rest = std::min(lanes, m - j);
      const auto mask = hn::FirstN(d, static_cast<size_t>(rest));
      const V p = parameters != nullptr ? V(load_first(mask, d, parameters + j)) : V(parameter);
      V a(load_first(mask, d, acc + j));
      for (int64_t r = 0; r < count; ++r) a = f.step(a, load_as<A>(rows + r * step + j, rest), p);
      store_first(a.v, mask, d, acc + j);
    }
  }
}

// The same for elements without vectors.
template <class F, class S, class A>
requires(!has_vectors<A> && !adds_parts<F, A>) void fold_columns(const std::byte* x, int64_t n, int64_t m, int64_t stride, A* acc,
                                                                 const A* parameters, A parameter) {
  using V = Scalar<A>;
  for (int64_t row = 0; row < n; ++row) {
    const S* const from = reinterpret_cast<const S*>(x + row * stride);
    for (int64_t j = 0; j < m; ++j) acc[j] = F().step(V(acc[j]), V(from[j]), V(parameters != nullptr ? parameters[j] : parameter)).v;
  }
}

// Sums of complex numbers: columns of parts are added as columns of real numbers.
template <class F, class S, class A>
requires(adds_parts<F, A>) void fold_columns(const std::byte* x, int64_t n, int64_t m, int64_t stride, A* acc, const A*, A) {
  using Part = typename A::value_type;
  fold_columns<F, typename S::value_type, Part>(x, n, 2 * m, stride, reinterpret_cast<Part*>(acc), nullptr, Part(0));
}

template <class F, class A, class S>
requires(adds_parts<F, A>) A fold_run(const S* x, int64_t n, A) {
  constexpr int64_t columns = 64;
  const int64_t rows = n / columns;
  A sums[columns] = {}, sum(0);
  fold_columns<F, S, A>(reinterpret_cast<const std::byte*>(x), rows, columns, columns * static_cast<int64_t>(sizeof(S)), sums, nullptr,
                        A(0));
  for (const A part : sums) sum += part;
  for (int64_t i = rows * columns; i < n; ++i) sum += A(x[i]);
  return sum;
}

// Writes value(i) to each of m results.
template <class T, class Value> MT_FN void write_values(int64_t m, const ReduceOutput& to, Value value) {
  T* const elements = reinterpret_cast<T*>(to.data);
  if (const int64_t stride = to.stride; stride != sizeof(T)) {
    std::byte* const at = to.data;
    for (int64_t i = 0; i < m; ++i) *reinterpret_cast<T*>(at + i * stride) = convert_element<T>(value(i));
  } else if constexpr (is_16bit_float<T>) {
    constexpr int64_t block = 256;
    float floats[block];
    for (int64_t first = 0; first < m; first += block) {
      const int64_t count = std::min(block, m - first);
      for (int64_t i = 0; i < count; ++i) floats[i] = static_cast<float>(value(first + i));
      cpu::narrow(elements + first, floats, count);
    }
  } else {
    for (int64_t i = 0; i < m; ++i) elements[i] = convert_element<T>(value(i));
  }
}

// Stores values in A as elements of a result: in the elements' dtype, or unrounded. (Narrow integers always fit the dtype of the elements.)
template <class A, class T, class Value> MT_FN void store_values(int64_t m, const ReduceOutput& to, Value value) {
  constexpr bool always_same = std::is_integral_v<A> && sizeof(A) < 8;
  if (always_same || to.dtype == dtype_of<T>)
    write_values<T>(m, to, value);
  else if constexpr (!always_same)
    write_values<Accumulator<A>>(m, to, value);
}

// ---- one accumulator
// ---------------------------------------------------------------------------------------------------------------------

template <class F, class A> void start_fold(const Accumulators& acc, int64_t m) {
  std::fill_n(acc.field<A>(0), m, F().template start<Scalar<A>>().v);
}

template <class F, class S, class A>
void fold_each_row(const ReduceArgs& args, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t, const Accumulators& acc) {
  A* const a = acc.field<A>(0);
  for (int64_t i = 0; i < m; ++i) {
    const A folded = fold_run<F, A>(reinterpret_cast<const S*>(x + i * stride), n, static_cast<A>(args.p));
    a[i] = F().merge(Scalar<A>(a[i]), Scalar<A>(folded)).v;
  }
}

template <class F, class S, class A>
void fold_each_column(const ReduceArgs& args, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t, const Accumulators& acc) {
  fold_columns<F, S, A>(x, n, m, stride, acc.field<A>(0), nullptr, static_cast<A>(args.p));
}

template <class F, class A> void merge_folds(const Accumulators& into, const Accumulators& later, int64_t m) {
  A *const a = into.field<A>(0), *const b = later.field<A>(0);
  for (int64_t i = 0; i < m; ++i) a[i] = F().merge(Scalar<A>(a[i]), Scalar<A>(b[i])).v;
}

template <class A, class T> void finish_plain(const ReduceArgs&, const Accumulators& acc, int64_t m, const ReduceOutput* to) {
  const A* const a = acc.field<A>(0);
  store_values<A, T>(m, *to, [a](int64_t i) { return a[i]; });
}

template <class F, class A, class T> void finish_folds(const ReduceArgs& args, const Accumulators& acc, int64_t m, const ReduceOutput* to) {
  const A* const a = acc.field<A>(0);
  store_values<A, T>(m, *to, [a, args](int64_t i) { return F().finish(a[i], args); });
}

template <class A> void finish_tests(const ReduceArgs&, const Accumulators& acc, int64_t m, const ReduceOutput* to) {
  const A* const a = acc.field<A>(0);
  write_values<uint8_t>(m, *to, [a](int64_t i) { return static_cast<uint8_t>(a[i] != A(0)); });
}

// The fold whose loops reduce elements of type S for F: SameLoops<S> if F has it, else F.
template <class F, class S> struct LoopsOf { using Fold = F; };
template <class F, class S>
requires requires { typename F::template SameLoops<S>; }
struct LoopsOf<F, S> {
  using Fold = typename F::template SameLoops<S>;
};

// The element type of a fold. Tests for 0 read integers as unsigned.
template <class F, class S> struct ElementOf { using Type = S; };
template <class F, class S>
requires(F::tests&& std::is_integral_v<S>) struct ElementOf<F, S> {
  using Type = std::make_unsigned_t<S>;
};

template <class F> struct Fold {
  template <class T> static constexpr ReduceLoops loops() {
    using S = typename ElementOf<F, Plain<T>>::Type;
    using A = AccumulatorOf<F, S>;
    using L = typename LoopsOf<F, S>::Fold;
    ReduceLoops loops{.fields = 1, .widened = is_16bit_float<T>};
    loops.start = &start_fold<L, A>;
    loops.rows = &fold_each_row<L, S, A>;
    loops.columns = &fold_each_column<L, S, A>;
    loops.merge = &merge_folds<L, A>;
    if constexpr (F::tests)
      loops.finish = &finish_tests<A>;
    else if constexpr (requires(A a, const ReduceArgs& args) { F().finish(a, args); })
      loops.finish = &finish_folds<F, A, T>;
    else
      loops.finish = &finish_plain<A, T>;
    return loops;
  }
};

// ---- the tables
// --------------------------------------------------------------------------------------------------------------------------

template <class Variant, DTypeSet dtypes>
inline constexpr cpu::LoopsByDType loops_by_dtype = by_dtype<ReduceLoops, dtypes>([]<class T>(std::type_identity<T>) {
  return Variant::template loops<T>();
});

// Whether loops fit into the fields and results of a call, and receive elements in the same form.
template <DTypeSet dtypes, class... Variant> constexpr bool go_together() {
  for (size_t i = 0; i < dtype_count; ++i) {
    if ((loops_by_dtype<Variant, dtypes>[i].fields + ...) > cpu::max_accumulator_fields) return false;
    if ((loops_by_dtype<Variant, dtypes>[i].results + ...) > ReducePlan::max_results) return false;
    const int widened = (int{loops_by_dtype<Variant, dtypes>[i].widened} + ...);
    if (widened != 0 && widened != sizeof...(Variant)) return false;
  }
  return true;
}

template <DTypeSet dtypes, class Variant> struct VariantOf : VariantOf<dtypes, Together<Variant>> {};
template <DTypeSet dtypes, class... Variant> struct VariantOf<dtypes, Together<Variant...>> {
  static_assert(go_together<dtypes, Variant...>());
  static constexpr cpu::ReduceVariant variant{sizeof...(Variant), {&loops_by_dtype<Variant, dtypes>...}};
};

// As types, because addresses of functions are no constants in a build with sanitizers.
template <PlanFn plan> using PlanType = std::integral_constant<PlanFn, plan>;
template <class Op, PlanFn... plan> constexpr bool has_plan_of = (std::is_same_v<PlanType<Op::plan>, PlanType<plan>> || ...);

// The dtypes of an op's kernels: a plan that reduces complex numbers as real ones needs none for them.
template <class Op> constexpr DTypeSet folded_dtypes = computed_dtypes(Op::decl) &
                                                       (has_plan_of<Op, &plan_norm, &plan_variance> ? ordered_dtypes : all_dtypes);

template <class Op, class... Variant> constexpr cpu::ReduceKernels kernels_of(List<Variant...>) {
  return {{VariantOf<folded_dtypes<Op>, Variant>::variant...}};
}

template <class Op> inline constexpr cpu::ReduceKernels reduce_kernels = kernels_of<Op>(typename Op::Kernels());

template <class... Op> std::span<const Row> reduce_rows_of(List<Op...>) {
  static constexpr Row rows[] = {{&Op::decl, Op::plan, kernel<&cpu::run_reduce>(reduce_kernels<Op>)}...};
  return built_rows<rows>();
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
