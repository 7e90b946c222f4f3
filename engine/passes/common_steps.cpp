#include <map>
#include <string>

#include "engine/graph/text.h"
#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"

namespace mt {
namespace {

// A text that two steps share exactly if they compute the same.
std::string key_of(const Graph::Step& step, const std::vector<Graph::Argument>& arguments) {
  using Type = Graph::Argument::Type;
  const auto shown = [](Graph::Ref ref) { return concat(static_cast<int>(ref.of), ":", ref.index); };
  std::string key(step.op->decl->name);
  if (step.times) key += "!";
  if (step.into) {
    key += info(step.into->dtype).name;
    for (const int64_t size : step.into->sizes) key += concat("[", size, "]");
  }
  for (const Graph::Argument& argument : arguments) {
    key += concat(";", static_cast<int>(argument.type), argument.negative ? "-" : "", argument.text.size(), ":", argument.text, ",");
    if (argument.type == Type::value || argument.type == Type::sizes_of) key += shown(argument.value);
    if (argument.type == Type::immediate) {
      const Value& value = argument.immediate;
      key += concat(static_cast<int>(value.type), "/", value.count, "/");
      if (value.type == Value::Type::element)
        key.append(reinterpret_cast<const char*>(value.element), static_cast<size_t>(size_of(static_cast<DType>(value.count))));
      else
        key.append(reinterpret_cast<const char*>(&value.integer), sizeof value.integer);
    }
    for (const Graph::Ref ref : argument.values) key += shown(ref) + " ";
    for (const Graph::SizeExpression& size : argument.sizes) {
      key += "|";
      for (const Graph::SizeToken& token : size)
        key += concat(static_cast<int>(token.type), ",", static_cast<int>(token.dim), ",", shown(token.tensor), ",", token.number, " ");
    }
  }
  for (const auto& body : step.bodies) key += to_text(*body);
  return key;
}

}  // namespace

// Copies of a value are not merged: a step may overwrite one of them.
Graph merge_common_steps(const Graph& graph) {
  Rewrite rewrite(graph);
  std::map<std::string, int32_t> known;  // key -> the number of the first result in the new graph
  for (const Graph::Step& step : graph.steps) {
    const std::string key = key_of(step, rewrite.arguments(step));
    const auto found = known.find(key);
    const bool is_separate = draws(step) || !step.writes.empty() || step.op->decl->name == "clone" || step.op->decl->name == "full";
    if (found != known.end() && !is_separate) {
      for (int32_t r = 0; r < step.results(); ++r) rewrite.replace(step.first + r, {Graph::Ref::Of::result, found->second + r});
      continue;
    }
    rewrite.copy(step);
    known[key] = rewrite.to().steps.back().first;
  }
  return rewrite.finish();
}

}  // namespace mt
