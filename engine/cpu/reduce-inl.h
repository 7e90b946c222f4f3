// Turns folds into kernels over memory, one a dtype: eight vectors of accumulators for a run (an addition takes four cycles, two start in
// one), a vector of results at a time for columns. 16-bit floats are widened into a buffer first.
// Included once for each CPU instruction set: no include guard.

#include <hwy/cache_control.h>

#include "engine/cpu/convert.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

// What arithmetic and loads are done on.
template <class T> using Plain = std::conditional_t<is_16bit_float<T>, float, std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;
template <class T> using Wide = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
template <class F, class T> using AccumulatorOf = std::conditional_t<F::wide, Wide<T>, Plain<T>>;

constexpr int64_t widen_block = 1024;
constexpr bool mask_registers = HWY_TARGET == HWY_AVX3;
constexpr size_t extrema = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 ? 4 : 8;  // vectors, with as many sums: those have 16 registers

template <class V> HWY_INLINE V lowest() {
  using E = typename V::Element;
  if constexpr (std::is_floating_point_v<E>)
    return V(-std::numeric_limits<E>::infinity());
  else
    return V(std::numeric_limits<E>::lowest());
}
template <class V> HWY_INLINE V highest() {
  using E = typename V::Element;
  if constexpr (std::is_floating_point_v<E>)
    return V(std::numeric_limits<E>::infinity());
  else
    return V(std::numeric_limits<E>::max());
}

// As many elements as a vector of A has, converted to A; with `count`, only the first ones, the rest 0.
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

// Sums of four floats each, widened.
MT_FN Simd<double> load_fours(const float* a, const float* b, const float* c, const float* e) {
  const Simd<double>::D d;
  const hn::Rebind<float, decltype(d)> df;
  const auto sum = hn::Add(hn::Add(hn::LoadU(df, a), hn::LoadU(df, b)), hn::Add(hn::LoadU(df, c), hn::LoadU(df, e)));
  return Simd<double>(hn::PromoteTo(d, sum));
}
template <class F, class A, class S> constexpr bool by_fours = F::by_fours&& std::is_same_v<A, double>&& std::is_same_v<S, float>;

// Adds `count` rows, a multiple of four known here, to sums of columns: as many columns as fill whole vectors of floats; how many they
// were. Without the loop over rows, reads of memory overlap; with that many streams the processor has to be asked for what is read soon,
// in these rows and in the next ones: 2500 x 4000 floats take 1.2 ms of a Zen 4, not 1.6.
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

// An accumulator of all lanes. Without leaving registers, where the lanes can be reversed: each reversal brings together what is apart.
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

