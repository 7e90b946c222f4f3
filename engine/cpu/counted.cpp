#include "engine/cpu/counted.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/cpu/convert.h"
#include "engine/cpu/philox.h"

#define MT_FN inline

namespace mt::cpu {
namespace {

using drawn::Distribution;

#include "engine/ops/drawn-inl.h"

constexpr int64_t grain = 2048;              // blocks per thread at least, some 4 ns each and more
constexpr int64_t some = 256;                // blocks at a time, if their values go through a buffer
constexpr int narrow_per = 4, wide_per = 2;  // elements per block

// Calls f(first block, count of blocks, first element, count of elements) for parts of up to `most` blocks.
template <class F> void each_piece(int64_t n, int64_t per, int64_t most, const F& f) {
  const int64_t blocks = (n + per - 1) / per;
  parallel_for(blocks, grain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t count = std::min(most, end - begin);
      f(begin, count, begin * per, std::min(n - begin * per, count * per));
      begin += count;
    }
  });
}

template <class E, class V> E as_element(V value) {
  if constexpr (std::is_floating_point_v<V>)
    return element_from<E>(value);
  else
    return convert_element<E>(value);
}

// Sets element i of out to map(its bits, i).
template <class Bits, class F> void fill_mapped(const Tensor& out, const Draws& draws, const F& map) {
  constexpr int per = sizeof(PhiloxBlock) / sizeof(Bits);
  dispatch(out.dtype(), [&]<class E>(std::type_identity<E>) {
    E* const p = out.data<E>();
    each_piece(out.numel(), per, some, [&](int64_t block, int64_t blocks, int64_t first, int64_t count) {
      Bits bits[some * per];
      philox_words(draws, static_cast<uint64_t>(block), blocks, reinterpret_cast<uint32_t*>(bits));
      const F own = map;  // a copy, because writes to bytes might alias everything referred to
      E* const to = p + first;
      for (int64_t i = 0; i < count; ++i) to[i] = as_element<E>(own(bits[i], first + i));
    });
  });
}

}  // namespace

void run_counted(const DistributionPlan& plan, drawn::Kind kind) {
  const Tensor& out = plan.out;
  const Distribution distribution(kind, plan.a, plan.b, out.dtype());
  dispatch(out.dtype(), [&]<class E>(std::type_identity<E>) {
    E* const p = out.data<E>();
    if constexpr (std::is_same_v<E, float> || std::is_same_v<E, double>) {
      constexpr int64_t per = sizeof(PhiloxBlock) / sizeof(E);
      each_piece(out.numel(), per, std::numeric_limits<int64_t>::max(), [&](int64_t block, int64_t, int64_t first, int64_t count) {
        drawn_values(plan.source.draws, static_cast<uint64_t>(block), distribution, count, p + first);
      });
    } else if constexpr (is_16bit_float<E>) {
      each_piece(out.numel(), narrow_per, some, [&](int64_t block, int64_t, int64_t first, int64_t count) {
        float values[some * narrow_per];
        drawn_values(plan.source.draws, static_cast<uint64_t>(block), distribution, count, values);
        narrow(p + first, values, count);
      });
    } else {
      broken_invariant("a tensor of floats", __FILE__, __LINE__);
    }
  });
}

void run_counted_geometric(const DistributionPlan& plan) {
  const Distribution waiting(drawn::Kind::exponential, -std::log(plan.a), 0, DType::float64);
  dispatch(plan.out.dtype(), [&]<class E>(std::type_identity<E>) {
    E* const p = plan.out.data<E>();
    each_piece(plan.out.numel(), wide_per, some, [&](int64_t block, int64_t, int64_t first, int64_t count) {
      double values[some * wide_per];
      drawn_values(plan.source.draws, static_cast<uint64_t>(block), waiting, count, values);
      for (int64_t i = 0; i < count; ++i) p[first + i] = as_element<E>(static_cast<int64_t>(values[i]) + 1);
    });
  });
}

void run_counted(const BernoulliPlan& plan) {
  const Draws& draws = plan.source.draws;
  if (!plan.chances) {
    const uint64_t limit = drawn::below(plan.chance);
    // As 32 bits, in vectors.
    const auto last = static_cast<uint32_t>(limit - 1);
    const uint32_t possible = limit > 0 ? 1 : 0;
    return fill_mapped<uint32_t>(plan.out, draws,
                                 [=](uint32_t bits, int64_t) { return static_cast<int32_t>((bits <= last ? 1u : 0u) & possible); });
  }
  const auto* chances = plan.chances.data<double>();
  *plan.improper = !std::all_of(chances, chances + plan.out.numel(), [](double c) { return c >= 0 && c <= 1; });
  if (*plan.improper) return;
  fill_mapped<uint32_t>(plan.out, draws, [=](uint32_t bits, int64_t i) { return bits < drawn::below(chances[i]) ? 1 : 0; });
}

