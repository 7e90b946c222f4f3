// The ops of ONNX, by name.
#pragma once

#include <span>
#include <string_view>

#include "engine/core/built.h"
#include "engine/onnx/node_run.h"

namespace mt::onnx {

struct NodeKind {
  std::string_view op;
  void (*run)(NodeRun& node);
  std::string_view formula = {};     // instead of a function: an expression of the inputs, broadcast to common sizes, and of attributes
  std::string_view attributes = {};  // of the formula, numbers with their defaults: "alpha=0.01 beta=1"
  enum class Knows : uint8_t {
    inputs,   // its results are known if its inputs are
    nothing,  // it draws random numbers
    itself,   // it says what is known
  } knows = Knows::inputs;
  bool takes_number = false;  // the formula may have a number as its last input
  bool widens = false;        // the formula has unsigned integers as signed ones (engine/onnx/unsigned.h): only low bits of results matter
  Tensor (*of_unsigned)(const NodeRun& node, const Tensor& x, const Tensor& y) = nullptr;  // instead of the formula, for unsigned integers
};

// Null if there is none. The functions look at the version of the operator set.
const NodeKind* find_node_kind(std::string_view domain, std::string_view op);

// Where a message sends readers for the ops that models may have.
std::string_view known_ops_shown();

// The names of all, in order.
std::vector<std::string_view> node_kind_names();

// The families of ops, one a file of nodes/.
std::span<const NodeKind> attention_kinds();
std::span<const NodeKind> control_kinds();
std::span<const NodeKind> convolution_kinds();
std::span<const NodeKind> elementwise_kinds();
std::span<const NodeKind> loss_kinds();
std::span<const NodeKind> normalization_kinds();
std::span<const NodeKind> pooling_kinds();
std::span<const NodeKind> product_kinds();
std::span<const NodeKind> quantization_kinds();
std::span<const NodeKind> random_kinds();
std::span<const NodeKind> recurrent_kinds();
std::span<const NodeKind> reduction_kinds();
std::span<const NodeKind> resize_kinds();
std::span<const NodeKind> sampling_kinds();
std::span<const NodeKind> selection_kinds();
std::span<const NodeKind> sequence_kinds();
std::span<const NodeKind> shape_kinds();
std::span<const NodeKind> signal_kinds();
std::span<const NodeKind> text_kinds();

}  // namespace mt::onnx
