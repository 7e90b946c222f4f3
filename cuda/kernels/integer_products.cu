// Products of integer matrices, which wrap: tiles of 32 by 32 in shared memory,
// each of 256 threads with 4 sums of one column. Results are written by rows; a
// column-major one is computed as its transpose.
#include "cuda/kernels/products.h"
#include "cuda/launch.h"

namespace mt::cuda {
namespace {

// Sums modulo 2^32 or 2^64, truncated to the dtype.
template <class T> struct IntegerKernel {
  using Sum = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  static constexpr int tile = 32, step = block_threads / tile, each = tile / step, padded = tile + 1;
  static constexpr size_t shared_bytes = 2 * tile * padded * sizeof(Sum);
  ProductBatch batch;
  Matrices out, a, b;  // addresses as kernels use them
  Sum alpha, beta;
  const T* bias;
  int64_t row_tiles, col_tiles, tiles;
  bool a_by_rows, b_by_rows;  // rows are contiguous: neighbouring
                              // threads load them

  MT_DEVICE static void fill(Thread& t, Shared<Sum> to, const Matrices& m, std::byte* data, int64_t first_row, int64_t first_col,
                             bool by_rows) {
    for (int i = t.index(); i < tile * tile; i += block_threads) {
      const int row = by_rows ? i / tile : i % tile, col = by_rows ? i % tile : i / tile;
      const bool inside = first_row + row < m.rows && first_col + col < m.cols;
      to.set(row * padded + col, inside ? static_cast<Sum>(element<T>(data, m, first_row + row, first_col + col)) : Sum(0));
    }
  }
  MT_DEVICE void multiply_tile(Thread& t, int64_t number, Shared<Sum> left, Shared<Sum> right) const {
    const int64_t in_matrix = number % (row_tiles * col_tiles), first_row = in_matrix / col_tiles * tile,
                  first_col = in_matrix % col_tiles * tile;
    int64_t offsets[3];
    batch.find(number / (row_tiles * col_tiles), offsets);
    const int row = t.index() / tile,
              col = t.index() % tile;  // of the first sum
    Sum sums[each] = {};
    for (int64_t k = 0; alpha != 0 && k < a.cols; k += tile) {
      fill(t, left, a, a.data + offsets[role_a], first_row, k, a_by_rows);
      fill(t, right, b, b.data + offsets[role_b], k, first_col, b_by_rows);
      t.barrier();
      for (int l = 0; l < tile; ++l) {
        const Sum factor = right.get(l * padded + col);
        for (int e = 0; e < each; ++e) sums[e] += left.get((row + e * step) * padded + l) * factor;
      }
      t.barrier();
    }
    for (int e = 0; e < each; ++e) {
      const int64_t out_row = first_row + row + e * step, out_col = first_col + col;
      if (out_row >= out.rows || out_col >= out.cols) continue;
      T& to = element<T>(out.data + offsets[role_out], out, out_row, out_col);
      Sum value = alpha * sums[e];
      if (beta != 0) value += beta * static_cast<Sum>(bias != nullptr ? bias[out_col] : to);
      to = static_cast<T>(value);
    }
  }
  MT_DEVICE void operator()(Thread& t) const {
    const Shared<Sum> left = t.shared<Sum>(tile * padded), right = t.shared<Sum>(tile * padded);
    for (int64_t number = t.block(); number < tiles; number += t.blocks()) multiply_tile(t, number, left, right);
  }
};

template <class T> void multiply_as(const ProductTask& task, const ProductPlan& plan) {
  using K = IntegerKernel<T>;
  const auto seen = [&](Role role) {
    Matrices m = task.matrices[role];
    m.data = reachable(m.data.data());
    return m;
  };
  const Matrices out = seen(role_out), a = seen(role_a), b = seen(role_b);
  const int64_t row_tiles = (out.rows + K::tile - 1) / K::tile, col_tiles = (out.cols + K::tile - 1) / K::tile;
  const K kernel{.batch = task.batch,
                 .out = out,
                 .a = a,
                 .b = b,
                 .alpha = static_cast<typename K::Sum>(plan.alpha.as<T>()),
                 .beta = static_cast<typename K::Sum>(plan.beta.as<T>()),
                 .bias = driver::reachable(reinterpret_cast<const T*>(task.bias)),
                 .row_tiles = row_tiles,
                 .col_tiles = col_tiles,
                 .tiles = row_tiles * col_tiles * task.count,
                 .a_by_rows = a.row_stride != 1,
                 .b_by_rows = b.row_stride != 1};
  launch(task.stream, std::min(kernel.tiles, most_blocks), block_threads, K::shared_bytes, kernel);
}

}  // namespace

void multiply_integers(ProductTask task, const ProductPlan& plan) {
  if (task.bias == nullptr && task.matrices[role_out].col_stride != 1) task.transpose();
  dispatch<integer_dtypes>(plan.dtype, [&]<class T>(std::type_identity<T>) { multiply_as<T>(task, plan); });
}

}  // namespace mt::cuda
