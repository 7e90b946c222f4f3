#include "engine/graph/fused/plan.h"

#include <algorithm>

#include "engine/cpu/streaming.h"

namespace mt {
namespace {

bool is_dense(const Tensor& t, const Tensor& result) { return t.is_contiguous() && t.same_sizes(result); }

}  // namespace

FusedPlan::FusedPlan(std::shared_ptr<const FusedSchedule> schedule, std::span<const Tensor* const> tensors,
                     std::span<const ScalarValue> numbers)
    : schedule_(std::move(schedule)), n_(tensors[0]->numel()) {
  std::copy(numbers.begin(), numbers.end(), numbers_);
  bool dense = true;
  for (size_t i = 0; dense && i < tensors.size(); ++i) {
    const Tensor& t = *tensors[i];
    const bool one = i >= static_cast<size_t>(schedule_->outputs) && t.numel() == 1;
    dense = one || is_dense(t, *tensors[0]);
    addresses_.set(static_cast<int>(i), t);
    strides_[i] = one ? 0 : size_of(t.dtype());
  }
  if (dense) return;
  geometry_ = Geometry(tensors[0]->sizes());
  for (const Tensor* const t : tensors) geometry_.add(*t);
  geometry_.collapse();
}

FusedPlan::FusedPlan(const FusedPlan& other) : schedule_(other.schedule_), n_(other.n_), geometry_(other.geometry_) {
  std::copy_n(other.numbers_, schedule_->numbers.size(), numbers_);
  if (geometry_) return;
  addresses_.assign(other.addresses_, schedule_->tensors());
  std::copy_n(other.strides_, schedule_->tensors(), strides_);
}

// The places of one block, and the steps over it.
class FusedPlan::Block {
 public:
  Block(const FusedPlan& plan, const Rows& rows, bool streams) : schedule_(*plan.schedule_), streams_(streams) {
    int place = 0;
    for (; place < schedule_.tensors(); ++place) strides_[place] = rows.strides[place];
    std::byte* buffer = buffer_;
    for (const int size : schedule_.temporary_sizes) {
      at_[place] = buffer;
      strides_[place++] = size;
      buffer += size * schedule_.block;
    }
    for (size_t i = 0; i < schedule_.numbers.size(); ++i) {
      at_[place] = const_cast<std::byte*>(plan.numbers_[i].bytes);
      strides_[place] = next_[place] = 0;
      ++place;
    }
  }

  // `count` rows of n elements, at most as many as a block has; the first one begins at the addresses, plus `row` rows and `begin`
  // elements.
  void run(std::byte* const* addresses, const Rows& rows, int64_t row, int64_t begin, int64_t n, int64_t count) {
    int place = 0;
    for (; place < schedule_.tensors(); ++place) {
      at_[place] = addresses[place] + row * rows.next[place] + begin * strides_[place];
      next_[place] = rows.next[place];
    }
    for (const int size : schedule_.temporary_sizes) next_[place++] = size * n;
    for (const FusedSchedule::Step& step : schedule_.steps) run_step(step, n, count);
  }

 private:
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
  const bool streams_;
  std::byte* at_[FusedSchedule::max_places];
  int64_t strides_[FusedSchedule::max_places], next_[FusedSchedule::max_places];
  alignas(64) std::byte buffer_[FusedSchedule::buffer_bytes];
};

// No streaming stores to outputs that share an input's memory: that is already in the caches.
bool FusedPlan::streams(std::byte* const* addresses) const {
  int widest = 0;
  for (const DType dtype : schedule_->dtypes) widest = std::max(widest, size_of(dtype));
  if (!outgrows_caches(n_, widest)) return false;
  const auto outputs = addresses + schedule_->outputs;
  return std::find_first_of(addresses, outputs, outputs, addresses + schedule_->tensors()) == outputs;
}

void FusedPlan::run() const {
  const FusedSchedule& s = *schedule_;
  const auto rows_of = [&](std::byte* const* addresses, const Rows& rows, bool streams) {
    Block block(*this, rows, streams);
    const int64_t together = std::max<int64_t>(s.block / rows.n, 1);
    for (int64_t row = 0; row < rows.count; row += together) {
      const int64_t count = std::min(together, rows.count - row);
      for (int64_t begin = 0; begin < rows.n; begin += s.block)
        block.run(addresses, rows, row, begin, std::min(s.block, rows.n - begin), count);
    }
  };
  std::byte* first[max_tensors];
  for (int i = 0; i < s.tensors(); ++i) first[i] = geometry_ ? geometry_.data(i) : addresses_[i];
  const bool streamed = streams(first);
  if (geometry_) {
    parallel_iterate_rows(
        geometry_, [&](std::byte** pointers, const Rows& rows) { rows_of(pointers, rows, streamed); }, s.grain);
    return;
  }
  static constexpr int64_t no_rows[max_tensors] = {};
  parallel_alternating(n_, s.grain, [&](int64_t begin, int64_t end) {
    std::byte* part[max_tensors];
    for (int i = 0; i < s.tensors(); ++i) part[i] = first[i] + begin * strides_[i];
    rows_of(part, {end - begin, 1, strides_, no_rows}, streamed);
  });
}

void run_fused(const FusedPlan& plan) { plan.run(); }

}  // namespace mt
