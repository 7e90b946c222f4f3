// The CPU's kernels of products of transposed sparse matrices, in compressed rows and in blocks: each row of x is added to the rows of the
// result that the entries of its row name. Threads divide the columns of x, so that an element belongs to one of them; where x is narrow,
// the rows of the matrix, in pieces with a result each, which are added up in order. The pieces depend on sizes alone.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/sparse_transposed.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <hwy/cache_control.h>

#include <algorithm>
#include <memory>
#include <type_traits>

#include "engine/core/built.h"
#include "engine/cpu/lane-inl.h"

#include "engine/cpu/first_lanes-inl.h"

#include "engine/cpu/csr-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

constexpr int64_t line = 64, most_pieces = 8;  // line: bytes of the cache

// The sizes of blocks, known to the compiler for single elements.
struct Elements {
  static constexpr int64_t r = 1, c = 1;
  explicit Elements(BlockSizes) {}
};
struct Blocks {
  int64_t r, c;
  explicit Blocks(BlockSizes block) : r(block.rows), c(block.columns) {}
};

template <class T> struct Product {
  const T* x;
  T* out;
  int64_t width;
};

// Adds the product of a transposed block with r elements of x. With columns > 0 it has as many.
template <int64_t columns, class T> HWY_INLINE void add_block(const T* block, const T* x, T* out, int64_t r, int64_t c) {
  if constexpr (columns > 0) {
    T sums[columns];
    for (int64_t j = 0; j < columns; ++j) sums[j] = out[j];
    for (int64_t i = 0; i < r; ++i) {
      for (int64_t j = 0; j < columns; ++j) sums[j] += block[i * columns + j] * x[i];
    }
    for (int64_t j = 0; j < columns; ++j) out[j] = sums[j];
  } else {
    for (int64_t i = 0; i < r; ++i) {
      for (int64_t j = 0; j < c; ++j) out[j] += block[i * c + j] * x[i];
    }
  }
}

template <int64_t columns, class Size, class T>
void add_vector(const Csr<T>& m, Size size, const Product<T>& p, int64_t first, int64_t last) {
  for (int64_t row = first; row < last; ++row) {
    const T* const x = p.x + row * size.r;
    for (int64_t e = m.begin(row); e < m.end(row); ++e)
      add_block<columns>(m.values + e * size.r * size.c, x, p.out + (m.columns[e] - 1) * size.c, size.r, size.c);
  }
}

// Adds to `vectors` vectors of columns of the result, or to the first `some` columns of one. Entries are checked up to last_entry.
template <size_t vectors, class Size, class T>
HWY_INLINE void add_columns(const Csr<T>& m, Size size, const Product<T>& p, int64_t row, int64_t last_entry, int64_t at, int64_t some) {
  using V = Simd<T>;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t width = p.width;
  const T* const x = p.x + row * size.r * width + at;
  const auto load = [&](const T* from) { return vectors > 1 ? V(hn::LoadU(d, from)) : load_some(from, some); };
  const auto place = [&](size_t k) { return static_cast<int64_t>(k) * lanes; };
  const auto result_of = [&](int64_t e) { return p.out + (m.columns[e] - 1) * size.c * width + at; };
  V parts[vectors];  // of row i of x
  const auto read = [&](int64_t i) {
#pragma GCC unroll 8
    for (size_t k = 0; k < vectors; ++k) parts[k] = load(x + i * width + place(k));
  };
  if (size.r == 1) read(0);
  for (int64_t e = m.begin(row); e < m.end(row); ++e) {
    T *const own = result_of(e), *const later = result_of(std::min(e + 2 * ahead, last_entry));
    const T* const block = m.values + e * size.r * size.c;
    for (int64_t j = 0; j < size.c; ++j) {
      V sums[vectors];
#pragma GCC unroll 8
      for (size_t k = 0; k < vectors; ++k) {
        hwy::Prefetch(later + j * width + place(k));
        sums[k] = load(own + j * width + place(k));
      }
      for (int64_t i = 0; i < size.r; ++i) {
        const V factor(block[i * size.c + j]);
        if (size.r > 1) read(i);
#pragma GCC unroll 8
        for (size_t k = 0; k < vectors; ++k) sums[k] = V(hn::MulAdd(parts[k].v, factor.v, sums[k].v));
      }
#pragma GCC unroll 8
      for (size_t k = 0; k < vectors; ++k) {
        T* const to = own + j * width + place(k);
        if (vectors > 1)
          hn::StoreU(sums[k].v, d, to);
        else
          store_some(sums[k], to, some);
      }
    }
  }
}

