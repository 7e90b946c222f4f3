// Kernels for counting and for searching in sorted elements. Counts are integers, so the order of atomic additions doesn't matter. If there
// are few bins, each block counts in its shared memory first. Weights are added in order (scatter.cu).
#include "engine/ops/histogram.h"

#include <cmath>
#include <limits>

#include "cuda/kernels/index.h"
#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/scratch.h"
#include "cuda/value.h"

namespace mt::cuda {
namespace {

constexpr int64_t most_shared_bins = 8192;           // 32 KB
constexpr int64_t most_in_block = int64_t{1} << 31;  // elements that a block can count in 32 bits

// Minimum and maximum of a set of numbers.
template <class V> struct Limits { V least, greatest; };
template <class V> struct Lesser {
  MT_DEVICE V operator()(V a, V b) const { return b < a ? b : a; }
};
template <class V> struct Greater {
  MT_DEVICE V operator()(V a, V b) const { return b > a ? b : a; }
};

// The limits of the elements that are not NaN: for each block's share, or, in one block, for all shares together.
template <class T, class V> struct FindLimits {
  const T* x;
  const Limits<V>* shares;  // replace x if it is null
  Limits<V>* out;
  int64_t n;
  Limits<V> none;
  MT_DEVICE void operator()(Thread& t) const {
    const Shared<V> scratch = t.shared<V>(warp_size);
    Limits<V> own = none;
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      const V low = shares != nullptr ? shares[i].least : static_cast<V>(widen(x[i]));
      const V high = shares != nullptr ? shares[i].greatest : low;
      own = {Lesser<V>()(own.least, low), Greater<V>()(own.greatest, high)};
    }
    own.least = block_reduce(t, own.least, none.least, Lesser<V>(), scratch);
    own.greatest = block_reduce(t, own.greatest, none.greatest, Greater<V>(), scratch);
    if (t.index() == 0) out[t.block()] = own;
  }
};

// The limits of n >= 1 elements; `none` if all are NaN. Waits for the device.
template <class T, class V> Limits<V> limits_of(const T* x, int64_t n, Limits<V> none) {
  const Stream stream = op_stream();
  const int64_t blocks = std::min<int64_t>(blocks_for(stream, n), 1024);
  const Scratch<Limits<V>> shares(stream, blocks + 1);
  launch(stream, blocks, block_threads, warp_size * sizeof(V), FindLimits<T, V>{x, nullptr, shares.data(), n, none});
  launch(stream, 1, block_threads, warp_size * sizeof(V), FindLimits<T, V>{nullptr, shares.data(), shares.data() + blocks, blocks, none});
  Limits<V> all;
  driver::copy_to_host(stream, &all, static_cast<Limits<V>*>(shares.address()) + blocks, sizeof all);
  return all;
}

// The bin of an element; negative if it is in no bin.
template <class T> struct BinOf {
  double min, max;
  int64_t bins;
  MT_DEVICE int64_t operator()(T element) const {
    const auto v = static_cast<double>(widen(element));
    if (!(v >= min && v <= max)) return -1;
    const auto bin = static_cast<int64_t>((v - min) / (max - min) * static_cast<double>(bins));
    return bin < bins ? bin : bins - 1;
  }
};
struct BinOfNumber {  // the bin of an integer that counts from 1
  int64_t bins;
  MT_DEVICE int64_t operator()(int64_t number) const { return is_inside(number, bins) ? number - 1 : -1; }
};

// Adds the counts of each row to `counts`, with several blocks per row.
template <class T, class Bin> struct CountBins {
  const T* x;
  int64_t* counts;
  int64_t n, bins, blocks_per_row;
  Bin bin;
  bool in_shared;
  MT_DEVICE void operator()(Thread& t) const {
    const int64_t row = t.block() / blocks_per_row, part = t.block() % blocks_per_row, step = blocks_per_row * t.threads();
    const T* const from = x + row * n;
    int64_t* const to = counts + row * bins;
    const int shared_bins = in_shared ? static_cast<int>(bins) : 0;
    const Shared<uint32_t> own = t.shared<uint32_t>(shared_bins);
    for (int b = t.index(); b < shared_bins; b += t.threads()) own.set(b, 0);
    t.barrier();
    for (int64_t i = part * t.threads() + t.index(); i < n; i += step) {
      const int64_t b = bin(from[i]);
      if (b < 0) continue;
      if (in_shared)
        own.add(static_cast<int>(b), 1u);
      else
        atomic_add(to + b, int64_t{1});
    }
    t.barrier();
    for (int b = t.index(); b < shared_bins; b += t.threads()) {
      const uint32_t count = own.get(b);
      if (count != 0) atomic_add(to + b, static_cast<int64_t>(count));
    }
  }
};

template <class T, class Bin> void count_bins(const T* x, int64_t* counts, int64_t rows, int64_t n, int64_t bins, const Bin& bin) {
  const Stream stream = op_stream();
  const bool in_shared = bins <= most_shared_bins && bins <= n;
  // Each block counts some thousands of elements, if there are enough to fill the device.
  const int64_t wanted = std::max<int64_t>(1, int64_t{properties_of(stream).multiprocessors} * 8 / rows);
  const int64_t per_row = std::max(std::clamp<int64_t>(n / 4096, 1, wanted), (n + most_in_block - 1) / most_in_block);
  launch(stream, rows * per_row, block_threads, in_shared ? static_cast<size_t>(bins) * sizeof(uint32_t) : 0,
         CountBins<T, Bin>{x, counts, n, bins, per_row, bin, in_shared});
}

template <class T> struct ConvertCounts {
  const int64_t* counts;
  T* out;
  int64_t n;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      if constexpr (is_16bit_float<T>)
        out[i] = narrow<T>(static_cast<float>(counts[i]));
      else
        out[i] = static_cast<T>(counts[i]);
    }
  }
};

