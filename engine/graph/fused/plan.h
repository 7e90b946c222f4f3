// The plan of a fused loop: its schedule, with tensors of given sizes and strides.
#pragma once

#include "engine/graph/fused/schedule.h"

namespace mt {

class FusedPlan {
 public:
  static constexpr int max_tensors = FusedSchedule::max_tensors;

  // `tensors`: outputs, all of one shape, then inputs, which broadcast to it. `numbers` has the schedule's numbers.
  FusedPlan(std::shared_ptr<const FusedSchedule> schedule, std::span<const Tensor* const> tensors, std::span<const ScalarValue> numbers);
  FusedPlan(const FusedPlan& other);
  FusedPlan& operator=(const FusedPlan&) = delete;

  void visit(OperandVisitor& visitor) { geometry_ ? geometry_.visit(visitor) : addresses_.visit(visitor, schedule_->tensors()); }
  void run() const;

  // Computes elements first..first + n of a single output, in logical order, to other memory, in this thread. The output is contiguous and
  // need not have memory.
  void compute(int64_t first, int64_t n, std::byte* to) const;

 private:
  class Block;

  void run_rows(std::byte* const* addresses, const Rows& rows, bool streams, bool uses_code) const;
  bool uses_code() const;
  bool streams(std::byte* const* addresses) const;

  std::shared_ptr<const FusedSchedule> schedule_;
  int64_t n_;                         // elements of an output
  Addresses<max_tensors> addresses_;  // if each tensor is contiguous with n elements, or one element
  int64_t strides_[max_tensors];      // in that case, bytes from element to element
  Geometry geometry_;                 // in all other cases
  ScalarValue numbers_[FusedSchedule::max_numbers];
};

void run_fused(const FusedPlan& plan);

}  // namespace mt
