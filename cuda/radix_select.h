// Selects the least keys of long rows without sorting them, with one block per row. It finds the digits of the last wanted key, from the
// highest one, by counting digits of keys with the same prefix (radix selection). A last pass over the row collects the keys up to it.
#pragma once

#include "cuda/block_scan.h"
#include "cuda/radix.h"

namespace mt::cuda {

// load(row, i) returns key i of a row, of `bits` bits. take(row, slot, key, position) receives the keys up to number `last` (from 0) in
// stable order. Slots count from 0: first the smaller keys, then those equal to the last one, both in the order of positions.
template <class Key, class Load, class Take> struct RadixSelect {
  static constexpr int threads = 512;
  static constexpr size_t shared_bytes = (warp_size + 1) * sizeof(uint64_t) + (radix_digits + 2) * sizeof(uint32_t);
  Load load;
  Take take;
  int64_t n, last;
  int bits;

  MT_DEVICE void operator()(Thread& t) const {
    const Shared<uint64_t> scratch = t.shared<uint64_t>(warp_size);
    const Shared<uint32_t> counts = t.shared<uint32_t>(radix_digits), found = t.shared<uint32_t>(2);  // the digit, keys before it
    const int64_t row = t.block();
    Key last_key = 0;
    auto rank = static_cast<uint64_t>(last);  // among the keys with the prefix of the last one
    for (int shift = bits - radix_bits; shift >= 0; shift -= radix_bits) {
      count_digits(t, row, last_key, shift, counts);
      const uint64_t count = t.index() < radix_digits ? counts.get(t.index()) : 0;
      const uint64_t before = block_scan(t, count, uint64_t{0}, Sum(), scratch).before;
      if (before <= rank && rank < before + count) {
        found.set(0, static_cast<uint32_t>(t.index()));
        found.set(1, static_cast<uint32_t>(before));
      }
      t.barrier();
      last_key |= static_cast<Key>(found.get(0)) << shift;
      rank -= found.get(1);
      t.barrier();
    }
    collect(t, row, last_key, rank, scratch);
  }

 private:
  MT_DEVICE void count_digits(Thread& t, int64_t row, Key begin, int shift, const Shared<uint32_t>& counts) const {
    if (t.index() < radix_digits) counts.set(t.index(), 0);
    t.barrier();
    for (int64_t i = t.index(); i < n; i += t.threads()) {
      const Key digits = (load(row, i) ^ begin) >> shift;
      if (digits < radix_digits) counts.add(static_cast<int>(digits), 1u);
    }
    t.barrier();
  }

  MT_DEVICE void collect(Thread& t, int64_t row, Key last_key, uint64_t rank, const Shared<uint64_t>& scratch) const {
    const uint64_t smaller = static_cast<uint64_t>(last) - rank;
    uint64_t before = 0;  // number of smaller keys in the low half, of equal keys in the high half
    for (int64_t first = 0; first < n; first += t.threads()) {
      const int64_t i = first + t.index();
      const Key key = i < n ? load(row, i) : Key(0);
      const bool is_smaller = i < n && key < last_key, is_equal = i < n && key == last_key;
      const Scanned<uint64_t> scanned = block_scan(t, uint64_t{is_smaller} | uint64_t{is_equal} << 32, uint64_t{0}, Sum(), scratch);
      const uint64_t mine = before + scanned.before;
      if (is_smaller) take(row, static_cast<int64_t>(mine & 0xffffffffu), key, i);
      if (is_equal && mine >> 32 <= rank) take(row, static_cast<int64_t>(smaller + (mine >> 32)), key, i);
      before += scanned.total;
    }
  }
};

}  // namespace mt::cuda
