#include <algorithm>
#include <cmath>

#include "engine/graph/text.h"
#include "engine/passes/passes.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Token = Graph::SizeToken;

constexpr auto function = "capture";

class Generalizer {
 public:
  Generalizer(std::span<const Graph> samples, std::span<const int64_t> sizes, std::span<const InputDim> dims)
      : samples_(samples), sizes_(sizes), dims_(dims), graph_(samples[0]) {}

  Graph build() {
    for (const Graph& other : samples_.subspan(1)) expect_same_form(other);
    for (size_t i = 0; i < graph_.steps.size(); ++i) generalize(i);
    for (const InputDim& dim : dims_) {
      std::optional<ValueType>& type = graph_.inputs[static_cast<size_t>(dim.input)].type;
      type->sizes[static_cast<size_t>(dim.dim)] = ValueType::unknown_size;
    }
    graph_.result_types.clear();
    return std::move(graph_);
  }

 private:
  [[noreturn]] static void refuse_step(const Graph::Step& step, size_t number, std::string_view argument, std::string_view what) {
    const std::string origin = step.origin.empty() ? std::string() : concat(" (", step.origin, ")");
    fail<Status::unsupported>(function, "dynamic", "step ", number + 1, origin, ", ", step.op->decl->name, argument.empty() ? "" : ", ",
                              argument, ": ", what, ", expected the same program with sizes that grow in proportion");
  }
  [[noreturn]] void refuse(size_t step, std::string_view argument, std::string_view what) const {
    refuse_step(samples_[0].steps[step], step, argument, what);
  }

  void expect_same_form(const Graph& other) const {
    const Graph& base = samples_[0];
    const size_t common = std::min(base.steps.size(), other.steps.size());
    for (size_t i = 0; i < common; ++i) {
      const Graph::Step &a = base.steps[i], &b = other.steps[i];
      if (a.op != b.op || a.times != b.times || a.writes != b.writes) refuse(i, "", "another step for another size");
      if (a.into != b.into) refuse(i, "", "an out argument whose sizes change");
      const auto same_body = [](const auto& x, const auto& y) { return to_text(*x) == to_text(*y); };
      if (!std::ranges::equal(a.bodies, b.bodies, same_body)) refuse(i, "", "a body whose sizes change");
    }
    const Graph& longer = base.steps.size() > common ? base : other;
    if (longer.steps.size() > common) refuse_step(longer.steps[common], common, "", "a step that another size does not have");
    const auto same_constant = [](const Graph::Constant& a, const Graph::Constant& b) {
      return a.tensor.storage() == b.tensor.storage() && a.tensor.offset() == b.tensor.offset() && a.tensor.same_sizes(b.tensor);
    };
    const auto same_update = [](const Graph::Update& a, const Graph::Update& b) { return a.target == b.target && a.value == b.value; };
    if (!std::ranges::equal(base.constants, other.constants, same_constant))
      fail<Status::unsupported>(function, "dynamic", "constants whose sizes change, expected tensors of the same sizes");
    if (base.outputs != other.outputs || !std::ranges::equal(base.updates, other.updates, same_update))
      fail<Status::unsupported>(function, "dynamic", "other outputs or writes for another size, expected the same ones");
  }

  void generalize(size_t step) {
    Graph::Step& s = graph_.steps[step];
    for (size_t k = 0; k < s.arguments.size(); ++k) {
      const std::string_view name = s.op->decl->signature.params[k].name;
      Argument& argument = s.arguments[k];
      const auto at = [&](size_t sample) -> const Argument& { return samples_[sample].steps[step].arguments[k]; };
      for (size_t i = 1; i < samples_.size(); ++i) {
        const Argument& other = at(i);
        if (other.type != argument.type || other.value != argument.value || other.values != argument.values ||
            other.text != argument.text || other.sizes.size() != argument.sizes.size())
          refuse(step, name, "another argument for another size");
      }
      if (argument.type == Argument::Type::immediate) {
        generalize_immediate(step, name, argument, at);
        continue;
      }
      for (size_t d = 0; d < argument.sizes.size(); ++d) {
        std::vector<int64_t> values;
        for (size_t i = 0; i < samples_.size(); ++i) {
          const Graph::SizeExpression& expression = at(i).sizes[d];
          if (expression.size() != 1 || expression[0].type != Token::Type::number) refuse(step, name, "a computed size");
          values.push_back(expression[0].number);
        }
        argument.sizes[d] = expression_of(step, name, values);
      }
    }
  }

