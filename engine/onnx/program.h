// A model in the form that runs: nodes whose names are resolved to places of values.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/onnx/model.h"

namespace mt::onnx {

struct NodeKind;
struct Program;

// A value of this program, or of one that contains it. `level` counts outwards.
struct Place {
  static constexpr int32_t absent = -1;
  int32_t level = 0, index = absent;
};

struct ProgramNode {
  std::string_view op, domain;
  std::string name;                         // for messages: "Conv (layer1)"
  int64_t version = 0;                      // of the operator set
  const NodeKind* kind = nullptr;           // null: a function of the model
  std::shared_ptr<const Program> function;  // with this body
  std::vector<Place> inputs;
  std::vector<int32_t> outputs;
  std::vector<Attribute> attributes;
  std::vector<std::shared_ptr<const Program>> bodies;  // of the attributes that are graphs, in their order
  std::vector<int32_t> releases;                       // values of this program that no later node reads
};

struct Program {
  size_t values = 0;
  std::vector<ValueInfo> inputs;  // those without an initializer, first
  std::vector<int32_t> input_places;
  size_t required = 0;  // inputs from here on have initializers
  std::vector<Literal> literals;
  std::vector<int32_t> literal_places;
  std::vector<ProgramNode> nodes;
  std::vector<ValueInfo> outputs;
  std::vector<Place> output_places;
};

// Resolves the names of a model. Raises an error that names the node, if a name is made twice or read before it is made, and one that lists
// all ops that are unknown. `path` is that of the file, for messages.
std::shared_ptr<const Program> program_of(const Model& model, std::string_view function, std::string_view path);

}  // namespace mt::onnx