void run_counted(const RandomPlan& plan) {
  const auto from = static_cast<uint64_t>(plan.first);
  const uint64_t count = plan.count;
  fill_mapped<uint64_t>(plan.out, plan.source.draws,
                        [=](uint64_t bits, int64_t) { return static_cast<int64_t>(drawn::one_of(bits, count) + from); });
}

// Distributes keys by their first bits to buckets of some 32, and sorts each.
void run_counted(const RandpermPlan& plan) {
  struct Entry {
    uint64_t key;
    int64_t position;
    bool operator<(const Entry& other) const { return key != other.key ? key < other.key : position < other.position; }
  };
  auto* const out = plan.out.data<int64_t>();
  const int64_t n = plan.out.numel();
  fill_mapped<uint64_t>(plan.out, plan.source.draws, [](uint64_t bits, int64_t) { return static_cast<int64_t>(bits); });
  const int bucket_bits = std::clamp(static_cast<int>(std::bit_width(static_cast<uint64_t>(n))) - 5, 0, 16);
  const auto bucket_of = [bucket_bits](int64_t key) {
    return bucket_bits == 0 ? size_t{0} : static_cast<size_t>(static_cast<uint64_t>(key) >> (64 - bucket_bits));
  };
  std::vector<int64_t> ends(size_t{1} << bucket_bits, 0);
  for (int64_t i = 0; i < n; ++i) ++ends[bucket_of(out[i])];
  std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), int64_t{0});
  const Tensor memory = Tensor::empty(DType::uint8, {n * static_cast<int64_t>(sizeof(Entry))});
  auto* const entries = memory.data<Entry>();
  for (int64_t i = 0; i < n; ++i) entries[ends[bucket_of(out[i])]++] = {static_cast<uint64_t>(out[i]), i};
  parallel_for(static_cast<int64_t>(ends.size()), 256, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const int64_t first = b == 0 ? 0 : ends[static_cast<size_t>(b - 1)], last = ends[static_cast<size_t>(b)];
      std::sort(entries + first, entries + last);
      for (int64_t i = first; i < last; ++i) out[i] = entries[i].position + 1;
    }
  });
}

namespace {

// Draws n of the categories with the bits of elements first, first + 1, ...
void draw_with_replacement(const double* weights, int64_t categories, const Draws& draws, int64_t first, int64_t n, int64_t* out) {
  std::vector<double> sums(static_cast<size_t>(categories));
  std::partial_sum(weights, weights + categories, sums.begin());
  // Because of rounding, the last sums may not increase, or a fraction of the total may reach it.
  const auto last = std::lower_bound(sums.begin(), sums.end(), sums.back());
  for (int64_t k = 0; k < n; ++k) {
    const double at = drawn::fraction(draws.bits64(static_cast<uint64_t>(first + k))) * sums.back();
    out[k] = std::min(std::upper_bound(sums.begin(), sums.end(), at), last) - sums.begin() + 1;
  }
}

// Uses the bits of elements first, first + 1, ..., one per category.
void draw_without(const double* weights, int64_t categories, const Draws& draws, int64_t first, int64_t n, int64_t* out) {
  std::vector<std::pair<double, int64_t>> order;
  for (int64_t c = 0; c < categories; ++c) {
    if (weights[c] > 0) order.emplace_back(drawn_order(drawn::positive(draws.bits64(static_cast<uint64_t>(first + c))), weights[c]), c);
  }
  std::partial_sort(order.begin(), order.begin() + n, order.end());
  for (int64_t k = 0; k < n; ++k) out[k] = order[static_cast<size_t>(k)].second + 1;
}

}  // namespace

void run_counted(const MultinomialPlan& plan) {
  const auto* weights = plan.weights.data<double>();
  auto* out = plan.out.data<int64_t>();
  const int64_t bits_a_row = plan.replacement ? plan.n : plan.categories;
  parallel_for(plan.rows, std::max<int64_t>(1, grain / (plan.categories + plan.n)), [&](int64_t begin, int64_t end) {
    const auto draw = plan.replacement ? &draw_with_replacement : &draw_without;
    for (int64_t r = begin; r < end; ++r)
      draw(weights + r * plan.categories, plan.categories, plan.source.draws, r * bits_a_row, plan.n, out + r * plan.n);
  });
}

}  // namespace mt::cpu