  template <class At> void generalize_immediate(size_t step, std::string_view name, Argument& argument, At&& at) {
    std::vector<int64_t> values;
    bool changes = false;
    const Value& first = argument.immediate;
    for (size_t i = 0; i < samples_.size(); ++i) {
      const Value& value = at(i).immediate;
      if (value.type != first.type) refuse(step, name, "another kind of argument for another size");
      const bool is_number = value.type == Value::Type::number || value.type == Value::Type::integer;
      const bool same = is_number ? value.as_double() == first.as_double() ||
                                        (value.as_double() != value.as_double() && first.as_double() != first.as_double())
                        : value.type == Value::Type::boolean ? value.boolean == first.boolean
                                                             : value.dtype == first.dtype && value.count == first.count;
      changes = changes || !same;
      if (!same && !is_number) refuse(step, name, "another argument for another size");
      if (is_number && std::abs(value.as_double()) < 0x1p53) values.push_back(static_cast<int64_t>(value.as_double()));
      if (!same && (values.size() != i + 1 || static_cast<double>(values[i]) != value.as_double()))
        refuse(step, name, "a number that depends on the size and is not whole");
    }
    if (!changes) return;
    if (static_cast<double>(values[0]) != first.as_double()) refuse(step, name, "a number that depends on the size and is not whole");
    Argument size;
    size.type = Argument::Type::size;
    size.sizes.push_back(expression_of(step, name, values));
    argument = std::move(size);
  }

  // The number as an expression of the size: a multiple of it, plus a number.
  Graph::SizeExpression expression_of(size_t step, std::string_view name, const std::vector<int64_t>& values) const {
    if (std::ranges::count(values, values[0]) == static_cast<std::ptrdiff_t>(values.size())) return {{.number = values[0]}};
    const int64_t rise = values[1] - values[0], run = sizes_[1] - sizes_[0], slope = rise / run;
    bool fits = rise % run == 0;
    for (size_t i = 1; i < values.size(); ++i) fits = fits && values[i] - values[0] == slope * (sizes_[i] - sizes_[0]);
    if (!fits) refuse(step, name, "a number that does not grow in proportion to the size");
    const Token extent{
        .type = Token::Type::extent, .dim = static_cast<int8_t>(dims_[0].dim), .tensor = {Graph::Ref::Of::input, dims_[0].input}};
    const int64_t rest = values[0] - slope * sizes_[0];
    Graph::SizeExpression expression;
    if (slope != 1) expression.push_back({.number = slope});
    expression.push_back(extent);
    if (slope != 1) expression.push_back({.type = Token::Type::multiply});
    if (rest != 0) {
      expression.push_back({.number = rest});
      expression.push_back({.type = Token::Type::add});
    }
    return expression;
  }

  std::span<const Graph> samples_;
  std::span<const int64_t> sizes_;
  std::span<const InputDim> dims_;
  Graph graph_;
};

}  // namespace

Graph generalize(std::span<const Graph> samples, std::span<const int64_t> sizes, std::span<const InputDim> dims) {
  if (samples.size() < 3 || sizes.size() != samples.size() || sizes[0] == sizes[1] || dims.empty())
    fail(function, "dynamic", samples.size(), " captures and ", dims.size(), " dimensions, expected 3 captures or more and a dimension");
  for (const InputDim& dim : dims) {
    const std::vector<Graph::Input>& inputs = samples[0].inputs;
    const bool exists = dim.input >= 0 && static_cast<size_t>(dim.input) < inputs.size() && inputs[static_cast<size_t>(dim.input)].type;
    if (!exists || dim.dim < 0 || static_cast<size_t>(dim.dim) >= inputs[static_cast<size_t>(dim.input)].type->sizes.size())
      fail<Status::range>(function, "dynamic", "a dimension that no input has, expected dimensions of inputs");
  }
  return Generalizer(samples, sizes, dims).build();
}

}  // namespace mt
