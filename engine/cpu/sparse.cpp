// The CPU's kernels of sparse matrices in compressed rows. Threads divide rows so that each has about as many entries; a row belongs to one
// thread, so that sums do not depend on their number. Products with a vector have four chains of sums per row, because an addition waits
// for the one before; products with a matrix keep eight vectors of columns in registers while the rows of x are read where they lie.
// Products of two sparse matrices (Gustavson, 1978) add the rows of b to a row of dense sums; a bitmap of the columns in use, and one of
// its words in use, gives the columns in ascending order.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/sparse.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <hwy/cache_control.h>

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/lane-inl.h"

#include "engine/cpu/first_lanes-inl.h"

#include "engine/cpu/csr-inl.h"
#include "engine/ops/sparse.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

template <class T> void multiply_vector(const Csr<T>& m, const T* x, T* out, int64_t first, int64_t last) {
  using Sum = Compute<T>;
  const auto term = [&](int64_t e) { return static_cast<Sum>(m.values[e]) * static_cast<Sum>(x[m.columns[e] - 1]); };
  for (int64_t row = first; row < last; ++row) {
    int64_t e = m.begin(row);
    const int64_t end = m.end(row);
    Sum sums[4] = {};
    for (; e + 4 <= end; e += 4) {
      sums[0] += term(e);
      sums[1] += term(e + 1);
      sums[2] += term(e + 2);
      sums[3] += term(e + 3);
    }
    for (; e < end; ++e) sums[0] += term(e);
    out[row] = static_cast<T>((sums[0] + sums[1]) + (sums[2] + sums[3]));
  }
}

void run_csr_matmul(const CsrMatmulPlan& plan) {
  if (!plan.out) return check_rows("csrMatmul", "rows", plan.matrix);
  dispatch<inexact_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    const Csr<T> m(plan.matrix);
    const T* const x = plan.x.data<T>();
    T* const out = plan.out.data<T>();
    over_rows(m.rows, m.count, plan.width, [&](int64_t first, int64_t last) {
      for (int64_t row = first, next; row < last; row = next) {
        next = std::min(last, row + 64);  // so few that their columns are in the cache when they are read again
        if (plan.checks_columns) check_columns("csrMatmul", m, m.begin(row), m.end(next - 1), plan.x.size(0));
        if (plan.width == 1)
          multiply_vector(m, x, out, row, next);
        else
          for (int64_t r = row; r < next; ++r)
            multiply_row(m, x, out + r * plan.width, m.begin(r), m.end(r), m.end(next - 1) - 1, plan.width);
      }
    });
  });
}

void run_csr_sampled(const CsrSampledPlan& plan) {
  if (!plan.out) return check_rows("csrSampled", "rows", plan.matrix);
  dispatch<inexact_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    const Csr<T> m(plan.matrix);
    const T *const a = plan.a.data<T>(), *const b = plan.b.data<T>();
    T* const out = plan.out.data<T>();
    const int64_t width = plan.width;
    over_rows(m.rows, m.count, width, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {
        for (int64_t e = m.begin(row); e < m.end(row); ++e)
          out[e] = product_of_rows(a + row * width, b + (m.columns[e] - 1) * width, width);
      }
    });
  });
}

void run_csr_expand(const CsrExpandPlan& plan) {
  const int64_t *const rows = plan.rows.data<int64_t>(), count = plan.rows.numel() - 1;
  if (!plan.out) return check_rows("csrExpand", "rows", rows, count, plan.count);
  int64_t* const out = plan.out.data<int64_t>();
  for (int64_t row = 0; row < count; ++row) std::fill(out + rows[row] - 1, out + rows[row + 1] - 1, row + 1);
}

