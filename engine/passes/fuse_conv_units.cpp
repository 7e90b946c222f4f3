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
  bool relu = false;
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

bool is_relu(const Graph::Step& step) {
  const std::string_view op = step.op->decl->name;
  if (op != "cmax") return op == "relu";
  const Value& least = step.arguments[1].immediate;
  const bool is_number = least.type == Value::Type::number || least.type == Value::Type::integer;
  return step.arguments[1].type == Argument::Type::immediate && is_number && least.as_double() == 0;
}

Graph::Step step_of(const Unit& unit, const Rewrite& rewrite) {
  const std::vector<Argument> of_conv = rewrite.arguments(*unit.conv);
  Graph::Step step;
  step.op = &conv_unit_op();
  step.origin = unit.conv->origin;
  Value relu;
  relu.type = Value::Type::boolean;
  relu.boolean = unit.relu;
  Argument added = unit.added.value_or(Argument());
  each_ref(added, [&](Ref& ref) { ref = rewrite.at(ref); });
  step.arguments.assign(of_conv.begin(), of_conv.begin() + 3);
  step.arguments.push_back(added);
  step.arguments.push_back(unit.relu ? Argument(relu) : Argument());
  step.arguments.insert(step.arguments.end(), of_conv.begin() + 3, of_conv.end());
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
    Unit unit{&conv, std::nullopt};
    size_t last = i;
    const auto next = [&]() -> std::optional<size_t> {
      const std::optional<size_t> user = uses.only_user(graph.steps[last].first);
      return user && absorbed.count(*user) == 0 ? user : std::nullopt;
    };
    if (const auto user = next()) {
      unit.added = other_operand(graph, graph.steps[*user], {Ref::Of::result, conv.first});
      if (unit.added) last = *user;
    }
    if (const auto user = next(); user && is_relu(graph.steps[*user])) {
      unit.relu = true;
      last = *user;
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
