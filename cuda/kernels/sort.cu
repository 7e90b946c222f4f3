// Kernels of engine/ops/sort.h: slices are converted to rows of unsigned keys with the same order. Short rows are sorted in one launch
// (cuda/block_sort.h). From longer rows a few elements are selected (cuda/radix_select.h), or all are sorted (cuda/radix.h).
#include "engine/ops/sort.h"

#include "cuda/block_scan.h"
#include "cuda/kernels/register.h"
#include "cuda/radix.h"
#include "cuda/radix_select.h"

namespace mt::cuda {
namespace {

constexpr int64_t most_entries = 1 << 27;         // sorted at once, to limit memory
constexpr int64_t most_selected = 1 << 17;        // elements in a row, by one block, if there are few rows
constexpr int64_t most_kept = most_block_sorted;  // results of a row, by selection

// Converts elements, read as unsigned integers W, to keys.
template <class W> struct KeyRule {
  using Key = std::conditional_t<(sizeof(W) < 8), uint32_t, uint64_t>;
  static constexpr int bits = 8 * sizeof(W);
  W sign, infinity, turned;  // infinity: 0 for integers; turned: all bits, to sort in descending order

  KeyRule(DType dtype, bool descending)
      : sign(kind_of(dtype) == NumberKind::signed_integer || is_float(dtype) ? static_cast<W>(W(1) << (bits - 1)) : W(0)),
        infinity(is_float(dtype) ? static_cast<W>(((W(1) << (bits - 1 - fraction_bits(dtype))) - 1) << fraction_bits(dtype)) : W(0)),
        turned(descending ? static_cast<W>(~W(0)) : W(0)) {}
  MT_DEVICE Key operator()(W element) const { return static_cast<Key>(static_cast<W>(ordered(element) ^ turned)); }

 private:
  static int fraction_bits(DType dtype) {
    switch (dtype) {
      case DType::float16:
        return 10;
      case DType::bfloat16:
        return 7;
      case DType::float32:
        return 23;
      default:
        return 52;
    }
  }
  // NaN is above all numbers, -0 equals 0, and all bits of negative floats are inverted.
  MT_DEVICE W ordered(W element) const {
    if (infinity == 0) return static_cast<W>(element ^ sign);
    const W magnitude = static_cast<W>(element & ~sign);
    if (magnitude > infinity) return static_cast<W>(~W(0));
    if (magnitude == 0) return sign;
    return (element & sign) != 0 ? static_cast<W>(~element) : static_cast<W>(element | sign);
  }
};

// The plan's slices as rows, whose elements have stride `inner`.
template <class W> struct Rows {
  using Key = typename KeyRule<W>::Key;
  const W* x;
  W* values;
  int64_t* indices;
  int64_t n, inner, kept, first;  // the results are `kept` sorted elements from number `first` on
  KeyRule<W> rule;

  MT_DEVICE int64_t place(int64_t row, int64_t length, int64_t i) const {
    if (inner == 1) return row * length + i;
    const int64_t block = row / inner;
    return (block * length + i) * inner + (row - block * inner);
  }
  MT_DEVICE Key key(int64_t row, int64_t i) const { return rule(x[place(row, n, i)]); }
  MT_DEVICE void put(int64_t row, int64_t i, uint32_t position) const {
    if (i < first || i >= first + kept) return;
    const int64_t to = place(row, kept, i - first);
    values[to] = x[place(row, n, position)];
    indices[to] = static_cast<int64_t>(position) + 1;
  }
};

template <class W> struct LoadKey {
  Rows<W> rows;
  MT_DEVICE typename Rows<W>::Key operator()(int64_t row, int64_t i) const { return rows.key(row, i); }
};
template <class W> struct StoreSorted {
  Rows<W> rows;
  MT_DEVICE void operator()(int64_t row, int64_t i, typename Rows<W>::Key, uint32_t position) const { rows.put(row, i, position); }
};

// Computes the keys of consecutive rows.
template <class W> struct MakeKeys {
  Rows<W> rows;
  typename Rows<W>::Key* keys;
  int64_t first_row, count;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < count; i += t.global_threads()) {
      const int64_t row = i / rows.n;
      keys[i] = rows.key(first_row + row, i - row * rows.n);
    }
  }
};
template <class W> struct PutSorted {
  Rows<W> rows;
  const uint32_t* positions;
  int64_t first_row, count;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < count; i += t.global_threads()) {
      const int64_t row = i / rows.kept, at = rows.first + i - row * rows.kept;
      rows.put(first_row + row, at, positions[row * rows.n + at]);
    }
  }
};

