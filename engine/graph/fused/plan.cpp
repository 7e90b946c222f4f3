#include "engine/graph/fused/plan.h"

#include <algorithm>

#include "engine/cpu/streaming.h"
#include "engine/graph/fused/gather.h"

namespace mt {
// The places of a block, and the steps over it.
class FusedPlan::Block {
 public:
  Block(const FusedPlan& plan, const Rows& rows, bool streams, bool uses_code)
      : schedule_(*plan.schedule_), rows_(rows), streams_(streams), uses_code_(uses_code) {
    choose_gathered();
    int64_t bytes = 0;  // of an element, in all buffers
    for (const int size : schedule_.temporary_sizes) bytes += size;
    for (int place = 0; place < schedule_.tensors(); ++place) {
      strides_[place] = is_gathered(place) ? width(place) : rows.strides[place];
      next_[place] = rows.next[place];
      if (is_gathered(place)) bytes += width(place);
    }
    if (bytes > 0) room_ = std::min(room_, FusedSchedule::buffer_bytes / bytes / 64 * 64);
    std::byte* buffer = buffer_;
    const auto take = [&](int place, int size) {
      at_[place] = buffer;
      buffer += size * room_ + slack;
    };
    for (int place = 0; place < schedule_.tensors(); ++place) {
      if (is_gathered(place)) take(place, width(place));
    }
    int place = schedule_.tensors();
    for (const int size : schedule_.temporary_sizes) {
      strides_[place] = size;
      take(place++, size);
    }
    for (size_t i = 0; i < schedule_.constants.size(); ++i) {
      at_[place] = const_cast<std::byte*>(plan.operands_.numbers[i].bytes);
      strides_[place] = next_[place] = 0;
      ++place;
    }
  }

  int64_t room() const { return room_; }  // elements

  // `count` rows of n elements, at most as many as a block has; the first one begins at the addresses, plus `row` rows and `begin`
  // elements.
  void run(std::byte* const* addresses, int64_t row, int64_t begin, int64_t n, int64_t count) {
    int place = 0;
    for (; place < schedule_.tensors(); ++place) {
      const int64_t stride = rows_.strides[place], next = rows_.next[place];
      const std::byte* const from = addresses[place] + row * next + begin * stride;
      if (!is_gathered(place)) {
        at_[place] = const_cast<std::byte*>(from);
        continue;
      }
      next_[place] = width(place) * n;
      const bool is_there = next == 0 && row > 0 && n == rows_.n;  // the first rows were the same, and as many or more
      if (!is_there) gather_rows(at_[place], from, stride, next, n, count, width(place));
    }
    for (const int size : schedule_.temporary_sizes) next_[place++] = size * n;
    for (const FusedSchedule::Unit& unit : schedule_.units) {
      if (!run_code(unit, n, count)) run_steps(unit, n, count);
    }
  }

  // All rows at once, if machine code can do everything: then there are no temporaries.
  bool run_all(std::byte* const* addresses, const Rows& rows) {
    if (schedule_.units.size() != 1 || gathered_ != 0) return false;
    std::copy_n(addresses, schedule_.tensors(), at_);
    return run_code(schedule_.units[0], rows.n, rows.count);
  }

 private:
  static constexpr int64_t short_row = 32, slack = 2 * gather_slack;  // behind each buffer, so that all begin cache lines

  int width(int tensor) const { return size_of(schedule_.dtypes[static_cast<size_t>(tensor)]); }
  bool is_gathered(int tensor) const { return (gathered_ >> tensor & 1) != 0; }

  // Inputs that are copied to buffers first: of short rows those that are not adjacent, and for machine code elements that are not.
  void choose_gathered() {
    const auto is_joined = [&](int place) { return rows_.next[place] == rows_.n * rows_.strides[place]; };
    bool dense = true, joined = true;
    for (int place = 0; place < schedule_.outputs; ++place) {
      dense = dense && rows_.strides[place] == width(place);
      joined = joined && is_joined(place);
    }
    const bool short_rows = rows_.count > 1 && rows_.n < short_row;
    if (!dense || (short_rows && !joined)) return;
    for (int place = schedule_.outputs; place < schedule_.tensors(); ++place) {
      const bool strided = uses_code_ && rows_.strides[place] != 0 && rows_.strides[place] != width(place);
      if (strided || (short_rows && !is_joined(place))) gathered_ |= 1u << place;
    }
  }

