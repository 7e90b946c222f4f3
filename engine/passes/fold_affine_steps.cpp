#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "engine/passes/channel_affine.h"
#include "engine/passes/passes.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;

bool is_absent(const Argument& argument) { return argument.type == Argument::Type::none; }

// A conv2d or batchNorm that absorbs what follows. Its weight and bias are arguments 1 and 2, constants or absent.
struct Absorber {
  ChannelAffine affine;
  std::vector<double> largest, bias;  // by channel: the largest element of the weight, and the bias
  DType dtype;                        // of the new weight and bias

  // Whether the weight and the bias with what it absorbed so far are finite numbers of the dtype.
  bool fits(const ChannelAffine& whole) const {
    const Tensor all = Tensor::empty(DType::float64, {2, static_cast<int64_t>(bias.size())});
    double* to = all.data<double>();
    for (size_t c = 0; c < bias.size(); ++c) {
      *to++ = largest[c] * whole.factor[c];
      *to++ = bias[c] * whole.factor[c] + whole.summand[c];
    }
    const Tensor rounded = to_dtype(to_dtype(all, dtype), DType::float64);
    return std::all_of(rounded.data<double>(), rounded.data<double>() + rounded.numel(),
                       [](double number) { return std::isfinite(number); });
  }
};

class Folding {
 public:
  explicit Folding(const Graph& graph) : graph_(graph), uses_(graph), rewrite_(graph) {}

  Graph fold() {
    for (const Graph::Step& step : graph_.steps) {
      if (!absorb(step)) rewrite_.copy(step);
    }
    for (const auto& [index, absorber] : absorbers_) write(rewrite_.to().steps[index], absorber);
    return remove_unused_constants(remove_dead_steps(rewrite_.finish()));
  }

 private:
  // Makes a step part of the one that computes an operand. Returns false if it stays.
  bool absorb(const Graph::Step& step) {
    for (size_t i = 0; i < std::min<size_t>(2, step.arguments.size()); ++i) {
      const Argument& argument = step.arguments[i];
      if (argument.type != Argument::Type::value || argument.value.of != Ref::Of::result || !uses_.only_user(argument.value.index))
        continue;
      const std::optional<ValueType> type = graph_.type_of(argument.value);
      const auto affine = type ? channel_affine(graph_, uses_, step, argument.value, *type) : std::nullopt;
      if (affine && append(argument.value, *type, *affine)) {
        rewrite_.replace(step.first, rewrite_.at(argument.value));
        return true;
      }
    }
    return false;
  }

  bool append(Ref value, const ValueType& type, const ChannelAffine& affine) {
    const Ref now = rewrite_.at(value);
    const std::vector<Graph::Step>& steps = rewrite_.to().steps;
    const auto step = std::ranges::find_if(steps.rbegin(), steps.rend(), [&](const Graph::Step& each) { return each.first <= now.index; });
    if (step == steps.rend() || step->first != now.index) return false;
    const auto index = static_cast<size_t>(steps.rend() - step) - 1;
    auto known = absorbers_.find(index);
    if (known == absorbers_.end()) {
      std::optional<Absorber> made = absorber_of(*step, type);
      if (!made) return false;
      known = absorbers_.emplace(index, *std::move(made)).first;
    }
    ChannelAffine whole = known->second.affine;
    whole.append(affine);
    if (!known->second.fits(whole)) return false;
    known->second.affine = std::move(whole);
    return true;
  }

  std::optional<Absorber> absorber_of(const Graph::Step& step, const ValueType& type) const {
    const bool is_conv = step.op->decl->name == "conv2d";
    if ((!is_conv || type.sizes.size() != 4) && step.op->decl->name != "batchNorm") return std::nullopt;
    const auto channels = static_cast<size_t>(type.sizes[1]);
    const auto is_known = [&](const Argument& argument) {
      const Tensor* const t = fixed_constant(graph_, argument);
      return is_absent(argument) || (t != nullptr && t->dim() > 0 && t->size(0) == type.sizes[1]);
    };
    if (!is_known(step.arguments[1]) || !is_known(step.arguments[2]) || (is_conv && is_absent(step.arguments[1]))) return std::nullopt;
    Absorber made{ChannelAffine(channels), std::vector<double>(channels, 1), std::vector<double>(channels, 0), DType::float64};
    if (is_conv) made.dtype = fixed_constant(graph_, step.arguments[1])->dtype();
    if (const std::optional<Tensor> weight = elements(step.arguments[1])) {
      const int64_t part = weight->numel() / type.sizes[1];
      for (size_t c = 0; c < channels; ++c) {
        const double* const from = weight->data<double>() + static_cast<int64_t>(c) * part;
        made.largest[c] = 0;
        for (int64_t i = 0; i < part; ++i) made.largest[c] = std::max(made.largest[c], std::abs(from[i]));
      }
    }
    if (const std::optional<Tensor> bias = elements(step.arguments[2])) std::copy_n(bias->data<double>(), channels, made.bias.begin());
    return made;
  }

  // A constant in float64, in order.
  std::optional<Tensor> elements(const Argument& argument) const {
    if (is_absent(argument)) return std::nullopt;
    return contiguous(to_dtype(*fixed_constant(graph_, argument), DType::float64));
  }

  void write(Graph::Step& step, const Absorber& absorber) {
    const auto channels = static_cast<int64_t>(absorber.bias.size());
    const std::optional<Tensor> given = elements(step.arguments[1]);
    Tensor weight = given ? clone(*given) : Tensor::empty(DType::float64, {channels});
    if (!given) std::fill_n(weight.data<double>(), channels, 1.0);
    const Tensor bias = Tensor::empty(DType::float64, {channels});
    const int64_t part = weight.numel() / channels;
    for (int64_t c = 0; c < channels; ++c) {
      const auto at = static_cast<size_t>(c);
      for (int64_t i = c * part; i < (c + 1) * part; ++i) weight.data<double>()[i] *= absorber.affine.factor[at];
      bias.data<double>()[c] = absorber.bias[at] * absorber.affine.factor[at] + absorber.affine.summand[at];
    }
    step.arguments[1] = add_constant(rewrite_.to(), to_dtype(weight, absorber.dtype));
    step.arguments[2] = add_constant(rewrite_.to(), to_dtype(bias, absorber.dtype));
  }

  const Graph& graph_;
  const Uses uses_;
  Rewrite rewrite_;
  std::map<size_t, Absorber> absorbers_;  // by step of the new graph
};

}  // namespace

Graph fold_affine_steps(const Graph& graph) { return Folding(graph).fold(); }

}  // namespace mt
