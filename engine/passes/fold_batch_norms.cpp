#include <cmath>
#include <optional>

#include "engine/arguments/convert.h"
#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;

// The constant that an argument is, as float64 in order; nothing if it is none.
std::optional<Tensor> constant_of(const Graph& graph, const Argument& argument) {
  if (argument.type != Argument::Type::value || argument.value.of != Ref::Of::constant) return std::nullopt;
  const Tensor& t = graph.constants[static_cast<size_t>(argument.value.index)].tensor;
  if (!is_float(t.dtype()) || t.device() != cpu_device) return std::nullopt;
  return contiguous(to_dtype(t, DType::float64));
}

// y = factor conv(x) + summand, by channel.
struct Affine {
  std::vector<double> factor, summand;
};

// What a batchNorm step computes from its first argument; nothing unless that is known now.
std::optional<Affine> affine_of(const Graph& graph, const Graph::Step& step, int64_t channels) {
  const auto& [x, weight, bias, mean, variance, training, momentum, eps] =
      std::tie(step.arguments[0], step.arguments[1], step.arguments[2], step.arguments[3], step.arguments[4], step.arguments[5],
               step.arguments[6], step.arguments[7]);
  if (training.type != Argument::Type::none && (training.type != Argument::Type::immediate || training.immediate.boolean))
    return std::nullopt;
  if (eps.type != Argument::Type::none && eps.type != Argument::Type::immediate) return std::nullopt;
  Value eps_value = eps.immediate;
  if (eps.type == Argument::Type::none) set_default(eps_value, step.op->decl->signature.params[7]);
  const std::optional<Tensor> known[] = {constant_of(graph, weight), constant_of(graph, bias), constant_of(graph, mean),
                                         constant_of(graph, variance)};
  const Argument* const given[] = {&weight, &bias, &mean, &variance};
  for (int i = 0; i < 4; ++i) {
    const bool is_left_out = i < 2 && given[i]->type == Argument::Type::none;
    if (!is_left_out && (!known[i] || known[i]->numel() != channels)) return std::nullopt;
  }
  Affine affine;
  for (int64_t c = 0; c < channels; ++c) {
    const auto at = [&](int i, double standard) { return known[i] ? known[i]->data<double>()[c] : standard; };
    const double factor = at(0, 1) / std::sqrt(at(3, 1) + eps_value.as_double());
    affine.factor.push_back(factor);
    affine.summand.push_back(at(1, 0) - at(2, 0) * factor);
  }
  return affine;
}

Argument add_constant(Graph& graph, const Tensor& value) {
  graph.constants.push_back({new_constant_name(graph), value});
  return Argument(Ref{Ref::Of::constant, static_cast<int32_t>(graph.constants.size()) - 1});
}

}  // namespace

Graph fold_batch_norms(const Graph& graph) {
  const Uses uses(graph);
  Rewrite rewrite(graph);
  for (const Graph::Step& step : graph.steps) {
    if (step.op->decl->name != "batchNorm" || uses.is_used(step.first + 1) || uses.is_used(step.first + 2)) {
      rewrite.copy(step);
      continue;
    }
    const Graph::Step* const conv = producing_step(graph, uses, step.arguments[0], "conv2d");
    const std::optional<Tensor> weight =
        conv != nullptr && uses.only_user(conv->first) ? constant_of(graph, conv->arguments[1]) : std::nullopt;
    const bool has_bias = conv != nullptr && conv->has(2);
    const std::optional<Tensor> bias = has_bias ? constant_of(graph, conv->arguments[2]) : std::nullopt;
    const std::optional<Affine> affine = weight && (bias || !has_bias) ? affine_of(graph, step, weight->size(0)) : std::nullopt;
    if (!affine) {
      rewrite.copy(step);
      continue;
    }
    const DType dtype = graph.constants[static_cast<size_t>(conv->arguments[1].value.index)].tensor.dtype();
    const int64_t channels = weight->size(0), filter = weight->numel() / std::max<int64_t>(1, channels);
    const Tensor folded = clone(*weight), summand = Tensor::empty(DType::float64, {channels});
    for (int64_t c = 0; c < channels; ++c) {
      const double factor = affine->factor[static_cast<size_t>(c)];
      for (int64_t i = c * filter; i < (c + 1) * filter; ++i) folded.data<double>()[i] *= factor;
      summand.data<double>()[c] = affine->summand[static_cast<size_t>(c)] + (bias ? bias->data<double>()[c] * factor : 0);
    }
    Graph::Step unit = *conv;
    unit.arguments = rewrite.arguments(*conv);
    unit.arguments[1] = add_constant(rewrite.to(), to_dtype(folded, dtype));
    unit.arguments[2] = add_constant(rewrite.to(), to_dtype(summand, dtype));
    rewrite.add(unit, step.first);
  }
  return remove_unused_constants(remove_dead_steps(rewrite.finish()));
}

}  // namespace mt
