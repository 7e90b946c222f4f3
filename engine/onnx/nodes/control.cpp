// Control flow, which decides while the program runs: a captured graph has the branches and iterations of its capture, with guards.
#include <algorithm>

#include "engine/core/interrupt.h"
#include "engine/onnx/node_kind.h"

namespace mt::onnx {
namespace {

constexpr int64_t most_iterations = int64_t{1} << 40;

size_t body_called(const NodeRun& n, std::string_view name) {
  size_t body = 0;
  for (const Attribute& attribute : n.node().attributes) {
    if (attribute.graph == nullptr) continue;
    if (attribute.name == name) return body;
    ++body;
  }
  n.refuse(concat("no graph ", name), "one");
}

void give_all(NodeRun& n, std::vector<NodeValue> values) {
  for (size_t i = 0; i < values.size(); ++i) n.give_value(std::move(values[i]), i);
}

void branch(NodeRun& n) {
  const bool condition = n.integer(size_t{0}) != 0;
  give_all(n, run_body(n, body_called(n, condition ? "then_branch" : "else_branch"), {}));
}

// Slices that iterations or steps returned, joined along a new dimension.
Tensor stacked(const NodeRun& n, std::vector<NodeValue>& parts, int64_t axis, bool reverse) {
  if (reverse) std::ranges::reverse(parts);
  std::vector<Tensor> list;
  const int dim = n.axis(axis, parts[0].rank() + 1);
  for (const NodeValue& part : parts) {
    std::vector<int64_t> sizes(part.sizes().begin(), part.sizes().end());
    sizes.insert(sizes.begin() + dim, 1);
    list.push_back(n.reshaped(part.tensor, sizes));
  }
  return n.concatenated(list, dim);
}

NodeValue known(const Tensor& t) {
  NodeValue value{t, true};
  value.is_known = true;
  return value;
}

void loop(NodeRun& n) {
  const int64_t limit = n.has(0) ? n.integer(size_t{0}) : most_iterations;
  bool goes_on = !n.has(1) || n.integer(size_t{1}) != 0;
  std::vector<NodeValue> state;
  for (size_t i = 2; i < n.inputs(); ++i) state.push_back(n.in(i));
  const size_t body = body_called(n, "body");
  const size_t outputs = n.node().bodies[body]->outputs.size();
  if (outputs < state.size() + 1) n.refuse(concat(outputs, " outputs of the body"), concat("a condition and ", state.size(), " values"));
  std::vector<std::vector<NodeValue>> scanned(outputs - 1 - state.size());
  for (int64_t i = 0; i < limit && goes_on; ++i) {
    look_for_interrupt();
    std::vector<NodeValue> inputs{known(n.from_integers(std::span(&i, 1))), known(n.filled({}, 1, DType::boolean))};
    inputs.insert(inputs.end(), state.begin(), state.end());
    std::vector<NodeValue> results = run_body(n, body, std::move(inputs));
    const std::vector<int64_t> condition = n.elements<int64_t>(results[0].tensor, results[0].is_known);
    if (condition.size() != 1) n.refuse(concat("a condition of ", condition.size(), " elements"), "1");
    goes_on = condition[0] != 0;
    for (size_t k = 0; k < state.size(); ++k) state[k] = results[k + 1];
    for (size_t k = 0; k < scanned.size(); ++k) scanned[k].push_back(results[k + 1 + state.size()]);
  }
  const size_t carried = state.size();
  give_all(n, std::move(state));
  for (size_t k = 0; k < scanned.size(); ++k) {
    if (!n.wants(carried + k)) continue;
    if (!scanned[k].empty()) {
      n.give(stacked(n, scanned[k], 0, false), false, carried + k);
      continue;
    }
    const ValueInfo& output = n.node().bodies[body]->outputs[carried + 1 + k];
    std::vector<int64_t> sizes{0};
    for (const Extent& extent : output.sizes.value_or(std::vector<Extent>())) sizes.push_back(extent.size.value_or(0));
    n.give(Tensor::empty(dtype_of_elements(output.type).value_or(DType::float32), sizes), false, carried + k);
  }
}

// The body of a Scan, run for each slice of sequences along a dimension of each.
class Scanner {
 public:
  Scanner(NodeRun& n, size_t sequences) : node_(n), body_(body_called(n, "body")), sequences_(sequences) {
    outputs_ = n.node().bodies[body_]->outputs.size();
  }

