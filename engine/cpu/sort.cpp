// The CPU's kernels of sorting. An element becomes an unsigned key in the order of sorting, with its position in the lower bits: plain
// integers, all different, whose order is that of a stable sort. Many are sorted by the bytes of their keys, from the lowest (radix sort),
// in several threads if there is one slice.
#include "engine/ops/sort.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <span>
#include <vector>

#include "engine/core/built.h"
#include "engine/core/interrupt.h"
#include "engine/core/parallel.h"
#include "engine/core/uint128.h"
#include "engine/cpu/register.h"
#include "engine/cpu/slices.h"

namespace mt::cpu {
namespace {

#include "engine/ops/sort-inl.h"

constexpr int position_bits = 32, digit_bits = 8, digits = 1 << digit_bits;
constexpr int64_t radix_least = 128;      // elements for each digit that differs; fewer are sorted by comparison
constexpr int64_t radix_grain = 1 << 16;  // elements per thread at least

template <class T> struct Order {
  using Plain = Compute<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;
  using Key = std::conditional_t<sizeof(Plain) <= 4, uint32_t, uint64_t>;
  using Signed = std::make_signed_t<Key>;
  using Entry = std::conditional_t<sizeof(Key) == 4, uint64_t, Uint128>;
  static constexpr Key sign = Key(1) << (8 * sizeof(Key) - 1);
  static constexpr int key_bits = 8 * sizeof(Key);

  static Key key(T element) {
    const Plain x = static_cast<Plain>(element);
    if constexpr (std::is_floating_point_v<Plain>) {
      // Adding 0 converts -0 to 0. All bits of a negative number are inverted, the sign of a positive one; NaN is above all.
      const Key bits = std::bit_cast<Key>(x + Plain(0));
      const Key ordered = bits ^ (static_cast<Key>(static_cast<Signed>(bits) >> (key_bits - 1)) | sign);
      return x != x ? ~Key(0) : ordered;
    } else {
      return static_cast<Key>(static_cast<Signed>(x)) ^ sign;
    }
  }
  // Converts a key to its element. Zeros, NaN and 16-bit floats are read at their position, because their keys are ambiguous.
  static T element(Key k, const T* x, int64_t at) {
    if constexpr (is_16bit_float<T>) {
      return x[at];
    } else if constexpr (std::is_floating_point_v<T>) {
      const T value = std::bit_cast<T>((k & sign) != 0 ? static_cast<Key>(k ^ sign) : static_cast<Key>(~k));
      return value < 0 || value > 0 ? value : x[at];
    } else {
      return static_cast<T>(static_cast<Signed>(k ^ sign));
    }
  }
};

// One slice: n elements `stride` elements apart, as are its results. SortPlan explains the results and k.
struct SliceTask {
  const void* x;
  void* values;
  int64_t* indices;
  int64_t n, stride, k;
  bool descending;
};

template <class T> struct Slice {
  using O = Order<T>;
  using Key = typename O::Key;
  using Entry = typename O::Entry;

  const T* x;
  int64_t n, stride;
  Key flip;  // all bits of a key are inverted for descending order

  explicit Slice(const SliceTask& task)
      : x(static_cast<const T*>(task.x)), n(task.n), stride(task.stride), flip(task.descending ? ~Key(0) : Key(0)) {}

  Key key(int64_t i) const { return O::key(x[i * stride]) ^ flip; }
  Entry entry(int64_t i) const { return static_cast<Entry>(key(i)) << position_bits | static_cast<Entry>(static_cast<uint32_t>(i)); }
  Key key_of(Entry e) const { return static_cast<Key>(e >> position_bits) ^ flip; }
  void put(Entry e, const SliceTask& task, int64_t to) const {
    const auto at = static_cast<int64_t>(static_cast<uint32_t>(e));
    static_cast<T*>(task.values)[to * stride] = O::element(key_of(e), x, at * stride);
    task.indices[to * stride] = at + 1;
  }
  // Returns the bits in which keys differ from the first one.
  Key fill(Entry* entries, int64_t begin, int64_t end) const {
    Key differing = 0;
    const Key first = key(0);
    for (int64_t i = begin; i < end; ++i) {
      entries[i] = entry(i);
      differing |= key(i) ^ first;
    }
    return differing;
  }
};

// Memory for entries, from the engine's allocator.
template <class E> class Entries {
 public:
  explicit Entries(int64_t n) : memory_(Tensor::empty(DType::uint8, {n * static_cast<int64_t>(sizeof(E))})) {}
  E* data() const { return memory_.data<E>(); }

 private:
  Tensor memory_;
};

// Moves entries by one digit, stably. Each thread counts and moves one part of the range.
template <class E> bool move_by_digit(const E* from, E* to, int64_t n, int shift, int parts) {
  look_for_interrupt();
  std::vector<int64_t> places(static_cast<size_t>(parts) * digits, 0);
  const auto digit = [shift](E e) { return static_cast<size_t>(static_cast<uint32_t>(e >> shift) & (digits - 1)); };
  const auto part = [&](int64_t p) { return std::span(from + n * p / parts, static_cast<size_t>(n * (p + 1) / parts - n * p / parts)); };
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      int64_t counts[2][digits] = {};  // two, because equal neighbours would wait for each other
      const auto entries = part(p);
      size_t i = 0;
      for (; i + 2 <= entries.size(); i += 2) {
        ++counts[0][digit(entries[i])];
        ++counts[1][digit(entries[i + 1])];
      }
      if (i < entries.size()) ++counts[0][digit(entries[i])];
      for (int d = 0; d < digits; ++d) places[static_cast<size_t>(p * digits + d)] = counts[0][d] + counts[1][d];
    }
  });
  int64_t at = 0;
  for (size_t d = 0; d < digits; ++d) {
    int64_t of_digit = 0;
    for (size_t p = 0; p < static_cast<size_t>(parts); ++p) {
      const int64_t count = places[p * digits + d];
      places[p * digits + d] = at;
      at += count;
      of_digit += count;
    }
    if (of_digit == n) return false;  // all equal: nothing moves
  }
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      int64_t next[digits];
      std::copy_n(places.data() + p * digits, digits, next);
      for (const E e : part(p)) to[next[digit(e)]++] = e;
    }
  });
  return true;
}

