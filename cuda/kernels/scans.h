// Scans along a dimension, by "reduce, then scan". Few long slices are divided into parts: a first launch folds each part, and a second
// launch scans each part, starting from the merged state of the parts before it. No block waits for another.
#pragma once

#include "cuda/launch.h"
#include "cuda/scratch.h"
#include "cuda/team.h"

namespace mt::cuda {

// Contiguous (outer, n, inner), scanned along n: by blocks if the elements of a slice are contiguous, else with one thread per slice.
struct ScanShape {
  int64_t outer, n, inner;
  bool by_blocks;
  int threads;
  int64_t parts, part_elements;

  int64_t slices() const { return outer * inner; }
  int64_t blocks() const { return by_blocks ? slices() * parts : (slices() + threads - 1) / threads * parts; }

  ScanShape(int64_t outer_slices, int64_t length, int64_t inner_slices) : outer(outer_slices), n(length), inner(inner_slices) {
    constexpr int64_t short_row = 32, most_units = 1024, least_part = 64;
    by_blocks = inner == 1 && n > short_row;
    threads = by_blocks && n <= 1024 ? warp_size : block_threads;
    const int64_t units = by_blocks ? slices() : (slices() + threads - 1) / threads, least = by_blocks ? least_part * threads : least_part;
    parts = std::clamp<int64_t>(n / least, 1, std::max<int64_t>(1, most_units / units));
    part_elements = (n + parts - 1) / parts;
    parts = (n + part_elements - 1) / part_elements;
  }
};

// A scan policy is a struct of values with
//   State, start(), take(state, element, i): adds element i of the slice, number `element` of the tensors; merge(into, later)
//   put(state, element, i): writes the result after that element
//   backward: whether to scan from the last element to the first.
template <class Policy> struct ScanKernel {
  using State = typename Policy::State;
  static constexpr int together = 4;  // consecutive elements of a thread
  Policy policy;
  int64_t n, inner, slices, parts, part_elements;
  State* partial;  // [part][slice]; null if there is one part
  bool by_blocks, joins;

  MT_DEVICE int64_t place(int64_t i) const { return policy.backward ? n - 1 - i : i; }

  // Returns the merged states of the threads before this one, and sets `total` to those of all threads, in order.
  MT_DEVICE State before(Thread& t, const State& own, State& total, const Shared<State>& scratch) const {
    State inclusive = own;
    for (int distance = 1; distance < warp_size; distance *= 2) {
      State earlier = shuffled_up(t, inclusive, distance);
      if (t.lane() < distance) continue;
      policy.merge(earlier, inclusive);
      inclusive = earlier;
    }
    const State neighbour = shuffled_up(t, inclusive, 1);
    if (t.lane() == warp_size - 1) scratch.set(t.warp(), inclusive);
    t.barrier();
    State up_to = policy.start();
    total = up_to;
    for (int w = 0; w < t.threads() / warp_size; ++w) {
      if (w == t.warp()) up_to = total;
      policy.merge(total, scratch.get(w));
    }
    t.barrier();
    if (t.lane() > 0) policy.merge(up_to, neighbour);
    return up_to;
  }

  // The merged states of the parts before this one, computed by all threads of the block.
  MT_DEVICE State carried(Thread& t, int64_t slice, int64_t part, const Shared<State>& scratch) const {
    const int64_t share = (part + t.threads() - 1) / t.threads(), first = share * t.index();
    State own = policy.start(), total;
    for (int64_t p = first; p < first + share && p < part; ++p) policy.merge(own, partial[p * slices + slice]);
    before(t, own, total, scratch);
    return total;
  }

  MT_DEVICE void scan_row(Thread& t, int64_t slice, int64_t part, const Shared<State>& scratch) const {
    const int64_t first = slice * n, begin = part * part_elements, stop = begin + part_elements, end = stop < n ? stop : n;
    const bool folds = partial != nullptr && !joins;
    State all = joins ? carried(t, slice, part, scratch) : policy.start();
    for (int64_t tile = begin; tile < end; tile += int64_t{t.threads()} * together) {
      const int64_t from = tile + int64_t{t.index()} * together, to = from + together < end ? from + together : end;
      State own = policy.start(), total;
      for (int64_t i = from; i < to; ++i) policy.take(own, first + place(i), place(i));
      const State earlier = before(t, own, total, scratch);
      if (!folds) {
        State state = all;
        policy.merge(state, earlier);
        for (int64_t i = from; i < to; ++i) {
          policy.take(state, first + place(i), place(i));
          policy.put(state, first + place(i), place(i));
        }
      }
      policy.merge(all, total);
    }
    if (folds && t.index() == 0) partial[part * slices + slice] = all;
  }

  MT_DEVICE void scan_column(int64_t slice, int64_t part) const {
    const int64_t first = slice / inner * n * inner + slice % inner, begin = part * part_elements, stop = begin + part_elements;
    State state = policy.start();
    for (int64_t p = 0; joins && p < part; ++p) policy.merge(state, partial[p * slices + slice]);
    const bool folds = partial != nullptr && !joins;
    for (int64_t i = begin; i < stop && i < n; ++i) {
      const int64_t element = first + place(i) * inner;
      policy.take(state, element, place(i));
      if (!folds) policy.put(state, element, place(i));
    }
    if (folds) partial[part * slices + slice] = state;
  }

  MT_DEVICE void operator()(Thread& t) const {
    if (by_blocks) {
      const Shared<State> scratch = t.template shared<State>(warp_size);
      for (int64_t unit = t.block(); unit < slices * parts; unit += t.blocks()) scan_row(t, unit / parts, unit % parts, scratch);
      return;
    }
    const int64_t groups = (slices + t.threads() - 1) / t.threads();
    for (int64_t unit = t.block(); unit < groups * parts; unit += t.blocks()) {
      const int64_t slice = unit % groups * t.threads() + t.index();
      if (slice < slices) scan_column(slice, unit / groups);
    }
  }
};

// Scans tensors with the sizes of `like`, contiguous and not empty, along dimension `dim`.
template <class Policy> void launch_scan(const Tensor& like, int dim, const Policy& policy) {
  using State = typename Policy::State;
  int64_t outer = 1, inner = 1;
  for (int d = 0; d < like.dim(); ++d) (d < dim ? outer : inner) *= d == dim ? 1 : like.size(d);
  const Stream stream = op_stream();
  const ScanShape shape(outer, like.size(dim), inner);
  const Scratch<State> partial(stream, shape.parts > 1 ? shape.parts * shape.slices() : 0);
  ScanKernel<Policy> kernel{policy,         shape.n,         inner, shape.slices(), shape.parts, shape.part_elements,
                            partial.data(), shape.by_blocks, false};
  const int64_t blocks = std::min(shape.blocks(), most_blocks);
  const size_t shared_bytes = shape.by_blocks ? warp_size * sizeof(State) : 0;
  launch(stream, blocks, shape.threads, shared_bytes, kernel);
  if (shape.parts == 1) return;
  kernel.joins = true;
  launch(stream, blocks, shape.threads, shared_bytes, kernel);
}

}  // namespace mt::cuda
