#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "engine/graph/fused_steps.h"
#include "engine/graph/memory_plan.h"
#include "engine/passes/passes.h"
#include "engine/passes/program.h"

namespace mt {
namespace {

using Ref = Graph::Ref;
using Node = Program::Node;
using Unit = Program::Unit;

constexpr size_t most_repeated = 64;  // steps before one use
constexpr size_t most_growth = 16;    // how many times the steps of the graph

// Whether a step takes about as long as reading its operands.
bool is_cheap(const Graph::Step& step) {
  static constexpr std::string_view others[] = {"layerNorm", "groupNorm", "rmsNorm", "batchNorm", "clone", "cat",
                                                "full",      "zeros",     "ones",    "index",     "gather"};
  return is_fusible(step) || is_fusible_end(step) || step.op->decl->sharing != Sharing::none ||
         std::ranges::find(others, step.op->decl->name) != std::end(others);
}

// What the greedy choice knows about the steps of a graph.
class Steps {
 public:
  Steps(const Graph& graph, const Program& program)
      : graph_(graph), bases_(program.memory().bases), has_written_result_(program.values(), false) {
    const auto bytes_of = [&](Ref ref) -> double {
      if (ref.of == Ref::Of::result) return static_cast<double>(program.bytes_of(ref.index));
      const std::optional<ValueType> type = graph.type_of(ref);
      double bytes = type ? size_of(type->dtype) : 0;
      for (size_t d = 0; type && d < type->sizes.size(); ++d) bytes *= static_cast<double>(type->sizes[d]);
      return bytes;
    };
    for (const Graph::Step& step : graph.steps) {
      double sum = 0, product = 1;
      const auto add = [&](Ref ref) {
        sum += bytes_of(ref);
        product *= std::max(1.0, bytes_of(ref));
      };
      for (const Graph::Argument& argument : step.arguments) each_ref(argument, add);
      for (int32_t r = step.first; r < step.first + step.results(); ++r) add({Ref::Of::result, r});
      // The multiplications of (m, k) (k, n) -> (m, n) are the root of the product of all numbers of elements.
      costs_.push_back(1 + (is_cheap(step) ? sum : sum + std::sqrt(product)));
    }
    std::vector<bool> is_written(program.values(), false);
    for (const Graph::Step& step : graph.steps) {
      for (const Ref ref : step.writes) {
        const int32_t base = ref.of == Ref::Of::result ? bases_[static_cast<size_t>(ref.index)] : Program::outside;
        if (base != Program::outside) is_written[static_cast<size_t>(base)] = true;
      }
    }
    for (size_t value = 0; value < program.values(); ++value) {
      const int32_t base = bases_[value];
      lenders_.push_back(program.lender(static_cast<int32_t>(value)));
      has_written_result_[value] = base != Program::outside && is_written[static_cast<size_t>(base)];
    }
  }

  double cost(const Graph::Step& step) const { return costs_[static_cast<size_t>(&step - graph_.steps.data())]; }

  // Whether a node may read memory that a step overwrites. An input may be any memory that is not of the run.
  bool reads(const Node& node, Ref written) const {
    const std::optional<Ref> target = outside_of(written);
    bool found = false;
    const auto compare = [&](Ref ref) {
      const std::optional<Ref> read = outside_of(ref);
      if (!target || !read)
        found = found || (!target && !read && bases_[static_cast<size_t>(ref.index)] == bases_[static_cast<size_t>(written.index)]);
      else if (read->of == Ref::Of::constant && target->of == Ref::Of::constant)
        found = found || storage_of(*read) == storage_of(*target);
      else
        found = true;
    };
    for (const Graph::Argument& argument : node.step->arguments) each_ref(argument, compare);
    return found;
  }

  bool may_repeat(const Graph::Step& step, bool products) const {
    if (draws(step) || !step.writes.empty() || !step.bodies.empty() || (!products && !is_cheap(step))) return false;
    for (int32_t r = step.first; r < step.first + step.results(); ++r) {
      if (has_written_result_[static_cast<size_t>(r)]) return false;
    }
    return true;
  }

 private:
  const Storage* storage_of(Ref constant) const { return graph_.constants[static_cast<size_t>(constant.index)].tensor.storage(); }
  // The input or constant that a value is, or of which it is a view.
  std::optional<Ref> outside_of(Ref ref) const { return ref.of != Ref::Of::result ? ref : lenders_[static_cast<size_t>(ref.index)]; }

