// Scans: prefix sums over the threads of a warp or block, and over counts in memory.
#pragma once

#include "cuda/launch.h"

namespace mt::cuda {

struct Sum {
  template <class T> MT_DEVICE T operator()(T a, T b) const { return a + b; }
};

// The combined values of a lane and all lanes before it. op combines two values, the earlier one first.
template <class T, class Op> MT_DEVICE T warp_scan(Thread& t, T value, Op op) {
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const T before = t.shuffle_up(value, distance);
    if (t.lane() >= distance) value = op(before, value);
  }
  return value;
}

template <class T> struct Scanned {
  T before;  // combined value of the threads before this one; `none` for the first one
  T total;   // combined value of all threads
};

// The scan of a block. `scratch` is shared memory of warp_size elements, and may be reused after the call. The order of operations is the
// same for any schedule.
template <class T, class Op> MT_DEVICE Scanned<T> block_scan(Thread& t, T value, T none, Op op, Shared<T> scratch) {
  const T inclusive = warp_scan(t, value, op), neighbour = t.shuffle_up(inclusive, 1);
  if (t.lane() == warp_size - 1) scratch.set(t.warp(), inclusive);
  t.barrier();
  const int warps = t.threads() / warp_size;
  const T up_to_warp = warp_scan(t, t.lane() < warps ? scratch.get(t.lane()) : none, op);
  t.barrier();
  const T before_warp = t.shuffle(up_to_warp, t.warp() > 0 ? t.warp() - 1 : 0), total = t.shuffle(up_to_warp, warps - 1);
  const T of_warps = t.warp() > 0 ? before_warp : none;
  return {t.lane() > 0 ? op(of_warps, neighbour) : of_warps, total};
}

// Replaces each of n counts of a row by the sum of those before it; sets totals, if not null, to the sums of rows. One block per row.
template <class T> struct ScanCounts {
  T* counts;
  T* totals;
  int64_t n;
  MT_DEVICE void operator()(Thread& t) const {
    const Shared<T> scratch = t.shared<T>(warp_size);
    T* const row = counts + t.block() * n;
    T before = 0;
    for (int64_t first = 0; first < n; first += t.threads()) {
      const int64_t i = first + t.index();
      const Scanned<T> scanned = block_scan(t, i < n ? row[i] : T(0), T(0), Sum(), scratch);
      if (i < n) row[i] = before + scanned.before;
      before += scanned.total;
    }
    if (totals != nullptr && t.index() == 0) totals[t.block()] = before;
  }
};

template <class T> void scan_counts(Stream stream, T* counts, T* totals, int64_t rows, int64_t n) {
  const int threads = n <= 128 ? 128 : n <= 256 ? 256 : 1024;
  launch(stream, rows, threads, warp_size * sizeof(T), ScanCounts<T>{counts, totals, n});
}

}  // namespace mt::cuda
