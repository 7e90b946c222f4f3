// Sorts short rows of keys with their positions in shared memory, several rows per block: Batcher's bitonic network. It compares pairs of
// key and position, which are all different, so that equal keys keep their order.
#pragma once

#include <bit>
#include <limits>

#include "cuda/launch.h"

namespace mt::cuda {

inline constexpr int most_block_sorted = 2048;  // keys per row

// load(row, i) returns key i of a row; store(row, i, key, position) receives its i-th key in order, and the key's position.
template <class Key, class Load, class Store> struct BlockSort {
  Load load;
  Store store;
  int64_t rows;
  int n, padded, rows_per_block;  // padded: n rounded up to a power of 2

  MT_DEVICE void operator()(Thread& t) const {
    const int entries = padded * rows_per_block;
    const Shared<Key> keys = t.shared<Key>(entries);
    const Shared<uint32_t> positions = t.shared<uint32_t>(entries);
    const int64_t first = t.block() * rows_per_block;
    for (int i = t.index(); i < entries; i += t.threads()) {
      const int64_t row = first + i / padded;
      const int place = i % padded;
      keys.set(i, row < rows && place < n ? load(row, place) : std::numeric_limits<Key>::max());
      positions.set(i, static_cast<uint32_t>(place));  // positions of padding are above all others
    }
    for (int width = 2; width <= padded; width *= 2) {
      for (int distance = width / 2; distance > 0; distance /= 2) {
        t.barrier();
        for (int i = t.index(); i < entries / 2; i += t.threads()) {
          const int low = 2 * i - (i & (distance - 1));
          order(keys, positions, low, low + distance, (low & (padded - 1) & width) == 0);
        }
      }
    }
    t.barrier();
    for (int i = t.index(); i < entries; i += t.threads()) {
      const int64_t row = first + i / padded;
      const int place = i % padded;
      if (row < rows && place < n) store(row, place, keys.get(i), positions.get(i));
    }
  }

 private:
  MT_DEVICE static void order(const Shared<Key>& keys, const Shared<uint32_t>& positions, int low, int high, bool upward) {
    const Key a = keys.get(low), b = keys.get(high);
    const uint32_t p = positions.get(low), q = positions.get(high);
    if ((a > b || (a == b && p > q)) != upward) return;
    keys.set(low, b);
    keys.set(high, a);
    positions.set(low, q);
    positions.set(high, p);
  }
};

// n: 1..most_block_sorted
template <class Key, class Load, class Store>
void sort_in_blocks(Stream stream, int64_t rows, int64_t n, const Load& load, const Store& store) {
  const auto padded = static_cast<int>(std::bit_ceil(static_cast<uint64_t>(n)));
  const auto per_block = static_cast<int>(std::clamp<int64_t>(512 / padded, 1, rows));
  const int entries = padded * per_block, threads = std::clamp((entries / 2 + warp_size - 1) / warp_size * warp_size, warp_size, 512);
  launch(stream, (rows + per_block - 1) / per_block, threads, static_cast<size_t>(entries) * (sizeof(Key) + sizeof(uint32_t)),
         BlockSort<Key, Load, Store>{load, store, rows, static_cast<int>(n), padded, per_block});
}

}  // namespace mt::cuda