// The largest (or smallest) of n floats; false where one may be NaN, which their sum shows, or they are few. A test of each number would
// take as long as reading three from the cache.
template <class F, class A, size_t... i> bool extremum_run(const A* x, int64_t n, A& extremum, std::index_sequence<i...>) {
  const typename Simd<A>::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d)), step = static_cast<int64_t>(sizeof...(i)) * lanes;
  if (n < step) return false;
  const auto better = [](auto x, auto best) { return std::is_same_v<F, MaxFold> ? hn::Max(x, best) : hn::Min(x, best); };
  std::array best{hn::LoadU(d, x + i * lanes)...}, sums = best;
  for (int64_t at = step; at < n; at += step) {
    const A* const from = x + std::min(at, n - step);  // the last ones may come twice
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

// The two places in a run from which `count` times `unit` elements are taken together. They follow each other, but for runs of megabytes:
// reading these at two places far from each other keeps more of the memory busy, and 1e7 floats add up in 0.43 ms, not 0.55 (Zen 5).
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

// Calls each(elements, count, done) for parts of a run, as elements that can be computed with.
template <class T, class Each> void in_plain_parts(const std::byte* x, int64_t n, int64_t part, Each each) {
  if constexpr (is_16bit_float<T>) {
    float buffer[widen_block];
    for (int64_t done = 0; done < n; done += widen_block) {
      const int64_t m = std::min(widen_block, n - done);
      cpu::widen(buffer, reinterpret_cast<const T*>(x) + done, m);
      each(static_cast<const float*>(buffer), m, done);
    }
  } else {
    for (int64_t done = 0; done < n; done += part) each(reinterpret_cast<const Plain<T>*>(x) + done, std::min(part, n - done), done);
  }
}

// Folds n rows of m elements (at most accumulators_block) into acc; parameters: one a column, or none.
template <class F, class T, class A>
void fold_columns(const std::byte* x, int64_t n, int64_t m, int64_t stride, A* acc, const A* parameters, A parameter) {
  using V = Simd<A>;
  using S = Plain<T>;
  // Rows folded into an accumulator between its load and its store. Sums take many: each is a stream that the processor reads ahead.
  constexpr int64_t together = by_fours<F, A, S> ? 16 : 4;
  if (is_16bit_float<T> && m > widen_block) {  // as many columns as the buffer holds, then the others
    constexpr int64_t k = widen_block;
    fold_columns<F, T, A>(x, n, k, stride, acc, parameters, parameter);
    fold_columns<F, T, A>(x + k * sizeof(T), n, m - k, stride, acc + k, parameters == nullptr ? nullptr : parameters + k, parameter);
    return;
  }
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const F f;
  S buffer[is_16bit_float<T> ? together * widen_block : 1];
  const int64_t step = is_16bit_float<T> ? widen_block : stride / static_cast<int64_t>(sizeof(S));
  for (int64_t row = 0; row < n; row += together) {
    const int64_t count = std::min(together, n - row);
    const S* rows = buffer;
    if constexpr (is_16bit_float<T>) {
      for (int64_t r = 0; r < count; ++r) {
        cpu::widen(buffer + r * step, reinterpret_cast<const T*>(x + (row + r) * stride), m);
      }
    } else {
      rows = reinterpret_cast<const S*>(x + row * stride);
    }
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
      hn::BlendedStore(a.v, mask, d, acc + j);
    }
  }
}

// The value as an element of the result: the argument's type, or what sums and tests give.
template <class T, class A> void store(const ReduceOut& out, int r, int64_t i, A value) {
  std::byte* to = out.data[r] + i * out.strides[r];
  if (out.dtype == dtype_of<T>)
    *reinterpret_cast<T*>(to) = convert_element<T>(value);
  else if (out.dtype == DType::int64)
    *reinterpret_cast<int64_t*>(to) = convert_element<int64_t>(value);
  else if (out.dtype == DType::float64)  // a number that comes out unrounded
    *reinterpret_cast<double*>(to) = convert_element<double>(value);
  else
    *reinterpret_cast<uint8_t*>(to) = static_cast<uint8_t>(value != A(0));
}

// ---- one accumulator
// ---------------------------------------------------------------------------------------------------------------------

template <class F> struct Fold {
  template <class T> static constexpr ReduceKernel kernel() {
    using A = AccumulatorOf<F, T>;
    return {1,
            [](Accumulators acc, int64_t m) { std::fill_n(acc.field<A>(0), m, F().template start<Scalar<A>>().v); },
            [](const ReduceArgs& args, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t, Accumulators acc) {
              A* a = acc.field<A>(0);
              for (int64_t i = 0; i < m; ++i) {
                in_plain_parts<T>(x + i * stride, n, n, [&](const Plain<T>* p, int64_t count, int64_t) {
                  a[i] = F().merge(Scalar<A>(a[i]), Scalar<A>(fold_run<F, A>(p, count, static_cast<A>(args.p)))).v;
                });
              }
            },
            [](const ReduceArgs& args, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t, Accumulators acc) {
              fold_columns<F, T, A>(x, n, m, stride, acc.field<A>(0), nullptr, static_cast<A>(args.p));
            },
            [](const ReduceArgs&, Accumulators into, Accumulators later, int64_t m) {
              A *a = into.field<A>(0), *b = later.field<A>(0);
              for (int64_t i = 0; i < m; ++i) a[i] = F().merge(Scalar<A>(a[i]), Scalar<A>(b[i])).v;
            },
            [](const ReduceArgs& args, Accumulators acc, int64_t m, const ReduceOut& out) {
              const A* a = acc.field<A>(0);
              if (out.dtype == dtype_of<T> && out.strides[0] == sizeof(T)) {  // vectors
                T* to = reinterpret_cast<T*>(out.data[0]);
                for (int64_t i = 0; i < m; ++i) to[i] = convert_element<T>(F().finish(a[i], args));
                return;
              }
              for (int64_t i = 0; i < m; ++i) store<T>(out, 0, i, F().finish(a[i], args));
            }};
  }
};