// The sorted entries of a slice, in `room`, which has space for twice as many.
template <class T> const typename Order<T>::Entry* sorted(const Slice<T>& s, const Entries<typename Order<T>::Entry>& room) {
  auto *a = room.data(), *b = a + s.n;
  const int parts = in_parallel() ? 1 : static_cast<int>(std::clamp<int64_t>(s.n / radix_grain, 1, num_threads()));
  std::atomic<typename Order<T>::Key> differing{0};
  parallel_for(s.n, radix_grain, [&](int64_t begin, int64_t end) { differing |= s.fill(a, begin, end); });
  const auto differs = [&](int shift) { return (differing >> shift & (digits - 1)) != 0; };  // small integers differ in few digits
  int moves = 0;
  for (int shift = 0; shift < Order<T>::key_bits; shift += digit_bits) moves += differs(shift);
  if (s.n < moves * radix_least) {
    std::sort(a, b);
    return a;
  }
  for (int shift = 0; shift < Order<T>::key_bits; shift += digit_bits) {
    if (differs(shift) && move_by_digit(a, b, s.n, position_bits + shift, parts)) std::swap(a, b);
  }
  return a;
}

template <class T> void sort(const SliceTask& task) {
  const Slice<T> s(task);
  const Entries<typename Order<T>::Entry> room(2 * s.n);
  const auto* entries = sorted(s, room);
  parallel_for(s.n, radix_grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) s.put(entries[i], task, i);
  });
}

// The best k of a slice's entries, in order, for a small k: each is inserted among those so far. Of equal keys the first stays.
template <class T> void find_few(const Slice<T>& s, int64_t k, typename Order<T>::Entry* best) {
  using Key = typename Order<T>::Key;
  for (int64_t i = 0; i < k; ++i) best[i] = s.entry(i);
  std::sort(best, best + k);
  const auto worst_key = [&] { return static_cast<Key>(best[k - 1] >> position_bits); };
  Key worst = worst_key();
  for (int64_t i = k; i < s.n; ++i) {
    if (s.key(i) >= worst) continue;
    const auto e = s.entry(i);
    int64_t at = k - 1;
    for (; at > 0 && best[at - 1] > e; --at) best[at] = best[at - 1];
    best[at] = e;
    worst = worst_key();
  }
}

