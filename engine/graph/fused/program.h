// The description of a fused loop: elementwise ops over the elements of its inputs.
#pragma once

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
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<int32_t>& outputs() const { return outputs_; }  // steps
  DType dtype(Ref tensor) const;

 private:
  Ref constant(const Value& value);
  std::optional<Ref> refuse(std::string_view why) {
    refusal_ = why;
    return std::nullopt;
  }

  std::vector<DType> inputs_;
  int numbers_ = 0;
  std::vector<Value> constants_;
  std::vector<Step> steps_;
  std::vector<int32_t> outputs_;
  std::string_view refusal_;
};

}  // namespace mt
