#include <algorithm>
#include <cmath>

#include "engine/graph/shown.h"
#include "engine/graph/text.h"
#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/size_constants.h"
#include "engine/passes/size_formulas.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;
using Token = Graph::SizeToken;

constexpr auto function = "capture";

class Generalizer {
 public:
  Generalizer(std::span<const Graph> samples, std::span<const OpenDim> dims)
      : samples_(samples), dims_(dims), formulas_(samples, dims), rewrite_(samples[0]), made_(samples[0].constants.size()) {}

  Graph build() {
    for (const Graph& other : samples_.subspan(1)) expect_same_form(other);
    for (size_t c = 0; c < made_.size(); ++c) generalize_constant(c);
    for (size_t i = 0; i < samples_[0].steps.size(); ++i) {
      Graph::Step step = samples_[0].steps[i];
      generalize(i, step);
      rewrite_.copy(step);
      each_value(rewrite_.to().steps.back(), [this](Ref& ref) { ref = replaced(ref); });
      formulas_.add_results(step);
    }
    Graph graph = rewrite_.finish();
    for (Ref& output : graph.outputs) output = replaced(output);
    for (Graph::Update& update : graph.updates) update.value = replaced(update.value);
    for (const OpenDim& dim : dims_) open(graph.inputs[static_cast<size_t>(dim.input)], dim);
    graph.result_types.clear();
    return graph;
  }

 private:
  template <class Step, class F> static void each_value(Step& step, F&& f) {
    for (auto& argument : step.arguments) each_ref(argument, f);
    for (auto& ref : step.writes) f(ref);
  }

  static void open(Graph::Input& input, const OpenDim& dim) {
    const auto d = static_cast<size_t>(dim.dim);
    input.type->sizes[d] = ValueType::unknown_size;
    if (dim.name.empty()) return;
    input.size_names.resize(input.type->sizes.size());
    input.size_names[d] = dim.name;
  }

  [[noreturn]] static void refuse_step(const Graph::Step& step, size_t number, std::string_view argument, std::string_view what,
                                       std::string_view expected = "the same program with sizes that grow in proportion") {
    const std::string origin = step.origin.empty() ? std::string() : concat(" (", step.origin, ")");
    fail<Status::unsupported>(function, "dynamic", "step ", number + 1, origin, ", ", step.op->decl->name, argument.empty() ? "" : ", ",
                              argument, ": ", what, ", expected ", expected);
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
      if (!std::ranges::equal(a.bodies, b.bodies, same_body))
        refuse_step(a, i, "", "a body whose sizes change", "the same ones in each run");
    }
    const Graph& longer = base.steps.size() > common ? base : other;
    if (longer.steps.size() > common) refuse_step(longer.steps[common], common, "", "a step that another size does not have");
    const auto same_update = [](const Graph::Update& a, const Graph::Update& b) { return a.target == b.target && a.value == b.value; };
    if (base.constants.size() != other.constants.size() || base.outputs != other.outputs ||
        !std::ranges::equal(base.updates, other.updates, same_update))
      fail<Status::unsupported>(function, "dynamic", "other outputs, constants or writes for another size, expected the same ones");
  }

  // ---- constants

  // A constant that the program makes anew in each capture stays if its elements are the same, else steps compute it.
  void generalize_constant(size_t c) {
    std::vector<Tensor> tensors;
    for (const Graph& sample : samples_) tensors.push_back(sample.constants[c].tensor);
    const Ref ref{Ref::Of::constant, static_cast<int32_t>(c)};
    const bool is_shared = std::ranges::all_of(tensors, [&](const Tensor& t) {
      return t.storage() == tensors[0].storage() && t.offset() == tensors[0].offset() && t.same_sizes(tensors[0]);
    });
    if (is_shared) return;
    if (is_written(samples_[0], ref)) refuse_constant(ref, "a write to a tensor that the program makes anew in each run");
    if (std::ranges::all_of(tensors, [&](const Tensor& t) { return have_same_bits(tensors[0], t); })) return;
    made_[c] = append_constant(rewrite_.to(), tensors, formulas_);
    if (!made_[c]) refuse_constant(ref, "a tensor of the program whose elements depend on the size, and don't rise evenly or repeat");
  }

  // Names the step that uses a constant.
  [[noreturn]] void refuse_constant(Ref constant, std::string_view what) const {
    for (size_t i = 0; i < samples_[0].steps.size(); ++i) {
      const Graph::Step& step = samples_[0].steps[i];
      for (size_t k = 0; k < step.arguments.size(); ++k) {
        each_ref(step.arguments[k], [&](Ref ref) {
          if (ref == constant) refuse(i, step.op->decl->signature.params[k].name, what);
        });
      }
    }
    fail<Status::unsupported>(function, "dynamic", what, ", expected the same program with sizes that grow in proportion");
  }

  Ref replaced(Ref ref) const {
    if (ref.of != Ref::Of::constant || static_cast<size_t>(ref.index) >= made_.size()) return ref;
    return made_[static_cast<size_t>(ref.index)].value_or(ref);
  }

  // ---- arguments of steps

  void generalize(size_t step, Graph::Step& s) const {
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

  template <class At> void generalize_immediate(size_t step, std::string_view name, Argument& argument, At&& at) const {
    std::vector<int64_t> values;
    bool changes = false;
    const Value& first = argument.immediate;
    for (size_t i = 0; i < samples_.size(); ++i) {
      const Value& value = at(i).immediate;
      if (value.type != first.type) refuse(step, name, "another kind of argument for another size");
      const bool is_number = value.type == Value::Type::number || value.type == Value::Type::integer;
      const bool same = value.type == Value::Type::element ? shown_complex(value) == shown_complex(first)
                        : is_number                        ? value.as_double() == first.as_double() ||
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

  Graph::SizeExpression expression_of(size_t step, std::string_view name, const std::vector<int64_t>& values) const {
    auto found = formulas_.find(values);
    if (!found) refuse(step, name, "a number that does not grow in proportion to the size");
    return std::move(*found);
  }

  std::span<const Graph> samples_;
  std::span<const OpenDim> dims_;
  SizeFormulas formulas_;
  Rewrite rewrite_;
  std::vector<std::optional<Ref>> made_;  // the values of constants that steps compute
};

void check(std::span<const Graph> samples, std::span<const OpenDim> dims) {
  if (samples.size() < 3 || dims.empty())
    fail(function, "dynamic", samples.size(), " captures and ", dims.size(), " dimensions, expected 3 captures or more and a dimension");
  for (const Graph& sample : samples) {
    for (const OpenDim& dim : dims) {
      const bool exists =
          dim.input >= 0 && static_cast<size_t>(dim.input) < sample.inputs.size() && sample.inputs[static_cast<size_t>(dim.input)].type;
      if (!exists || dim.dim < 0 || static_cast<size_t>(dim.dim) >= sample.inputs[static_cast<size_t>(dim.input)].type->sizes.size())
        fail<Status::range>(function, "dynamic", "a dimension that no input has, expected dimensions of inputs");
    }
  }
}

}  // namespace

Graph generalize(std::span<const Graph> samples, std::span<const OpenDim> dims) {
  check(samples, dims);
  return Generalizer(samples, dims).build();
}

}  // namespace mt
