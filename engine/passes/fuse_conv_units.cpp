#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "engine/ops/conv.h"
#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;

// A convolution and the steps that it absorbs.
struct Unit {
  const Graph::Step* conv;
  std::optional<Argument> added;
  Rectifier relu;
};

// The other operand of a sum of a value and a tensor with its type; nothing if the step is another one.
std::optional<Argument> other_operand(const Graph& graph, const Graph::Step& step, Ref value) {
  if (step.op->decl->name != "add") return std::nullopt;
  for (size_t i = 2; i < step.arguments.size(); ++i) {
    if (step.has(static_cast<int>(i))) return std::nullopt;
  }
  for (const size_t own : {size_t{0}, size_t{1}}) {
    const Argument &a = step.arguments[own], &other = step.arguments[1 - own];
    if (a.type != Argument::Type::value || a.value != value || other.type != Argument::Type::value || other.negative || a.negative)
      continue;
    const std::optional<ValueType> type = graph.type_of(value);
    if (other.value == value || !type || graph.type_of(other.value) != type) return std::nullopt;
    return other;
  }
  return std::nullopt;
}

// The number that an argument is, or nothing.
std::optional<double> number_of(const Argument& argument) {
  const Value& value = argument.immediate;
  const bool is_number = value.type == Value::Type::number || value.type == Value::Type::integer;
  return argument.type == Argument::Type::immediate && is_number ? std::optional(value.as_double()) : std::nullopt;
}

// What a step does with its argument: relu(x), cmax(x, 0), or clamp(x, 0, most).
Rectifier rectifier_of(const Graph::Step& step) {
  const std::string_view op = step.op->decl->name;
  if (op == "relu") return {true};
  if ((op != "cmax" && op != "clamp") || number_of(step.arguments[1]) != 0) return {};
  if (op == "cmax" || !step.has(2)) return {true};
  const std::optional<double> most = number_of(step.arguments[2]);
  return most && *most > 0 ? Rectifier{true, *most} : Rectifier{};
}

template <class T> Argument immediate(Value::Type type, T Value::*member, T given) {
  Value value;
  value.type = type;
  value.*member = given;
  return Argument(value);
}

Graph::Step step_of(const Unit& unit, const Rewrite& rewrite) {
  const std::vector<Argument> of_conv = rewrite.arguments(*unit.conv);
  Graph::Step step;
  step.op = &conv_unit_op();
  step.origin = unit.conv->origin;
  Argument added = unit.added.value_or(Argument());
  each_ref(added, [&](Ref& ref) { ref = rewrite.at(ref); });
  step.arguments.assign(of_conv.begin(), of_conv.begin() + 3);
  step.arguments.push_back(added);
  step.arguments.push_back(unit.relu.is_on ? immediate(Value::Type::boolean, &Value::boolean, true) : Argument());
  step.arguments.insert(step.arguments.end(), of_conv.begin() + 3, of_conv.end());
  step.arguments.push_back(unit.relu.is_limited() ? immediate(Value::Type::number, &Value::number, unit.relu.most) : Argument());
  return step;
}

}  // namespace

Graph fuse_conv_units(const Graph& graph) {
  const Uses uses(graph);
  std::map<size_t, Unit> units;  // by the last step that they absorb
  std::set<size_t> absorbed;
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    const Graph::Step& conv = graph.steps[i];
    if (conv.op->decl->name != "conv2d") continue;
    Unit unit{&conv, std::nullopt, {}};
    size_t last = i;
    const auto next = [&]() -> std::optional<size_t> {
      const std::optional<size_t> user = uses.only_user(graph.steps[last].first);
      return user && absorbed.count(*user) == 0 ? user : std::nullopt;
    };
    if (const auto user = next()) {
      unit.added = other_operand(graph, graph.steps[*user], {Ref::Of::result, conv.first});
      if (unit.added) last = *user;
    }
    if (const auto user = next()) {
      unit.relu = rectifier_of(graph.steps[*user]);
      if (unit.relu.is_on) last = *user;
    }
    if (last == i) continue;
    for (size_t step = i; step != last; step = *uses.only_user(graph.steps[step].first)) absorbed.insert(step);
    absorbed.insert(last);
    units.emplace(last, unit);
  }
  Rewrite rewrite(graph);
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    if (const auto unit = units.find(i); unit != units.end())
      rewrite.add(step_of(unit->second, rewrite), graph.steps[i].first);
    else if (absorbed.count(i) == 0)
      rewrite.copy(graph.steps[i]);
  }
  return rewrite.finish();
}

}  // namespace mt
