#include "engine/passes/program.h"

#include <algorithm>
#include <unordered_map>

#include "engine/core/device.h"
#include "engine/graph/infer.h"
#include "engine/graph/memory_plan.h"
#include "engine/passes/passes.h"

namespace mt {
namespace {

using Ref = Graph::Ref;

// Calls f with each value that a step reads or overwrites.
template <class Step, class F> void each_operand(Step& step, F&& f) {
  for (auto& argument : step.arguments) each_ref(argument, f);
  for (auto& ref : step.writes) f(ref);
}

int64_t aligned(int64_t bytes) { return (bytes + memory_plan_alignment - 1) / memory_plan_alignment * memory_plan_alignment; }

void check_inputs_of(const Graph& graph, std::string_view function) {
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::optional<ValueType>& type = graph.inputs[i].type;
    if (!type) fail<Status::unsupported>(function, input_name(graph, i), "an input without a type, expected a dtype and sizes");
    if (!type->has_known_sizes()) fail<Status::unsupported>(function, input_name(graph, i), "an input of any size, expected fixed sizes");
  }
}

}  // namespace

Program::Program(const Graph& graph, std::string_view function) : graph_(&graph), kept_(static_cast<size_t>(graph.result_count()), false) {
  check_inputs_of(graph, function);
  std::vector<Tensor> operands;
  const std::vector<Tensor> results = results_on_meta(graph, &operands);
  std::unordered_map<const Storage*, int32_t> first_of;
  std::unordered_map<const Storage*, Ref> lenders;
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool is_input = i < graph.inputs.size();
    const auto index = static_cast<int32_t>(is_input ? i : i - graph.inputs.size());
    if (operands[i].storage() != nullptr) lenders.emplace(operands[i].storage(), Ref{is_input ? Ref::Of::input : Ref::Of::constant, index});
  }
  for (const Tensor& t : results) {
    const auto value = static_cast<int32_t>(origins_.size());
    origins_.push_back(value);
    const Storage* const storage = t.storage();
    const auto lender = lenders.find(storage);
    lenders_.push_back(lender != lenders.end() ? std::optional(lender->second) : std::nullopt);
    storages_.push_back(storage == nullptr || lenders_.back() ? outside : first_of.emplace(storage, value).first->second);
    bytes_.push_back(t.numel() * size_of(t.dtype()));
    storage_bytes_.push_back(storage == nullptr ? 0 : aligned(storage->size * size_of(storage->dtype)));
  }
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    const Graph::Step& step = graph.steps[i];
    for (int32_t r = step.first; r < step.first + step.results(); ++r) {
      const Tensor& t = results[static_cast<size_t>(r)];
      if (t.storage() != nullptr || t.dim() > 0) continue;
      const std::string origin = step.origin.empty() ? std::string() : concat(" (", step.origin, ")");
      fail<Status::unsupported>(function, concat("step ", i + 1, origin, ", ", step.op->decl->name),
                                "sizes that are unknown before a run, expected fixed sizes");
    }
    if (i == 0 || step.fusion == 0 || graph.steps[i - 1].fusion != step.fusion) {
      units.push_back({{}, units.size()});
      inner_bytes_.push_back(0);
    }
    Node node{&step, step.first, {}};
    each_operand(step, [&](Ref ref) { node.operands.push_back(ref.of == Ref::Of::result ? ref.index : outside); });
    units.back().nodes.push_back(std::move(node));
    for (const auto& body : step.bodies) inner_bytes_.back() = std::max(inner_bytes_.back(), Program(*body, function).memory().peak());
  }
  const auto keep = [&](Ref ref) {
    if (ref.of == Ref::Of::result) kept_[static_cast<size_t>(ref.index)] = true;
  };
  std::ranges::for_each(graph.outputs, keep);
  for (const Graph::Update& update : graph.updates) keep(update.value);
}

int64_t Program::Memory::peak() const { return bytes.empty() ? 0 : *std::ranges::max_element(bytes); }