  const Graph& graph_;
  std::vector<double> costs_;
  std::vector<int32_t> bases_;               // by result
  std::vector<std::optional<Ref>> lenders_;  // by result
  std::vector<bool> has_written_result_;     // by result
};

// Values that lie in memory although nothing reads them for a while: they may be computed again.
struct Gap {
  int32_t base, unit;  // the unit before which they are needed again
  double gain;         // bytes times units
};

// The steps that compute the values of a gap again, and what they read instead of their operands.
class Chain {
 public:
  // `recursive`: operands that are no longer there are computed, too; else they are kept until then.
  Chain(const Program& program, const Program::Memory& memory, const Steps& steps, const Gap& gap, bool products, bool recursive)
      : program_(program), memory_(memory), steps_(steps), gap_(gap), products_(products), recursive_(recursive) {
    for (size_t u = 0; u < program.units.size(); ++u) {
      const auto& nodes = program.units[u].nodes;
      for (size_t n = 0; n < nodes.size(); ++n) {
        for (int32_t r = 0; r < nodes[n].step->results(); ++r) places_[nodes[n].first + r] = {u, n};
      }
    }
    for (size_t u = static_cast<size_t>(gap.unit); u < program.units.size() && is_possible_; ++u) {
      for (const Node& node : program.units[u].nodes) {
        for (const int32_t operand : node.operands) {
          if (operand != Program::outside && memory.bases[static_cast<size_t>(operand)] == gap.base)
            is_possible_ = is_possible_ && add(operand);
        }
      }
    }
  }

  bool is_possible() const { return is_possible_; }
  double score() const { return gap_.gain / cost_; }

  Program applied() const {
    Program result = program_;
    std::vector<Unit> units;
    std::map<int32_t, int32_t> now = others_;
    for (const auto& [place, node] : nodes_) {
      if (units.empty() || units.back().source != place.first) units.push_back({{}, place.first});
      Node repeated = *node;
      for (int32_t& operand : repeated.operands) replace(operand, now);
      for (int32_t r = 0; r < node->step->results(); ++r) {
        const int32_t value = result.repeat(node->first + r);
        if (r == 0) repeated.first = value;
        now[node->first + r] = value;
      }
      units.back().nodes.push_back(std::move(repeated));
    }
    for (Unit& unit : units) unit.source = program_.units[unit.source].source;
    for (size_t u = static_cast<size_t>(gap_.unit); u < result.units.size(); ++u) {
      for (Node& node : result.units[u].nodes) {
        for (int32_t& operand : node.operands) {
          if (operand != Program::outside && memory_.bases[static_cast<size_t>(operand)] == gap_.base) replace(operand, now);
        }
      }
    }
    result.units.insert(result.units.begin() + gap_.unit, units.begin(), units.end());
    result.remove_dead();
    return result;
  }

 private:
  using Place = std::pair<size_t, size_t>;  // a unit and a node

  static void replace(int32_t& value, const std::map<int32_t, int32_t>& by) {
    if (const auto found = by.find(value); found != by.end()) value = found->second;
  }

  // An equal value that is in memory until the unit.
  std::optional<int32_t> available(int32_t value) const {
    const auto is_there = [&](int32_t equal) {
      const int32_t base = memory_.bases[static_cast<size_t>(equal)];
      return base != Program::outside && base != gap_.base && memory_.lives[static_cast<size_t>(base)].is_available(gap_.unit);
    };
    if (is_there(value)) return value;
    for (const auto& [equal, place] : places_) {
      if (program_.origin(equal) == program_.origin(value) && is_there(equal) && place.first < static_cast<size_t>(gap_.unit)) return equal;
    }
    return std::nullopt;
  }

  // Whether a step between the node and the new place may write to memory that the node reads.
  bool is_overwritten(const Place& place, const Node& node) const {
    for (size_t u = place.first; u < static_cast<size_t>(gap_.unit); ++u) {
      for (const Node& writer : program_.units[u].nodes) {
        for (const Ref written : writer.step->writes) {
          if (steps_.reads(node, written)) return true;
        }
      }
    }
    return false;
  }

  // Adds the step that computes a value.
  bool add(int32_t value) {
    const Place place = places_.at(value);
    const Node& node = program_.units[place.first].nodes[place.second];
    if (nodes_.count(place) > 0) return true;
    if (nodes_.size() == most_repeated || !steps_.may_repeat(*node.step, products_) || is_overwritten(place, node)) return false;
    nodes_[place] = &node;
    cost_ += steps_.cost(*node.step);
    for (const int32_t operand : node.operands) {
      const int32_t base = operand == Program::outside ? operand : memory_.bases[static_cast<size_t>(operand)];
      if (operand == Program::outside) continue;
      if (base == Program::outside) {
        if (!add(operand)) return false;
        continue;
      }
      const std::optional<int32_t> equal = base == gap_.base ? std::nullopt : available(operand);
      const bool is_in_memory = memory_.lives[static_cast<size_t>(base)].in_memory;
      if (equal) {
        if (*equal != operand) others_[operand] = *equal;
      } else if (base == gap_.base || recursive_ || !is_in_memory) {
        if (!add(operand)) return false;
      }
    }
    return true;
  }