// Calls f(first row, number of rows, their sorted keys) for as many rows at a time as most_entries allows.
template <class W, class F> void sort_rows(Stream stream, const Rows<W>& rows, int64_t count, const F& f) {
  const int64_t together = std::max<int64_t>(1, most_entries / rows.n);
  for (int64_t first = 0; first < count; first += together) {
    const int64_t some = std::min(together, count - first);
    SortedKeys<typename Rows<W>::Key> sorted(stream, some, rows.n);
    launch_each(stream, some * rows.n, MakeKeys<W>{rows, sorted.keys(), first, some * rows.n});
    sorted.sort(KeyRule<W>::bits);
    f(first, some, sorted);
  }
}

template <class W> void sort_all(Stream stream, const Rows<W>& rows, int64_t count) {
  if (rows.n <= most_block_sorted)
    return sort_in_blocks<typename Rows<W>::Key>(stream, count, rows.n, LoadKey<W>{rows}, StoreSorted<W>{rows});
  sort_rows(stream, rows, count, [&](int64_t first, int64_t some, const auto& sorted) {
    launch_each(stream, some * rows.kept, PutSorted<W>{rows, sorted.positions(), first, some * rows.kept});
  });
}

// The selected elements of each row, before they are sorted.
template <class Key> struct Selected {
  Key* keys;
  uint32_t* positions;
  int64_t kept;
  MT_DEVICE void operator()(int64_t row, int64_t slot, Key key, int64_t position) const {
    keys[row * kept + slot] = key;
    positions[row * kept + slot] = static_cast<uint32_t>(position);
  }
};
template <class Key> struct LoadSelected {
  Selected<Key> selected;
  MT_DEVICE Key operator()(int64_t row, int64_t i) const { return selected.keys[row * selected.kept + i]; }
};
template <class W> struct StoreSelected {
  Rows<W> rows;
  Selected<typename Rows<W>::Key> selected;
  MT_DEVICE void operator()(int64_t row, int64_t i, typename Rows<W>::Key, uint32_t slot) const {
    rows.put(row, i, selected.positions[row * selected.kept + slot]);
  }
};
// Stores only the last selected element.
template <class W> struct StoreLast {
  Rows<W> rows;
  MT_DEVICE void operator()(int64_t row, int64_t slot, typename Rows<W>::Key, int64_t position) const {
    rows.put(row, slot, static_cast<uint32_t>(position));
  }
};

template <class W, class Take> void select(Stream stream, const Rows<W>& rows, int64_t count, const Take& take) {
  using Select = RadixSelect<typename Rows<W>::Key, LoadKey<W>, Take>;
  launch(stream, count, Select::threads, Select::shared_bytes,
         Select{LoadKey<W>{rows}, take, rows.n, rows.first + rows.kept - 1, KeyRule<W>::bits});
}

template <class W> void select_first(Stream stream, const Rows<W>& rows, int64_t count) {
  using Key = typename Rows<W>::Key;
  const Scratch<Key> keys(stream, count * rows.kept);
  const Scratch<uint32_t> positions(stream, count * rows.kept);
  const Selected<Key> selected{keys.data(), positions.data(), rows.kept};
  select(stream, rows, count, selected);
  sort_in_blocks<Key>(stream, count, rows.kept, LoadSelected<Key>{selected}, StoreSelected<W>{rows, selected});
}

