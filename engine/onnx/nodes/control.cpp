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

void scan(NodeRun& n) {
  if (n.version() < 9) n.refuse("Scan of version 8, which has batches", "version 9 or newer");
  const auto sequences = static_cast<size_t>(n.integer("num_scan_inputs", 0));
  if (sequences == 0 || sequences > n.inputs()) n.refuse(concat(sequences, " sequences of ", n.inputs(), " inputs"), "at least 1 of them");
  const size_t carried = n.inputs() - sequences, body = body_called(n, "body");
  const size_t outputs = n.node().bodies[body]->outputs.size();
  if (outputs < carried) n.refuse(concat(outputs, " outputs of the body"), concat("at least ", carried));
  const auto list = [&](std::string_view name, size_t count) { return n.integers(name).value_or(std::vector<int64_t>(count, 0)); };
  const auto axes = list("scan_input_axes", sequences), backwards = list("scan_input_directions", sequences);
  const auto output_axes = list("scan_output_axes", outputs - carried),
             output_directions = list("scan_output_directions", outputs - carried);
  if (axes.size() != sequences || backwards.size() != sequences || output_axes.size() != outputs - carried ||
      output_directions.size() != outputs - carried)
    n.refuse("axes or directions of another number", "one for each sequence");
  std::vector<NodeValue> state;
  for (size_t i = 0; i < carried; ++i) state.push_back(n.in(i));
  int64_t length = -1;
  std::vector<int> dims;
  for (size_t k = 0; k < sequences; ++k) {
    dims.push_back(n.axis(axes[k], n.rank(carried + k)));
    const int64_t size = n.tensor(carried + k).size(dims.back());
    if (length >= 0 && size != length) n.refuse(concat("a sequence of ", size), concat(length));
    length = size;
  }
  std::vector<std::vector<NodeValue>> scanned(outputs - carried);
  for (int64_t i = 0; i < length; ++i) {
    std::vector<NodeValue> inputs = state;
    for (size_t k = 0; k < sequences; ++k) {
      const NodeValue& sequence = n.in(carried + k);
      Shape sizes = sequence.sizes();
      sizes.erase(dims[k]);
      const Tensor slice = n.narrowed(sequence.tensor, dims[k], backwards[k] != 0 ? length - 1 - i : i, 1);
      inputs.push_back({n.reshaped(slice, sizes), sizes.size() == 0, sequence.is_known});
    }
    std::vector<NodeValue> results = run_body(n, body, std::move(inputs));
    for (size_t k = 0; k < carried; ++k) state[k] = results[k];
    for (size_t k = 0; k < scanned.size(); ++k) scanned[k].push_back(results[carried + k]);
  }
  give_all(n, std::move(state));
  for (size_t k = 0; k < scanned.size(); ++k) {
    if (scanned[k].empty()) n.refuse("sequences without elements", "at least one");
    n.give(stacked(n, scanned[k], output_axes[k], output_directions[k] != 0), false, carried + k);
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
