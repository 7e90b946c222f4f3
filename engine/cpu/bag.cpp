// The CPU's kernels of bags of rows. A bag's rows are read where they lie, at most 64 at a time: eight vectors of columns stay in registers
// while the rows are added, and further rows are prefetched, since their addresses look random to the processor. Blocks of 64 rows are
// added in double. For gradients threads divide the rows of the result, and each visits all bags in order, so that sums do not depend on
// the number of threads.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/bag.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/lane-inl.h"

#include "engine/cpu/first_lanes-inl.h"
#include "engine/ops/bag.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

constexpr int64_t grain_of_values = 16384, block_rows = 64, across = 8, ahead = 12;  // ahead: rows that are prefetched

template <class T> constexpr bool has_vectors = std::is_same_v<T, float> || std::is_same_v<T, double>;

// The positions of bags in the index.
struct Positions {
  const int64_t *index, *offsets;
  int64_t count, length, total, padding;

  explicit Positions(const Bags& bags)
      : index(bags.index.data<int64_t>()),
        offsets(bags.offsets.data<int64_t>()),
        count(bags.count),
        length(bags.length),
        total(bags.index.numel()),
        padding(bags.padding) {}
  int64_t begin(int64_t bag) const { return offsets ? offsets[bag] - 1 : bag * length; }
  int64_t end(int64_t bag) const { return !offsets ? (bag + 1) * length : bag + 1 < count ? offsets[bag + 1] - 1 : total; }
  bool counts(int64_t position) const { return index[position] != padding; }
  int64_t rows(int64_t bag) const {
    if (padding == 0) return std::max<int64_t>(0, end(bag) - begin(bag));
    int64_t n = 0;
    for (int64_t i = begin(bag); i < end(bag); ++i) n += counts(i) ? 1 : 0;
    return n;
  }
  double share(int64_t bag) const { return 1 / static_cast<double>(std::max<int64_t>(1, rows(bag))); }
  int64_t grain(int64_t columns) const {
    return std::max<int64_t>(1, grain_of_values / std::max<int64_t>(1, columns * std::max<int64_t>(1, total / count)));
  }
};

// Rows of a bag, and their factors.
template <class T> struct Block {
  std::array<const T*, block_rows + ahead> rows;  // the last ones only for prefetching
  std::array<Compute<T>, block_rows> factors;
  int64_t count;
};

// Adds `vectors` vectors of columns, or the first `some` columns of one, and calls store(column, sum).
template <size_t vectors, bool weighted, class T, class F>
HWY_INLINE void sum_columns(const Block<T>& block, int64_t column, int64_t some, F store) {
  using V = Simd<T>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(typename V::D()));
  V sums[vectors];
#pragma GCC unroll 8
  for (size_t k = 0; k < vectors; ++k) sums[k] = V(0);
  for (int64_t r = 0; r < block.count; ++r) {
    const T *const row = block.rows[static_cast<size_t>(r)] + column, *const later = block.rows[static_cast<size_t>(r + ahead)] + column;
    const V factor(weighted ? block.factors[static_cast<size_t>(r)] : T(1));
#pragma GCC unroll 8
    for (size_t k = 0; k < vectors; ++k) {
      const int64_t at = static_cast<int64_t>(k) * lanes;
      hwy::Prefetch(later + at);
      const V v = vectors > 1 ? V(hn::LoadU(typename V::D(), row + at)) : load_some(row, some);
      sums[k] = weighted ? V(hn::MulAdd(v.v, factor.v, sums[k].v)) : sums[k] + v;
    }
  }
#pragma GCC unroll 8
  for (size_t k = 0; k < vectors; ++k) store(column + static_cast<int64_t>(k) * lanes, sums[k]);
}