// Finds the end of the longest run of equal keys, the first of several. One block per row.
template <class W> struct PutMode {
  static constexpr int threads = 256;
  Rows<W> rows;
  const typename Rows<W>::Key* keys;
  const uint32_t* positions;
  int64_t first_row;
  struct Greater {
    template <class T> MT_DEVICE T operator()(T a, T b) const { return a > b ? a : b; }
  };
  MT_DEVICE void operator()(Thread& t) const {
    const Shared<uint64_t> scratch = t.shared<uint64_t>(warp_size);
    const int64_t n = rows.n;
    const typename Rows<W>::Key* const row = keys + t.block() * n;
    uint64_t start = 0, best = 0;  // start of the last run so far; length of the best run, with 2^32 - 1 - its end in the low bits
    for (int64_t first = 0; first < n; first += t.threads()) {
      const int64_t i = first + t.index();
      const bool is_start = i < n && (i == 0 || row[i - 1] != row[i]), is_end = i < n && (i == n - 1 || row[i + 1] != row[i]);
      const uint64_t own = is_start ? static_cast<uint64_t>(i) : 0;
      const Scanned<uint64_t> scanned = block_scan(t, own, uint64_t{0}, Greater(), scratch);
      if (is_end) {
        const uint64_t end = static_cast<uint64_t>(i), begin = Greater()(start, Greater()(scanned.before, own));
        best = Greater()(best, (end - begin + 1) << 32 | (0xffffffffu - end));
      }
      start = Greater()(start, scanned.total);
    }
    best = block_reduce(t, best, uint64_t{0}, Greater(), scratch);
    if (t.index() == 0)
      rows.put(first_row + t.block(), 0, positions[t.block() * n + static_cast<int64_t>(0xffffffffu - (best & 0xffffffffu))]);
  }
};

template <class W> void put_modes(Stream stream, const Rows<W>& rows, int64_t count) {
  sort_rows(stream, rows, count, [&](int64_t first, int64_t some, const auto& sorted) {
    launch(stream, some, PutMode<W>::threads, warp_size * sizeof(uint64_t),
           PutMode<W>{rows, sorted.sorted_keys(), sorted.positions(), first});
  });
}

// Calls run(stream, rows, number of rows) for the plan's slices; their results begin at sorted element number `first`.
template <class F> void run_rows(const SortPlan& plan, int64_t first, const F& run) {
  const Tensor& x = plan.x;
  int64_t inner = 1;
  for (int d = plan.dim + 1; d < x.dim(); ++d) inner *= x.size(d);
  const int64_t n = x.size(plan.dim);
  by_width<ordered_dtypes>(x.dtype(), [&]<class W>(W) {
    const Rows<W> rows{elements<W>(x),
                       elements<W>(plan.values),
                       elements<int64_t>(plan.indices),
                       n,
                       inner,
                       plan.values.size(plan.dim),
                       first,
                       KeyRule<W>(x.dtype(), plan.descending)};
    run(op_stream(), rows, x.numel() / n);
  });
}

bool selects(Stream stream, int64_t n, int64_t rows) {
  return n > most_block_sorted && (n <= most_selected || rows >= 2 * properties_of(stream).multiprocessors);
}

void run_sort(const SortPlan& plan) {
  run_rows(plan, 0, []<class W>(Stream stream, const Rows<W>& rows, int64_t count) { sort_all(stream, rows, count); });
}

void run_topk(const SortPlan& plan) {
  run_rows(plan, 0, []<class W>(Stream stream, const Rows<W>& rows, int64_t count) {
    if (selects(stream, rows.n, count) && rows.kept <= most_kept)
      select_first(stream, rows, count);
    else
      sort_all(stream, rows, count);
  });
}

void run_kthvalue(const SortPlan& plan) {
  run_rows(plan, plan.k, []<class W>(Stream stream, const Rows<W>& rows, int64_t count) {
    if (selects(stream, rows.n, count))
      select(stream, rows, count, StoreLast<W>{rows});
    else
      sort_all(stream, rows, count);
  });
}

void run_mode(const SortPlan& plan) {
  run_rows(plan, 0, []<class W>(Stream stream, const Rows<W>& rows, int64_t count) { put_modes(stream, rows, count); });
}

}  // namespace

KernelRows sort_rows() {
  static constexpr KernelRow rows[] = {{"sort", kernel<&run_sort>()},
                                       {"topk", kernel<&run_topk>()},
                                       {"kthvalue", kernel<&run_kthvalue>()},
                                       {"median", kernel<&run_kthvalue>()},
                                       {"mode", kernel<&run_mode>()}};
  return rows;
}

}  // namespace mt::cuda
