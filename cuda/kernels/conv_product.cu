// A block computes a tile of 64 x 64 elements of the product, 4 x 4 per thread, and iterates over the depth in steps of 16: it loads the
// elements of both factors for the next step while it multiplies those of the current step in shared memory. Contributions of patches and
// points (ConvPart) are computed once per tile for its columns, and once per step for its depth. If a product has few tiles and a large
// depth, as gradients of weights do, several blocks share the depth, and a second kernel adds their parts. The number of parts depends on
// sizes alone, so sums are the same on all devices.
#include "cuda/kernels/conv_product.h"

#include "cuda/kernels/conv_factors.h"
#include "cuda/kernels/sum_parts.h"
#include "cuda/launch.h"
#include "cuda/scratch.h"

namespace mt::cuda {
namespace {

constexpr int tile = 64, step = 16, of_thread = 4;
constexpr int pitch = tile + 4;                        // so that neighbours in depth are in different memory banks
constexpr int loads = tile * step / block_threads;     // of each factor, per thread and step
constexpr int64_t most_parts = 512, least_steps = 16;  // number of parts of the depth, and their length
static_assert(tile / of_thread * (tile / of_thread) == block_threads);

// The element of a factor's tile that a thread loads: consecutive threads are consecutive in depth or in the tile.
struct Loaded {
  int at, depth;
  MT_DEVICE Loaded(int thread, int load, bool by_depth) {
    const int i = thread + load * block_threads;
    at = by_depth ? i / step : i % tile;
    depth = by_depth ? i % step : i / tile;
  }
};

template <class T, class N> struct ConvProductKernel {
  ConvFactors<T, N> factors;
  int64_t row_tiles, column_tiles, tiles;
  N parts, part_depth;  // part_depth is a multiple of step
  int64_t results;      // per part

  struct Tile {
    int64_t row, column, group, part;
  };
  MT_DEVICE Tile tile_at(int64_t i) const {
    Tile at;
    at.row = i % row_tiles * tile, i /= row_tiles;
    at.column = i % column_tiles * tile, i /= column_tiles;
    at.group = i % factors.groups, at.part = i / factors.groups;
    return at;
  }

  static constexpr size_t shared_bytes() { return 2 * step * pitch * sizeof(T) + (tile + step) * sizeof(ConvPart<N>); }

  MT_DEVICE void operator()(Thread& t) const {
    const Shared<T> first = t.shared<T>(step * pitch), second = t.shared<T>(step * pitch);
    const Shared<ConvPart<N>> columns = t.shared<ConvPart<N>>(tile), depths = t.shared<ConvPart<N>>(step);
    for (int64_t i = t.block(); i < tiles; i += t.blocks()) {
      const Tile at = tile_at(i);
      if (t.index() < tile) columns.set(t.index(), factors.part_of_column(static_cast<N>(at.column) + t.index()));
      T sums[of_thread][of_thread] = {};
      multiply(t, at, first, second, columns, depths, sums);
      store(t, at, columns, sums);
      t.barrier();
    }
  }

  MT_DEVICE void multiply(Thread& t, const Tile& at, Shared<T> first, Shared<T> second, Shared<ConvPart<N>> columns,
                          Shared<ConvPart<N>> depths, T (&sums)[of_thread][of_thread]) const {
    const int top = t.index() / (tile / of_thread) * of_thread, left = t.index() % (tile / of_thread) * of_thread;
    const bool is_outside = at.row + top >= factors.rows || at.column + left >= factors.columns;
    const N begin = static_cast<N>(at.part) * part_depth, end = begin + part_depth < factors.depth ? begin + part_depth : factors.depth;
    T next_first[loads], next_second[loads];
    for (N depth = begin;; depth += step) {
      if (depth > begin) {
        for (int k = 0; k < loads; ++k) {
          const Loaded f(t.index(), k, !factors.first_lies_by_rows), s(t.index(), k, factors.gathered_lies_by_depth);
          first.set(f.depth * pitch + f.at, next_first[k]);
          second.set(s.depth * pitch + s.at, next_second[k]);
        }
      }
      if (depth < end && t.index() < step) depths.set(t.index(), factors.part_of_depth(depth + t.index()));
      t.barrier();
      if (depth < end) load(t, at, depth, end, columns, depths, next_first, next_second);
      if (depth > begin && !is_outside) {
        for (int k = 0; k < step; ++k) {
          T a[of_thread], b[of_thread];
          for (int r = 0; r < of_thread; ++r) a[r] = first.get(k * pitch + top + r);
          for (int c = 0; c < of_thread; ++c) b[c] = second.get(k * pitch + left + c);
          for (int r = 0; r < of_thread; ++r)
            for (int c = 0; c < of_thread; ++c) sums[r][c] += a[r] * b[c];
        }
      }
      if (depth >= end) return;
      t.barrier();
    }
  }

  MT_DEVICE void load(Thread& t, const Tile& at, N depth, N end, Shared<ConvPart<N>> columns, Shared<ConvPart<N>> depths, T (&first)[loads],
                      T (&second)[loads]) const {
    const T* const factor = factors.first + at.group * factors.first_group;
    ConvImages<T, N> images = factors.images;
    images.elements += at.group * factors.gathered_group;
    for (int k = 0; k < loads; ++k) {
      const Loaded f(t.index(), k, !factors.first_lies_by_rows), s(t.index(), k, factors.gathered_lies_by_depth);
      const bool is_inside = at.row + f.at < factors.rows && depth + f.depth < end;
      first[k] = is_inside ? factor[(at.row + f.at) * factors.first_row + depths.get(f.depth).own] : T(0);
      second[k] = images.gather(columns.get(s.at), depths.get(s.depth));
    }
  }

  MT_DEVICE void store(Thread& t, const Tile& at, Shared<ConvPart<N>> columns, const T (&sums)[of_thread][of_thread]) const {
    const int top = t.index() / (tile / of_thread) * of_thread, left = t.index() % (tile / of_thread) * of_thread;
    T* const result = factors.result + at.part * results + at.group * factors.result_group;
    for (int r = 0; r < of_thread; ++r) {
      const int64_t row = at.row + top + r;
      if (row >= factors.rows) return;
      const T bias = factors.bias != nullptr && at.part == 0 ? factors.bias[at.group * factors.rows + row] : T(0);
      for (int c = 0; c < of_thread && at.column + left + c < factors.columns; ++c)
        result[row * factors.result_row + columns.get(left + c).own] = sums[r][c] + bias;
    }
  }
};

template <class T, class N> void multiply_as(Stream stream, const ConvPlan& plan) {
  const Tensor& result = plan.pass == ConvPass::forward ? plan.y : plan.pass == ConvPass::input_grad ? plan.x : plan.weight;
  T* const elements_of_result = elements<T>(result);
  ConvProductKernel<T, N> kernel{
      .factors = factors_of<T, N>(plan, elements<T>(plan.x), elements<T>(plan.weight), elements<T>(plan.y), elements_of_result),
      .row_tiles = 0,
      .column_tiles = 0,
      .tiles = 0,
      .parts = 1,
      .part_depth = 0,
      .results = 0};
  ConvFactors<T, N>& f = kernel.factors;
  if (plan.pass != ConvPass::weight_grad && plan.bias.storage() != nullptr) f.bias = elements<T>(plan.bias);
  kernel.row_tiles = (int64_t{f.rows} + tile - 1) / tile;
  kernel.column_tiles = (int64_t{f.columns} + tile - 1) / tile;
  kernel.results = result.numel();
  const int64_t tiles = kernel.row_tiles * kernel.column_tiles * f.groups, steps = (int64_t{f.depth} + step - 1) / step;
  const int64_t wanted = std::clamp<int64_t>(most_parts / tiles, 1, std::max<int64_t>(1, steps / least_steps));
  const int64_t part_steps = (steps + wanted - 1) / wanted,
                parts = std::max<int64_t>(1, (steps + part_steps - 1) / std::max<int64_t>(1, part_steps));
  kernel.parts = static_cast<N>(parts);
  kernel.part_depth = static_cast<N>(part_steps * step);
  kernel.tiles = tiles * parts;
  const Scratch<T> space(stream, parts == 1 ? 0 : parts * kernel.results);
  if (parts > 1) f.result = space.data();
  launch(stream, std::min(kernel.tiles, most_blocks), block_threads, kernel.shared_bytes(), kernel);
  if (parts > 1) sum_parts(stream, space.data(), parts, kernel.results, elements_of_result);
}

}  // namespace

void multiply_convolution(Stream stream, const ConvPlan& plan) {
  dispatch<dtypes_of(DType::float32, DType::float64)>(plan.x.dtype(), [&]<class T>(std::type_identity<T>) {
      (is_narrow(plan.shape) ? multiply_as<T, int32_t> : multiply_as<T, int64_t>)(stream, plan);
    });
}

}  // namespace mt::cuda
