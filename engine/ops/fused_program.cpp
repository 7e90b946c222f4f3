#include "engine/ops/fused_program.h"

#include <algorithm>
#include <bit>

#include "engine/core/arguments.h"
#include "engine/ops/pointwise.h"

namespace mt {
namespace {

bool is_number(const Value& value) { return value.type == Value::Type::number || value.type == Value::Type::integer; }

}  // namespace

FusedProgram::Ref FusedProgram::input(DType dtype) {
  inputs_.push_back(dtype);
  return {Ref::Of::input, static_cast<int32_t>(inputs_.size()) - 1};
}

FusedProgram::Ref FusedProgram::number() { return {Ref::Of::number, numbers_++}; }

FusedProgram::Ref FusedProgram::constant(const Value& value) {
  // Compares bits: 0 and -0 differ.
  auto found = std::ranges::find_if(constants_, [&](const Value& known) {
    return known.type == value.type && std::bit_cast<int64_t>(known.number) == std::bit_cast<int64_t>(value.number);
  });
  if (found == constants_.end()) found = constants_.insert(found, value);
  return {Ref::Of::constant, static_cast<int32_t>(found - constants_.begin())};
}

std::optional<FusedProgram::Ref> FusedProgram::step(const Op& op, std::span<const Argument> arguments) {
  const Decl& d = *op.decl;
  if (op.plan != &plan_pointwise) return refuse("the op is not elementwise");
  if (static_cast<int>(arguments.size()) > d.signature.count) return refuse("too many arguments");
  std::optional<DType> common;
  std::vector<Value> numbers;  // by argument
  static const Argument left_out;
  for (int i = 0; i < d.signature.count; ++i) {
    const Param& p = d.signature.params[i];
    const Argument& argument = static_cast<size_t>(i) < arguments.size() ? arguments[static_cast<size_t>(i)] : left_out;
    Value& number = numbers.emplace_back(argument.number);
    if (argument.ref && argument.ref->is_tensor()) {
      if (!p.takes(kind_tensor)) return refuse("a tensor in place of a number");
      const DType one = dtype(*argument.ref);
      if (common && *common != one) return refuse("operands of several dtypes");
      common = one;
      continue;
    }
    if (!p.takes(kind_number)) return refuse("a number in place of a tensor, or an argument that is no number");
    if (argument.ref) continue;
    if (!number.given()) set_default(number, p);
    if (!is_number(number)) return refuse("an argument that is no number");
  }
  if (!common) return refuse("no operand is a tensor");
  if (complex_dtypes.contains(*common)) return refuse("complex numbers");
  if (storage_dtypes.contains(*common)) return refuse("a type for storage");
  const DType computed = d.result == Rule::float_result ? float_for(*common) : *common;
  if (computed != *common) return refuse("integers, which the op computes as floats");
  if (!computed_dtypes(d).contains(computed)) return refuse("a dtype that the op doesn't accept");
  if (!d.nonzero.empty() && !is_float(computed)) return refuse("a division of integers, whose divisor must be checked");
  Step made{&op, computed, d.result == Rule::mask ? DType::uint8 : computed, {}};
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i < arguments.size() && arguments[i].ref) {
      made.operands.push_back(*arguments[i].ref);
    } else {
      made.operands.push_back(constant(numbers[i]));
    }
  }
  for (const Ref operand : made.operands) {
    const NumberOperand number{operand, computed};
    if (!operand.is_tensor() && std::ranges::find(number_operands_, number) == number_operands_.end()) number_operands_.push_back(number);
  }
  steps_.push_back(std::move(made));
  return Ref{Ref::Of::result, static_cast<int32_t>(steps_.size()) - 1};
}

int FusedProgram::output(Ref result) {
  MT_ASSERT(result.of == Ref::Of::result);
  auto found = std::find(outputs_.begin(), outputs_.end(), result.index);
  if (found == outputs_.end()) found = outputs_.insert(found, result.index);
  return static_cast<int>(found - outputs_.begin());
}

}  // namespace mt
