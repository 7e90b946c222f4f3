#include <algorithm>
#include <set>

#include "engine/core/geometry.h"
#include "engine/graph/fused_steps.h"
#include "engine/graph/infer.h"
#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"

namespace mt {
namespace {

using Ref = Graph::Ref;

bool is_effect(const Graph::Step& step) { return !step.writes.empty(); }

// Divides the steps of a graph into groups. Each group can run at once: no path between two of its steps leads through another group.
class Grouping {
 public:
  explicit Grouping(const Graph& graph)
      : graph_(graph),
        types_(infer_types(graph)),
        uses_(graph),
        readers_(static_cast<size_t>(graph.result_count())),
        is_kept_(readers_.size(), false),
        group_of_(graph.steps.size()),
        members_(graph.steps.size()),
        before_(graph.steps.size()),
        ancestors_(graph.steps.size(), std::vector<uint64_t>(graph.steps.size() / 64 + 1, 0)) {
    note_uses();
    for (size_t i = 0; i < graph.steps.size(); ++i) join_operands(i);
    for (size_t i = 0; i < graph.steps.size(); ++i) close(i);
    for (size_t group = 0; group < graph.steps.size(); ++group) divide(group);
  }

  // The groups in an order in which each finds its operands.
  std::vector<std::vector<size_t>> ordered() const {
    std::vector<std::vector<size_t>> list;
    std::vector<size_t> waits(members_.size(), 0);  // for how many groups each one waits
    std::vector<std::vector<size_t>> after(members_.size());
    std::set<std::pair<size_t, size_t>> ready;  // by the last step of the group: nothing runs earlier than in the program
    for (size_t g = 0; g < members_.size(); ++g) {
      if (members_[g].empty()) continue;
      const std::set<size_t> before = groups_before(g);
      waits[g] = before.size();
      for (const size_t b : before) after[b].push_back(g);
      if (before.empty()) ready.emplace(members_[g].back(), g);
    }
    while (!ready.empty()) {
      const size_t g = ready.begin()->second;
      ready.erase(ready.begin());
      list.push_back(members_[g]);
      for (const size_t a : after[g]) {
        if (--waits[a] == 0) ready.emplace(members_[a].back(), a);
      }
    }
    return list;
  }

 private:
  static constexpr size_t most_members = FusedSchedule::max_temporaries;

  void note_uses() {
    size_t draw = 0,
           effect = 0;  // steps that draw, and those that write, keep their order; 0: none yet, else the number of the step plus 1
    for (size_t i = 0; i < graph_.steps.size(); ++i) {
      const Graph::Step& step = graph_.steps[i];
      group_of_[i] = i;
      members_[i] = {i};
      for (const Graph::Argument& argument : step.arguments) {
        each_ref(argument, [&](Ref ref) {
          if (ref.of != Ref::Of::result) return;
          readers_[static_cast<size_t>(ref.index)].push_back(i);
          before_[i].push_back(uses_.producer(ref.index));
        });
      }
      if (draws(step)) {
        if (draw > 0) before_[i].push_back(draw - 1);
        draw = i + 1;
      }
      if (is_effect(step)) {
        for (size_t earlier = effect; earlier < i; ++earlier) before_[i].push_back(earlier);
        effect = i + 1;
      }
      if (effect > 0 && effect <= i) before_[i].push_back(effect - 1);
      for (const size_t step : before_[i]) {
        add_ancestors(i, step);
        add_ancestor(i, step);
      }
    }
    const auto keep = [&](Ref ref) {
      if (ref.of == Ref::Of::result) is_kept_[static_cast<size_t>(ref.index)] = true;
    };
    std::ranges::for_each(graph_.outputs, keep);
    for (const Graph::Update& update : graph_.updates) keep(update.value);
    for (const Graph::Step& step : graph_.steps) std::ranges::for_each(step.writes, keep);
  }

  std::optional<ValueType> type_of(Ref ref) const {
    return ref.of == Ref::Of::result ? types_[static_cast<size_t>(ref.index)] : graph_.type_of(ref);
  }

