// A fused program in the form that runs: each step reads and writes places, in blocks of elements that stay in the first-level cache.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "engine/cpu/pointwise_loops.h"
#include "engine/graph/fused/code.h"
#include "engine/ops/fused_launch.h"

namespace mt {

// Places are numbered: tensors, outputs first; then temporaries; then numbers.
struct FusedSchedule {
  static constexpr int max_tensors = FusedOperands::max_tensors, max_temporaries = 32, max_numbers = FusedOperands::max_numbers;
  static constexpr int max_places = max_tensors + max_temporaries + max_numbers;
  static constexpr int64_t buffer_bytes = 32768;  // for all temporaries of a block

  struct Step {
    const Op* op;
    cpu::LoopFn loop;  // nullptr: by the op's kernel
    DType dtype, result_dtype;
    uint8_t count = 0;                                        // of operands
    uint32_t numbers = 0;                                     // bit i: operand i is a number
    std::array<uint8_t, Signature::max_params + 1> places{};  // of the result and of the operands
  };

  // Consecutive steps. Their code, if they have any, reads and writes only the places that other steps or the caller use.
  struct Unit {
    size_t first, end;
    std::shared_ptr<const FusedCode> code;
  };

  int outputs = 0, inputs = 0;
  int64_t block = 0;                   // elements
  int64_t grain = 0;                   // the least number of elements per thread
  std::vector<DType> dtypes;           // of tensors, then of no other place
  std::vector<int> temporary_sizes;    // bytes of an element
  std::vector<ScalarValue> constants;  // by number operand of the program
  std::vector<Step> steps;
  std::vector<Unit> units;
  std::vector<uint32_t> read_later;  // by output: the inputs that steps read after the one that writes the output; bit i: input i

  int tensors() const { return outputs + inputs; }
};

// Nothing if the program has too many tensors, numbers or temporaries.
std::shared_ptr<const FusedSchedule> schedule(const FusedProgram& program);

}  // namespace mt