// The same as add_rows for `width` columns, fewer than a vector has lanes: a load of a part of a vector waits for stores to the rows
// beside.
template <int64_t width, class Size, class T>
void add_narrow(const Csr<T>& m, Size size, const Product<T>& p, int64_t first, int64_t last) {
  for (int64_t row = first; row < last; ++row) {
    for (int64_t e = m.begin(row); e < m.end(row); ++e) {
      const T* const block = m.values + e * size.r * size.c;
      for (int64_t j = 0; j < size.c; ++j) {
        T* const own = p.out + ((m.columns[e] - 1) * size.c + j) * width;
        T sums[width];
        for (int64_t c = 0; c < width; ++c) sums[c] = own[c];
        for (int64_t i = 0; i < size.r; ++i) {
          const T factor = block[i * size.c + j], *const x = p.x + (row * size.r + i) * width;
          for (int64_t c = 0; c < width; ++c) sums[c] += factor * x[c];
        }
        for (int64_t c = 0; c < width; ++c) own[c] = sums[c];
      }
    }
  }
}

// Adds the products of rows first to last - 1 of the matrix, in the columns begin to end - 1 of x.
template <class Size, class T>
void add_rows(const Csr<T>& m, Size size, const Product<T>& p, int64_t first, int64_t last, int64_t begin, int64_t end) {
  if (p.width == 1) {
    if constexpr (std::is_same_v<Size, Elements>) return add_vector<1>(m, size, p, first, last);
    switch (size.c) {
      case 1:
        return add_vector<1>(m, size, p, first, last);
      case 2:
        return add_vector<2>(m, size, p, first, last);
      case 3:
        return add_vector<3>(m, size, p, first, last);
      case 4:
        return add_vector<4>(m, size, p, first, last);
      default:
        return add_vector<0>(m, size, p, first, last);
    }
  }
  if constexpr (has_vectors<T>) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(typename Simd<T>::D()));
    if (p.width < lanes) {
      if (p.width == 2) return add_narrow<2>(m, size, p, first, last);
      if (p.width == 3) return add_narrow<3>(m, size, p, first, last);
      if (p.width == 4) return add_narrow<4>(m, size, p, first, last);
      if (p.width == 8) return add_narrow<8>(m, size, p, first, last);
    }
    const int64_t last_entry = m.end(last - 1) - 1;
    for (int64_t row = first; row < last; ++row) {
      int64_t at = begin;
      for (; at + 8 * lanes <= end; at += 8 * lanes) add_columns<8>(m, size, p, row, last_entry, at, lanes);
      if (at + 4 * lanes <= end) {
        add_columns<4>(m, size, p, row, last_entry, at, lanes);
        at += 4 * lanes;
      }
      if (at + 2 * lanes <= end) {
        add_columns<2>(m, size, p, row, last_entry, at, lanes);
        at += 2 * lanes;
      }
      for (; at < end; at += lanes) add_columns<1>(m, size, p, row, last_entry, at, std::min(lanes, end - at));
    }
  } else {
    for (int64_t row = first; row < last; ++row) {
      for (int64_t e = m.begin(row); e < m.end(row); ++e) {
        const T* const block = m.values + e * size.r * size.c;
        for (int64_t j = 0; j < size.c; ++j) {
          T* const own = p.out + ((m.columns[e] - 1) * size.c + j) * p.width;
          for (int64_t i = 0; i < size.r; ++i) {
            const T* const x = p.x + (row * size.r + i) * p.width;
            add_multiple(block[i * size.c + j], x + begin, own + begin, end - begin);
          }
        }
      }
    }
  }
}

