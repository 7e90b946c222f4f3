// Sparse matrices in compressed rows, for kernels: their parts, checks, and loops over rows that divide entries among threads. Included
// once for each CPU instruction set, after first_lanes-inl.h; no include guard.
#include <algorithm>
#include <string_view>
#include <type_traits>

#include "engine/core/parallel.h"
#include "engine/ops/sparse.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

constexpr int64_t grain_of_work = 32768, ahead = 16;  // ahead: entries whose rows are prefetched

template <class T> constexpr bool has_vectors = std::is_same_v<T, float> || std::is_same_v<T, double>;

// A matrix whose positions count from 0 after `- 1`.
template <class T> struct Csr {
  const int64_t *rows, *columns;
  const T* values;
  int64_t count, entries;

  Csr(const int64_t* first, const int64_t* column, const T* value, int64_t row_count, int64_t entry_count)
      : rows(first), columns(column), values(value), count(row_count), entries(entry_count) {}
  explicit Csr(const CsrOperand& m)
      : rows(m.rows.data<int64_t>()),
        columns(m.columns.data<int64_t>()),
        values(m.values.data<T>()),
        count(m.rows.numel() - 1),
        entries(m.columns.numel()) {}
  int64_t begin(int64_t row) const { return rows[row] - 1; }
  int64_t end(int64_t row) const { return rows[row + 1] - 1; }
};

inline void check_rows(std::string_view op, std::string_view argument, const int64_t* rows, int64_t count, int64_t entries) {
  if (rows[0] != 1) fail<Status::range>(op, argument, rows[0], " at place 1, expected 1");
  bool ascends = true;
  for (int64_t i = 0; i < count; ++i) ascends &= rows[i] <= rows[i + 1];
  for (int64_t i = 0; !ascends && i < count; ++i) {
    if (rows[i] > rows[i + 1])
      fail<Status::range>(op, argument, rows[i + 1], " at place ", i + 2, ", expected ", rows[i], " or more, as before it");
  }
  if (rows[count] != entries + 1)
    fail<Status::range>(op, argument, rows[count], " at the end, expected ", entries + 1, ", the number of entries + 1");
}

inline void check_rows(std::string_view op, std::string_view argument, const CsrOperand& m) {
  check_rows(op, argument, m.rows.data<int64_t>(), m.rows.numel() - 1, m.columns.numel());
}

// The first row before which there are `place` entries and rows, or more.
inline int64_t row_at(const int64_t* rows, int64_t count, int64_t place) {
  int64_t low = 0, high = count;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (rows[middle] - 1 + middle < place)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Calls f(scratch, first row, last row) for ranges of rows, each with a share of `work` units for each entry and row; a thread has one
// scratch of make().
template <class Make, class F> void over_rows(const int64_t* rows, int64_t count, int64_t work, Make&& make, F&& f) {
  const int64_t grain = std::max<int64_t>(1, grain_of_work / std::max<int64_t>(1, work));
  parallel_ranges(rows[count] - 1 + count, grain, [&](int64_t begin, int64_t end) {
    auto scratch = make();
    const int64_t last = row_at(rows, count, end);
    for (int64_t row = row_at(rows, count, begin), next; row < last; row = next) {
      next = std::min(last, row + 1024);
      look_for_interrupt();
      f(scratch, row, next);
    }
  });
}

template <class F> void over_rows(const int64_t* rows, int64_t count, int64_t work, F&& f) {
  over_rows(
      rows, count, work, [] { return 0; }, [&f](int, int64_t first, int64_t last) { f(first, last); });
}

// Raises an error if a column of entries is outside of a matrix of `width` columns.
template <class T> void check_columns(std::string_view op, const Csr<T>& m, int64_t begin, int64_t end, int64_t width) {
  const auto n = static_cast<uint64_t>(width);
  uint64_t outside = 0;  // the highest bit: that of negative numbers
  for (int64_t e = begin; e < end; ++e) {
    const auto column = static_cast<uint64_t>(m.columns[e]);
    outside |= (column - 1) | (n - column);
  }
  if (static_cast<int64_t>(outside) >= 0) return;
  for (int64_t e = begin; e < end; ++e) {
    if (m.columns[e] < 1 || m.columns[e] > width)
      fail<Status::range>(op, "columns", "index out of range: position ", m.columns[e], ", expected 1..", width);
  }
}

template <class T> T product_of_rows(const T* a, const T* b, int64_t n) {
  if constexpr (has_vectors<T>) {
    using V = Simd<T>;
    const typename V::D d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    V sums[2] = {V(0), V(0)};
    int64_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      sums[0] = V(hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sums[0].v));
      sums[1] = V(hn::MulAdd(hn::LoadU(d, a + i + lanes), hn::LoadU(d, b + i + lanes), sums[1].v));
    }
    for (; i < n; i += lanes) {
      const int64_t some = std::min(lanes, n - i);
      sums[0] = V(hn::MulAdd(load_some(a + i, some).v, load_some(b + i, some).v, sums[0].v));
    }
    return hn::GetLane(hn::SumOfLanes(d, (sums[0] + sums[1]).v));
  } else {
    Compute<T> sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += static_cast<Compute<T>>(a[i]) * static_cast<Compute<T>>(b[i]);
    return static_cast<T>(sum);
  }
}

