// One run of a node: its inputs and attributes, and what its op needs to compute and give results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/onnx/evaluate.h"
#include "engine/onnx/program.h"
#include "engine/onnx/value.h"

namespace mt::onnx {

class Scope;  // the values of a program that runs

class NodeRun {
 public:
  NodeRun(const ProgramNode& node, const RunSettings& settings, const Scope& scope, std::vector<const NodeValue*> inputs)
      : node_(node), settings_(settings), scope_(scope), inputs_(std::move(inputs)), outputs_(node.outputs.size()) {}

  const ProgramNode& node() const { return node_; }
  int64_t version() const { return node_.version; }
  const RunSettings& settings() const { return settings_; }
  const Scope& scope() const { return scope_; }

  // ---- inputs, from 0

  size_t inputs() const { return inputs_.size(); }
  bool has(size_t i) const { return i < inputs_.size() && inputs_[i] != nullptr; }
  const NodeValue& in(size_t i) const;  // raises an error if the input is absent
  const Tensor& tensor(size_t i) const;
  const Tensor& tensor(size_t i, int least_dims) const;  // raises an error if it has fewer dimensions
  Operand optional(size_t i) const { return has(i) ? Operand(tensor(i)) : Operand::absent(); }
  int rank(size_t i) const { return in(i).rank(); }
  Sizes sizes(size_t i) const { return in(i).sizes(); }
  DType dtype(size_t i) const { return tensor(i).dtype(); }
  std::vector<int64_t> integers(size_t i) const;  // elements
  int64_t integer(size_t i) const;
  // As int64_t or double. A capture guards elements by which a node decides, unless they are known.
  template <class T> std::vector<T> elements(const Tensor& t, bool is_known = false) const;
  double number(size_t i) const;
  std::vector<double> numbers(size_t i) const;  // none if the input is absent

  // ---- attributes

  const Attribute* attribute(std::string_view name) const;
  double number(std::string_view name, double otherwise) const;
  int64_t integer(std::string_view name, int64_t otherwise) const;
  std::string_view string(std::string_view name, std::string_view otherwise) const;
  std::optional<std::vector<int64_t>> integers(std::string_view name) const;
  std::vector<float> numbers(std::string_view name) const;
  // From an input, or from the attribute that older versions have instead.
  std::optional<std::vector<int64_t>> integers(size_t input, std::string_view attribute) const;

  // A dimension of a tensor, from 0; negative ones count from the last.
  int axis(int64_t axis, int rank) const;
  int axis_attribute(int64_t otherwise, int rank) const { return axis(integer("axis", otherwise), rank); }

  // ---- results

  size_t outputs() const { return outputs_.size(); }
  bool wants(size_t output) const { return output < outputs_.size() && node_.outputs[output] != Place::absent; }
  void give(Tensor result, bool is_scalar = false, size_t output = 0);
  void give(Tensor result, Sizes sizes, size_t output = 0);  // with these sizes, which may be none
  void give_value(NodeValue value, size_t output = 0);
  std::vector<NodeValue>& results() { return outputs_; }

  Tensor eval(std::string_view text, std::initializer_list<Operand> operands) const { return evaluate(settings_, text, operands); }
  std::vector<Tensor> eval_all(std::string_view text, std::initializer_list<Operand> operands) const {
    return evaluate_all(settings_, text, {operands.begin(), operands.size()});
  }

  Tensor reshaped(const Tensor& x, Sizes sizes) const;      // with no sizes: one element
  Tensor broadcast(const NodeValue& x, Sizes sizes) const;  // a view
  std::vector<int64_t> common_sizes(std::span<const NodeValue* const> values) const;
  Tensor converted(const Tensor& x, DType dtype) const;
  Tensor filled(Sizes sizes, double value, DType dtype) const;
  Tensor from_integers(std::span<const int64_t> numbers, DType dtype = DType::int64) const;
  Tensor permuted(const Tensor& x, const std::vector<int64_t>& order) const;  // counted from 0
  Tensor concatenated(std::span<const Tensor> parts, int dim) const;
  Tensor narrowed(const Tensor& x, int dim, int64_t first, int64_t length) const;

  Tensor padded(const Tensor& x, int dim, int64_t before, int64_t after, double value) const;  // with borders at the ends of a dimension
  // A vector as the elements of channels of a tensor (batch, channels, ...).
  Tensor by_channel(const Tensor& vector, const Tensor& like) const;
  Tensor rounded(const Tensor& x) const;                  // to whole numbers; of equal distances to the even one
  int64_t product(std::span<const int64_t> sizes) const;  // raises an error if it overflows or a size is negative

  [[noreturn]] void refuse(std::string_view actual, std::string_view expected) const;

 private:
  const ProgramNode& node_;
  const RunSettings& settings_;
  const Scope& scope_;
  std::vector<const NodeValue*> inputs_;
  std::vector<NodeValue> outputs_;
};

// Runs a body of a node that is control flow: its inputs are these values, and its outputs are returned.
std::vector<NodeValue> run_body(NodeRun& node, size_t body, std::vector<NodeValue> inputs);

}  // namespace mt::onnx
