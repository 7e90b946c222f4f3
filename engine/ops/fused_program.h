// The description of a fused loop: elementwise ops over the elements of its inputs.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/registry.h"

namespace mt {

class FusedProgram {
 public:
  // A value of the program.
  struct Ref {
    enum class Of : uint8_t { input, number, constant, result };
    Of of = Of::input;
    int32_t index = 0;
    bool is_tensor() const { return of == Of::input || of == Of::result; }
    bool operator==(const Ref&) const = default;
  };

  // An argument of a step: a value of the program, or else a number; neither: the default of the op.
  struct Argument {
    std::optional<Ref> ref;
    Value number;

    Argument() = default;
    Argument(Ref value) : ref(value) {}                    // NOLINT: implicit
    Argument(const Value& constant) : number(constant) {}  // NOLINT: implicit
    Argument(double constant) : number(constant) {}        // NOLINT: implicit
  };

  struct Step {
    const Op* op;
    DType computed, stored;     // the dtypes of its operands and of its result
    std::vector<Ref> operands;  // in the order of the signature
  };

  // A number as an operand of a dtype.
  struct NumberOperand {
    Ref ref;  // a number or a constant
    DType dtype;
    bool operator==(const NumberOperand&) const = default;
  };

  Ref input(DType dtype);
  Ref number();  // has another value in each run

  // Adds a call of an op with canonical arguments. Returns nothing, and adds nothing, if a loop can't contain it: refusal() says why.
  std::optional<Ref> step(const Op& op, std::span<const Argument> arguments);

  // Makes a result an output and returns the number of the output. Only results of steps can be outputs.
  int output(Ref result);

  std::string_view refusal() const { return refusal_; }  // of the last step that was refused
  const std::vector<DType>& inputs() const { return inputs_; }
  int numbers() const { return numbers_; }
  const std::vector<Value>& constants() const { return constants_; }
  const std::vector<NumberOperand>& number_operands() const { return number_operands_; }  // of all steps, each once
  int index_of(const NumberOperand& number) const {                                       // among them
    return static_cast<int>(std::ranges::find(number_operands_, number) - number_operands_.begin());
  }
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<int32_t>& outputs() const { return outputs_; }  // steps
  DType dtype(Ref tensor) const {
    const auto i = static_cast<size_t>(tensor.index);
    return tensor.of == Ref::Of::input ? inputs_[i] : steps_[i].stored;
  }

  // The tensors of a run: outputs, then inputs.
  int tensors() const { return static_cast<int>(outputs_.size() + inputs_.size()); }
  DType dtype_of_tensor(int number) const {
    const auto i = static_cast<size_t>(number);
    return i < outputs_.size() ? dtype({Ref::Of::result, outputs_[i]}) : inputs_[i - outputs_.size()];
  }

 private:
  Ref constant(const Value& value);
  std::optional<Ref> refuse(std::string_view why) {
    refusal_ = why;
    return std::nullopt;
  }

  std::vector<DType> inputs_;
  int numbers_ = 0;
  std::vector<Value> constants_;
  std::vector<NumberOperand> number_operands_;
  std::vector<Step> steps_;
  std::vector<int32_t> outputs_;
  std::string_view refusal_;
};

}  // namespace mt