void run_bucket_sort(const BucketSortPlan& plan) {
  const int64_t *const index = plan.index.data<int64_t>(), n = plan.index.numel(), count = plan.first.numel() - 1;
  int64_t *const first = plan.first.data<int64_t>(), *const order = plan.order.data<int64_t>();
  std::fill_n(first, count + 1, int64_t{0});
  for (int64_t i = 0; i < n; ++i) ++first[index[i] - 1];
  int64_t next = 1;
  for (int64_t k = 0; k <= count; ++k) next += std::exchange(first[k], next);
  std::vector<int64_t> place(first, first + count);
  for (int64_t i = 0; i < n; ++i) order[place[static_cast<size_t>(index[i] - 1)]++ - 1] = i + 1;
}

// The columns in use of a row of a product.
class Columns {
 public:
  explicit Columns(int64_t width) : words_(static_cast<size_t>(width / 64 + 1)), groups_(words_.size() / 64 + 1) {}

  // Whether the column was not in use before.
  HWY_INLINE bool add(int64_t column) {
    const auto c = static_cast<size_t>(column);
    uint64_t& word = words_[c / 64];
    const uint64_t bit = uint64_t{1} << c % 64;
    if ((word & bit) != 0) return false;
    word |= bit;
    groups_[c / 4096] |= uint64_t{1} << c / 64 % 64;
    return true;
  }
  // Calls f(column) for the columns in ascending order, and forgets them.
  template <class F> HWY_INLINE void take(F&& f) {
    for (size_t g = 0; g < groups_.size(); ++g) {
      for (uint64_t group = std::exchange(groups_[g], 0); group != 0; group &= group - 1) {
        const size_t w = g * 64 + static_cast<size_t>(std::countr_zero(group));
        for (uint64_t word = std::exchange(words_[w], 0); word != 0; word &= word - 1)
          f(static_cast<int64_t>(w * 64 + static_cast<size_t>(std::countr_zero(word))));
      }
    }
  }

 private:
  std::vector<uint64_t> words_, groups_;  // a bit for each column; one for each word
};

// The mean number of entries in rows of b, as work for each entry of a.
template <class T> int64_t work_per_entry(const Csr<T>& b) { return b.entries / std::max<int64_t>(1, b.count) + 1; }

// The right factor of a product, numbered anew by those of its columns that have entries if most have none: a row of sums has an element
// for each number, and a matrix can be wider than memory.
template <class T> class RightFactor {
 public:
  RightFactor(const CsrOperand& m, int64_t width) : matrix_(m), width_(width) {
    if (width / 16 <= matrix_.entries) return;
    renumbered_ = true;
    used_.assign(matrix_.columns, matrix_.columns + matrix_.entries);
    std::sort(used_.begin(), used_.end());
    used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
    numbers_.resize(static_cast<size_t>(matrix_.entries));
    for (int64_t e = 0; e < matrix_.entries; ++e) numbers_[static_cast<size_t>(e)] = number_of(matrix_.columns[e]);
    matrix_.columns = numbers_.data();
    width_ = static_cast<int64_t>(used_.size());
  }
  RightFactor(const RightFactor&) = delete;

  const Csr<T>& matrix() const { return matrix_; }
  int64_t width() const { return width_; }
  int64_t column(int64_t number) const { return renumbered_ ? used_[static_cast<size_t>(number - 1)] : number; }
  // The number of a column, or 0 if it has no entry; both count from 1.
  int64_t number(int64_t column) const { return renumbered_ ? number_of(column) : column; }

 private:
  int64_t number_of(int64_t column) const {
    const auto found = std::lower_bound(used_.begin(), used_.end(), column);
    return found != used_.end() && *found == column ? found - used_.begin() + 1 : 0;
  }

  Csr<T> matrix_;
  int64_t width_;
  bool renumbered_ = false;
  std::vector<int64_t> used_, numbers_;  // the columns with entries, ascending; the number of each entry's column
};

