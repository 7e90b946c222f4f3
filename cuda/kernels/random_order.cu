// Permutations and draws of categories, in the order of random keys; equal keys are in the order of positions. One thread per element
// counts the elements before it: its rank.
#include <cmath>
#include <limits>

#include "cuda/kernels/draws.h"
#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/scratch.h"
#include "cuda/value.h"
#include "engine/ops/drawn.h"
#include "engine/ops/random.h"

namespace mt::cuda {
namespace {

namespace values {
using std::cos, std::log, std::sin, std::sqrt, std::tan;
#include "engine/ops/drawn-inl.h"
}  // namespace values

// ---- randperm: the first bits of keys select buckets of about ten keys each. Threads fill a bucket in any order, so a further kernel
// counts the ranks in a bucket by key.

constexpr int most_bucket_bits = 20;
constexpr int scan_threads = 1024;

struct Entry {
  uint64_t key;
  int64_t position;
  MT_DEVICE bool operator<(const Entry& other) const { return key != other.key ? key < other.key : position < other.position; }
};

struct Buckets {
  CallDraws draws;
  int64_t n;
  int bits;
  int64_t* ends;  // counts; then the start of each bucket, then its end
  Entry* entries;

  MT_DEVICE int64_t of(uint64_t key) const { return bits == 0 ? 0 : static_cast<int64_t>(key >> (64 - bits)); }
  MT_DEVICE int64_t count() const { return int64_t{1} << bits; }
  // Calls f(key, position) for each element of this thread.
  template <class F> MT_DEVICE void each(Thread& t, const F& f) const {
    for (int64_t i = t.global_index(); 2 * i < n; i += t.global_threads()) {
      const PhiloxBlock block = draws.block(i);
      for (int j = 0; j < 2 && 2 * i + j < n; ++j) f(Draws::pair(block, j), 2 * i + j);
    }
  }
};

struct CountKernel {
  Buckets b;
  MT_DEVICE void operator()(Thread& t) const {
    b.each(t, [this](uint64_t key, int64_t) { atomic_add(b.ends + b.of(key), int64_t{1}); });
  }
};

// Replaces the counts of buckets by the sums of those before them, in one block: each thread processes consecutive buckets.
struct StartsKernel {
  Buckets b;
  MT_DEVICE void operator()(Thread& t) const {
    const auto sums = t.shared<int64_t>(scan_threads);
    const int64_t each = (b.count() + t.threads() - 1) / t.threads();
    const int64_t begin = t.index() * each, limit = begin + each, end = limit < b.count() ? limit : b.count();
    int64_t sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += b.ends[i];
    sums.set(t.index(), sum);
    t.barrier();
    int64_t before = 0;
    for (int i = 0; i < t.index(); ++i) before += sums.get(i);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t count = b.ends[i];
      b.ends[i] = before;
      before += count;
    }
  }
};

struct PlaceKernel {
  Buckets b;
  MT_DEVICE void operator()(Thread& t) const {
    b.each(t, [this](uint64_t key, int64_t position) { b.entries[atomic_add(b.ends + b.of(key), int64_t{1})] = {key, position}; });
  }
};

struct RankKernel {
  Buckets b;
  int64_t* out;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < b.n; i += t.global_threads()) {
      const Entry own = b.entries[i];
      const int64_t bucket = b.of(own.key), start = bucket == 0 ? 0 : b.ends[bucket - 1], end = b.ends[bucket];
      int64_t place = start;
      for (int64_t k = start; k < end; ++k) place += b.entries[k] < own ? 1 : 0;
      out[place] = own.position + 1;
    }
  }
};

void run_randperm(const RandpermPlan& plan) {
  const Stream stream = op_stream();
  const int64_t n = plan.out.numel();
  int bits = 0;
  while (bits < most_bucket_bits && n >> (bits + 4) != 0) ++bits;
  const Scratch<int64_t> ends(stream, int64_t{1} << bits);
  const Scratch<Entry> entries(stream, n);
  const Buckets buckets{CallDraws(plan.source.draws, stream), n, bits, ends.data(), entries.data()};
  driver::set_bytes(stream, ends.address(), 0, sizeof(int64_t) << bits);
  launch_each(stream, (n + 1) / 2, CountKernel{buckets});
  launch(stream, 1, scan_threads, scan_threads * sizeof(int64_t), StartsKernel{buckets});
  launch_each(stream, (n + 1) / 2, PlaceKernel{buckets});
  launch_each(stream, n, RankKernel{buckets, elements<int64_t>(plan.out)});
}

// ---- multinomial

struct Weights {
  const double* of;
  int64_t rows, categories;
};

// The faults of a row: the position of the first weight that is negative or not finite, and the number of weights above 0.
struct RowFault {
  int64_t bad, positive;
};

// One block per row.
struct CheckKernel {
  Weights w;
  int64_t n;
  bool replacement;
  RowFault* faults;
  int64_t* first;  // first row with a fault
  MT_DEVICE void operator()(Thread& t) const {
    const auto scratch = t.shared<int64_t>(warp_size);
    const auto sum = [](int64_t a, int64_t b) { return a + b; };
    const auto least = [](int64_t a, int64_t b) { return a < b ? a : b; };
    for (int64_t row = t.block(); row < w.rows; row += t.blocks()) {
      RowFault fault{w.categories, 0};
      for (int64_t c = t.index(); c < w.categories; c += t.threads()) {
        const double weight = w.of[row * w.categories + c];
        const bool good = weight >= 0 && weight <= std::numeric_limits<double>::max();
        if (!good && c < fault.bad) fault.bad = c;
        fault.positive += weight > 0 ? 1 : 0;
      }
      fault = {block_reduce(t, fault.bad, w.categories, least, scratch), block_reduce(t, fault.positive, int64_t{0}, sum, scratch)};
      if (t.index() != 0) continue;
      faults[row] = fault;
      if (fault.bad < w.categories || fault.positive == 0 || (!replacement && fault.positive < n)) atomic_min(first, row);
    }
  }
};

