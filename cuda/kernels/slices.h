// Kernels that fold all elements of a slice, and then write a result for each element: softmax, normalisation. Short or many slices need
// one launch; otherwise a first launch folds parts of slices, and a second launch merges the parts before it writes.
#pragma once

#include "cuda/any_layout.h"
#include "cuda/launch.h"
#include "cuda/scratch.h"
#include "cuda/team.h"

namespace mt::cuda {

// The positions of slices in contiguous tensors: element i of slice s is number first(s) + offset(i) of the tensor.
struct SliceShape {
  AnyLayout<1> slices, inside;
  int64_t count = 1, n = 1;
  bool by_columns = false;

  // Slices of n elements at distances of `inner`; rows if inner is 1.
  static SliceShape along(int64_t outer, int64_t n, int64_t inner) {
    SliceShape s;
    if (inner > 1) s.slices.add(inner, {1});
    s.slices.add(outer, {n * inner});
    s.inside.add(n, {inner});
    return {s.slices, s.inside, outer * inner, n, inner > 1};
  }
  // Slices that are the channels of (batch, channels, points).
  static SliceShape of_channels(int64_t batch, int64_t channels, int64_t points) {
    SliceShape s;
    s.slices.add(channels, {points});
    if (points > 1) s.inside.add(points, {1});
    s.inside.add(batch, {channels * points});
    return {s.slices, s.inside, channels, batch * points, points == 1};
  }
  MT_DEVICE int64_t first(int64_t slice) const {
    int64_t at[1];
    slices.find(slice, at);
    return at[0];
  }
  MT_DEVICE int64_t offset(int64_t i) const {
    int64_t at[1];
    inside.find(i, at);
    return at[0];
  }
};

// A slice policy is a struct of values with
//   Running, start(slice), take(running, element, slice, i): adds element i of the slice, number `element` of the tensors
//   State, none(), close(running), merge(into, later)
//   finish(slice, state), called by one thread
//   folds: whether it needs a state
//   applies: whether it writes elements, by apply(prepared, element, slice, i) with the result of prepared(slice, state).
template <class Policy> struct SliceKernel {
  using State = typename Policy::State;
  Policy policy;
  SliceShape shape;
  Work work;
  State* partial;  // [slice][part]; null if there is one part
  bool joins;      // the parts have been folded

  // Calls f(element, i) for this thread's elements of a part.
  template <class F> MT_DEVICE void each(int64_t first, int64_t part, int place, F f) const {
    const int step = work.teams.size;
    const int64_t begin = part * work.part_elements, stop = begin + work.part_elements, end = stop < work.n ? stop : work.n;
    for (int64_t i = begin + place; i < end; i += step) f(first + shape.offset(i), i);
  }

  MT_DEVICE State folded(int64_t slice, int64_t first, int64_t part, int place) const {
    if (!joins) {
      auto running = policy.start(slice);
      each(first, part, place, [&](int64_t element, int64_t i) { policy.take(running, element, slice, i); });
      return Policy::close(running);
    }
    State state = Policy::none();
    for (int64_t i = place; i < work.parts; i += work.teams.size) Policy::merge(state, partial[slice * work.parts + i]);
    return state;
  }

  MT_DEVICE void operator()(Thread& t) const {
    const int place = work.teams.place(t);
    const Shared<State> scratch = t.template shared<State>(work.teams.shared_count());
    const int64_t parts = joins && !Policy::applies ? 1 : work.parts;
    for (int64_t unit = t.block(), units = work.groups() * parts; unit < units; unit += t.blocks()) {
      const int64_t part = unit % parts, slice = unit / parts * work.teams.count + work.teams.team(t);
      const bool is_there = slice < shape.count;
      const int64_t first = is_there ? shape.first(slice) : 0;
      State state = Policy::none();
      if constexpr (Policy::folds) {
        if (is_there) state = folded(slice, first, part, place);
        merge_team(t, work.teams, state, scratch, [](State& into, const State& later) { Policy::merge(into, later); });
      }
      if (!is_there) continue;
      if (partial != nullptr && !joins) {
        if (place == 0) partial[slice * work.parts + part] = state;
        continue;
      }
      if (place == 0 && part == 0) policy.finish(slice, state);
      if constexpr (Policy::applies) {
        const auto prepared = policy.prepared(slice, state);
        each(first, part, place, [&](int64_t element, int64_t i) { policy.apply(prepared, element, slice, i); });
      }
    }
  }
};

template <class Policy> void launch_slices(const SliceShape& shape, const Policy& policy) {
  using State = typename Policy::State;
  const Stream stream = op_stream();
  const Work work = Work::of(shape.n, shape.count, shape.by_columns);
  const bool divided = Policy::folds && work.parts > 1;
  const Scratch<State> partial(stream, divided ? work.parts * work.results : 0);
  const auto shared_bytes = static_cast<size_t>(work.teams.shared_count()) * sizeof(State);
  SliceKernel<Policy> kernel{policy, shape, work, partial.data(), false};
  launch(stream, work.blocks(), work.teams.threads(), shared_bytes, kernel);
  if (!divided) return;
  kernel.joins = true;
  launch(stream, Policy::applies ? work.blocks() : std::min(work.groups(), most_blocks), work.teams.threads(), shared_bytes, kernel);
}

}  // namespace mt::cuda
