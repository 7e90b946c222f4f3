// Recurrent layers: RNN, GRU and LSTM in one or both directions.
#include <algorithm>
#include <cmath>

#include "engine/onnx/node_kind.h"

namespace mt::onnx {
namespace {

// The operands of a layer, of one direction.
struct Direction {
  Tensor weight, recurrence;  // (gates * hidden, inputs), (gates * hidden, hidden)
  std::optional<Tensor> bias, recurrent_bias;
  Tensor hidden, cell;  // (batch, hidden)
  std::optional<Tensor> peepholes;
  bool reverse = false;
};

struct Layer {
  Tensor x;  // (time, batch, inputs)
  int64_t gates = 1, hidden = 0, directions = 1, time = 0, batch = 0;
  bool batch_first = false;
  std::vector<int64_t> lengths;  // of the sequences; empty: all are whole
};

// Activations are ops of their own, of which the first attributes are alpha and beta; two are not.
Tensor activated(const NodeRun& n, std::string_view name, const Tensor& x, double alpha, double beta) {
  if (name == "Affine") return n.eval("(x, alpha, beta) add(mul(x, alpha), beta)", {x, alpha, beta});
  if (name == "ScaledTanh") return n.eval("(x, alpha, beta) mul(tanh(mul(x, beta)), alpha)", {x, alpha, beta});
  constexpr std::string_view others[] = {"Sigmoid",     "Tanh", "Relu",     "LeakyRelu", "ThresholdedRelu",
                                         "HardSigmoid", "Elu",  "Softsign", "Softplus"};
  if (std::ranges::find(others, name) == std::end(others))
    n.refuse(concat("the activation ", name),
             "Sigmoid, Tanh, Relu, Affine, LeakyRelu, ThresholdedRelu, ScaledTanh, HardSigmoid, Elu, Softsign or Softplus");
  const NodeKind* const kind = find_node_kind({}, name);
  if (kind == nullptr) n.refuse(concat("the activation ", name, ", which is not in this build"), known_ops_shown());
  const Operand all[] = {x, alpha, beta};
  return evaluate_all(n.settings(), kind->formula,
                      std::span(all).first(1 + static_cast<size_t>(std::ranges::count(kind->attributes, '='))))[0];
}

// The activations of a direction: names, with their numbers.
class Activations {
 public:
  Activations(const NodeRun& n, std::initializer_list<std::string_view> usual, size_t direction) : n_(n), names_(usual) {
    const size_t count = names_.size();
    if (const Attribute* given = n.attribute("activations")) {
      if (given->strings.size() < (direction + 1) * count)
        n.refuse(concat(given->strings.size(), " activations"), concat((direction + 1) * count));
      for (size_t i = 0; i < count; ++i) names_[i] = given->strings[direction * count + i];
    }
    const auto alphas = n.numbers("activation_alpha"), betas = n.numbers("activation_beta");
    for (size_t i = 0; i < count; ++i) {
      const size_t at = direction * count + i;
      const bool is_hard = names_[i] == "HardSigmoid";
      alphas_.push_back(at < alphas.size() ? double{alphas[at]} : is_hard ? 0.2 : names_[i] == "LeakyRelu" ? 0.01 : 1.0);
      betas_.push_back(at < betas.size() ? double{betas[at]} : is_hard ? 0.5 : names_[i] == "ScaledTanh" ? 1.0 : 0.0);
    }
    clip_ = n.number("clip", 0);
  }

  Tensor operator()(size_t i, Tensor x) const {
    if (clip_ > 0) x = n_.eval("(x, least, most) clamp(x, least, most)", {x, -clip_, clip_});
    return activated(n_, names_[i], x, alphas_[i], betas_[i]);
  }
  bool are_usual(std::initializer_list<std::string_view> usual) const { return clip_ <= 0 && std::ranges::equal(names_, usual); }

