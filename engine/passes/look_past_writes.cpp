#include <algorithm>
#include <optional>

#include "engine/graph/infer.h"
#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;

// Elements first..last of a value, of which all elements of a view are.
struct Bounds {
  int64_t first, last;
  Bounds(int64_t offset, Sizes sizes, Sizes strides) : first(offset), last(offset) {
    for (size_t d = 0; d < sizes.size(); ++d) (strides[d] < 0 ? first : last) += (sizes[d] - 1) * strides[d];
  }
  bool is_apart_from(const Bounds& other) const { return last < other.first || other.last < first; }
};

std::optional<Shape> numbers_of(const Argument& argument) {
  Shape numbers;
  if (argument.type != Argument::Type::sizes) return std::nullopt;
  for (const Graph::SizeExpression& size : argument.sizes) {
    if (size.size() != 1 || size[0].type != Graph::SizeToken::Type::number) return std::nullopt;
    numbers.push(size[0].number);
  }
  return numbers;
}

// The part that a strided_scatter replaces.
std::optional<Bounds> replaced_part(const Graph::Step& step) {
  const std::optional<Shape> sizes = numbers_of(step.arguments[2]), strides = numbers_of(step.arguments[3]);
  const Argument& offset = step.arguments[4];
  if (!sizes || !strides || sizes->size() != strides->size()) return std::nullopt;
  if (offset.type == Argument::Type::none) return Bounds(0, *sizes, *strides);
  if (offset.type != Argument::Type::immediate || offset.immediate.type != Value::Type::integer) return std::nullopt;
  return Bounds(offset.immediate.integer, *sizes, *strides);
}

Argument list_of(Sizes numbers) {
  Argument list;
  list.type = Argument::Type::sizes;
  for (const int64_t number : numbers) list.sizes.push_back({{.number = number}});
  return list;
}

// Finds the oldest value in which a view has the elements that it has now.
class Past {
 public:
  explicit Past(const Graph& graph) : graph_(graph), uses_(graph), tensors_(results_on_meta(graph)) {}

  // The strided_view for a step that can look past a write; nothing for others.
  std::optional<Graph::Step> view_of_past(const Graph::Step& step) const {
    static const Op& strided_view = *Registry::instance().find("strided_view");
    if (step.op->decl->sharing == Sharing::none || step.results() != 1 || step.op->decl->name == "strided_scatter") return std::nullopt;
    const Tensor& view = tensors_[static_cast<size_t>(step.first)];
    const std::optional<Ref> base = base_of(step);
    if (!base || view.storage() == nullptr || view.numel() == 0) return std::nullopt;
    Ref past = *base;
    while (const Graph::Step* const write = scatter(past)) {
      const std::optional<Bounds> part = replaced_part(*write);
      const Argument& whole = write->arguments[0];
      const bool is_apart = part && part->is_apart_from(Bounds(view.offset(), view.sizes(), view.strides()));
      if (!is_apart || whole.type != Argument::Type::value || whole.value.of != Ref::Of::result || !is_dense(whole.value)) break;
      past = whole.value;
    }
    if (past == *base) return std::nullopt;
    Value offset;
    offset.type = Value::Type::integer;
    offset.integer = view.offset();
    Graph::Step past_view;
    past_view.op = &strided_view;
    past_view.origin = step.origin;
    past_view.arguments = {Argument(past), list_of(view.sizes()), list_of(view.strides()), Argument(offset)};
    return past_view;
  }

 private:
  const Tensor& tensor(Ref result) const { return tensors_[static_cast<size_t>(result.index)]; }
  const Graph::Step& step(Ref result) const { return graph_.steps[uses_.producer(result.index)]; }
  bool is_dense(Ref result) const { return tensor(result).is_contiguous() && tensor(result).offset() == 0; }
  const Graph::Step* scatter(Ref result) const {
    const Graph::Step& made_by = step(result);
    return made_by.op->decl->name == "strided_scatter" ? &made_by : nullptr;
  }
  // The result of a strided_scatter of which a step returns a view.
  std::optional<Ref> base_of(const Graph::Step& view) const {
    const Graph::Step* at = &view;
    while (at->op->decl->sharing != Sharing::none) {
      if (at->arguments.empty() || at->arguments[0].type != Argument::Type::value) return std::nullopt;
      const Ref from = at->arguments[0].value;
      if (from.of != Ref::Of::result || tensor(from).storage() != tensors_[static_cast<size_t>(view.first)].storage()) return std::nullopt;
      if (scatter(from) != nullptr) return is_dense(from) ? std::optional(from) : std::nullopt;
      at = &step(from);
    }
    return std::nullopt;
  }

  const Graph& graph_;
  Uses uses_;
  std::vector<Tensor> tensors_;
};

}  // namespace

Graph look_past_writes(const Graph& graph) {
  const Past past(graph);
  Rewrite rewrite(graph);
  for (const Graph::Step& step : graph.steps) {
    if (std::optional<Graph::Step> view = past.view_of_past(step)) {
      view->arguments = rewrite.arguments(*view);
      rewrite.add(*std::move(view), step.first);
    } else {
      rewrite.copy(step);
    }
  }
  return remove_dead_steps(rewrite.finish());
}

}  // namespace mt