// ---- products in order
// -----------------------------------------------------------------------------------------------------------------

// Multiplies `groups` times as many rows as a small vector has elements into an accumulator each, one element after the other. A product
// waits for the one before, so that only several rows keep the processor busy: tiles are transposed, and a vector takes an element of each
// row. 1000 x 1000 floats take 0.10 ms so, and 0.42 element by element.
template <int groups, class A> void multiply_rows(const A* x, int64_t n, int64_t step, A* acc) {
  constexpr int64_t lanes = 16 / sizeof(A);
  const hn::FixedTag<A, lanes> d;
  hn::Vec<decltype(d)> a[groups];
  for (int g = 0; g < groups; ++g) a[g] = hn::LoadU(d, acc + g * lanes);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int g = 0; g < groups; ++g) {
      const A* const at = x + g * lanes * step + i;
      const auto first = hn::LoadU(d, at), second = hn::LoadU(d, at + step);
      const auto low = hn::InterleaveLower(d, first, second), high = hn::InterleaveUpper(d, first, second);
      if constexpr (lanes == 2) {
        a[g] = hn::Mul(hn::Mul(a[g], low), high);
      } else {
        const auto third = hn::LoadU(d, at + 2 * step), fourth = hn::LoadU(d, at + 3 * step);
        const auto later_low = hn::InterleaveLower(d, third, fourth), later_high = hn::InterleaveUpper(d, third, fourth);
        a[g] = hn::Mul(a[g], hn::ConcatLowerLower(d, later_low, low));
        a[g] = hn::Mul(a[g], hn::ConcatUpperUpper(d, later_low, low));
        a[g] = hn::Mul(a[g], hn::ConcatLowerLower(d, later_high, high));
        a[g] = hn::Mul(a[g], hn::ConcatUpperUpper(d, later_high, high));
      }
    }
  }
  for (int g = 0; g < groups; ++g) hn::StoreU(a[g], d, acc + g * lanes);
  for (int64_t row = 0; row < groups * lanes; ++row)
    for (int64_t k = i; k < n; ++k) acc[row] *= x[row * step + k];
}

struct OrderedProduct {
  template <class T> static constexpr ReduceKernel kernel() {
    if constexpr (std::is_floating_point_v<T>) {
      ReduceKernel in_order = Fold<ProductFold>::template kernel<T>();
      in_order.merge = nullptr;
      in_order.rows = [](const ReduceArgs&, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t, Accumulators acc) {
        constexpr int64_t lanes = 16 / sizeof(T), step_bytes = sizeof(T);
        const T* const from = reinterpret_cast<const T*>(x);
        const int64_t step = stride / step_bytes;
        T* const a = acc.field<T>(0);
        int64_t i = 0;
        for (; i + 16 <= m; i += 16) multiply_rows<16 / lanes>(from + i * step, n, step, a + i);
        for (; i + 8 <= m; i += 8) multiply_rows<8 / lanes>(from + i * step, n, step, a + i);
        for (; i + lanes <= m; i += lanes) multiply_rows<1>(from + i * step, n, step, a + i);
        for (; i < m; ++i)
          for (int64_t k = 0; k < n; ++k) a[i] *= from[i * step + k];
      };
      return in_order;
    } else {
      return {};
    }
  }
};

// ---- an extremum and its place
// -----------------------------------------------------------------------------------------------------------

// Of a run, the extremum is found first and then looked for: two quick passes over what is in the cache.
template <class S> int64_t find(const S* x, int64_t n, S value) {
  using V = Simd<S>;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const bool nan = value != value;
  const V wanted(value);
  const auto hits = [&](int64_t at) {
    const V v(hn::LoadU(d, x + at));
    return nan ? v != v : v == wanted;
  };
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const auto any = (hits(i) | hits(i + lanes)) | (hits(i + 2 * lanes) | hits(i + 3 * lanes));
    if (!hn::AllFalse(d, any.m)) break;
  }
  for (; i + lanes <= n; i += lanes) {
    if (const auto at = hn::FindFirstTrue(d, hits(i).m); at >= 0) return i + at;
  }
  while (i < n && !(nan ? x[i] != x[i] : x[i] == value)) ++i;
  return i;
}