// Calls store(first column, how many, sums) for vectors of sums over a block.
template <bool weighted, class T, class F> HWY_INLINE void sum_block(const Block<T>& block, int64_t columns, F store) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(typename Simd<T>::D()));
  int64_t c = 0;
  for (; c + across * lanes <= columns; c += across * lanes)
    sum_columns<across, weighted>(block, c, lanes, [&](int64_t at, Simd<T> v) HWY_ATTR { store(at, lanes, v); });
  for (; c < columns; c += lanes) {
    const int64_t some = std::min(lanes, columns - c);
    sum_columns<1, weighted>(block, c, some, [&](int64_t at, Simd<T> v) HWY_ATTR { store(at, some, v); });
  }
}

// Adds the sums over a block to total.
template <bool weighted, class T> void add_block(const Block<T>& block, int64_t columns, double* total) {
  if constexpr (has_vectors<T>) {
    sum_block<weighted>(block, columns, [total](int64_t at, int64_t some, Simd<T> v) HWY_ATTR {
      HWY_ALIGN T values[hn::MaxLanes(typename Simd<T>::D())];
      hn::Store(v.v, typename Simd<T>::D(), values);
      for (int64_t i = 0; i < some; ++i) total[at + i] += static_cast<double>(values[i]);
    });
  } else {
    for (int64_t r = 0; r < block.count; ++r)
      for (int64_t c = 0; c < columns; ++c)
        total[c] +=
            static_cast<double>(block.factors[static_cast<size_t>(r)] * static_cast<Compute<T>>(block.rows[static_cast<size_t>(r)][c]));
  }
}

template <bool weighted, class T> void sum_bags(const BagSumPlan& plan, int64_t first, int64_t last) {
  const Positions positions(plan.bags);
  const int64_t columns = plan.out.size(1);
  const T* const weight = plan.weight.data<T>();
  const double* const factors = plan.factors.data<double>();
  std::vector<double> total(static_cast<size_t>(columns));
  Block<T> block;
  block.factors.fill(Compute<T>(1));
  for (int64_t bag = first; bag < last; ++bag) {
    T* const out = plan.out.data<T>() + bag * columns;
    const int64_t end = positions.end(bag);
    const double scale = plan.average ? positions.share(bag) : 1;
    bool is_first = true;
    for (int64_t i = positions.begin(bag); is_first || i < end; is_first = false) {
      block.count = 0;
      for (; i < end && block.count < block_rows; ++i) {
        if (!positions.counts(i)) continue;
        const auto at = static_cast<size_t>(block.count++);
        block.rows[at] = weight + (positions.index[i] - 1) * columns;
        if (weighted) block.factors[at] = static_cast<Compute<T>>(factors[i]);
      }
      for (int64_t k = 0; k < ahead; ++k)
        block.rows[static_cast<size_t>(block.count + k)] =
            i + k < positions.total ? weight + (positions.index[i + k] - 1) * columns : weight;
      if constexpr (has_vectors<T>) {
        if (is_first && i >= end) {
          const Simd<T> factor(static_cast<T>(scale));
          sum_block<weighted>(block, columns,
                              [&](int64_t at, int64_t some, Simd<T> v) HWY_ATTR { store_some(v * factor, out + at, some); });
          break;
        }
      }
      if (is_first) std::fill(total.begin(), total.end(), 0.0);
      add_block<weighted>(block, columns, total.data());
      if (i < end) continue;
      for (int64_t c = 0; c < columns; ++c) out[c] = convert_element<T>(total[static_cast<size_t>(c)] * scale);
    }
  }
}

void run_bag_sum(const BagSumPlan& plan) {
  dispatch<float_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    parallel_for(plan.bags.count, Positions(plan.bags).grain(plan.out.size(1)),
                 [&](int64_t first, int64_t last) { (plan.factors ? sum_bags<true, T> : sum_bags<false, T>)(plan, first, last); });
  });
}