  struct Results {
    std::vector<NodeValue> state;
    std::vector<std::vector<NodeValue>> outputs;  // of each slice
  };
  Results run(std::vector<NodeValue> state, std::span<const NodeValue> sequences, const std::vector<int>& dims,
              std::span<const int64_t> backwards, int64_t length) const {
    Results results{std::move(state), {}};
    const size_t carried = results.state.size();
    results.outputs.resize(outputs_ - carried);
    for (int64_t i = 0; i < length; ++i) {
      std::vector<NodeValue> inputs = results.state;
      for (size_t k = 0; k < sequences_; ++k)
        inputs.push_back(slice_of(node_, sequences[k], dims[k], backwards[k] != 0 ? sequences[k].sizes()[dims[k]] - 1 - i : i));
      std::vector<NodeValue> values = run_body(node_, body_, std::move(inputs));
      for (size_t k = 0; k < carried; ++k) results.state[k] = values[k];
      for (size_t k = 0; k < results.outputs.size(); ++k) results.outputs[k].push_back(values[carried + k]);
    }
    return results;
  }

  // A slice at a position, without the dimension.
  static NodeValue slice_of(const NodeRun& n, const NodeValue& x, int dim, int64_t at) {
    Shape sizes = x.sizes();
    sizes.erase(dim);
    return {n.reshaped(n.narrowed(x.tensor, dim, at, 1), sizes), sizes.size() == 0, x.is_known};
  }