// The same, with checks of the columns of entries, in steps so small that the columns are in the cache when they are read again.
template <class Size, class T> void add_checked(std::string_view op, const BsrMatmulPlan& plan, const Csr<T>& m, Size size,
                                                const Product<T>& p, int64_t first, int64_t last, int64_t begin, int64_t end) {
  const int64_t columns = plan.out.size(0) / size.c;
  for (int64_t row = first, next; row < last; row = next) {
    next = std::min(last, row + 64);
    if ((row - first) % 1024 == 0) look_for_interrupt();
    if (plan.checks_columns) check_columns(op, m, m.begin(row), m.end(next - 1), columns);
    if (begin < end) add_rows(m, size, p, row, next, begin, end);
  }
}

// The number of pieces. Each of them adds a result to the work, which takes the time of a few entries per row.
int64_t number_of_pieces(int64_t terms, int64_t height, int64_t width) {
  if (terms * std::max<int64_t>(1, width) < 4 * grain_of_work) return 1;
  return std::clamp<int64_t>(terms / (8 * std::max<int64_t>(1, height)), 1, most_pieces);
}

template <class Size, class T> void run_as(std::string_view op, const BsrMatmulPlan& plan) {
  const Csr<T> m(plan.matrix);
  const Size size(plan.block);
  const int64_t width = plan.width, height = plan.out.size(0), total = height * width;
  const Product<T> whole{plan.x.data<T>(), plan.out.data<T>(), width};
  const int64_t terms = m.entries * size.r * size.c, per_line = line / static_cast<int64_t>(sizeof(T));
  if (width >= 2 * per_line) {
    const int64_t lines = (width + per_line - 1) / per_line;
    const int64_t grain = std::max<int64_t>(1, grain_of_work / std::max<int64_t>(1, (terms + height) * per_line));
    return parallel_ranges(lines, grain, [&](int64_t first, int64_t last) {
      const int64_t begin = first * per_line, end = std::min(width, last * per_line);
      for (int64_t row = 0; row < height; ++row) std::fill(whole.out + row * width + begin, whole.out + row * width + end, T{});
      add_checked(op, plan, m, size, whole, 0, m.count, begin, end);
    });
  }
  const int64_t pieces = number_of_pieces(terms, height, width);
  const auto others = std::make_unique_for_overwrite<T[]>(static_cast<size_t>((pieces - 1) * total));
  const auto result_of = [&](int64_t piece) { return piece == 0 ? whole.out : others.get() + (piece - 1) * total; };
  const auto first_row = [&](int64_t piece) {
    const int64_t parts = m.entries + m.count;
    return row_at(m.rows, m.count, parts / pieces * piece + parts % pieces * piece / pieces);
  };
  parallel_ranges(pieces, 1, [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last; ++piece) {
      const Product<T> own{whole.x, result_of(piece), width};
      std::fill_n(own.out, total, T{});
      add_checked(op, plan, m, size, own, first_row(piece), first_row(piece + 1), 0, width);
    }
  });
  if (pieces == 1) return;
  parallel_for(total, grain_of_work, [&](int64_t begin, int64_t end) {
    for (int64_t piece = 1; piece < pieces; ++piece) {
      const T* const from = result_of(piece);
      for (int64_t i = begin; i < end; ++i) whole.out[i] += from[i];
    }
  });
}

template <class Size> void run(std::string_view op, const BsrMatmulPlan& plan) {
  if (!plan.out) return check_rows(op, "rows", plan.matrix);
  dispatch<summed_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) { run_as<Size, T>(op, plan); });
}

void run_csr_transposed_matmul(const BsrMatmulPlan& plan) { run<Elements>("csrTransposedMatmul", plan); }
void run_bsr_transposed_matmul(const BsrMatmulPlan& plan) { run<Blocks>("bsrTransposedMatmul", plan); }

#include "engine/ops/sparse-inl.h"

constexpr Row rows[] = {{&CsrTransposedMatmul::decl, &plan_csr_transposed_matmul, kernel<&run_csr_transposed_matmul>()},
                        {&BsrTransposedMatmul::decl, &plan_bsr_transposed_matmul, kernel<&run_bsr_transposed_matmul>()}};

}  // namespace

std::span<const Row> sparse_transposed_rows() { return built_rows<rows>(); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(sparse_transposed_rows);
namespace cpu {
std::span<const Row> sparse_transposed_rows() { return HWY_DYNAMIC_DISPATCH(sparse_transposed_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