// Adds factor * x to out, of elements that have no vectors.
template <class T> HWY_INLINE void add_multiple(T factor, const T* HWY_RESTRICT x, T* HWY_RESTRICT out, int64_t count) {
  for (int64_t c = 0; c < count; ++c) out[c] += factor * x[c];
}

// Computes `vectors` vectors of columns of a row of the product, or the first `some` columns of one. Columns are checked up to last_entry.
template <size_t vectors, class T> HWY_INLINE void multiply_columns(const Csr<T>& m, const T* x, T* out, int64_t begin, int64_t end,
                                                                    int64_t last_entry, int64_t width, int64_t some) {
  using V = Simd<T>;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  V sums[vectors];
#pragma GCC unroll 8
  for (size_t k = 0; k < vectors; ++k) sums[k] = V(0);
  for (int64_t e = begin; e < end; ++e) {
    const T *const row = x + (m.columns[e] - 1) * width, *const later = x + (m.columns[std::min(e + ahead, last_entry)] - 1) * width;
    const V factor(m.values[e]);
#pragma GCC unroll 8
    for (size_t k = 0; k < vectors; ++k) {
      const int64_t at = static_cast<int64_t>(k) * lanes;
      hwy::Prefetch(later + at);
      const V v = vectors > 1 ? V(hn::LoadU(d, row + at)) : load_some(row, some);
      sums[k] = V(hn::MulAdd(v.v, factor.v, sums[k].v));
    }
  }
#pragma GCC unroll 8
  for (size_t k = 0; k < vectors; ++k) {
    if (vectors > 1)
      hn::StoreU(sums[k].v, d, out + static_cast<int64_t>(k) * lanes);
    else
      store_some(sums[k], out, some);
  }
}

template <class T> void multiply_row(const Csr<T>& m, const T* x, T* out, int64_t begin, int64_t end, int64_t last_entry, int64_t width) {
  if constexpr (has_vectors<T>) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(typename Simd<T>::D()));
    int64_t c = 0;
    for (; c + 8 * lanes <= width; c += 8 * lanes) multiply_columns<8>(m, x + c, out + c, begin, end, last_entry, width, lanes);
    if (c + 4 * lanes <= width) {
      multiply_columns<4>(m, x + c, out + c, begin, end, last_entry, width, lanes);
      c += 4 * lanes;
    }
    if (c + 2 * lanes <= width) {
      multiply_columns<2>(m, x + c, out + c, begin, end, last_entry, width, lanes);
      c += 2 * lanes;
    }
    for (; c < width; c += lanes) multiply_columns<1>(m, x + c, out + c, begin, end, last_entry, width, std::min(lanes, width - c));
  } else if constexpr (std::is_same_v<T, Compute<T>>) {
    std::fill_n(out, width, T{});
    for (int64_t e = begin; e < end; ++e) add_multiple(m.values[e], x + (m.columns[e] - 1) * width, out, width);
  } else {
    for (int64_t c = 0; c < width; ++c) {
      Compute<T> sum = 0;
      for (int64_t e = begin; e < end; ++e)
        sum += static_cast<Compute<T>>(m.values[e]) * static_cast<Compute<T>>(x[(m.columns[e] - 1) * width + c]);
      out[c] = static_cast<T>(sum);
    }
  }
}

// Dtypes of kernels that add to elements of the result: 16-bit floats would round each sum.
constexpr DTypeSet summed_dtypes = dtypes_of(DType::float32, DType::float64) | complex_dtypes;

// A matrix of blocks, row-major; in compressed rows they are elements.
template <class T> struct Bsr : Csr<T> {
  int64_t r, c;
  Bsr(const CsrOperand& m, BlockSizes block) : Csr<T>(m), r(block.rows), c(block.columns) {}
  const T* block(int64_t e) const { return this->values + e * r * c; }
  int64_t column(int64_t e) const { return (this->columns[e] - 1) * c; }
};

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