 private:
  NodeRun& node_;
  size_t body_, sequences_, outputs_ = 0;
};

// The first inputs of a Scan and, behind them, its sequences.
struct Scanned {
  std::vector<NodeValue> state, sequences;
};

Scanned inputs_of_scan(const NodeRun& n, size_t first, size_t outputs) {
  const auto sequences = static_cast<size_t>(n.integer("num_scan_inputs", 0));
  if (sequences == 0 || sequences > n.inputs() - first)
    n.refuse(concat(sequences, " sequences of ", n.inputs() - first, " inputs"), "at least 1 of them");
  Scanned scanned;
  for (size_t i = first; i < n.inputs(); ++i) (i < n.inputs() - sequences ? scanned.state : scanned.sequences).push_back(n.in(i));
  if (outputs < scanned.state.size()) n.refuse(concat(outputs, " outputs of the body"), concat("at least ", scanned.state.size()));
  return scanned;
}

// The size of a dimension of all sequences.
int64_t common_size(const NodeRun& n, std::span<const NodeValue> sequences, const std::vector<int>& dims) {
  int64_t length = -1;
  for (size_t k = 0; k < sequences.size(); ++k) {
    const int64_t size = sequences[k].tensor.size(dims[k]);
    if (length >= 0 && size != length) n.refuse(concat("a sequence of ", size), concat(length));
    length = size;
  }
  return length;
}

// Of version 8: the inputs have a batch as first dimension and sequences along the second one; an optional first input has the length of
// each example's sequences. Outputs behind it are 0.
void scan_batches(NodeRun& n) {
  const size_t outputs = n.node().bodies[body_called(n, "body")]->outputs.size();
  auto [state, sequences] = inputs_of_scan(n, 1, outputs);
  const Scanner scanner(n, sequences.size());
  for (const NodeValue& value : sequences) {
    if (value.rank() < 2) n.refuse("a sequence without a batch", "batch x time");
  }
  const std::vector<int> examples(sequences.size(), 0), times(sequences.size(), 1);
  const int64_t batch = common_size(n, sequences, examples), longest = common_size(n, sequences, times);
  for (const NodeValue& value : state) {
    if (value.rank() < 1 || value.sizes()[0] != batch) n.refuse("a state of another batch", concat(batch, " examples"));
  }
  if (batch < 1) n.refuse("no example", "one or more");
  const std::vector<int64_t> lengths = n.has(0) ? n.integers(0) : std::vector<int64_t>(static_cast<size_t>(batch), longest);
  const auto backwards = n.integers("directions").value_or(std::vector<int64_t>(sequences.size(), 0));
  if (lengths.size() != static_cast<size_t>(batch) || backwards.size() != sequences.size())
    n.refuse("lengths or directions of another number", "one for each example or sequence");
  std::vector<std::vector<NodeValue>> states(state.size()), joined(outputs - state.size());
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t length = lengths[static_cast<size_t>(b)];
    if (length < 1 || length > longest) n.refuse(concat("a length of ", length), concat("1 to ", longest));
    const auto of_example = [&](std::span<const NodeValue> values) {
      std::vector<NodeValue> list;
      for (const NodeValue& value : values) list.push_back(Scanner::slice_of(n, value, 0, b));
      return list;
    };
    std::vector<NodeValue> own = of_example(sequences);
    for (NodeValue& sequence : own) sequence.tensor = n.narrowed(sequence.tensor, 0, 0, length);
    auto results = scanner.run(of_example(state), own, std::vector<int>(own.size(), 0), backwards, length);
    for (size_t k = 0; k < states.size(); ++k) states[k].push_back(std::move(results.state[k]));
    for (size_t k = 0; k < joined.size(); ++k)
      joined[k].push_back({n.padded(stacked(n, results.outputs[k], 0, false), 0, 0, longest - length, 0)});
  }
  for (size_t k = 0; k < states.size(); ++k) n.give(stacked(n, states[k], 0, false), false, k);
  for (size_t k = 0; k < joined.size(); ++k) n.give(stacked(n, joined[k], 0, false), false, states.size() + k);
}

void scan(NodeRun& n) {
  if (n.version() < 9) return scan_batches(n);
  const size_t outputs = n.node().bodies[body_called(n, "body")]->outputs.size();
  auto [state, sequences] = inputs_of_scan(n, 0, outputs);
  const size_t carried = state.size();
  const auto list = [&](std::string_view name, size_t count) { return n.integers(name).value_or(std::vector<int64_t>(count, 0)); };
  const auto axes = list("scan_input_axes", sequences.size()), backwards = list("scan_input_directions", sequences.size());
  const auto output_axes = list("scan_output_axes", outputs - carried),
             output_directions = list("scan_output_directions", outputs - carried);
  if (axes.size() != sequences.size() || backwards.size() != sequences.size() || output_axes.size() != outputs - carried ||
      output_directions.size() != outputs - carried)
    n.refuse("axes or directions of another number", "one for each sequence");
  std::vector<int> dims;
  for (size_t k = 0; k < sequences.size(); ++k) dims.push_back(n.axis(axes[k], sequences[k].rank()));
  const Scanner scanner(n, sequences.size());
  auto results = scanner.run(std::move(state), sequences, dims, backwards, common_size(n, sequences, dims));
  give_all(n, std::move(results.state));
  for (size_t k = 0; k < results.outputs.size(); ++k) {
    if (results.outputs[k].empty()) n.refuse("sequences without elements", "at least one");
    n.give(stacked(n, results.outputs[k], output_axes[k], output_directions[k] != 0), false, carried + k);
  }
}

constexpr auto itself = NodeKind::Knows::itself;

constexpr NodeKind kinds[] = {
    {"If", branch, {}, {}, itself},
    {"Loop", loop, {}, {}, itself},
    {"Scan", scan, {}, {}, itself},
};

}  // namespace

std::span<const NodeKind> control_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