void check_weights(const MultinomialPlan& plan) {
  const Stream stream = op_stream();
  const Weights w{elements<double>(plan.weights), plan.rows, plan.categories};
  const Scratch<RowFault> faults(stream, plan.rows);
  const Scratch<int64_t> first(stream, 1);
  driver::set_bytes(stream, first.address(), 0x7f, sizeof(int64_t));
  launch(stream, blocks_for(stream, plan.rows, 1), block_threads, warp_size * sizeof(int64_t),
         CheckKernel{w, plan.n, plan.replacement, faults.data(), first.data()});
  int64_t row = 0;
  driver::copy_to_host(stream, &row, first.address(), sizeof row);
  if (row >= plan.rows) return;
  RowFault fault;
  driver::copy_to_host(stream, &fault, static_cast<RowFault*>(faults.address()) + row, sizeof fault);
  if (fault.bad < plan.categories) {
    double weight = 0;
    driver::copy_to_host(stream, &weight, plan.weights.data<double>() + row * plan.categories + fault.bad, sizeof weight);
    *plan.fault = {WeightsFault::Kind::weight, row, weight, 0};
  } else if (fault.positive == 0) {
    *plan.fault = {WeightsFault::Kind::no_mass, row, 0, 0};
  } else {
    *plan.fault = {WeightsFault::Kind::too_few, row, 0, fault.positive};
  }
}

// Cumulative sums of each row's weights, one block per row, whose threads process consecutive weights. The sums never decrease.
struct SumsKernel {
  Weights w;
  double* sums;
  MT_DEVICE void operator()(Thread& t) const {
    const auto shared = t.shared<double>(block_threads);
    const int64_t each = (w.categories + t.threads() - 1) / t.threads();
    const int64_t begin = t.index() * each, limit = begin + each, end = limit < w.categories ? limit : w.categories;
    for (int64_t row = t.block(); row < w.rows; row += t.blocks()) {
      const double* const from = w.of + row * w.categories;
      double own = 0;
      for (int64_t c = begin; c < end; ++c) own += from[c];
      shared.set(t.index(), own);
      t.barrier();
      double before = 0;
      for (int i = 0; i < t.index(); ++i) before += shared.get(i);
      own = 0;
      for (int64_t c = begin; c < end; ++c) {
        own += from[c];
        sums[row * w.categories + c] = before + own;
      }
      t.barrier();
    }
  }
};

// The number of n sums, which never decrease, that are below `value`, or with or_equal not above it.
MT_DEVICE int64_t count_below(const double* sums, int64_t n, double value, bool or_equal) {
  int64_t low = 0, high = n;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (sums[middle] < value || (or_equal && sums[middle] == value))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct ReplacingKernel {
  CallDraws draws;
  const double* sums;
  int64_t categories, n, total;
  int64_t* out;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < total; i += t.global_threads()) {
      const double* const row = sums + i / n * categories;
      const double all = row[categories - 1], at = drawn::fraction(draws.bits64(i)) * all;
      const int64_t chosen = count_below(row, categories, at, true), last = count_below(row, categories, all, false);
      out[i] = (chosen < last ? chosen : last) + 1;
    }
  }
};

struct KeysKernel {
  CallDraws draws;
  const double* weights;
  double* keys;
  int64_t total;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < total; i += t.global_threads()) {
      const double positive = drawn::positive(draws.bits64(i));
      keys[i] = weights[i] > 0 ? values::drawn_order(positive, weights[i]) : std::numeric_limits<double>::infinity();
    }
  }
};

// A category with n keys before its own is not drawn: counting stops at n.
struct ChooseKernel {
  const double* keys;
  int64_t categories, n, total;
  int64_t* out;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < total; i += t.global_threads()) {
      const int64_t row = i / categories, own = i % categories;
      const double* const of = keys + row * categories;
      int64_t before = of[own] < std::numeric_limits<double>::infinity() ? 0 : n;
      for (int64_t c = 0; c < categories && before < n; ++c) before += of[c] < of[own] || (of[c] == of[own] && c < own) ? 1 : 0;
      if (before < n) out[row * n + before] = own + 1;
    }
  }
};

void run_multinomial(const MultinomialPlan& plan) {
  if (plan.pass == MultinomialPass::check) return check_weights(plan);
  const Stream stream = op_stream();
  const Weights w{elements<double>(plan.weights), plan.rows, plan.categories};
  const int64_t weights = w.rows * w.categories, drawn = w.rows * plan.n;
  const Scratch<double> between(stream, weights);
  const CallDraws draws(plan.source.draws, stream);
  auto* const out = elements<int64_t>(plan.out);
  if (plan.replacement) {
    launch(stream, blocks_for(stream, w.rows, 1), block_threads, block_threads * sizeof(double), SumsKernel{w, between.data()});
    launch_each(stream, drawn, ReplacingKernel{draws, between.data(), w.categories, plan.n, drawn, out});
  } else {
    launch_each(stream, weights, KeysKernel{draws, w.of, between.data(), weights});
    launch_each(stream, weights, ChooseKernel{between.data(), w.categories, plan.n, weights, out});
  }
}

constexpr KernelRow rows[] = {{"randperm", kernel<&run_randperm>()}, {"multinomial", kernel<&run_multinomial>()}};

}  // namespace

KernelRows random_order_rows() { return rows; }

}  // namespace mt::cuda
