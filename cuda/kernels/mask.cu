// Kernels of engine/ops/mask.h. Kernels that compact the chosen elements need three launches: tiles count their chosen elements, one block
// scans the counts, and tiles iterate over their elements again; each warp ranks 32 neighbours at a time by a vote.
#include "engine/ops/mask.h"

#include "cuda/block_scan.h"
#include "cuda/kernels/register.h"
#include "cuda/layout.h"
#include "cuda/scratch.h"

namespace mt::cuda {
namespace {

constexpr int rounds = 16;  // of 32 elements, per warp
constexpr int64_t warp_tile = rounds * warp_size, tile = warp_tile * (block_threads / warp_size);

template <class W> MT_DEVICE bool has_bits(W element, W bits) { return (element & bits) != 0; }
MT_DEVICE bool has_bits(TwoWords element, TwoWords bits) { return ((element.low & bits.low) | (element.high & bits.high)) != 0; }

// Elements with at least one bit of `significant` are chosen.
template <class W> struct Chosen {
  const W* elements;
  W significant;
  int64_t n;
  MT_DEVICE bool operator()(int64_t i) const { return i < n && has_bits(elements[i], significant); }
};

// The chosen ones among a thread's elements: bit r for round r. The elements have a distance of warp_size.
template <class W> MT_DEVICE uint32_t chosen_bits(Thread& t, const Chosen<W>& chosen) {
  const int64_t first = t.block() * tile + t.warp() * warp_tile + t.lane();
  uint32_t bits = 0;
#pragma unroll
  for (int r = 0; r < rounds; ++r) bits |= uint32_t{chosen(first + r * warp_size)} << r;
  return bits;
}

template <class W> struct CountChosen {
  Chosen<W> chosen;
  int64_t* counts;
  MT_DEVICE void operator()(Thread& t) const {
    const Shared<int> scratch = t.shared<int>(warp_size);
    const int count = block_reduce(t, count_ones(chosen_bits(t, chosen)), 0, Sum(), scratch);
    if (t.index() == 0) counts[t.block()] = count;
  }
};

// Calls visit(i, rank) for each chosen element i; `rank` is the number of chosen elements before it.
template <class W, class Visit> struct VisitChosen {
  Chosen<W> chosen;
  const int64_t* before;  // number of chosen elements before each tile
  Visit visit;
  MT_DEVICE void operator()(Thread& t) const {
    const Shared<int> scratch = t.shared<int>(warp_size);
    const uint32_t bits = chosen_bits(t, chosen);
    const int of_lane = count_ones(bits), before_lane = block_scan(t, of_lane, 0, Sum(), scratch).before;
    int64_t rank = before[t.block()] + t.shuffle(before_lane, 0);
    const int64_t first = t.block() * tile + t.warp() * warp_tile + t.lane();
    for (int r = 0; r < rounds; ++r) {
      const bool is_chosen = (bits >> r & 1) != 0;
      const uint32_t votes = t.ballot(is_chosen);
      if (is_chosen) visit(first + r * warp_size, rank + count_ones(votes & ((1u << t.lane()) - 1)));
      rank += count_ones(votes);
    }
  }
};

constexpr int64_t tiles_of(int64_t n) { return (n + tile - 1) / tile; }

// The number of chosen elements before each tile, then their total number: in `before`, an address as in tensors.
template <class W> class Ranks {
 public:
  Ranks(Stream stream, const Chosen<W>& chosen, void* before)
      : stream_(stream),
        chosen_(chosen),
        tiles_(tiles_of(chosen.n)),
        address_(before),
        before_(driver::reachable(static_cast<int64_t*>(before))) {}
  void find() const {
    launch(stream_, tiles_, block_threads, warp_size * sizeof(int), CountChosen<W>{chosen_, before_});
    scan_counts(stream_, before_, before_ + tiles_, 1, tiles_);
  }
  // Waits for the device.
  int64_t count() const {
    int64_t all = 0;
    driver::copy_to_host(stream_, &all, static_cast<int64_t*>(address_) + tiles_, sizeof all);
    return all;
  }
  template <class Visit> void visit(const Visit& visit) const {
    launch(stream_, tiles_, block_threads, warp_size * sizeof(int), VisitChosen<W, Visit>{chosen_, before_, visit});
  }

 private:
  Stream stream_;
  Chosen<W> chosen_;
  int64_t tiles_;
  void* address_;
  int64_t* before_;
};
static_assert(tile >= Ranking::least_run);

Ranks<uint8_t> ranks_of(const Tensor& mask, void* before) {
  return {op_stream(), Chosen<uint8_t>{elements<uint8_t>(mask), 0xff, mask.numel()}, before};
}

// The first pass: computes the ranks, and sets the answer, the number of chosen elements.
template <class W> void count(const Ranking& ranking, const Ranks<W>& ranks) {
  ranks.find();
  *ranking.count = ranks.count();
}

template <class W> struct Select {
  W* to;
  const W* from;
  int64_t step;
  MT_DEVICE void operator()(int64_t i, int64_t rank) const { to[rank * step] = from[i]; }
};

void run_masked_select(const MaskedSelectPlan& plan) {
  const Ranks<uint8_t> ranks = ranks_of(plan.mask, plan.ranking.before.bytes());
  if (plan.ranking.pass == MaskPass::count) return count(plan.ranking, ranks);
  by_width(plan.x.dtype(), [&]<class W>(W) { ranks.visit(Select<W>{elements<W>(plan.out), elements<W>(plan.x), plan.out.stride(0)}); });
}

template <class W> struct Put {
  W* to;
  const W* from;
  int64_t count;
  MT_DEVICE void operator()(int64_t i, int64_t rank) const {
    if (rank < count) to[i] = from[rank];
  }
};

void run_masked_copy(const MaskedCopyPlan& plan) {
  const Stream stream = op_stream();
  const Scratch<int64_t> before(stream, tiles_of(plan.mask.numel()) + 1);
  const Ranks<uint8_t> ranks = ranks_of(plan.mask, before.address());
  ranks.find();
  if (!plan.out) {
    *plan.ones = ranks.count();
    return;
  }
  by_width(plan.out.dtype(), [&]<class W>(W) {
    ranks.visit(Put<W>{elements<W>(plan.out), elements<W>(plan.source), plan.source.numel()});
  });
}

template <class W, class Index> struct FillChosen {
  Layout<2, Index> layout;
  std::byte* out;
  const std::byte* mask;
  W element;
  Index n;
  MT_DEVICE void operator()(Thread& t) const {
    for (Index i = static_cast<Index>(t.global_index()); i < n; i += static_cast<Index>(t.global_threads())) {
      int64_t at[2];
      layout.find(i, at);
      if (*reinterpret_cast<const uint8_t*>(mask + at[1]) != 0) *reinterpret_cast<W*>(out + at[0]) = element;
    }
  }
};

void run_masked_fill(const MaskedFillPlan& plan) {
  Geometry g(plan.out.sizes());
  g.add(plan.out);
  g.add(plan.mask);
  g.collapse();
  by_width(plan.out.dtype(), [&]<class W>(W) {
    count_by_index(g.numel(), [&]<class Index>(Index n) {
      launch_each(op_stream(), g.numel(),
                  FillChosen<W, Index>{Layout<2, Index>(g), reachable(g.data(0)), reachable(g.data(1)), plan.element.as<W>(), n});
    });
  });
}

// Writes the position of element i in each dimension, counted from 1, as a row.
struct ListPlace {
  int64_t* to;
  int64_t row, column;  // strides
  int dims;
  int64_t sizes[max_dims];
  MT_DEVICE void operator()(int64_t i, int64_t rank) const {
    int64_t* const places = to + rank * row;
    for (int d = dims - 1; d >= 0; --d) {
      const int64_t rest = quotient(i, sizes[d]);
      places[d * column] = i - rest * sizes[d] + 1;
      i = rest;
    }
  }
  // 32-bit division is faster.
  MT_DEVICE static int64_t quotient(int64_t a, int64_t b) {
    return ((a | b) >> 32) == 0 ? static_cast<int64_t>(static_cast<uint32_t>(a) / static_cast<uint32_t>(b)) : a / b;
  }
};

// The bits of an element that are 0 if the element is 0 or -0.
template <class W> W significant_bits(DType dtype) {
  if constexpr (sizeof(W) == 16) {
    return W{UINT64_MAX >> 1, UINT64_MAX >> 1};
  } else {
    constexpr uint64_t without_two_signs = 0x7fffffff7fffffff;
    if (dtype == DType::complex64) return static_cast<W>(without_two_signs);
    const W all = static_cast<W>(~W(0));
    return is_float(dtype) ? static_cast<W>(all >> 1) : all;
  }
}

void run_nonzero(const NonzeroPlan& plan) {
  const Tensor& x = plan.x;
  by_width(x.dtype(), [&]<class W>(W) {
    const Ranks<W> ranks(op_stream(), Chosen<W>{elements<W>(x), significant_bits<W>(x.dtype()), x.numel()}, plan.ranking.before.bytes());
    if (plan.ranking.pass == MaskPass::count) return count(plan.ranking, ranks);
    const Tensor& out = plan.out;
    ListPlace list{elements<int64_t>(out), out.stride(0), out.stride(1), x.dim(), {}};
    std::copy(x.sizes().begin(), x.sizes().end(), list.sizes);
    ranks.visit(list);
  });
}

}  // namespace

KernelRows mask_rows() {
  static constexpr KernelRow rows[] = {{"maskedSelect", kernel<&run_masked_select>()},
                                       {"maskedFill", kernel<&run_masked_fill>()},
                                       {"maskedCopy", kernel<&run_masked_copy>()},
                                       {"nonzero", kernel<&run_nonzero>()}};
  return rows;
}

}  // namespace mt::cuda
