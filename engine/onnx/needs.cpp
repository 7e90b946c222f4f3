#include "engine/onnx/needs.h"

#include <algorithm>
#include <array>

namespace mt::onnx {
namespace {

constexpr std::array<std::string_view, 3> names_of_types{"to", "dtype", "output_dtype"};  // attributes that are types of elements

void add_type(Needs& needs, int64_t type) {
  if (const auto dtype = dtype_of_elements(type)) needs.dtypes = needs.dtypes | dtypes_of(*dtype);
}

void add(Needs& needs, const Program& program) {
  for (const auto* list : {&program.inputs, &program.outputs}) {
    for (const ValueInfo& value : *list) add_type(needs, value.type);
  }
  for (const Literal& literal : program.literals) needs.dtypes = needs.dtypes | dtypes_of(literal.tensor.dtype());
  for (const ProgramNode& node : program.nodes) {
    if (node.kind != nullptr) needs.ops.insert(node.op);
    if (node.function != nullptr) add(needs, *node.function);
    for (const auto& body : node.bodies) add(needs, *body);
    for (const Attribute& attribute : node.attributes) {
      if (attribute.tensor) needs.dtypes = needs.dtypes | dtypes_of(attribute.tensor->tensor.dtype());
      if (std::ranges::find(names_of_types, attribute.name) != names_of_types.end()) add_type(needs, attribute.integer);
    }
  }
}

}  // namespace

Needs needs_of(const Program& program) {
  Needs needs;
  add(needs, program);
  return needs;
}

}  // namespace mt::onnx