  // Whether a loop over the elements of the step's result can compute it.
  bool is_loop(size_t i) const {
    const Graph::Step& step = graph_.steps[i];
    if (!is_fusible(step)) return false;
    const std::optional<ValueType> result = types_[static_cast<size_t>(step.first)];
    if (!result || std::ranges::count(result->sizes, 0) > 0) return false;
    for (const Graph::Argument& argument : step.arguments) {
      if (argument.type != Graph::Argument::Type::value) continue;
      const std::optional<ValueType> operand = type_of(argument.value);
      if (!operand || operand->sizes.empty() || !broadcasts_to(operand->sizes, result->sizes)) return false;
    }
    const FusedSteps alone(graph_, i, i + 1);
    std::vector<DType> dtypes;
    for (const Ref ref : alone.operands()) dtypes.push_back(type_of(ref)->dtype);
    return alone.accepts(dtypes);
  }

  // Joins an elementwise step to the groups of its operands.
  void join_operands(size_t i) {
    if (!is_loop(i)) return;
    is_loop_.insert(i);
    const ValueType& type = *types_[static_cast<size_t>(graph_.steps[i].first)];
    for (const Graph::Argument& argument : graph_.steps[i].arguments) {
      if (argument.type != Graph::Argument::Type::value || argument.value.of != Ref::Of::result) continue;
      const size_t producer = uses_.producer(argument.value.index);
      if (is_loop_.count(producer) == 0) continue;
      const bool same_sizes = types_[static_cast<size_t>(argument.value.index)]->sizes == type.sizes;
      if (same_sizes && group_of_[producer] != group_of_[i] && may_join(group_of_[producer], group_of_[i]))
        join(group_of_[producer], group_of_[i]);
    }
  }

  std::set<size_t> groups_before(size_t group) const {
    std::set<size_t> before;
    for (const size_t member : members_[group]) {
      for (const size_t step : before_[member]) {
        if (group_of_[step] != group) before.insert(group_of_[step]);
      }
    }
    return before;
  }

  bool may_join(size_t a, size_t b) const {
    if (members_[a].size() + members_[b].size() > most_members) return false;
    std::set<Ref, Order> operands;
    for (const size_t group : {a, b}) {
      for (const size_t member : members_[group]) {
        for (const Graph::Argument& argument : graph_.steps[member].arguments) {
          each_ref(argument, [&](Ref ref) {
            const size_t from = ref.of == Ref::Of::result ? group_of_[uses_.producer(ref.index)] : members_.size();
            if (from != a && from != b) operands.insert(ref);
          });
        }
      }
    }
    if (operands.size() >= FusedSchedule::max_tensors) return false;
    return !leads_around(a, b) && !leads_around(b, a);
  }

  struct Order {
    bool operator()(Ref x, Ref y) const { return std::pair(x.of, x.index) < std::pair(y.of, y.index); }
  };

  // Whether a path leads from one group to another through a third one.
  bool leads_around(size_t from, size_t to) const {
    return std::ranges::any_of(groups_before(to), [&](size_t group) { return group != from && depends(group, from); });
  }

  bool depends(size_t group, size_t on) const { return (ancestors_[group][on / 64] >> on % 64 & 1) != 0; }
  void add_ancestors(size_t group, size_t of) {
    for (size_t w = 0; w < ancestors_[group].size(); ++w) ancestors_[group][w] |= ancestors_[of][w];
  }
  void add_ancestor(size_t group, size_t ancestor) { ancestors_[group][ancestor / 64] |= uint64_t{1} << ancestor % 64; }

  void join(size_t a, size_t b) {
    for (const size_t member : members_[b]) group_of_[member] = a;
    std::vector<size_t> all;
    std::ranges::merge(members_[a], members_[b], std::back_inserter(all));
    members_[a] = std::move(all);
    members_[b].clear();
    add_ancestors(a, b);
    for (const size_t group : {a, b}) ancestors_[a][group / 64] &= ~(uint64_t{1} << group % 64);
    for (size_t group = 0; group < graph_.steps.size(); ++group) {
      if (members_[group].empty() || (!depends(group, a) && !depends(group, b))) continue;
      add_ancestors(group, a);
      add_ancestor(group, a);
    }
  }