Program::Memory Program::memory() const {
  Memory memory;
  memory.bases.assign(values(), outside);
  memory.lives.resize(values());
  const auto storage_of = [&](int32_t value) { return storages_[static_cast<size_t>(origin(value))]; };
  const auto base_of = [&](int32_t value) -> int32_t& { return memory.bases[static_cast<size_t>(value)]; };
  for (size_t u = 0; u < units.size(); ++u) {
    const auto unit = static_cast<int32_t>(u);
    for (const Node& node : units[u].nodes) {
      for (const int32_t operand : node.operands) {
        if (operand == outside || base_of(operand) == outside) continue;
        std::vector<int32_t>& uses = memory.lives[static_cast<size_t>(base_of(operand))].uses;
        if (uses.empty() || uses.back() != unit) uses.push_back(unit);
      }
      for (int32_t value = node.first; value < node.first + node.step->results(); ++value) {
        const int32_t storage = storage_of(value);
        if (storage == outside) continue;
        const auto shares = [&](int32_t other) { return other != outside && storage_of(other) == storage; };
        const auto operand = std::ranges::find_if(node.operands, shares);
        int32_t base = operand != node.operands.end() ? base_of(*operand) : value;
        for (int32_t earlier = node.first; earlier < value && base == value; ++earlier) base = shares(earlier) ? base_of(earlier) : value;
        base_of(value) = base;
        Life& life = memory.lives[static_cast<size_t>(base)];
        if (base == value) life.first = unit;
        // A copy has the number of no output.
        life.is_kept = life.is_kept || (origin(value) == value && is_kept(value));
      }
    }
  }
  std::vector<int64_t> changes(units.size() + 1, 0);
  for (size_t value = 0; value < values(); ++value) {
    if (memory.bases[value] != static_cast<int32_t>(value)) continue;
    Life& life = memory.lives[value];
    const auto last = static_cast<size_t>(std::min<int32_t>(life.last(units.size()), static_cast<int32_t>(units.size()) - 1));
    life.in_memory = !units[static_cast<size_t>(life.first)].is_loop() || life.is_kept || last > static_cast<size_t>(life.first);
    if (!life.in_memory) continue;
    changes[static_cast<size_t>(life.first)] += storage_bytes_of(static_cast<int32_t>(value));
    changes[last + 1] -= storage_bytes_of(static_cast<int32_t>(value));
  }
  int64_t bytes = 0;
  for (size_t u = 0; u < units.size(); ++u) {
    bytes += changes[u];
    memory.bytes.push_back(bytes + inner_bytes_[units[u].source]);
  }
  return memory;
}

int32_t Program::repeat(int32_t value) {
  origins_.push_back(origin(value));
  return static_cast<int32_t>(origins_.size()) - 1;
}

void Program::remove_dead() {
  std::vector<bool> is_used(values(), false);
  for (size_t value = 0; value < kept_.size(); ++value) is_used[value] = kept_[value];
  const auto is_dead = [&](const Node& node) {
    if (draws(*node.step) || !node.step->writes.empty()) return false;
    for (int32_t value = node.first; value < node.first + node.step->results(); ++value) {
      if (is_used[static_cast<size_t>(value)]) return false;
    }
    return true;
  };
  for (size_t u = units.size(); u-- > 0;) {
    std::vector<Node>& nodes = units[u].nodes;
    for (size_t n = nodes.size(); n-- > 0;) {
      if (is_dead(nodes[n])) {
        nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(n));
        continue;
      }
      for (const int32_t operand : nodes[n].operands) {
        if (operand != outside) is_used[static_cast<size_t>(operand)] = true;
      }
    }
  }
  std::erase_if(units, [](const Unit& unit) { return unit.nodes.empty(); });
}

Graph Program::graph() const {
  Graph result;
  result.inputs = graph_->inputs;
  result.constants = graph_->constants;
  std::vector<int32_t> numbers(values(), outside);  // in the new graph
  for (size_t u = 0; u < units.size(); ++u) {
    for (const Node& node : units[u].nodes) {
      Graph::Step step = *node.step;
      step.first = result.result_count();
      step.fusion = units[u].is_loop() ? static_cast<int32_t>(u) + 1 : 0;
      size_t i = 0;
      each_operand(step, [&](Ref& ref) {
        const int32_t operand = node.operands[i++];
        if (operand != outside) ref.index = numbers[static_cast<size_t>(operand)];
      });
      for (int32_t r = 0; r < step.results(); ++r) {
        const int32_t value = node.first + r;
        numbers[static_cast<size_t>(value)] = step.first + r;
        result.result_types.push_back(graph_->type_of({Ref::Of::result, origin(value)}));
        result.result_names.emplace_back(origin(value) == value ? graph_->name_of_result(value) : std::string_view());
      }
      result.steps.push_back(std::move(step));
    }
  }
  const auto renumbered = [&](Ref ref) {
    if (ref.of == Ref::Of::result) ref.index = numbers[static_cast<size_t>(ref.index)];
    return ref;
  };
  for (const Ref output : graph_->outputs) result.outputs.push_back(renumbered(output));
  for (const Graph::Update& update : graph_->updates) result.updates.push_back({update.target, renumbered(update.value)});
  return result;
}

int64_t peak_memory(const Graph& graph) { return Program(graph, "peakMemory").memory().peak(); }

}  // namespace mt
