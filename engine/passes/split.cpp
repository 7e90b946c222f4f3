#include <algorithm>

#include "engine/graph/fused/trace.h"
#include "engine/graph/fused_steps.h"
#include "engine/graph/infer.h"
#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"

namespace mt {
namespace {

using Ref = Graph::Ref;

bool may_share(const Graph::Step& step) { return step.op->decl->sharing != Sharing::none; }

// The steps on which the first outputs depend, and for one that draws all that draw before it.
std::vector<bool> steps_of(const Graph& graph, size_t outputs) {
  std::vector<bool> is_needed(static_cast<size_t>(graph.result_count()), false), is_first(graph.steps.size(), false);
  const auto need = [&](Ref ref) {
    if (ref.of == Ref::Of::result) is_needed[static_cast<size_t>(ref.index)] = true;
  };
  const auto is_needed_now = [&](Ref ref) { return ref.of == Ref::Of::result && is_needed[static_cast<size_t>(ref.index)]; };
  for (size_t i = 0; i < outputs; ++i) need(graph.outputs[i]);
  bool any_draws = false;
  for (size_t i = graph.steps.size(); i-- > 0;) {
    const Graph::Step& step = graph.steps[i];
    bool first = (any_draws && draws(step)) || std::ranges::any_of(step.writes, is_needed_now);
    for (int32_t r = step.first; r < step.first + step.results(); ++r) first = first || is_needed[static_cast<size_t>(r)];
    if (!first) continue;
    is_first[i] = true;
    any_draws = any_draws || draws(step);
    for (const Graph::Argument& argument : step.arguments) each_ref(argument, need);
  }
  return is_first;
}

// Whether computing the elements again costs less than reading them from memory: by a few instructions, in a loop with other steps.
bool is_cheap(const Graph::Step& step) {
  using Code = Trace::Code;
  constexpr int few = 3;
  if (!is_fusible(step)) return false;
  Trace trial(DType::float32);
  std::vector<int32_t> operands;
  for (size_t i = 0; i < step.arguments.size(); ++i) operands.push_back(trial.load(static_cast<int>(i)));
  if (trace_op(step.op->decl->name, trial, operands) < 0) return false;
  int count = 0;
  for (const Trace::Instruction& in : trial.instructions()) {
    if (in.code == Code::divide || in.code == Code::square_root) return false;
    if (in.code != Code::load && in.code != Code::constant) ++count;
  }
  return count <= few;
}

// The second part of a graph: it copies the steps that are not in the first one, and of the first one the views and cheap steps whose
// results they read.
class Rest {
 public:
  Rest(const Graph& graph, const std::vector<bool>& is_first, Split& parts)
      : graph_(graph),
        is_first_(is_first),
        parts_(parts),
        rewrite_(graph),
        types_(infer_types(graph)),
        uses_(graph),
        is_known_(static_cast<size_t>(graph.result_count()), false) {
    for (const Graph::Step& step : graph.steps) written_.insert(written_.end(), step.writes.begin(), step.writes.end());
  }

  Graph build(size_t outputs) {
    for (size_t i = 0; i < graph_.steps.size(); ++i) {
      if (!is_first_[i]) copy(graph_.steps[i]);
    }
    for (size_t i = outputs; i < graph_.outputs.size(); ++i) provide(graph_.outputs[i]);
    for (const Graph::Update& update : graph_.updates) provide(update.value);
    Graph rest = rewrite_.finish_with({graph_.outputs.begin() + static_cast<std::ptrdiff_t>(outputs), graph_.outputs.end()});
    return rest;
  }

 private:
  static constexpr int most_again = 4;  // steps in a row that are computed again

  void copy(const Graph::Step& step) {
    for (const Graph::Argument& argument : step.arguments) each_ref(argument, [this](Ref ref) { provide(ref); });
    rewrite_.copy(step);
    for (int32_t r = 0; r < step.results(); ++r) is_known_[static_cast<size_t>(step.first + r)] = true;
  }

  // Makes a value of the first part known: a view is taken again, because updates may change its memory; another result becomes an input.
  void provide(Ref ref) {
    if (ref.of != Ref::Of::result || is_known_[static_cast<size_t>(ref.index)]) return;
    const Graph::Step& step = graph_.steps[uses_.producer(ref.index)];
    if (may_share(step) || is_computed_again(step, most_again)) return copy(step);
    parts_.first.outputs.push_back(ref);
    std::string name = concat("r", parts_.first.outputs.size());
    const auto is_taken = [&](const auto& each) { return each.name == name; };
    while (std::ranges::any_of(rewrite_.to().inputs, is_taken) || std::ranges::any_of(graph_.constants, is_taken)) name += "_";
    rewrite_.replace(ref.index, {Ref::Of::input, static_cast<int32_t>(rewrite_.to().inputs.size())});
    rewrite_.to().inputs.push_back({name, kind_tensor, false, types_[static_cast<size_t>(ref.index)]});
    is_known_[static_cast<size_t>(ref.index)] = true;
  }

  // Whether the second part computes a step of the first one, from inputs, constants and values that it has.
  bool is_computed_again(const Graph::Step& step, int depth) const {
    if (depth == 0 || !is_cheap(step)) return false;
    return std::ranges::all_of(step.arguments, [&](const Graph::Argument& argument) {
      if (argument.type != Graph::Argument::Type::value) return true;
      const Ref ref = argument.value;
      if (std::ranges::find(written_, ref) != written_.end()) return false;
      if (ref.of != Ref::Of::result || is_known_[static_cast<size_t>(ref.index)]) return true;
      const Graph::Step& operand = graph_.steps[uses_.producer(ref.index)];
      return is_computed_again(operand, depth - 1);
    });
  }

  const Graph& graph_;
  const std::vector<bool>& is_first_;
  Split& parts_;
  Rewrite rewrite_;
  std::vector<std::optional<ValueType>> types_;  // by result
  Uses uses_;
  std::vector<Ref> written_;    // values that steps overwrite
  std::vector<bool> is_known_;  // by result
};

}  // namespace

Split split(const Graph& graph, size_t outputs) {
  const std::vector<bool> is_first = steps_of(graph, outputs);
  Split parts;
  parts.first.outputs.assign(graph.outputs.begin(), graph.outputs.begin() + static_cast<std::ptrdiff_t>(outputs));
  parts.second = Rest(graph, is_first, parts).build(outputs);
  Rewrite rewrite(graph);
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    if (is_first[i]) rewrite.copy(graph.steps[i]);
  }
  const std::vector<Ref> returned = std::move(parts.first.outputs);
  parts.first = rewrite.finish_with(returned);
  parts.first.updates.clear();
  return parts;
}

}  // namespace mt
