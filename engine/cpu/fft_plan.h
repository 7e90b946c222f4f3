// The constants of Fourier transforms of a length: its factors and its roots of unity. Cached, with a limit.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "engine/core/fork.h"
#include "engine/cpu/elements.h"

namespace mt::cpu {

// exp(-2 pi i k / n), correct to the last place or the one before.
struct Root {
  double re, im;
};
Root root_of_unity(int64_t k, int64_t n);

// Aligns lists of vectors to cache lines, too.
template <class T> struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  LineAllocator() = default;
  template <class U> LineAllocator(const LineAllocator<U>&) {}  // NOLINT: all are equal
  T* allocate(size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* p, size_t) { ::operator delete(p, line); }
  bool operator==(const LineAllocator&) const { return true; }
};
template <class T> using Lines = std::vector<T, LineAllocator<T>>;

// Transforms down the columns of a matrix of n rows, by Stockham's passes (decimation in frequency): each pass reads rows q + s (p + m j)
// for j < radix, and writes their transform, times powers of a root of unity, to rows q + s (radix p + k). The final rows are in natural
// order. Columns are lanes of vectors: all lanes share a twiddle factor.
template <class T> struct ColumnPlan {
  struct Pass {
    int radix;
    int64_t m, s;         // remaining and finished parts of n
    const T* twiddles;    // [m][radix - 1][2]
    const double* roots;  // [radix][2], for radices without specialised code
  };
  int64_t n;
  std::vector<Pass> passes;  // empty if n is 1
  double cost;               // per column, in vector instructions

  explicit ColumnPlan(int64_t length);
  ColumnPlan(const ColumnPlan&) = delete;
  ColumnPlan& operator=(const ColumnPlan&) = delete;

 private:
  std::vector<T> twiddles_;
  std::vector<double> roots_;
};

constexpr int64_t most_of_a_radix = 61;

// Whether n has no prime factor above most_of_a_radix: other lengths use convolutions (Bluestein).
bool has_small_factors(int64_t n);
double column_cost(int64_t n);

// The number of the complex number in lane i, if exchanges of neighbouring lanes convert pairs of vectors with alternating real and
// imaginary parts to separate parts and back.
constexpr int64_t lane_of_pair(int64_t i, int64_t lanes) { return i % 2 == 0 ? i / 2 : lanes / 2 + i / 2; }

// A transform of n = n1 n2 consecutive elements in four steps: n2 columns of length n1; twiddle factors; a transposition; n1 columns of
// length n2.
template <class T> struct RowPlan {
  int64_t n, n1, n2, lanes;
  int64_t blocks1, blocks2;  // vectors of columns in the second and in the first step
  std::shared_ptr<const ColumnPlan<T>> first, second;
  // Twiddle factors in the order in which the second step reads blocks of `lanes` columns: all of them, [block][n2][2][lanes], or for
  // larger n as products of those of the first block and one number per row, [block][n2][2].
  Lines<T> of_block;
  Lines<T> of_rows;

  // pairs: lanes of the second step are in the order of lane_of_pair.
  RowPlan(int64_t length, int64_t lanes_of_vector, bool inverse, bool pairs);

  int64_t middle_elements() const { return blocks2 * blocks1 * lanes * 2 * lanes; }
  int64_t scratch_elements() const { return 4 * lanes * (n1 > n2 ? n1 : n2) + 2 * lanes; }
};

// The least length for a convolution, at least n, whose transforms are fast.
int64_t convolution_length(int64_t n);

struct PlanKey {
  int64_t n, lanes;
  bool inverse, pairs;
  bool operator==(const PlanKey&) const = default;
};

// The most recently used plans of a type, for all threads.
template <class Plan> class PlanCache {
 public:
  template <class Make> std::shared_ptr<const Plan> find(const PlanKey& key, Make make) {
    if (auto kept = look_up(key)) return kept;
    std::shared_ptr<const Plan> made = make();  // without the lock
    constexpr size_t most = 64;                 // each an eighth of the elements of a transform, or 64 kB; more for chirps
    const std::lock_guard lock(mutex_);
    entries_.emplace_front(key, made);
    if (entries_.size() > most) entries_.pop_back();
    return made;
  }

  static PlanCache& instance() {
    static PlanCache& kept = *new PlanCache;  // never destroyed: other threads may transform at the end of the process
    return kept;
  }

 private:
  std::shared_ptr<const Plan> look_up(const PlanKey& key) {
    const std::lock_guard lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (!(entry->first == key)) continue;
      entries_.splice(entries_.begin(), entries_, entry);
      return entries_.front().second;
    }
    return nullptr;
  }

  ForkSafeMutex mutex_;
  std::list<std::pair<PlanKey, std::shared_ptr<const Plan>>> entries_;  // the most recently used first
};

// The plan for this length, from the cache or new.
template <class Plan> std::shared_ptr<const Plan> kept_plan(int64_t n, bool inverse) {
  return PlanCache<Plan>::instance().find({n, 0, inverse, false}, [&] { return std::make_shared<const Plan>(n, inverse); });
}
template <class T> std::shared_ptr<const ColumnPlan<T>> column_plan(int64_t n);
template <class T> std::shared_ptr<const RowPlan<T>> row_plan(int64_t n, int64_t lanes, bool inverse, bool pairs);

}  // namespace mt::cpu