 private:
  const NodeRun& n_;
  std::vector<std::string_view> names_;
  std::vector<double> alphas_, betas_;
  double clip_ = 0;
};

Layer layer_of(const NodeRun& n, int64_t gates) {
  Layer layer;
  if (n.rank(0) != 3 || n.rank(1) != 3 || n.rank(2) != 3) n.refuse("an input without 3 dimensions", "x, W and R with 3");
  layer.batch_first = n.integer("layout", 0) != 0;
  layer.x = layer.batch_first ? n.permuted(n.tensor(0), {1, 0, 2}) : n.tensor(0);
  layer.gates = gates;
  layer.directions = n.tensor(1).size(0);
  layer.hidden = n.tensor(2).size(2);
  layer.time = layer.x.size(0);
  layer.batch = layer.x.size(1);
  const bool both = n.string("direction", "forward") == "bidirectional";
  if (layer.directions != (both ? 2 : 1)) n.refuse(concat("weights for ", layer.directions, " directions"), both ? "2" : "1");
  if (n.tensor(1).size(1) != gates * layer.hidden || n.tensor(2).size(1) != gates * layer.hidden || n.tensor(1).size(2) != layer.x.size(2))
    n.refuse("weights of other sizes", concat(gates, " times ", layer.hidden, " rows"));
  if (n.has(4)) {
    layer.lengths = n.integers(4);
    if (layer.lengths.size() != static_cast<size_t>(layer.batch)) n.refuse(concat(layer.lengths.size(), " lengths"), concat(layer.batch));
    for (const int64_t length : layer.lengths) {
      if (length < 0 || length > layer.time) n.refuse(concat("a length of ", length), concat("0..", layer.time));
    }
    if (std::ranges::all_of(layer.lengths, [&](int64_t length) { return length == layer.time; })) layer.lengths.clear();
  }
  return layer;
}

// Part i of an operand's dimension of directions; zeros if there is none.
Tensor part(const NodeRun& n, const Layer& layer, size_t input, int64_t direction) {
  const Shape sizes{layer.batch, layer.hidden};
  if (!n.has(input)) return n.filled(sizes, 0, layer.x.dtype());
  const int dim = layer.batch_first ? 1 : 0;
  return n.reshaped(n.narrowed(n.tensor(input), dim, direction, 1), sizes);
}

Direction direction_of(const NodeRun& n, const Layer& layer, int64_t i) {
  const int64_t rows = layer.gates * layer.hidden;
  Direction made;
  made.weight = n.reshaped(n.narrowed(n.tensor(1), 0, i, 1), Shape{rows, layer.x.size(2)});
  made.recurrence = n.reshaped(n.narrowed(n.tensor(2), 0, i, 1), Shape{rows, layer.hidden});
  if (n.has(3)) {
    const Tensor both = n.reshaped(n.narrowed(n.tensor(3), 0, i, 1), Shape{2 * rows});
    made.bias = n.narrowed(both, 0, 0, rows);
    made.recurrent_bias = n.narrowed(both, 0, rows, rows);
  }
  made.hidden = part(n, layer, 5, i);
  made.reverse = i == 1 || n.string("direction", "forward") == "reverse";
  return made;
}

// Where step t is beyond the end of a sequence the state stays, and the output is 0.
Tensor mask_of(const NodeRun& n, const Layer& layer, int64_t t) {
  Tensor mask = Tensor::empty(DType::boolean, {layer.batch, 1});
  for (size_t i = 0; i < layer.lengths.size(); ++i) mask.data<bool>()[i] = t < layer.lengths[i];
  return n.broadcast({mask}, Shape{layer.batch, layer.hidden});
}

// Runs steps of a direction. `step(inputs, state)` changes the state from the sums of one step.
template <class Step>
std::vector<Tensor> run_steps(const NodeRun& n, const Layer& layer, const Direction& d, std::vector<Tensor>& state, Step&& step) {
  const Operand bias = d.bias ? Operand(*d.bias) : Operand::absent();
  const Tensor sums = n.eval("(x, weight, bias) linear(x, weight, bias)", {layer.x, d.weight, bias});
  std::vector<Tensor> outputs(static_cast<size_t>(layer.time));
  for (int64_t i = 0; i < layer.time; ++i) {
    const int64_t t = d.reverse ? layer.time - 1 - i : i;
    const Tensor now = n.reshaped(n.narrowed(sums, 0, t, 1), Shape{layer.batch, sums.size(2)});
    const std::vector<Tensor> before = state;
    step(now, state);
    Tensor output = state[0];
    if (!layer.lengths.empty()) {
      const Tensor mask = mask_of(n, layer, t);
      output = n.eval("(mask, x) where(mask, x, 0)", {mask, state[0]});
      for (size_t k = 0; k < state.size(); ++k) state[k] = n.eval("(mask, x, y) where(mask, x, y)", {mask, state[k], before[k]});
    }
    outputs[static_cast<size_t>(t)] = output;
  }
  return outputs;
}

// Y (time, directions, batch, hidden) and the last states, or with the batch first.
struct Results {
  std::vector<std::vector<Tensor>> outputs;  // by direction and time
  std::vector<std::vector<Tensor>> states;   // by direction
};

void give_results(NodeRun& n, const Layer& layer, const Results& results) {
  const Shape one{1, 1, layer.batch, layer.hidden};
  std::vector<Tensor> directions;
  for (const auto& outputs : results.outputs) {
    std::vector<Tensor> steps;
    for (const Tensor& output : outputs) steps.push_back(n.reshaped(output, one));
    directions.push_back(n.concatenated(steps, 0));
  }
  Tensor y = n.concatenated(directions, 1);
  if (layer.batch_first) y = n.permuted(y, {2, 0, 1, 3});
  n.give(y);
  for (size_t k = 0; k < results.states[0].size(); ++k) {
    std::vector<Tensor> last;
    for (const auto& state : results.states) last.push_back(n.reshaped(state[k], Shape{1, layer.batch, layer.hidden}));
    Tensor joined = n.concatenated(last, 0);
    if (layer.batch_first) joined = n.permuted(joined, {1, 0, 2});
    n.give(joined, false, k + 1);
  }
}

Tensor gate(const NodeRun& n, const Tensor& x, int64_t i, int64_t hidden) { return n.narrowed(x, 1, i * hidden, hidden); }

Tensor recurrent_sums(const NodeRun& n, const Direction& d, const Tensor& h) {
  return n.eval("(h, weight, bias) linear(h, weight, bias)",
                {h, d.recurrence, d.recurrent_bias ? Operand(*d.recurrent_bias) : Operand::absent()});
}

void rnn(NodeRun& n) {
  const Layer layer = layer_of(n, 1);
  Results results;
  for (int64_t i = 0; i < layer.directions; ++i) {
    const Direction d = direction_of(n, layer, i);
    const Activations f(n, {"Tanh"}, static_cast<size_t>(i));
    std::vector<Tensor> state{d.hidden};
    results.outputs.push_back(run_steps(n, layer, d, state, [&](const Tensor& now, std::vector<Tensor>& s) {
      s[0] = f(0, n.eval("(x, y) add(x, y)", {now, recurrent_sums(n, d, s[0])}));
    }));
    results.states.push_back(state);
  }
  give_results(n, layer, results);
}

// Gates z, r, h.
void gru(NodeRun& n) {
  const Layer layer = layer_of(n, 3);
  const int64_t m = layer.hidden;
  const bool resets_sums = n.integer("linear_before_reset", 0) != 0;
  Results results;
  for (int64_t i = 0; i < layer.directions; ++i) {
    const Direction d = direction_of(n, layer, i);
    const Activations f(n, {"Sigmoid", "Tanh"}, static_cast<size_t>(i));
    const Tensor last_weight = n.narrowed(d.recurrence, 0, 2 * m, m);
    const std::optional<Tensor> last_bias = d.recurrent_bias ? std::optional(n.narrowed(*d.recurrent_bias, 0, 2 * m, m)) : std::nullopt;
    std::vector<Tensor> state{d.hidden};
    results.outputs.push_back(run_steps(n, layer, d, state, [&](const Tensor& now, std::vector<Tensor>& s) {
      const Tensor sums = recurrent_sums(n, d, s[0]);
      const Tensor z = f(0, n.eval("(x, y) add(x, y)", {gate(n, now, 0, m), gate(n, sums, 0, m)}));
      const Tensor r = f(0, n.eval("(x, y) add(x, y)", {gate(n, now, 1, m), gate(n, sums, 1, m)}));
      Tensor inner;
      if (resets_sums) {
        inner = n.eval("(r, sums) cmul(r, sums)", {r, gate(n, sums, 2, m)});
      } else {
        const Tensor reset = n.eval("(r, h) cmul(r, h)", {r, s[0]});
        inner =
            n.eval("(h, weight, bias) linear(h, weight, bias)", {reset, last_weight, last_bias ? Operand(*last_bias) : Operand::absent()});
      }
      const Tensor h = f(1, n.eval("(x, y) add(x, y)", {gate(n, now, 2, m), inner}));
      s[0] = n.eval("(z, h, old) add(cmul(csub(h, cmul(z, h)), 1), cmul(z, old))", {z, h, s[0]});
    }));
    results.states.push_back(state);
  }
  give_results(n, layer, results);
}

// Gates i, o, f, c. The engine's cell has i, f, c, o: rows of the weights are permuted once.
Tensor reordered(const NodeRun& n, const Tensor& rows, int64_t m) {
  const Tensor parts[] = {n.narrowed(rows, 0, 0, m), n.narrowed(rows, 0, 2 * m, 2 * m), n.narrowed(rows, 0, m, m)};
  return n.concatenated(parts, 0);
}

void lstm(NodeRun& n) {
  const Layer layer = layer_of(n, 4);
  const int64_t m = layer.hidden;
  const bool couples = n.integer("input_forget", 0) != 0;
  Results results;
  for (int64_t i = 0; i < layer.directions; ++i) {
    Direction d = direction_of(n, layer, i);
    d.cell = part(n, layer, 6, i);
    const Activations f(n, {"Sigmoid", "Tanh", "Tanh"}, static_cast<size_t>(i));
    std::vector<Tensor> state{d.hidden, d.cell};
    const bool is_usual = f.are_usual({"Sigmoid", "Tanh", "Tanh"}) && !couples && !n.has(7);
    if (is_usual) {
      d.weight = reordered(n, d.weight, m);
      d.recurrence = reordered(n, d.recurrence, m);
      if (d.bias) d.bias = reordered(n, n.eval("(x, y) add(x, y)", {*d.bias, *d.recurrent_bias}), m);
      d.recurrent_bias.reset();
    }
    const auto peephole = [&](int64_t k) {
      return n.broadcast({n.reshaped(n.narrowed(n.narrowed(n.tensor(7), 0, i, 1), 1, k * m, m), Shape{1, m})}, Shape{layer.batch, m});
    };
    results.outputs.push_back(run_steps(n, layer, d, state, [&](const Tensor& now, std::vector<Tensor>& s) {
      const Tensor sums = n.eval("(x, y) add(x, y)", {now, recurrent_sums(n, d, s[0])});
      if (is_usual) {
        const auto both = n.eval_all("(x, c) lstm_cell(x, c)[1], lstm_cell(x, c)[2]", {sums, s[1]});
        s = {both[0], both[1]};
        return;
      }
      const auto seen = [&](const Tensor& x, int64_t k, const Tensor& c) {
        return n.has(7) ? n.eval("(x, p, c) add(x, cmul(p, c))", {x, peephole(k), c}) : x;
      };
      const Tensor in = f(0, seen(gate(n, sums, 0, m), 0, s[1]));
      const Tensor forget = couples ? n.eval("(x) rsub(x, 1)", {in}) : f(0, seen(gate(n, sums, 2, m), 2, s[1]));
      const Tensor c = n.eval("(f, c, i, g) add(cmul(f, c), cmul(i, g))", {forget, s[1], in, f(1, gate(n, sums, 3, m))});
      const Tensor out = f(0, seen(gate(n, sums, 1, m), 1, c));
      s = {n.eval("(o, c) cmul(o, c)", {out, f(2, c)}), c};
    }));
    results.states.push_back(state);
  }
  give_results(n, layer, results);
}

constexpr NodeKind kinds[] = {
    {"GRU", gru},
    {"LSTM", lstm},
    {"RNN", rnn},
};

}  // namespace

std::span<const NodeKind> recurrent_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