template <class Order, bool with_values> struct Positions {
  template <class S> static bool beats(S x, S y) { return Order()(Scalar<S>(x), Scalar<S>(y)).b || (x != x && y == y); }

  // The extremum of a run and where it is first, in one pass: each lane keeps its own with the number of the group of vectors it came from,
  // and only the first such group is searched. False where one may be NaN, which their sum shows, or they are few. 2500 rows of 4000
  // floats take 1.2 ms, and 1.5 when each is gone through and then searched; without mask registers the latter is as fast.
  template <class S, size_t... k>
  static bool find_extremum(const S* x, int64_t n, S& extremum, int64_t& place, std::index_sequence<k...> vectors) {
    using V = Simd<S>;
    const typename V::D d;
    const hn::RebindToSigned<decltype(d)> dr;
    using R = hn::TFromD<decltype(dr)>;
    constexpr bool largest = std::is_same_v<typename Order::Value, MaxFold>;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d)), group = static_cast<int64_t>(vectors.size()) * lanes;
    if (n < 2 * group) return false;
    const auto better = [](auto v, auto w) HWY_ATTR { return largest ? hn::Max(v, w) : hn::Min(v, w); };
    auto best = hn::LoadU(d, x);
    auto at = hn::Zero(dr);
    const auto nothing = hn::Zero(d);
    std::array sum{(static_cast<void>(k), nothing)...};
    for (int64_t i = 0; i < n; i += group) {
      const int64_t from = std::min(i, n - group);  // the last ones may come twice
      const std::array v{hn::LoadU(d, x + from + k * lanes)...};
      auto all = v[0];
      ((all = better(v[k], all)), ...);
      if constexpr (std::is_floating_point_v<S>) ((sum[k] = hn::Add(sum[k], v[k])), ...);
      at = hn::IfThenElse(hn::RebindMask(dr, Order()(V(all), V(best)).m), hn::Set(dr, static_cast<R>(from)), at);
      best = better(all, best);
    }
    if constexpr (std::is_floating_point_v<S>) {
      if (!(hn::AllTrue(d, hn::Eq(sum[k], sum[k])) && ...)) return false;
    }
    const auto top = largest ? hn::MaxOfLanes(d, best) : hn::MinOfLanes(d, best);
    const auto none = hn::Set(dr, std::numeric_limits<R>::max());
    const auto candidates = hn::IfThenElse(hn::RebindMask(dr, hn::Eq(best, top)), at, none);
    const auto first = static_cast<int64_t>(hn::GetLane(hn::MinOfLanes(dr, candidates)));
    place = first + find(x + first, group, hn::GetLane(top));
    extremum = x[place];
    return true;
  }

  // Position -1: none yet.
  template <class S> static void take(S* values, int64_t* places, int64_t i, S value, int64_t place) {
    if (place >= 0 && (places[i] < 0 || beats(value, values[i]))) {
      values[i] = value;
      places[i] = place;
    }
  }

  template <class T> static void rows(const std::byte* x, int64_t n, int64_t first, Accumulators acc, int64_t i) {
    using S = Plain<T>;
    constexpr int64_t few = 24;  // elements: a row of classes is walked sooner than vectors are set up, merged and searched
    in_plain_parts<T>(x, n, 8192, [&](const S* p, int64_t count, int64_t done) {
      S* values = acc.field<S>(0);
      int64_t* places = acc.field<int64_t>(1);
      if (count <= few) {
        int64_t at = 0;
        for (int64_t k = 1; k < count; ++k) at = beats(p[k], p[at]) ? k : at;
        if (count > 0) take(values, places, i, p[at], first + done + at);
        return;
      }
      if constexpr (sizeof(S) >= 4 && mask_registers) {
        S best;
        int64_t at;
        if (find_extremum(p, count, best, at, std::make_index_sequence<2>())) return take(values, places, i, best, first + done + at);
      }
      const S best = fold_run<typename Order::Value, S>(p, count, S(0));
      if (places[i] < 0 || beats(best, values[i])) take(values, places, i, best, first + done + find(p, count, best));
    });
  }

  // A vector of columns keeps its extrema, and the rows they were in as numbers of the same width, for up to 2^7 rows at a time.
  template <class T> static void columns(const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t first, Accumulators acc) {
    using S = Plain<T>;
    using V = Simd<S>;
    using R = hwy::MakeSigned<S>;
    const typename V::D d;
    const hn::RebindToSigned<decltype(d)> dr;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    constexpr int64_t together = 128;
    HWY_ALIGN S best[HWY_MAX_BYTES / sizeof(S)];
    HWY_ALIGN R where[HWY_MAX_BYTES / sizeof(S)];
    S buffer[is_16bit_float<T> ? HWY_MAX_BYTES / sizeof(S) : 1];
    for (int64_t row = 0; row < n; row += together) {
      const int64_t count = std::min(together, n - row);
      for (int64_t j = 0; j < m; j += lanes) {
        const int64_t width = std::min(lanes, m - j);
        const auto load = [&](int64_t r) {
          const std::byte* from = x + (row + r) * stride + j * static_cast<int64_t>(sizeof(T));
          if constexpr (is_16bit_float<T>) {
            for (int64_t k = 0; k < width; ++k) buffer[k] = reinterpret_cast<const T*>(from)[k];
            return V(hn::LoadU(d, buffer));
          } else {
            const S* p = reinterpret_cast<const S*>(from);
            return width == lanes ? V(hn::LoadU(d, p)) : V(load_first(hn::FirstN(d, static_cast<size_t>(width)), d, p));
          }
        };
        V value = load(0);
        auto place = hn::Zero(dr);
        for (int64_t r = 1; r < count; ++r) {
          const V v = load(r);
          const auto better = Order()(v, value) | ((v != v) & (value == value));
          value = select(better, v, value);
          place = hn::IfThenElse(hn::RebindMask(dr, better.m), hn::Set(dr, static_cast<R>(r)), place);
        }
        hn::Store(value.v, d, best);
        hn::Store(place, dr, where);
        for (int64_t k = 0; k < width; ++k) take(acc.field<S>(0), acc.field<int64_t>(1), j + k, best[k], first + row + where[k]);
      }
    }
  }

  template <class T> static constexpr ReduceKernel kernel() {
    using S = Plain<T>;
    return {2,
            [](Accumulators acc, int64_t m) { std::fill_n(acc.field<int64_t>(1), m, -1); },
            [](const ReduceArgs&, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t first, Accumulators acc) {
              for (int64_t i = 0; i < m; ++i) rows<T>(x + i * stride, n, first, acc, i);
            },
            [](const ReduceArgs&, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t first, Accumulators acc) {
              columns<T>(x, n, m, stride, first, acc);
            },
            [](const ReduceArgs&, Accumulators into, Accumulators later, int64_t m) {
              for (int64_t i = 0; i < m; ++i)
                take(into.field<S>(0), into.field<int64_t>(1), i, later.field<S>(0)[i], later.field<int64_t>(1)[i]);
            },
            [](const ReduceArgs&, Accumulators acc, int64_t m, const ReduceOut& out) {
              for (int64_t i = 0; i < m; ++i) {
                if constexpr (with_values) store<T>(out, 0, i, acc.field<S>(0)[i]);
                constexpr int r = with_values ? 1 : 0;
                *reinterpret_cast<int64_t*>(out.data[r] + i * out.strides[r]) = acc.field<int64_t>(1)[i] + 1;
              }
            }};
  }
};