  void run_steps(const FusedSchedule::Unit& unit, int64_t n, int64_t count) const {
    for (size_t s = unit.first; s < unit.end; ++s) run_step(schedule_.steps[s], n, count);
  }

  // Returns false if the unit has no code for such places.
  bool run_code(const FusedSchedule::Unit& unit, int64_t n, int64_t count) {
    if (!uses_code_ || unit.code == nullptr) return false;
    const std::vector<uint8_t>& places = unit.code->places();
    const int64_t width = size_of(schedule_.steps[unit.first].dtype);
    std::byte* at[FusedSchedule::max_places];
    uint64_t single = 0;
    bool joins = true;
    for (size_t k = 0; k < places.size(); ++k) {
      const int place = places[k];
      at[k] = at_[place];
      if (strides_[place] == 0)
        single |= uint64_t{1} << k;
      else if (strides_[place] != width)
        return false;
      joins = joins && next_[place] == n * strides_[place];
    }
    if (joins || count == 1) {
      n *= count;
      count = 1;
    } else if (n < short_row) {
      return false;
    }
    const auto is_aligned = [&](const MachineCode::Store& store) {
      return reinterpret_cast<uintptr_t>(at[store.place]) % 32 == 0 && places[static_cast<size_t>(store.place)] < schedule_.outputs;
    };
    const bool streams = streams_ && count == 1 && std::ranges::all_of(unit.code->stores(), is_aligned);
    const MachineCode* const code = unit.code->find(single, streams);
    if (code == nullptr) return false;
    for (int64_t row = 0; row < count; ++row) {
      for (int64_t done = 0; (done += code->run(at, n - done)) < n;) {
        // Elements outside of the range that the code computes.
        const int64_t some = std::min(n - done, room_);
        run_steps_at(unit, row, done, some);
        done += some;
        for (size_t k = 0; k < places.size(); ++k) at[k] = at_[places[k]] + row * next_[places[k]] + done * strides_[places[k]];
      }
      for (size_t k = 0; k < places.size(); ++k) at[k] = at_[places[k]] + (row + 1) * next_[places[k]];
    }
    return true;
  }

  // The steps of a unit over n elements of a row, from `begin` on.
  void run_steps_at(const FusedSchedule::Unit& unit, int64_t row, int64_t begin, int64_t n) {
    const std::vector<uint8_t>& places = unit.code->places();
    std::byte* before[FusedSchedule::max_places];
    std::copy_n(at_, FusedSchedule::max_places, before);
    for (const uint8_t place : places) at_[place] += row * next_[place] + begin * strides_[place];
    run_steps(unit, n, 1);
    std::copy_n(before, FusedSchedule::max_places, at_);
  }

  void run_step(const FusedSchedule::Step& step, int64_t n, int64_t count) const {
    constexpr int most = Signature::max_params + 1;
    std::byte* pointers[most];
    int64_t strides[most], next[most];
    bool joins = true;
    for (int k = 0; k <= step.count; ++k) {
      const int place = step.places[static_cast<size_t>(k)];
      pointers[k] = at_[place];
      strides[k] = strides_[place];
      next[k] = next_[place];
      joins = joins && next[k] == n * strides[k];
    }
    if (joins) {
      n *= count;
      count = 1;
    }
    if (step.loop != nullptr) {
      const bool streams = streams_ && step.places[0] < schedule_.outputs;
      step.loop(pointers, {n, count, strides, next}, step.numbers | (streams ? cpu::result_streams : 0));
      return;
    }
    for (int64_t row = 0; row < count; ++row) {
      PointwisePlan plan(step.dtype, step.result_dtype, step.count, n);
      plan.scalars = step.numbers;
      for (int k = 0; k <= step.count; ++k) {
        std::byte* at = pointers[k] + row * next[k];
        if (k > 0 && plan.is_scalar(k - 1)) {
          std::copy_n(at, sizeof(ScalarValue), plan.values[k - 1].bytes);
          at = plan.values[k - 1].bytes;
        }
        plan.pointers.set(k, at);
        plan.strides[k] = strides[k];
      }
      step.op->kernel.run(&plan, step.op->kernel.data);
    }
  }

