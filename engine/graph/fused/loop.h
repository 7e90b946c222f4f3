// Elementwise ops fused into one loop, which reads and writes each element once. Intermediate results exist only in blocks of elements that
// stay in the first-level cache. The results have the bits that the ops have one by one.
#pragma once

#include <memory>
#include <span>

#include "engine/ops/fused_program.h"

namespace mt {

class FusedPlan;
struct FusedSchedule;

// A loop for any sizes and layouts. Several threads may run it at a time.
class FusedLoop {
 public:
  explicit FusedLoop(FusedProgram program);

  const FusedProgram& program() const { return *program_; }
  bool is_possible() const { return schedule_ != nullptr; }  // false: it has too many tensors, numbers or temporaries

  // A run: values for all inputs and numbers of the program, and a tensor for each output. Bit i of `given` is set if output i is the
  // caller's own tensor, else it is empty and becomes a new tensor.
  struct Run {
    std::span<Tensor* const> inputs;
    std::span<const Value> numbers;
    std::span<Tensor* const> outputs;
    uint32_t given = 0;
    OpHook* hook = nullptr;
  };

  // Runs the ops one by one in cases that a loop can't handle: tensors with other dtypes than the program's, tensors of other shapes that
  // are paired element by element, outputs of several shapes, a device that has no kernel for the loop, and runs with a hook. Raises the
  // errors of the ops. Returns whether the loop ran.
  bool run(const Run& run) const;
  // The same, but returns false in those cases, with nothing changed but perhaps the sizes of given outputs.
  bool try_run(const Run& run) const;

  // The plan of a run on the CPU without its only output, and the shape that this has. Null if the loop can't run, or if the output would
  // not be contiguous. `run` has no outputs.
  std::unique_ptr<const FusedPlan> plan(const Run& run, Shape& shape) const;

 private:
  struct Result;

  std::optional<Result> result_of(const Run& run) const;
  void find_numbers(const Run& run, ScalarValue* numbers) const;
  bool launch(DeviceId device, std::span<const Tensor* const> tensors, std::span<const ScalarValue> numbers) const;
  void run_one_by_one(const Run& run) const;

  std::shared_ptr<const FusedProgram> program_;
  std::shared_ptr<const FusedSchedule> schedule_;
};

}  // namespace mt
