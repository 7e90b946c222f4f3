// Stable sorting of unsigned keys with their positions, many rows of the same length at once. Rows of at most 2048 keys are sorted in
// shared memory, with one launch for all. Longer rows are sorted by digits of 8 bits from the lowest one (radix sort), with three launches
// per digit: tiles count their digits, the counts are scanned, and tiles move their keys. A tile first groups its keys by digit in shared
// memory, so that neighbouring threads write neighbouring keys.
#pragma once

#include <utility>

#include "cuda/block_scan.h"
#include "cuda/block_sort.h"
#include "cuda/scratch.h"

namespace mt::cuda {

inline constexpr int radix_bits = 8, radix_digits = 1 << radix_bits, radix_threads = radix_digits;
inline constexpr int radix_items = 8;  // keys per thread: more would halve the occupancy, by the registers they need
inline constexpr int radix_tile = radix_items * radix_threads;

// Counts each digit in each tile of each row: counts[row][digit][tile].
template <class Key> struct RadixCount {
  const Key* keys;
  uint32_t* counts;
  int64_t n, tiles;
  int shift;
  MT_DEVICE void operator()(Thread& t) const {
    const Shared<uint32_t> found = t.shared<uint32_t>(radix_digits);
    const int64_t row = t.block() / tiles, tile = t.block() % tiles;
    found.set(t.index(), 0);
    t.barrier();
    const int64_t first = tile * radix_tile, end = first + radix_tile < n ? first + radix_tile : n;
    for (int64_t i = first + t.index(); i < end; i += radix_threads)
      found.add(static_cast<int>(keys[row * n + i] >> shift & (radix_digits - 1)), 1u);
    t.barrier();
    counts[(row * radix_digits + t.index()) * tiles + tile] = found.get(t.index());
  }
};

// Moves keys to the range of their digit; keys with the same digit keep their order.
template <class Key> struct RadixMove {
  static constexpr int warps = radix_threads / warp_size, items = radix_items, tile_size = radix_tile;
  static constexpr size_t shared_bytes =
      tile_size * (sizeof(Key) + sizeof(uint32_t)) + (warps * radix_digits + radix_digits + warp_size) * sizeof(uint32_t);
  const Key* keys;
  const uint32_t* positions;  // null: keys are in their original order
  Key* to_keys;
  uint32_t* to_positions;
  const uint32_t *counts, *totals;  // the scanned counts; the totals of each row's digits
  int64_t n, tiles;
  int shift;

  MT_DEVICE int digit(Key key) const { return static_cast<int>(key >> shift & (radix_digits - 1)); }

  // The lanes whose keys have the same digit, among the lanes that have a key.
  MT_DEVICE static uint32_t lanes_of(Thread& t, int digit, bool has) {
    uint32_t lanes = t.ballot(has);
    for (int bit = 0; bit < radix_bits; ++bit) {
      const bool is_set = (digit >> bit & 1) != 0;
      const uint32_t set = t.ballot(is_set);
      lanes &= is_set ? set : ~set;
    }
    return lanes;
  }

  MT_DEVICE void operator()(Thread& t) const {
    const Shared<Key> staged_keys = t.shared<Key>(tile_size);
    const Shared<uint32_t> staged_positions = t.shared<uint32_t>(tile_size);
    const Shared<uint32_t> before = t.shared<uint32_t>(warps * radix_digits);  // [warp][digit]: number of keys so far
    const Shared<uint32_t> start = t.shared<uint32_t>(radix_digits), scratch = t.shared<uint32_t>(warp_size);
    const int64_t row = t.block() / tiles, tile = t.block() % tiles, first = tile * tile_size;
    const auto size = static_cast<int>(n - first < tile_size ? n - first : tile_size);
    for (int w = 0; w < warps; ++w) before.set(w * radix_digits + t.index(), 0);
    t.barrier();

    // The rank of each key among the keys of its warp with the same digit.
    Key own[items];
    uint32_t rank[items];
#pragma unroll
    for (int j = 0; j < items; ++j) {
      const int i = (t.warp() * items + j) * warp_size + t.lane();
      const bool has = i < size;
      own[j] = has ? keys[row * n + first + i] : Key(0);
      const int d = digit(own[j]), place = t.warp() * radix_digits + d;
      const uint32_t lanes = lanes_of(t, d, has), below = lanes & ((1u << t.lane()) - 1);
      const uint32_t come = before.get(place);
      rank[j] = come + static_cast<uint32_t>(count_ones(below));
      t.warp_barrier();
      if (has && below == 0) before.set(place, come + static_cast<uint32_t>(count_ones(lanes)));
      t.warp_barrier();
    }
    t.barrier();

    // One thread per digit: its start in the tile and in the row.
    uint32_t count = 0;
    for (int w = 0; w < warps; ++w) count += before.get(w * radix_digits + t.index());
    const int64_t of_row = row * radix_digits + t.index();
    const uint32_t in_tile = block_scan(t, count, 0u, Sum(), scratch).before;
    const uint32_t in_row = block_scan(t, totals[of_row], 0u, Sum(), scratch).before + counts[of_row * tiles + tile];
    start.set(t.index(), in_row - in_tile);  // modulo 2^32
    uint32_t next = in_tile;
    for (int w = 0; w < warps; ++w) {
      const uint32_t of_warp = before.get(w * radix_digits + t.index());
      before.set(w * radix_digits + t.index(), next);
      next += of_warp;
    }
    t.barrier();

#pragma unroll
    for (int j = 0; j < items; ++j) {
      const int i = (t.warp() * items + j) * warp_size + t.lane();
      if (i >= size) continue;
      const auto at = static_cast<int>(before.get(t.warp() * radix_digits + digit(own[j])) + rank[j]);
      staged_keys.set(at, own[j]);
      staged_positions.set(at, positions != nullptr ? positions[row * n + first + i] : static_cast<uint32_t>(first + i));
    }
    t.barrier();
    for (int i = t.index(); i < size; i += radix_threads) {
      const Key key = staged_keys.get(i);
      const uint32_t to = start.get(digit(key)) + static_cast<uint32_t>(i);
      to_keys[row * n + to] = key;
      to_positions[row * n + to] = staged_positions.get(i);
    }
  }
};

template <class Key> struct LoadKeys {
  const Key* keys;
  int64_t n;
  MT_DEVICE Key operator()(int64_t row, int64_t i) const { return keys[row * n + i]; }
};
template <class Key> struct StoreKeys {
  Key* keys;
  uint32_t* positions;
  int64_t n;
  MT_DEVICE void operator()(int64_t row, int64_t i, Key key, uint32_t position) const {
    keys[row * n + i] = key;
    positions[row * n + i] = position;
  }
};

// Keys in `rows` rows of n < 2^32 keys: the caller writes them to keys(), calls sort(), and reads sorted_keys().
template <class Key> class SortedKeys {
 public:
  SortedKeys(Stream stream, int64_t rows, int64_t n)
      : stream_(stream),
        rows_(rows),
        n_(n),
        keys_{{stream, rows * n}, {stream, rows * n}},
        positions_{{stream, rows * n}, {stream, n > most_block_sorted ? rows * n : 0}} {}
  Key* keys() { return keys_[0].data(); }

  // Sorts by the lowest `bits` bits; the others must be 0. Equal keys keep their order. Doesn't wait for the device.
  void sort(int bits) {
    if (rows_ * n_ == 0) return;
    if (n_ <= most_block_sorted)
      sort_in_blocks<Key>(stream_, rows_, n_, LoadKeys<Key>{keys(), n_}, StoreKeys<Key>{keys_[1].data(), positions_[0].data(), n_});
    else
      sort_by_digits(bits);
  }
  const Key* sorted_keys() const { return keys_[last_].data(); }
  const uint32_t* positions() const { return positions_[1 - last_].data(); }  // of each sorted key, in its row, from 0

 private:
  void sort_by_digits(int bits) {
    const int64_t tiles = (n_ + radix_tile - 1) / radix_tile;
    const Scratch<uint32_t> counts(stream_, rows_ * radix_digits * tiles), totals(stream_, rows_ * radix_digits);
    last_ = 0;
    for (int shift = 0; shift == 0 || shift < bits; shift += radix_bits, last_ = 1 - last_) {
      const Key* const from = keys_[last_].data();
      launch(stream_, rows_ * tiles, radix_threads, radix_digits * sizeof(uint32_t),
             RadixCount<Key>{from, counts.data(), n_, tiles, shift});
      scan_counts(stream_, counts.data(), totals.data(), rows_ * radix_digits, tiles);
      launch(stream_, rows_ * tiles, radix_threads, RadixMove<Key>::shared_bytes,
             RadixMove<Key>{from, shift == 0 ? nullptr : positions_[1 - last_].data(), keys_[1 - last_].data(), positions_[last_].data(),
                            counts.data(), totals.data(), n_, tiles, shift});
    }
  }

  Stream stream_;
  int64_t rows_, n_;
  Scratch<Key> keys_[2];
  Scratch<uint32_t> positions_[2];
  int last_ = 1;  // which of keys_ has the sorted keys
};

}  // namespace mt::cuda