// ---- mean and squared deviations
// ---------------------------------------------------------------------------------------------------------

// Part by part that fits into the cache: its mean, then its deviations from that; parts are joined by Chan, Golub & LeVeque's formula.
template <bool root> struct Moments {
  static constexpr int64_t part = 8192;         // elements of a run
  static constexpr int64_t part_bytes = 65536;  // of a block of columns

  static void join(Accumulators acc, int64_t i, double mean, double squares, double n) {
    double &mean_before = acc.field<double>(0)[i], &squares_before = acc.field<double>(1)[i], &n_before = acc.field<double>(2)[i];
    if (n == 0) return;
    const double all = n_before + n, delta = mean - mean_before;
    squares_before += squares + delta * delta * (n_before * (n / all));
    mean_before += delta * (n / all);
    n_before = all;
  }

  template <class T> static void columns(const std::byte* x, int64_t n, int64_t m, int64_t stride, Accumulators acc) {
    alignas(64) double means[accumulators_block], squares[accumulators_block];
    const int64_t rows = std::max<int64_t>(8, part_bytes / (m * static_cast<int64_t>(sizeof(T))));
    for (int64_t row = 0; row < n; row += rows) {
      const int64_t count = std::min(rows, n - row);
      std::fill_n(means, m, 0.0);
      std::fill_n(squares, m, 0.0);
      fold_columns<SumFold, T, double>(x + row * stride, count, m, stride, means, nullptr, 0.0);
      for (int64_t i = 0; i < m; ++i) means[i] /= static_cast<double>(count);
      fold_columns<DeviationsFold, T, double>(x + row * stride, count, m, stride, squares, means, 0.0);
      for (int64_t i = 0; i < m; ++i) join(acc, i, means[i], squares[i], static_cast<double>(count));
    }
  }

  template <class T> static constexpr ReduceKernel kernel() {
    return {3,
            [](Accumulators acc, int64_t m) {
              for (int f = 0; f < 3; ++f) std::fill_n(acc.field<double>(f), m, 0.0);
            },
            [](const ReduceArgs&, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t, Accumulators acc) {
              for (int64_t i = 0; i < m; ++i) {
                in_plain_parts<T>(x + i * stride, n, part, [&](const Plain<T>* p, int64_t count, int64_t) {
                  const double mean = fold_run<SumFold, double>(p, count, 0.0) / static_cast<double>(count);
                  join(acc, i, mean, fold_run<DeviationsFold, double>(p, count, mean), static_cast<double>(count));
                });
              }
            },
            [](const ReduceArgs&, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t, Accumulators acc) {
              columns<T>(x, n, m, stride, acc);
            },
            [](const ReduceArgs&, Accumulators into, Accumulators later, int64_t m) {
              for (int64_t i = 0; i < m; ++i)
                join(into, i, later.field<double>(0)[i], later.field<double>(1)[i], later.field<double>(2)[i]);
            },
            [](const ReduceArgs& args, Accumulators acc, int64_t m, const ReduceOut& out) {
              const double divisor = static_cast<double>(args.biased ? args.count : args.count - 1);
              for (int64_t i = 0; i < m; ++i) {
                const double variance = args.count == 0 ? std::numeric_limits<double>::quiet_NaN() : acc.field<double>(1)[i] / divisor;
                store<T>(out, 0, i, root ? std::sqrt(variance) : variance);
              }
            }};
  }
};

template <class Op, class Variant, class T> constexpr ReduceKernel kernel_of() {
  constexpr bool floats_only = Op::decl.result == Rule::float_result;
  if constexpr (floats_only && std::is_integral_v<T>)
    return {};
  else
    return Variant::template kernel<T>();
}

template <class Op, class... Variant> constexpr ReduceKernels kernels_of(List<Variant...>) {
  return {{{kernel_of<Op, Variant, uint8_t>(), kernel_of<Op, Variant, int8_t>(), kernel_of<Op, Variant, int16_t>(),
            kernel_of<Op, Variant, int32_t>(), kernel_of<Op, Variant, int64_t>(), kernel_of<Op, Variant, Half>(),
            kernel_of<Op, Variant, float>(), kernel_of<Op, Variant, double>(), kernel_of<Op, Variant, bool>(),
            kernel_of<Op, Variant, BFloat16>()}...}};
}

template <class Op> inline constexpr ReduceKernels reduce_kernels = kernels_of<Op>(typename Op::Kernels());

template <class... Op> std::span<const Row> reduce_rows_of(List<Op...>) {
  static constexpr Row rows[] = {{&Op::decl, Op::plan, &reduce_kernels<Op>}...};
  return rows;
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
