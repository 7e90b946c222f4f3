// A fused loop whose elements a reduction or softmax reads at once: they never exist as a tensor.
#pragma once

#include <optional>
#include <vector>

#include "engine/graph/fused/loop.h"

namespace mt {

class FusedReduction {
 public:
  // Calls `op` with the program's only output and then `arguments`: numbers, booleans, or none for a default. The op is a reduction, such
  // as sum or max, or one of softmax's family; others run after the loop.
  FusedReduction(FusedProgram program, const Op& op, std::vector<Value> arguments);

  // As FusedLoop::run: the outputs are the op's results, with the same bits as one by one. Elements are reduced while they are in the
  // caches where the op reads all elements, or the last dimension; else after the loop. `as_number` as in a Call. Returns whether they were
  // reduced in the caches.
  bool run(const FusedLoop::Run& run, bool as_number = false) const;
  // The same, but returns false, with nothing changed, if they can't be.
  bool try_run(const FusedLoop::Run& run, bool as_number = false) const;
  static bool accepts(const Op& op);  // whether it is such an op

  const FusedLoop& loop() const { return loop_; }

 private:
  void call(const Op& op, Tensor& x, const FusedLoop::Run& run, bool as_number, DeviceId device) const;

  FusedLoop loop_;
  const Op& op_;
  std::vector<Value> arguments_;
  std::optional<Op> planner_;  // the op with a kernel that reads the loop's elements
};

}  // namespace mt