// The same for any k: gathers candidates below a bound, which decreases each time that the candidates are cut to the best k.
template <class T> void find_best(const Slice<T>& s, int64_t k, typename Order<T>::Entry* best, int64_t room) {
  using E = typename Order<T>::Entry;
  int64_t held = 0;
  E bound = ~E(0);
  for (int64_t i = 0; i < s.n; ++i) {
    const E e = s.entry(i);
    if (e > bound) continue;
    best[held++] = e;
    if (held == room && held > k) {
      std::nth_element(best, best + k - 1, best + held);
      bound = best[k - 1];
      held = k;
    }
  }
  if (held > k) std::nth_element(best, best + k - 1, best + held);
  std::sort(best, best + k);
}

template <class T> void top(const SliceTask& task) {
  const Slice<T> s(task);
  const int64_t k = task.k;
  constexpr int64_t few = 16;
  const int64_t room = std::min(s.n, std::max<int64_t>(4 * k, 256));
  const Entries<typename Order<T>::Entry> best(room);
  if (k <= few)
    find_few(s, k, best.data());
  else
    find_best(s, k, best.data(), room);
  for (int64_t i = 0; i < k; ++i) s.put(best.data()[i], task, i);
}

template <class T> void kth(const SliceTask& task) {
  const Slice<T> s(task);
  using E = typename Order<T>::Entry;
  const Entries<E> memory(s.n);
  E* entries = memory.data();
  s.fill(entries, 0, s.n);
  std::nth_element(entries, entries + task.k, entries + s.n);
  s.put(entries[task.k], task, 0);
}

template <class T> void mode(const SliceTask& task) {
  const Slice<T> s(task);
  const int64_t n = s.n;
  const Entries<typename Order<T>::Entry> room(2 * n);
  const auto* entries = sorted(s, room);
  int64_t longest = 0, last = 0;
  for (int64_t begin = 0; begin < n;) {
    int64_t end = begin + 1;
    while (end < n && s.key_of(entries[end]) == s.key_of(entries[begin])) ++end;
    if (end - begin > longest) {
      longest = end - begin;
      last = end - 1;
    }
    begin = end;
  }
  s.put(entries[last], task, 0);
}

using SliceFn = void (*)(const SliceTask&);
using SliceFns = std::array<SliceFn, dtype_count>;

constexpr SliceFns sorts = by_dtype<SliceFn>([]<class T>(std::type_identity<T>) { return &sort<T>; });
constexpr SliceFns tops = by_dtype<SliceFn>([]<class T>(std::type_identity<T>) { return &top<T>; });
constexpr SliceFns kths = by_dtype<SliceFn>([]<class T>(std::type_identity<T>) { return &kth<T>; });
constexpr SliceFns modes = by_dtype<SliceFn>([]<class T>(std::type_identity<T>) { return &mode<T>; });

void run_slices(const SortPlan& plan, const SliceFns& fns) {
  const Slices slices(plan.x, plan.dim);
  const SliceFn each = fns[static_cast<size_t>(plan.x.dtype())];
  const int64_t inner = slices.inner, kept = plan.values.size(plan.dim), width = size_of(plan.x.dtype());
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t slice = begin; slice < end; ++slice) {
      const int64_t block = slice / inner, column = slice % inner, from = block * slices.n * inner + column,
                    to = block * kept * inner + column;
      each({plan.x.bytes() + from * width, plan.values.bytes() + to * width, plan.indices.data<int64_t>() + to, slices.n, inner, plan.k,
            plan.descending});
    }
  };
  // A single slice may use several threads itself.
  if (slices.count() == 1)
    run(0, 1);
  else
    parallel_for(slices.count(), std::max<int64_t>(1, 4096 / slices.n), run);
}

constexpr Row rows[] = {{&Sort::decl, &plan_sort, kernel<&run_slices>(sorts)},
                        {&Topk::decl, &plan_topk, kernel<&run_slices>(tops)},
                        {&Kthvalue::decl, &plan_kthvalue, kernel<&run_slices>(kths)},
                        {&Median::decl, &plan_kthvalue, kernel<&run_slices>(kths)},
                        {&Mode::decl, &plan_mode, kernel<&run_slices>(modes)}};

}  // namespace

std::span<const Row> sort_rows() { return built_rows<rows>(); }

}  // namespace mt::cpu
