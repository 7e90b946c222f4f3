#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;

bool is_number(const Argument& argument, double number) {
  if (argument.type != Argument::Type::immediate) return false;
  const Value& value = argument.immediate;
  return (value.type == Value::Type::number || value.type == Value::Type::integer) && value.as_double() == number;
}

// The step in the new graph that computes a value, or null.
const Graph::Step* step_of(const Graph& graph, const Argument& argument) {
  if (argument.type != Argument::Type::value || argument.value.of != Ref::Of::result) return nullptr;
  for (auto step = graph.steps.rbegin(); step != graph.steps.rend(); ++step) {
    if (argument.value.index == step->first) return &*step;
    if (argument.value.index > step->first) return nullptr;  // a further result
  }
  return nullptr;
}

bool same_dims(const Graph::Step& a, const std::vector<Argument>& b) {
  const auto integer_at = [](const Argument& argument) {
    return argument.type == Argument::Type::immediate && argument.immediate.type == Value::Type::integer ? argument.immediate.integer : -1;
  };
  const int64_t a1 = integer_at(a.arguments[1]), a2 = integer_at(a.arguments[2]), b1 = integer_at(b[1]), b2 = integer_at(b[2]);
  return a1 >= 0 && a2 >= 0 && ((a1 == b1 && a2 == b2) || (a1 == b2 && a2 == b1));
}

// The value that a step returns unchanged, or nothing. Integers keep their dtype under mul and pow alone.
std::optional<Ref> unchanged(const Graph& graph, const Graph::Step& step, const std::vector<Argument>& arguments) {
  const std::string_view op = step.op->decl->name;
  const auto first = [&]() -> std::optional<Ref> {
    return arguments[0].type == Argument::Type::value ? std::optional(arguments[0].value) : std::nullopt;
  };
  if (op == "mul" && is_number(arguments[1], 1)) return first();
  if (op == "neg" || op == "t") {
    const Graph::Step* inner = step_of(graph, arguments[0]);
    if (inner != nullptr && inner->op == step.op && inner->arguments[0].type == Argument::Type::value) return inner->arguments[0].value;
  }
  if (op == "transpose") {
    const Graph::Step* inner = step_of(graph, arguments[0]);
    if (inner != nullptr && inner->op == step.op && same_dims(*inner, arguments)) return inner->arguments[0].value;
  }
  return std::nullopt;
}

}  // namespace

Graph simplify_algebra(const Graph& graph) {
  Rewrite rewrite(graph);
  for (const Graph::Step& step : graph.steps) {
    if (const std::optional<Ref> value = unchanged(rewrite.to(), step, rewrite.arguments(step)))
      rewrite.replace(step.first, *value);
    else
      rewrite.copy(step);
  }
  return rewrite.finish();
}

}  // namespace mt