template <class T> void count_parts(const HistogramPlan& plan) {
  const T* const x = elements<T>(plan.x);
  Bounds bounds = plan.has_bounds ? plan.bounds : Bounds{-1, 1};
  if (!plan.has_bounds && plan.x.numel() > 0) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Limits<double> all = limits_of<T, double>(x, plan.x.numel(), {infinity, -infinity});
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    bounds = *plan.of_data = all.least > all.greatest ? Bounds{nan, nan} : Bounds{all.least, all.greatest};
    if (!std::isfinite(bounds.min) || !std::isfinite(bounds.max)) return;
    if (bounds.min == bounds.max) bounds = {bounds.min - 1, bounds.max + 1};
  }
  const Stream stream = op_stream();
  const int64_t count = plan.out.numel();
  const Scratch<int64_t> counts(stream, count);
  driver::set_bytes(stream, counts.address(), 0, static_cast<size_t>(count) * sizeof(int64_t));
  if (plan.n > 0) count_bins(x, counts.data(), plan.rows, plan.n, plan.bins, BinOf<T>{bounds.min, bounds.max, plan.bins});
  launch_each(stream, count, ConvertCounts<T>{counts.data(), elements<T>(plan.out), count});
}

void run_histogram(const HistogramPlan& plan) {
  dispatch<float_dtypes>(plan.x.dtype(), [&]<class T>(std::type_identity<T>) { count_parts<T>(plan); });
}

void run_bincount(const BincountPlan& plan) {
  const auto* x = elements<int64_t>(plan.x);
  const int64_t n = plan.x.numel();
  if (plan.pass == BincountPass::limits) {
    const auto all = limits_of<int64_t, int64_t>(x, n, {INT64_MAX, INT64_MIN});
    *plan.least = all.least;
    *plan.greatest = all.greatest;
    return;
  }
  const Tensor& out = plan.out;
  const Stream stream = op_stream();
  driver::set_bytes(stream, out.bytes(), 0, static_cast<size_t>(out.numel()) * sizeof(int64_t));  // also the bits of 0.0
  if (!plan.weights) return count_bins(x, elements<int64_t>(out), 1, n, out.numel(), BinOfNumber{out.numel()});
  const auto as_vector = [n](const Tensor& t) {
    Tensor view = t;
    view.set_geometry(t.offset(), Shape{n}, Shape{1});
    return view;
  };
  put_slices({out, as_vector(plan.x), as_vector(plan.weights), 0, Write::add});
}

// The number of n sorted elements before v: those that are less or, from the right, not greater. NaN is above all numbers.
template <class T> struct SearchKernel {
  const T *sorted, *x;
  int64_t* out;
  int64_t n, m, count;
  bool right;

  MT_DEVICE bool comes_before(Compute<T> element, Compute<T> v) const {
    if (v != v) return right || element == element;
    return right ? element <= v : element < v;
  }
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < count; i += t.global_threads()) {
      const T* const row = sorted + (m == count ? 0 : i / m * n);
      const Compute<T> v = widen(x[i]);
      int64_t begin = 0, end = n;
      while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (comes_before(widen(row[middle]), v))
          begin = middle + 1;
        else
          end = middle;
      }
      out[i] = begin + 1;
    }
  }
};

void run_search(const SearchPlan& plan) {
  const int64_t count = plan.x.numel();
  dispatch(plan.x.dtype(), [&]<class T>(std::type_identity<T>) {
    launch_each(
        op_stream(), count,
        SearchKernel<T>{elements<T>(plan.sorted), elements<T>(plan.x), elements<int64_t>(plan.out), plan.n, plan.m, count, plan.right});
  });
}

}  // namespace

KernelRows histogram_rows() {
  static constexpr KernelRow rows[] = {{"histc", kernel<&run_histogram>()},
                                       {"bhistc", kernel<&run_histogram>()},
                                       {"bincount", kernel<&run_bincount>()},
                                       {"searchsorted", kernel<&run_search>()}};
  return rows;
}

}  // namespace mt::cuda