  // Whether only members of the group, or step `reader`, read the results of the group.
  bool is_private(size_t group, size_t reader) const {
    for (const size_t member : members_[group]) {
      const auto result = static_cast<size_t>(graph_.steps[member].first);
      if (is_kept_[result]) return false;
      for (const size_t i : readers_[result]) {
        if (i != reader && group_of_[i] != group) return false;
      }
    }
    return true;
  }

  // Joins a reduction or softmax to the group whose only result it reads.
  void close(size_t i) {
    const Graph::Step& step = graph_.steps[i];
    if (!is_fusible_end(step) || step.arguments[0].value.of != Ref::Of::result) return;
    const int32_t result = step.arguments[0].value.index;
    const auto operand = static_cast<size_t>(result);
    const size_t producer = uses_.producer(result), group = group_of_[producer];
    if (is_loop_.count(producer) == 0 || readers_[operand].size() != 1 || members_[group].back() != producer) return;
    if (is_private(group, i) && !leads_around(group, i)) join(group, i);
  }

  // Divides a group that is too large for a loop.
  void divide(size_t group) {
    std::vector<size_t> rest = std::move(members_[group]);
    if (rest.size() < 2 || has_room(rest)) {
      members_[group] = std::move(rest);
      return;
    }
    const auto middle = rest.begin() + static_cast<std::ptrdiff_t>(rest.size() / 2);
    const size_t second = members_.size();
    members_[group] = {rest.begin(), middle};
    members_.emplace_back(middle, rest.end());
    for (const size_t member : members_[second]) group_of_[member] = second;
    divide(group);
    divide(second);
  }

  // Whether a loop has room for the tensors that the members read, and for the results that others need.
  bool has_room(const std::vector<size_t>& members) const {
    const auto is_member = [&](size_t i) { return std::ranges::binary_search(members, i); };
    std::set<Ref, Order> tensors;
    for (const size_t member : members) {
      for (const Graph::Argument& argument : graph_.steps[member].arguments) {
        each_ref(argument, [&](Ref ref) {
          if (ref.of != Ref::Of::result || !is_member(uses_.producer(ref.index))) tensors.insert(ref);
        });
      }
      const int32_t result = graph_.steps[member].first;
      const auto at = static_cast<size_t>(result);
      if (is_kept_[at] || !std::ranges::all_of(readers_[at], is_member)) tensors.insert({Ref::Of::result, result});
    }
    return tensors.size() <= FusedSchedule::max_tensors;
  }

  const Graph& graph_;
  std::vector<std::optional<ValueType>> types_;
  Uses uses_;
  std::vector<std::vector<size_t>> readers_;      // steps, by result
  std::vector<bool> is_kept_;                     // by result: an output, an update or a write needs it
  std::set<size_t> is_loop_;                      // elementwise steps
  std::vector<size_t> group_of_;                  // by step
  std::vector<std::vector<size_t>> members_;      // steps in order, by group
  std::vector<std::vector<size_t>> before_;       // by step: the steps that must run before
  std::vector<std::vector<uint64_t>> ancestors_;  // by group: all groups that must run before, a bit each
};

// Copies the groups, in order; those of several steps are fused.
Graph copied(const Graph& graph, const std::vector<std::vector<size_t>>& groups) {
  Rewrite rewrite(graph);
  int32_t fusions = 0;
  for (const std::vector<size_t>& group : groups) {
    const int32_t fusion = group.size() > 1 ? ++fusions : 0;
    for (const size_t i : group) {
      rewrite.copy(graph.steps[i]);
      rewrite.to().steps.back().fusion = fusion;
    }
  }
  return rewrite.finish();
}

}  // namespace

Graph fuse(const Graph& graph) { return copied(graph, Grouping(graph).ordered()); }

}  // namespace mt
