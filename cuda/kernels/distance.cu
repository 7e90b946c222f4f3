// Distances between rows, in tiles of 16 x 16 results: a block loads 16 elements of each of its rows to shared memory at a time. Squares
// of floats are added in groups of four, then in double.
#include "engine/ops/distance.h"

#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/value.h"

namespace mt::cuda {

#include "engine/ops/distance-inl.h"

template <class T> struct DistanceKernel {
  static constexpr int tile = 16, row = tile + 1;  // padded by one: no two rows begin in the same bank
  using S = std::conditional_t<std::is_integral_v<T>, uint64_t, Compute<T>>;
  using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  const T *x, *y;
  T* out;
  int64_t m, k, n, tiles_across;
  Sum gain;

  static MT_DEVICE S element(const T* from, int64_t rows, int64_t at, int64_t n, int64_t i) {
    return at < rows && i < n ? static_cast<S>(widen(from[at * n + i])) : S(0);
  }

  MT_DEVICE void operator()(Thread& t) const {
    const Shared<S> a = t.shared<S>(tile * row), b = t.shared<S>(tile * row);
    const int down = t.index() / tile, across = t.index() % tile;
    for (int64_t block = t.block(); block < tiles_across * ((m + tile - 1) / tile); block += t.blocks()) {
      const int64_t first = block / tiles_across * tile, second = block % tiles_across * tile;
      Sum sum = 0;
      for (int64_t i = 0; i < n; i += tile) {
        a.set(down * row + across, element(x, m, first + down, n, i + across));
        b.set(down * row + across, element(y, k, second + down, n, i + across));
        t.barrier();
        for (int at = 0; at < tile; at += 4) {
          S four = 0;
          for (int j = at; j < at + 4; ++j) {
            const S d = a.get(down * row + j) - b.get(across * row + j);
            four += d * d;
          }
          sum += four;
        }
        t.barrier();
      }
      if (first + down < m && second + across < k) out[(first + down) * k + second + across] = narrow<T>(gain * sum);
    }
  }
};

void run_match(const DistancePlan& plan) {
  dispatch(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    using K = DistanceKernel<T>;
    const int64_t m = plan.out.size(0), k = plan.out.size(1), tiles_across = (k + K::tile - 1) / K::tile;
    typename K::Sum gain;
    if constexpr (std::is_integral_v<T>)
      gain = static_cast<uint64_t>(element_from<int64_t>(plan.gain));
    else
      gain = plan.gain;
    const K kernel{elements<T>(plan.x), elements<T>(plan.y), elements<T>(plan.out), m, k, plan.n, tiles_across, gain};
    const int64_t blocks = std::min((m + K::tile - 1) / K::tile * tiles_across, most_blocks);
    launch(op_stream(), blocks, K::tile * K::tile, 2 * K::tile * K::row * sizeof(typename K::S), kernel);
  });
}

KernelRows distance_rows() {
  static constexpr KernelRow rows[] = {{Match::decl.name, kernel<&run_match>()}};
  return rows;
}

}  // namespace mt::cuda
