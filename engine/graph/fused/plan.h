// The plan of a fused loop: its schedule, with tensors of given sizes and strides.
#pragma once

#include "engine/graph/fused/schedule.h"

namespace mt {

class FusedPlan {
 public:
  static constexpr int max_tensors = FusedSchedule::max_tensors;

  // `tensors` and `numbers` as in FusedOperands.
  FusedPlan(std::shared_ptr<const FusedSchedule> schedule, std::span<const Tensor* const> tensors, std::span<const ScalarValue> numbers)
      : schedule_(std::move(schedule)), operands_(schedule_->outputs, tensors, numbers) {}

  void visit(OperandVisitor& visitor) { operands_.visit(visitor); }
  void run() const;
  // The elements of an output if each tensor is contiguous with as many elements, or has one; else 0.
  int64_t contiguous_elements() const { return operands_.geometry ? 0 : operands_.n; }

  // Computes elements first..first + n of a single output, in logical order, to other memory, in this thread. The output is contiguous and
  // need not have memory.
  void compute(int64_t first, int64_t n, std::byte* to) const;

 private:
  class Block;

  void run_rows(std::byte* const* addresses, const Rows& rows, bool streams, bool uses_code) const;
  bool uses_code() const;
  bool streams(std::byte* const* addresses) const;

  std::shared_ptr<const FusedSchedule> schedule_;
  FusedOperands operands_;
};

void run_fused(const FusedPlan& plan);

}  // namespace mt
