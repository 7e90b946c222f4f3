// The CPU's kernels of sparse matrices in blocks. Sums of up to four rows of a block, in the columns of some vectors, stay in registers for
// all blocks of the row; of a product with a vector, the parts of each row's sum.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/sparse_blocks.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <hwy/cache_control.h>

#include <algorithm>
#include <type_traits>

#include "engine/core/built.h"
#include "engine/cpu/lane-inl.h"

#include "engine/cpu/first_lanes-inl.h"

#include "engine/cpu/csr-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

constexpr int64_t blocks_ahead = 4;  // blocks whose rows of x are prefetched

// Rows of the product: those from row i of the blocks begin to end - 1. Columns of blocks are checked up to last_block.
struct Part {
  int64_t begin, end, last_block, i = 0;
};

// Computes `rows` elements of the product with a vector. With columns > 0 blocks have as many.
template <int rows, int columns, class T> HWY_INLINE void multiply_elements(const Bsr<T>& m, const T* x, T* out, const Part& part) {
  constexpr int parts = 8 / rows;
  const int64_t c = columns > 0 ? columns : m.c;
  T sums[rows][parts] = {};
  for (int64_t e = part.begin; e < part.end; ++e) {
    const T *const block = m.block(e) + part.i * c, *const own = x + m.column(e);
    int64_t j = 0;
    for (; j + parts <= c; j += parts) {
      for (int k = 0; k < rows; ++k) {
        for (int p = 0; p < parts; ++p) sums[k][p] += block[k * c + j + p] * own[j + p];
      }
    }
    for (int p = 0; j < c; ++j, ++p) {
      for (int k = 0; k < rows; ++k) sums[k][p] += block[k * c + j] * own[j];
    }
  }
  for (int k = 0; k < rows; ++k) {
    T sum = sums[k][0];
    for (int p = 1; p < parts; ++p) sum += sums[k][p];
    out[k] = sum;
  }
}

// The same for blocks with at least as many columns as a vector has lanes.
template <int rows, class T> HWY_INLINE void multiply_lanes(const Bsr<T>& m, const T* x, T* out, const Part& part) {
  using V = Simd<T>;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  V sums[rows];
#pragma GCC unroll 4
  for (int k = 0; k < rows; ++k) sums[k] = V(0);
  for (int64_t e = part.begin; e < part.end; ++e) {
    const T *const block = m.block(e) + part.i * m.c, *const own = x + m.column(e);
    for (int64_t j = 0; j < m.c; j += lanes) {
      const int64_t some = std::min(lanes, m.c - j);
      const V v = load_some(own + j, some);
#pragma GCC unroll 4
      for (int k = 0; k < rows; ++k) sums[k] = V(hn::MulAdd(v.v, load_some(block + k * m.c + j, some).v, sums[k].v));
    }
  }
  for (int k = 0; k < rows; ++k) out[k] = hn::GetLane(hn::SumOfLanes(d, sums[k].v));
}

template <int rows, class T> void multiply_vector(const Bsr<T>& m, const T* x, T* out, const Part& part) {
  if constexpr (has_vectors<T>) {
    if (m.c >= static_cast<int64_t>(hn::Lanes(typename Simd<T>::D()))) return multiply_lanes<rows>(m, x, out, part);
  }
  switch (m.c) {
    case 2:
      return multiply_elements<rows, 2>(m, x, out, part);
    case 3:
      return multiply_elements<rows, 3>(m, x, out, part);
    case 4:
      return multiply_elements<rows, 4>(m, x, out, part);
    default:
      return multiply_elements<rows, 0>(m, x, out, part);
  }
}

