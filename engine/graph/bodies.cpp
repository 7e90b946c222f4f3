#include "engine/graph/bodies.h"

#include <algorithm>

#include "engine/graph/control.h"

namespace mt {
namespace {

using Ref = Graph::Ref;

bool is_same(const Tensor& a, const Tensor& b) {
  return a.storage() == b.storage() && a.dtype() == b.dtype() && (a.storage() != nullptr ? a.same_geometry(b) : a.same_sizes(b));
}

// A tensor from outside.
struct Outside {
  Tensor tensor;
  bool is_read = false, is_written = false;
  size_t place = 0;  // among the carried tensors or the invariants
};

class Closing {
 public:
  Closing(const Op& op, std::span<const Graph> captured, size_t state) : op_(op), captured_(captured), state_(state) {
    for (const Graph& graph : captured) note(graph);
  }

  ClosedBodies close(const std::function<bool(const Tensor&)>& is_scratch) {
    ClosedBodies closed;
    std::erase_if(outside_, [&](const Outside& each) { return !each.is_read && (!each.is_written || is_scratch(each.tensor)); });
    for (Outside& each : outside_) {
      for (const Outside& other : outside_) {
        const bool overlaps = &other != &each && each.tensor.storage() != nullptr && other.tensor.storage() == each.tensor.storage();
        if (overlaps && each.is_written) refuse("two parts of one storage, of which one is written", "one");
      }
      std::vector<Tensor>& list = each.is_written ? closed.carried : closed.invariants;
      each.place = list.size();
      list.push_back(each.tensor);
    }
    for (size_t b = 0; b < captured_.size(); ++b) {
      const Graph& graph = captured_[b];
      const bool has_state = op_.decl->name != "while" || b == 1;
      if (!has_state && std::ranges::any_of(graph.updates, [&](const auto& update) { return find(target_of(graph, update)) != nullptr; }))
        refuse("a condition that writes to a tensor of the program", "writes of the body alone");
      closed.bodies.push_back(std::make_shared<const Graph>(closed_body(graph, closed, has_state)));
    }
    return closed;
  }

 private:
  [[noreturn]] void refuse(std::string_view actual, std::string_view expected) const {
    fail<Status::unsupported>(op_.decl->name, "", actual, ", expected ", expected);
  }

  void note(const Graph& graph) {
    std::vector<Outside*> known;
    outside_.reserve(outside_.size() + graph.constants.size());
    for (const Graph::Constant& constant : graph.constants) {
      if (find(constant.tensor) == nullptr) outside_.push_back({constant.tensor});
      known.push_back(find(constant.tensor));
    }
    const auto read = [&](Ref ref) {
      if (ref.of == Ref::Of::constant) known[static_cast<size_t>(ref.index)]->is_read = true;
    };
    for (const Graph::Step& step : graph.steps) {
      for (const Graph::Argument& argument : step.arguments) each_ref(argument, read);
    }
    std::ranges::for_each(graph.outputs, read);
    for (const Graph::Update& update : graph.updates) {
      read(update.value);
      if (update.target.of != Ref::Of::constant) refuse("a body that writes to its arguments", "one that returns new values");
      known[static_cast<size_t>(update.target.index)]->is_written = true;
    }
  }

  static const Tensor& target_of(const Graph& graph, const Graph::Update& update) {
    return graph.constants[static_cast<size_t>(update.target.index)].tensor;
  }

  Outside* find(const Tensor& tensor) {
    const auto found = std::ranges::find_if(outside_, [&](const Outside& each) { return is_same(each.tensor, tensor); });
    return found != outside_.end() ? &*found : nullptr;
  }

  // The input of a body that a tensor from outside becomes.
  Ref input_of(const Graph& graph, const ClosedBodies& closed, const Outside& each) const {
    const size_t first = each.is_written ? state_ : graph.inputs.size() + closed.carried.size();
    return {Ref::Of::input, static_cast<int32_t>(first + each.place)};
  }

  Graph closed_body(const Graph& graph, const ClosedBodies& closed, bool has_state) {
    Graph body;
    const auto slices = graph.inputs.begin() + static_cast<std::ptrdiff_t>(state_);
    body.inputs.assign(graph.inputs.begin(), slices);
    const auto add = [&](std::string_view letter, const std::vector<Tensor>& tensors) {
      for (size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& t = tensors[i];
        body.inputs.push_back({concat(letter, i + 1), kind_tensor, false, ValueType{t.dtype(), {t.sizes().begin(), t.sizes().end()}}});
      }
    };
    add("w", closed.carried);
    body.inputs.insert(body.inputs.end(), slices, graph.inputs.end());
    add("c", closed.invariants);
    const auto moved = [&](Ref& ref) {
      if (ref.of == Ref::Of::constant)
        ref = input_of(graph, closed, *find(graph.constants[static_cast<size_t>(ref.index)].tensor));
      else if (ref.of == Ref::Of::input && static_cast<size_t>(ref.index) >= state_)
        ref.index += static_cast<int32_t>(closed.carried.size());
    };
    body.steps = graph.steps;
    for (Graph::Step& step : body.steps) {
      for (Graph::Argument& argument : step.arguments) each_ref(argument, moved);
      std::ranges::for_each(step.writes, moved);
    }
    body.outputs = graph.outputs;
    std::ranges::for_each(body.outputs, moved);
    if (!has_state) return body;
    std::vector<Ref> values;
    for (const Tensor& t : closed.carried) {
      values.push_back(input_of(graph, closed, *find(t)));
      for (const Graph::Update& update : graph.updates) {
        if (!is_same(target_of(graph, update), t)) continue;
        values.back() = update.value;
        moved(values.back());
      }
    }
    const size_t at = op_.decl->name == "cond" ? body.outputs.size() : std::min(state_, body.outputs.size());
    body.outputs.insert(body.outputs.begin() + static_cast<std::ptrdiff_t>(at), values.begin(), values.end());
    return body;
  }

  const Op& op_;
  std::span<const Graph> captured_;
  size_t state_;
  std::vector<Outside> outside_;
};

}  // namespace

ClosedBodies close_bodies(const Op& op, std::span<const Graph> captured, size_t state,
                          const std::function<bool(const Tensor&)>& is_scratch) {
  return Closing(op, captured, state).close(is_scratch);
}

}  // namespace mt
