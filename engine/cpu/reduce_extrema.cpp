// The CPU's kernels of extrema and their positions, for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/reduce_extrema.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include "engine/cpu/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

// Finds the extremum of a run first and then its position: two fast passes over memory in the cache.
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

constexpr bool mask_registers = HWY_TARGET == HWY_AVX3;

template <class Order> struct Found {
  template <class S> static bool beats(S x, S y) { return Order()(Scalar<S>(x), Scalar<S>(y)).b || (x != x && y == y); }

  // Finds the extremum of a run and its first position, in one pass: each lane stores its extremum with the number of the group of vectors
  // that contains it, and only the first such group is searched. Returns false if an element may be NaN, which their sum shows, or they are
  // few. 2500 rows of 4000 floats take 1.2 ms, and 1.5 in two passes; without mask registers the latter is as fast.
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
      const int64_t from = std::min(i, n - group);  // the last elements may be read twice
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

  template <class S> static void find_in_run(const S* p, int64_t count, int64_t first, const Accumulators& acc, int64_t i) {
    constexpr int64_t few = 24;  // elements: a loop over a row of classes is faster than setting up, merging and searching vectors
    S* values = acc.field<S>(0);
    int64_t* places = acc.field<int64_t>(1);
    if (count <= few) {
      int64_t at = 0;
      for (int64_t k = 1; k < count; ++k) at = beats(p[k], p[at]) ? k : at;
      if (count > 0) take(values, places, i, p[at], first + at);
      return;
    }
    if constexpr (sizeof(S) >= 4 && mask_registers) {
      S best;
      int64_t at;
      if (find_extremum(p, count, best, at, std::make_index_sequence<2>())) return take(values, places, i, best, first + at);
    }
    const S best = fold_run<typename Order::Value, S>(p, count, S(0));
    if (places[i] < 0 || beats(best, values[i])) take(values, places, i, best, first + find(p, count, best));
  }

  template <class S>
  static void rows(const ReduceArgs&, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t first, const Accumulators& acc) {
    constexpr int64_t part = 8192;
    for (int64_t i = 0; i < m; ++i) {
      const S* const run = reinterpret_cast<const S*>(x + i * stride);
      for (int64_t done = 0; done < n; done += part) find_in_run(run + done, std::min(part, n - done), first + done, acc, i);
    }
  }

  // A vector of columns stores its extrema, and their rows as numbers of the same width, for up to 2^7 rows at a time.
  template <class S>
  static void columns(const ReduceArgs&, const std::byte* x, int64_t n, int64_t m, int64_t stride, int64_t first, const Accumulators& acc) {
    using V = Simd<S>;
    using R = hwy::MakeSigned<S>;
    const typename V::D d;
    const hn::RebindToSigned<decltype(d)> dr;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    constexpr int64_t together = 128;
    S* const values = acc.field<S>(0);
    int64_t* const places = acc.field<int64_t>(1);
    HWY_ALIGN S best[HWY_MAX_BYTES / sizeof(S)];
    HWY_ALIGN R where[HWY_MAX_BYTES / sizeof(S)];
    for (int64_t row = 0; row < n; row += together) {
      const int64_t count = std::min(together, n - row);
      for (int64_t j = 0; j < m; j += lanes) {
        const int64_t width = std::min(lanes, m - j);
        const auto load = [&](int64_t r) {
          const S* p = reinterpret_cast<const S*>(x + (row + r) * stride) + j;
          return width == lanes ? V(hn::LoadU(d, p)) : V(load_first(hn::FirstN(d, static_cast<size_t>(width)), d, p));
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
        for (int64_t k = 0; k < width; ++k) take(values, places, j + k, best[k], first + row + where[k]);
      }
    }
  }

  static void start(const Accumulators& acc, int64_t m) { std::fill_n(acc.field<int64_t>(1), m, -1); }

  template <class S> static void merge(const Accumulators& into, const Accumulators& later, int64_t m) {
    S *const values = into.field<S>(0), *const later_values = later.field<S>(0);
    int64_t *const places = into.field<int64_t>(1), *const later_places = later.field<int64_t>(1);
    for (int64_t i = 0; i < m; ++i) take(values, places, i, later_values[i], later_places[i]);
  }
};

void finish_positions(const ReduceArgs&, const Accumulators& acc, int64_t m, const ReduceOutput* to) {
  const int64_t* const places = acc.field<int64_t>(1);
  write_values<int64_t>(m, *to, [places](int64_t i) { return places[i] + 1; });
}

template <class S, class T> void finish_extrema(const ReduceArgs& args, const Accumulators& acc, int64_t m, const ReduceOutput* to) {
  finish_plain<S, T>(args, acc, m, to);
  finish_positions(args, acc, m, to + 1);
}

template <class Order, bool with_values> struct Positions {
  template <class T> static constexpr ReduceLoops loops() {
    using S = Plain<T>;
    using Loops = Found<Order>;
    return {.fields = 2,
            .results = with_values ? 2 : 1,
            .widened = is_16bit_float<T>,
            .start = &Loops::start,
            .rows = &Loops::template rows<S>,
            .columns = &Loops::template columns<S>,
            .merge = &Loops::template merge<S>,
            .finish = with_values ? &finish_extrema<S, T> : &finish_positions};
  }
};

std::span<const Row> reduce_extrema_rows() { return reduce_rows_of(ExtremumOps()); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(reduce_extrema_rows);
namespace cpu {
std::span<const Row> reduce_extrema_rows() { return HWY_DYNAMIC_DISPATCH(reduce_extrema_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