  const Program& program_;
  const Program::Memory& memory_;
  const Steps& steps_;
  Gap gap_;
  bool products_, recursive_, is_possible_ = true;
  std::map<int32_t, Place> places_;     // by value
  std::map<Place, const Node*> nodes_;  // that are repeated, in order
  std::map<int32_t, int32_t> others_;   // operands -> equal values
  double cost_ = 0;
};

class Recomputation {
 public:
  Recomputation(const Graph& graph, int64_t limit)
      : program_(graph, "recompute"),
        steps_(graph, program_),
        most_values_(most_growth * (program_.values() + 1)),
        limit_(limit / memory_plan_alignment * memory_plan_alignment) {}

  // The program whose peak is at most the limit, or nothing.
  std::optional<Program> reduced() {
    while (excess(program_.memory()) > 0) {
      if (program_.values() > most_values_ || !(improve(false) || improve(true))) return std::nullopt;
    }
    share_repeated();
    return std::move(program_);
  }

 private:
  // What the bytes of all units exceed the limit by: each improvement makes it less.
  double excess(const Program::Memory& memory) const {
    double sum = 0;
    for (const int64_t bytes : memory.bytes) sum += static_cast<double>(std::max<int64_t>(0, bytes - limit_));
    return sum;
  }

  // The gaps at the unit with the peak.
  std::vector<Gap> gaps(const Program::Memory& memory) const {
    const auto peak = static_cast<int32_t>(std::ranges::max_element(memory.bytes) - memory.bytes.begin());
    std::vector<Gap> found;
    for (size_t value = 0; value < program_.values(); ++value) {
      if (memory.bases[value] != static_cast<int32_t>(value)) continue;
      const Program::Life& life = memory.lives[value];
      const auto next = std::ranges::lower_bound(life.uses, peak);
      if (!life.in_memory || life.is_kept || life.first >= peak || next == life.uses.end() || *next == peak) continue;
      const int32_t before = next == life.uses.begin() ? life.first : *(next - 1);
      found.push_back({static_cast<int32_t>(value), *next,
                       static_cast<double>(program_.storage_bytes_of(static_cast<int32_t>(value))) * (*next - before)});
    }
    return found;
  }

  bool improve(bool products) {
    const Program::Memory memory = program_.memory();
    const double before = excess(memory);
    std::vector<Chain> chains;
    for (const Gap& gap : gaps(memory)) {
      for (const bool recursive : {false, true}) {
        Chain chain(program_, memory, steps_, gap, products, recursive);
        if (chain.is_possible()) chains.push_back(std::move(chain));
      }
    }
    std::vector<const Chain*> order;
    for (const Chain& chain : chains) order.push_back(&chain);
    std::ranges::stable_sort(order, std::greater(), [](const Chain* chain) { return chain->score(); });
    for (const Chain* const chain : order) {
      Program next = chain->applied();
      if (excess(next.memory()) >= before) continue;
      program_ = std::move(next);
      return true;
    }
    return false;
  }

  // Uses of a value that was computed again read an earlier equal one, where the memory suffices.
  void share_repeated() {
    for (size_t u = 0; u < program_.units.size(); ++u) {
      for (size_t n = 0; n < program_.units[u].nodes.size(); ++n) {
        if (std::optional<Program> shared = without(program_.units[u].nodes[n])) {
          program_ = *std::move(shared);
          u = u == 0 ? 0 : u - 1;
          break;
        }
      }
    }
  }

  std::optional<Program> without(const Node& repeated) const {
    if (program_.origin(repeated.first) == repeated.first) return std::nullopt;
    for (const Unit& unit : program_.units) {
      for (const Node& node : unit.nodes) {
        if (&node == &repeated) return std::nullopt;
        if (node.step != repeated.step) continue;
        Program next = program_;
        for (Unit& later : next.units) {
          for (Node& reader : later.nodes) {
            for (int32_t& operand : reader.operands) {
              if (operand >= repeated.first && operand < repeated.first + repeated.step->results()) operand += node.first - repeated.first;
            }
          }
        }
        next.remove_dead();
        if (excess(next.memory()) == 0) return next;
      }
    }
    return std::nullopt;
  }

  Program program_;
  Steps steps_;
  size_t most_values_;
  int64_t limit_;
};

}  // namespace

Graph recompute(const Graph& graph, int64_t bytes) {
  const auto within = [&](int64_t limit) { return Recomputation(graph, limit).reduced(); };
  if (const auto program = within(bytes)) return program->graph();
  int64_t reached = peak_memory(graph), failed = std::max<int64_t>(bytes, 0) / memory_plan_alignment;
  while (reached / memory_plan_alignment - failed > 1) {
    const int64_t limit = (reached / memory_plan_alignment + failed) / 2;
    if (const auto program = within(limit * memory_plan_alignment))
      reached = program->memory().peak();
    else
      failed = limit;
  }
  fail<Status::unsupported>("recompute", "bytes", bytes, ", expected at least ", reached, ", the lowest peak that was reached");
}

}  // namespace mt