// Counts the entries of each row of the product, the columns of the rows of b that were not counted in this row, and adds them up.
void count_product(const CsrProductPlan& plan) {
  check_rows("csrProduct", "aRows", plan.a);
  check_rows("csrProduct", "bRows", plan.b);
  const Csr<double> a({plan.a.rows, plan.a.columns});
  const RightFactor<double> right({plan.b.rows, plan.b.columns}, plan.width);
  const Csr<double>& b = right.matrix();
  int64_t* const rows = plan.rows.data<int64_t>();
  const auto make = [&] { return std::vector<int64_t>(static_cast<size_t>(right.width())); };
  over_rows(a.rows, a.count, work_per_entry(b), make, [&](std::vector<int64_t>& seen, int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      int64_t count = 0;
      for (int64_t e = a.begin(row); e < a.end(row); ++e) {
        for (int64_t k = a.columns[e] - 1, f = b.begin(k); f < b.end(k); ++f)
          count += std::exchange(seen[static_cast<size_t>(b.columns[f] - 1)], row + 1) != row + 1 ? 1 : 0;
      }
      rows[row] = count;
    }
  });
  int64_t next = 1;
  rows[a.count] = 0;
  for (int64_t i = 0; i <= a.count; ++i) next += std::exchange(rows[i], next);
  *plan.count = next - 1;
}

// A row of sums by column, and the columns in use.
template <class T> struct RowOfSums {
  std::vector<Compute<T>> sums;
  Columns columns;
  explicit RowOfSums(int64_t width) : sums(static_cast<size_t>(width)), columns(width) {}

  // Adds row `row` of the product of a and b.
  void add(const Csr<T>& a, const Csr<T>& b, int64_t row) {
    for (int64_t e = a.begin(row); e < a.end(row); ++e) {
      const auto factor = static_cast<Compute<T>>(a.values[e]);
      for (int64_t k = a.columns[e] - 1, f = b.begin(k); f < b.end(k); ++f) {
        const int64_t c = b.columns[f] - 1;
        Compute<T>& sum = sums[static_cast<size_t>(c)];
        const auto term = factor * static_cast<Compute<T>>(b.values[f]);
        sum = columns.add(c) ? term : sum + term;
      }
    }
  }
};

void run_csr_product(const CsrProductPlan& plan) {
  if (!plan.columns) return count_product(plan);
  const auto* const rows = plan.rows.data<int64_t>();
  auto* const columns = plan.columns.data<int64_t>();
  dispatch<inexact_dtypes>(plan.values.dtype(), [&]<class T>(std::type_identity<T>) {
    const Csr<T> a(plan.a);
    const RightFactor<T> right(plan.b, plan.width);
    const Csr<T>& b = right.matrix();
    T* const values = plan.values.data<T>();
    over_rows(
        a.rows, a.count, work_per_entry(b), [&] { return RowOfSums<T>(right.width()); },
        [&](RowOfSums<T>& sums, int64_t first, int64_t last) {
          for (int64_t row = first; row < last; ++row) {
            sums.add(a, b, row);
            int64_t e = rows[row] - 1;
            sums.columns.take([&](int64_t column) {
              columns[e] = right.column(column + 1);
              values[e++] = static_cast<T>(sums.sums[static_cast<size_t>(column)]);
            });
          }
        });
  });
}

void run_csr_product_at(const CsrProductAtPlan& plan) {
  if (!plan.out) {
    check_rows("csrProductAt", "rows", plan.at);
    check_rows("csrProductAt", "aRows", plan.a);
    return check_rows("csrProductAt", "bRows", plan.b);
  }
  dispatch<inexact_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    const Csr<T> at(plan.at), a(plan.a);
    const RightFactor<T> right(plan.b, plan.width);
    const Csr<T>& b = right.matrix();
    T* const out = plan.out.data<T>();
    over_rows(
        a.rows, a.count, work_per_entry(b), [&] { return RowOfSums<T>(right.width()); },
        [&](RowOfSums<T>& sums, int64_t first, int64_t last) {
          for (int64_t row = first; row < last; ++row) {
            sums.add(a, b, row);
            for (int64_t e = at.begin(row); e < at.end(row); ++e) {
              const int64_t number = right.number(at.columns[e]);
              out[e] = number > 0 ? static_cast<T>(sums.sums[static_cast<size_t>(number - 1)]) : T{};
            }
            sums.columns.take([&](int64_t column) { sums.sums[static_cast<size_t>(column)] = 0; });
          }
        });
  });
}