// to += factor x
template <class T> HWY_INLINE void add_row(T* to, const T* x, T factor, int64_t n) {
  using V = Simd<T>;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::MulAdd(hn::LoadU(d, x + i), hn::Set(d, factor), hn::LoadU(d, to + i)), d, to + i);
  if (i < n) store_some(V(hn::MulAdd(load_some(x + i, n - i).v, hn::Set(d, factor), load_some(to + i, n - i).v)), to + i, n - i);
}

template <class T> void spread_bags(const BagSumGradPlan& plan, int64_t first, int64_t last) {
  const Positions positions(plan.bags);
  const int64_t columns = plan.out.size(1);
  const T* const g = plan.g.data<T>();
  const double* const factors = plan.factors.data<double>();
  T* const out = plan.out.data<T>();
  for (int64_t bag = 0; bag < positions.count; ++bag) {
    if (bag % 64 == 0) look_for_interrupt();
    const double scale = plan.average ? positions.share(bag) : 1;
    for (int64_t i = positions.begin(bag); i < positions.end(bag); ++i) {
      if (i + ahead < positions.total) hwy::Prefetch(out + (positions.index[i + ahead] - 1) * columns);
      const int64_t row = positions.index[i] - 1;
      if (row < first || row >= last || !positions.counts(i)) continue;
      add_row(out + row * columns, g + bag * columns, static_cast<T>(factors ? factors[i] : scale), columns);
    }
  }
}

void run_bag_sum_grad(const BagSumGradPlan& plan) {
  const int64_t rows = plan.out.size(0), work = plan.bags.index.numel() * plan.out.size(1);
  const int64_t grain = work <= grain_of_values ? rows : std::max<int64_t>(1, rows / (work / grain_of_values));
  parallel_ranges(rows, grain, [&](int64_t first, int64_t last) {
    (plan.out.dtype() == DType::float32 ? spread_bags<float> : spread_bags<double>)(plan, first, last);
  });
}

template <class T> void largest_of_bags(const BagMaxPlan& plan, int64_t first, int64_t last) {
  const Positions positions(plan.bags);
  const int64_t columns = plan.out.size(1);
  const T* const weight = plan.weight.data<T>();
  for (int64_t bag = first; bag < last; ++bag) {
    T* HWY_RESTRICT const out = plan.out.data<T>() + bag * columns;
    int64_t* HWY_RESTRICT const rows = plan.rows.data<int64_t>() + bag * columns;
    std::fill_n(out, columns, convert_element<T>(0.0));
    std::fill_n(rows, columns, int64_t{0});
    for (int64_t i = positions.begin(bag); i < positions.end(bag); ++i) {
      if (!positions.counts(i)) continue;
      const int64_t row = positions.index[i];
      const T* HWY_RESTRICT const x = weight + (row - 1) * columns;
      for (int64_t c = 0; c < columns; ++c) {  // without branches, for vectors
        const auto value = static_cast<Compute<T>>(x[c]), best = static_cast<Compute<T>>(out[c]);
        const bool stays = (rows[c] != 0) & ((value <= best) | (best != best));
        out[c] = stays ? out[c] : x[c];
        rows[c] = stays ? rows[c] : row;
      }
    }
  }
}

void run_bag_max(const BagMaxPlan& plan) {
  dispatch<float_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    parallel_for(plan.bags.count, Positions(plan.bags).grain(plan.out.size(1)),
                 [&](int64_t first, int64_t last) { largest_of_bags<T>(plan, first, last); });
  });
}

#include "engine/ops/bag-inl.h"

constexpr Row rows[] = {{&BagSum::decl, &plan_bag_sum, kernel<&run_bag_sum>()},
                        {&BagSumGrad::decl, &plan_bag_sum_grad, kernel<&run_bag_sum_grad>()},
                        {&BagMax::decl, &plan_bag_max, kernel<&run_bag_max>()}};

}  // namespace

std::span<const Row> bag_rows() { return built_rows<rows>(); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(bag_rows);
namespace cpu {
std::span<const Row> bag_rows() { return HWY_DYNAMIC_DISPATCH(bag_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