// Computes `vectors` vectors of columns of `rows` rows, or the first `some` columns of one vector.
template <int rows, size_t vectors, class T>
HWY_INLINE void multiply_columns(const Bsr<T>& m, const T* x, T* out, const Part& part, int64_t width, int64_t some) {
  using V = Simd<T>;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  V sums[rows][vectors];
#pragma GCC unroll 4
  for (int k = 0; k < rows; ++k) {
#pragma GCC unroll 8
    for (size_t v = 0; v < vectors; ++v) sums[k][v] = V(0);
  }
  for (int64_t e = part.begin; e < part.end; ++e) {
    const T *const block = m.block(e) + part.i * m.c, *const own = x + m.column(e) * width;
    const T* const later = x + m.column(std::min(e + blocks_ahead, part.last_block)) * width;
    for (int64_t j = 0; j < m.c; ++j) {
      V parts[vectors];
#pragma GCC unroll 8
      for (size_t v = 0; v < vectors; ++v) {
        const int64_t at = j * width + static_cast<int64_t>(v) * lanes;
        hwy::Prefetch(later + at);
        parts[v] = vectors > 1 ? V(hn::LoadU(d, own + at)) : load_some(own + at, some);
      }
#pragma GCC unroll 4
      for (int k = 0; k < rows; ++k) {
        const V factor(block[k * m.c + j]);
#pragma GCC unroll 8
        for (size_t v = 0; v < vectors; ++v) sums[k][v] = V(hn::MulAdd(parts[v].v, factor.v, sums[k][v].v));
      }
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < rows; ++k) {
#pragma GCC unroll 8
    for (size_t v = 0; v < vectors; ++v) {
      T* const to = out + k * width + static_cast<int64_t>(v) * lanes;
      if (vectors > 1)
        hn::StoreU(sums[k][v].v, d, to);
      else
        store_some(sums[k][v], to, some);
    }
  }
}

template <int rows, class T> void multiply_rows(const Bsr<T>& m, const T* x, T* out, const Part& part, int64_t width) {
  if (width == 1) return multiply_vector<rows>(m, x, out, part);
  if constexpr (has_vectors<T>) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(typename Simd<T>::D()));
    constexpr auto vectors = static_cast<size_t>(8 / rows);
    int64_t c = 0;
    for (const int64_t step = lanes * vectors; c + step <= width; c += step)
      multiply_columns<rows, vectors>(m, x + c, out + c, part, width, lanes);
    for (; c < width; c += lanes) multiply_columns<rows, 1>(m, x + c, out + c, part, width, std::min(lanes, width - c));
  } else {
    std::fill_n(out, rows * width, T{});
    for (int64_t e = part.begin; e < part.end; ++e) {
      const T *const block = m.block(e) + part.i * m.c, *const own = x + m.column(e) * width;
      for (int64_t j = 0; j < m.c; ++j) {
        for (int k = 0; k < rows; ++k) add_multiple(block[k * m.c + j], own + j * width, out + k * width, width);
      }
    }
  }
}

// Computes a row of blocks of the product.
template <class T> void multiply_block_row(const Bsr<T>& m, const T* x, T* out, int64_t row, int64_t last_block, int64_t width) {
  Part part{m.begin(row), m.end(row), last_block};
  for (; part.i + 4 <= m.r; part.i += 4) multiply_rows<4>(m, x, out + part.i * width, part, width);
  if (part.i + 2 <= m.r) {
    multiply_rows<2>(m, x, out + part.i * width, part, width);
    part.i += 2;
  }
  if (part.i < m.r) multiply_rows<1>(m, x, out + part.i * width, part, width);
}

void run_bsr_matmul(const BsrMatmulPlan& plan) {
  if (!plan.out) return check_rows("bsrMatmul", "rows", plan.matrix);
  dispatch<summed_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    const Bsr<T> m(plan.matrix, plan.block);
    const T* const x = plan.x.data<T>();
    T* const out = plan.out.data<T>();
    const int64_t width = plan.width, work = m.r * m.c * std::max<int64_t>(1, width);
    over_rows(m.rows, m.count, work, [&](int64_t first, int64_t last) {
      for (int64_t row = first, next; row < last; row = next) {
        next = std::min(last, row + 16);
        if (plan.checks_columns) check_columns("bsrMatmul", m, m.begin(row), m.end(next - 1), plan.x.size(0) / m.c);
        for (int64_t r = row; r < next && width > 0; ++r) multiply_block_row(m, x, out + r * m.r * width, r, m.end(next - 1) - 1, width);
      }
    });
  });
}

void run_bsr_sampled(const BsrSampledPlan& plan) {
  if (!plan.out) return check_rows("bsrSampled", "rows", plan.matrix);
  dispatch<summed_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    const Bsr<T> m(plan.matrix, plan.block);
    const T *const a = plan.a.data<T>(), *const b = plan.b.data<T>();
    T* out = plan.out.data<T>();
    const int64_t width = plan.width;
    over_rows(m.rows, m.count, m.r * m.c * std::max<int64_t>(1, width), [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {
        for (int64_t e = m.begin(row); e < m.end(row); ++e) {
          for (int64_t i = 0; i < m.r; ++i) {
            const T *const left = a + (row * m.r + i) * width, *const right = b + m.column(e) * width;
            T* const to = out + (e * m.r + i) * m.c;
            if (width == 1)
              for (int64_t j = 0; j < m.c; ++j) to[j] = *left * right[j];
            else
              for (int64_t j = 0; j < m.c; ++j) to[j] = product_of_rows(left, right + j * width, width);
          }
        }
      }
    });
  });
}

#include "engine/ops/sparse-inl.h"

constexpr Row rows[] = {{&BsrMatmul::decl, &plan_bsr_matmul, kernel<&run_bsr_matmul>()},
                        {&BsrSampled::decl, &plan_bsr_sampled, kernel<&run_bsr_sampled>()}};

}  // namespace

std::span<const Row> sparse_blocks_rows() { return built_rows<rows>(); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(sparse_blocks_rows);
namespace cpu {
std::span<const Row> sparse_blocks_rows() { return HWY_DYNAMIC_DISPATCH(sparse_blocks_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