// Rows in the order of the solution: from the last one up if ascends is false.
template <class F> void in_order(int64_t count, bool ascends, F&& f) {
  for (int64_t i = 0; i < count; ++i) {
    if (i % 1024 == 0) look_for_interrupt();
    f(ascends ? i : count - 1 - i);
  }
}

// Solves for the columns first to last of x, rows of `width` elements that begin as b.
template <class T> void solve_columns(const CsrSolveTriangularPlan& plan, const Csr<T>& m, T* x, int64_t first, int64_t last) {
  const int64_t width = plan.width;
  in_order(m.count, plan.upper == plan.transposed, [&](int64_t row) {
    T* const own = x + row * width;
    const auto each = [&](auto&& f) {
      for (int64_t e = m.begin(row); e < m.end(row); ++e) {
        const int64_t column = m.columns[e] - 1;
        if (plan.upper ? column > row : column < row) f(x + column * width, m.values[e]);
      }
    };
    const auto divide = [&] {
      if (plan.unit) return;
      T diagonal{};
      for (int64_t e = m.begin(row); e < m.end(row); ++e) {
        if (m.columns[e] - 1 == row) diagonal += m.values[e];
      }
      for (int64_t c = first; c < last; ++c) own[c] = own[c] / diagonal;
    };
    if (plan.transposed) {
      divide();
      each([&](T* other, T value) {
        for (int64_t c = first; c < last; ++c) other[c] -= value * own[c];
      });
    } else {
      each([&](const T* other, T value) {
        for (int64_t c = first; c < last; ++c) own[c] -= value * other[c];
      });
      divide();
    }
  });
}

template <class T> void check_diagonal(const CsrSolveTriangularPlan& plan) {
  const Csr<T> m(plan.matrix);
  for (int64_t row = 0; row < m.count; ++row) {
    T diagonal{};
    for (int64_t e = m.begin(row); e < m.end(row); ++e) {
      if (m.columns[e] - 1 == row) diagonal += m.values[e];
    }
    if (diagonal == T{}) fail("csrSolveTriangular", "values", "0 on the diagonal in row ", row + 1, ", expected another number");
  }
}

void run_csr_solve_triangular(const CsrSolveTriangularPlan& plan) {
  constexpr DTypeSet dtypes = dtypes_of(DType::float32, DType::float64) | complex_dtypes;
  if (!plan.out) check_rows("csrSolveTriangular", "rows", plan.matrix);
  dispatch<dtypes>(plan.matrix.values.dtype(), [&]<class T>(std::type_identity<T>) {
    if (!plan.out) {
      if (!plan.unit) check_diagonal<T>(plan);
      return;
    }
    const Csr<T> m(plan.matrix);
    T* const x = plan.out.data<T>();
    const int64_t grain = std::max<int64_t>(8, grain_of_work / (m.entries + 1));
    parallel_ranges(plan.width, grain, [&](int64_t first, int64_t last) { solve_columns(plan, m, x, first, last); });
  });
}

#include "engine/ops/sparse-inl.h"

constexpr Row rows[] = {{&CsrMatmul::decl, &plan_csr_matmul, kernel<&run_csr_matmul>()},
                        {&CsrSampled::decl, &plan_csr_sampled, kernel<&run_csr_sampled>()},
                        {&CsrExpand::decl, &plan_csr_expand, kernel<&run_csr_expand>()},
                        {&BucketSort::decl, &plan_bucket_sort, kernel<&run_bucket_sort>()},
                        {&CsrProduct::decl, &plan_csr_product, kernel<&run_csr_product>()},
                        {&CsrProductAt::decl, &plan_csr_product_at, kernel<&run_csr_product_at>()},
                        {&CsrSolveTriangular::decl, &plan_csr_solve_triangular, kernel<&run_csr_solve_triangular>()}};

}  // namespace

std::span<const Row> sparse_rows() { return built_rows<rows>(); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(sparse_rows);
namespace cpu {
std::span<const Row> sparse_rows() { return HWY_DYNAMIC_DISPATCH(sparse_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