  const FusedSchedule& schedule_;
  const Rows& rows_;
  const bool streams_, uses_code_;
  uint32_t gathered_ = 0;  // bit i: tensor i
  int64_t room_ = schedule_.block;
  std::byte* at_[FusedSchedule::max_places];
  int64_t strides_[FusedSchedule::max_places], next_[FusedSchedule::max_places];
  alignas(64) std::byte buffer_[FusedSchedule::buffer_bytes + slack * (max_tensors + FusedSchedule::max_temporaries)];
};

// No streaming stores to outputs that share an input's memory: that is already in the caches.
bool FusedPlan::streams(std::byte* const* addresses) const {
  int widest = 0;
  for (const DType dtype : schedule_->dtypes) widest = std::max(widest, size_of(dtype));
  if (!outgrows_caches(operands_.n, widest)) return false;
  const auto outputs = addresses + schedule_->outputs;
  return std::find_first_of(addresses, outputs, outputs, addresses + schedule_->tensors()) == outputs;
}

bool FusedPlan::uses_code() const {
  bool uses = false;
  for (const FusedSchedule::Unit& unit : schedule_->units) {
    if (unit.code != nullptr) uses = unit.code->is_worth_it(operands_.n);
  }
  return uses;
}

void FusedPlan::run_rows(std::byte* const* addresses, const Rows& rows, bool streams, bool uses_code) const {
  Block block(*this, rows, streams, uses_code);
  if (block.run_all(addresses, rows)) return;
  const int64_t most = block.room(), together = std::max<int64_t>(most / rows.n, 1);
  for (int64_t row = 0; row < rows.count; row += together) {
    const int64_t count = std::min(together, rows.count - row);
    for (int64_t begin = 0; begin < rows.n; begin += most) block.run(addresses, row, begin, std::min(most, rows.n - begin), count);
  }
}

namespace {
constexpr int64_t no_rows[FusedPlan::max_tensors] = {};
}

void FusedPlan::run() const {
  const int tensors = schedule_->tensors();
  std::byte* first[max_tensors];
  for (int i = 0; i < tensors; ++i) first[i] = operands_.data(i);
  const bool streamed = streams(first), by_code = uses_code();
  if (operands_.geometry) {
    parallel_iterate_rows(
        operands_.geometry, [&](std::byte** pointers, const Rows& rows) { run_rows(pointers, rows, streamed, by_code); }, schedule_->grain);
    return;
  }
  parallel_alternating(operands_.n, schedule_->grain, [&](int64_t begin, int64_t end) {
    std::byte* part[max_tensors];
    for (int i = 0; i < tensors; ++i) part[i] = first[i] + begin * operands_.strides[i];
    run_rows(part, {end - begin, 1, operands_.strides, no_rows}, streamed, by_code);
  });
}

void FusedPlan::compute(int64_t first, int64_t n, std::byte* to) const {
  const int tensors = schedule_->tensors();
  const bool by_code = uses_code();
  std::byte* part[max_tensors];
  if (operands_.geometry) {
    int64_t done = 0;
    iterate_rows(operands_.geometry, first, first + n, [&](std::byte** pointers, const Rows& rows) {
      std::copy_n(pointers, tensors, part);
      part[0] = to + done * size_of(schedule_->dtypes[0]);
      done += rows.n * rows.count;
      run_rows(part, rows, false, by_code);
    });
    return;
  }
  part[0] = to;
  for (int i = 1; i < tensors; ++i) part[i] = operands_.addresses[i] + first * operands_.strides[i];
  run_rows(part, {n, 1, operands_.strides, no_rows}, false, by_code);
}

void run_fused(const FusedPlan& plan) { plan.run(); }

}  // namespace mt
