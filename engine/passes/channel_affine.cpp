#include "engine/passes/channel_affine.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "engine/arguments/convert.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;
using Numbers = std::vector<double>;

bool is_value(const Argument& argument, Ref value) {
  return argument.type == Argument::Type::value && argument.value == value && !argument.negative;
}

Numbers elements_of(const Tensor& t) {
  const Tensor all = contiguous(to_dtype(t, DType::float64));
  return {all.data<double>(), all.data<double>() + all.numel()};
}

// The elements of a number, or of a constant that broadcasts to a type and differs by channel alone.
std::optional<Numbers> by_channel(const Graph& graph, const Argument& argument, const ValueType& type) {
  const auto channels = static_cast<size_t>(type.sizes[1]);
  if (argument.type == Argument::Type::immediate) {
    const Value& value = argument.immediate;
    if (value.type != Value::Type::number && value.type != Value::Type::integer) return std::nullopt;
    return Numbers(channels, value.as_double());
  }
  const Tensor* const t = fixed_constant(graph, argument);
  if (t == nullptr || t->dim() == 0 || t->numel() == 0) return std::nullopt;
  const int missing = static_cast<int>(type.sizes.size()) - t->dim();
  if (missing < 0) return std::nullopt;
  bool differs = false;
  for (int d = 0; d < t->dim(); ++d) {
    if (t->size(d) == 1 || t->stride(d) == 0) continue;
    if (d + missing != 1) return std::nullopt;
    differs = true;
  }
  const Shape size{differs ? type.sizes[1] : 1}, stride{differs ? t->stride(1 - missing) : 1};
  Tensor line = *t;
  line.set_geometry(t->offset(), size, stride);
  const Numbers numbers = elements_of(line);
  return differs ? numbers : Numbers(channels, numbers[0]);
}

// A product, quotient, sum or difference.
std::optional<ChannelAffine> arithmetic(const Graph& graph, const Graph::Step& step, Ref x, const ValueType& type) {
  const std::string_view op = step.op->decl->name;
  const bool multiplies = op == "mul" || op == "cmul", divides = op == "div" || op == "cdiv", subtracts = op == "csub";
  if (!multiplies && !divides && !subtracts && op != "add") return std::nullopt;
  for (size_t i = 2; i < step.arguments.size(); ++i) {
    if (step.has(static_cast<int>(i))) return std::nullopt;
  }
  const bool is_first = is_value(step.arguments[0], x);
  if (!is_first && (divides || !is_value(step.arguments[1], x))) return std::nullopt;
  const std::optional<Numbers> numbers = by_channel(graph, step.arguments[is_first ? 1 : 0], type);
  if (!numbers) return std::nullopt;
  ChannelAffine affine(numbers->size());
  for (size_t c = 0; c < numbers->size(); ++c) {
    const double number = (*numbers)[c];
    if (multiplies || divides)
      affine.factor[c] = multiplies ? number : 1 / number;
    else
      affine.summand[c] = subtracts && is_first ? -number : number;
    if (subtracts && !is_first) affine.factor[c] = -1;
  }
  return affine;
}

std::optional<ChannelAffine> batch_norm(const Graph& graph, const Uses& uses, const Graph::Step& step, Ref normalized, int64_t channels) {
  const auto& [x, weight, bias, mean, variance, training, momentum, eps] =
      std::tie(step.arguments[0], step.arguments[1], step.arguments[2], step.arguments[3], step.arguments[4], step.arguments[5],
               step.arguments[6], step.arguments[7]);
  const bool trains = training.type != Argument::Type::none && (training.type != Argument::Type::immediate || training.immediate.boolean);
  const bool is_known = eps.type == Argument::Type::none || eps.type == Argument::Type::immediate;
  if (!is_value(x, normalized) || trains || !is_known || uses.is_used(step.first + 1) || uses.is_used(step.first + 2)) return std::nullopt;
  Value eps_value = eps.immediate;
  if (eps.type == Argument::Type::none) set_default(eps_value, step.op->decl->signature.params[7]);
  const auto read = [&](const Argument& argument, bool is_optional, double otherwise) -> Numbers {
    if (is_optional && argument.type == Argument::Type::none) return Numbers(static_cast<size_t>(channels), otherwise);
    const Tensor* const t = fixed_constant(graph, argument);
    return t != nullptr && t->numel() == channels ? elements_of(*t) : Numbers();
  };
  const Numbers factor = read(weight, true, 1), summand = read(bias, true, 0), center = read(mean, false, 0),
                square = read(variance, false, 1);
  if (factor.empty() || summand.empty() || center.empty() || square.empty()) return std::nullopt;
  ChannelAffine affine(factor.size());
  for (size_t c = 0; c < factor.size(); ++c) {
    affine.factor[c] = factor[c] / std::sqrt(square[c] + eps_value.as_double());
    affine.summand[c] = summand[c] - center[c] * affine.factor[c];
  }
  return affine;
}

}  // namespace

void ChannelAffine::append(const ChannelAffine& next) {
  for (size_t c = 0; c < factor.size(); ++c) {
    factor[c] *= next.factor[c];
    summand[c] = summand[c] * next.factor[c] + next.summand[c];
  }
}

const Tensor* fixed_constant(const Graph& graph, const Argument& argument) {
  if (argument.type != Argument::Type::value || argument.value.of != Ref::Of::constant || argument.negative) return nullptr;
  const Tensor& t = graph.constants[static_cast<size_t>(argument.value.index)].tensor;
  return is_float(t.dtype()) && t.device() == cpu_device && !is_written(graph, argument.value) ? &t : nullptr;
}

std::optional<ChannelAffine> channel_affine(const Graph& graph, const Uses& uses, const Graph::Step& step, Ref x, const ValueType& type) {
  if (type.sizes.size() < 2 || type.sizes[1] <= 0 || graph.type_of({Ref::Of::result, step.first}) != type) return std::nullopt;
  const std::optional<ChannelAffine> affine =
      step.op->decl->name == "batchNorm" ? batch_norm(graph, uses, step, x, type.sizes[1]) : arithmetic(graph, step, x, type);
  const auto is_finite = [](double number) { return std::isfinite(number); };
  if (!affine || !std::ranges::all_of(affine->factor, is_finite) || !std::ranges::all_of(affine->summand, is_finite)) return std::nullopt;
  return affine;
}

}  // namespace mt
