// What an ONNX file says: its messages (onnx.proto, IR version 14) as values. Names and strings point into the file.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/mapped_file.h"
#include "engine/core/tensor.h"

namespace mt::onnx {

// The numbers of TensorProto.DataType.
enum class ElementType : int32_t {
  undefined,
  float32,
  uint8,
  int8,
  uint16,
  int16,
  int32,
  int64,
  string,
  boolean,
  float16,
  float64,
  uint32,
  uint64,
  complex64,
  complex128,
  bfloat16,
  float8e4m3fn,
  float8e4m3fnuz,
  float8e5m2,
};

// The dtype of tensors with this type of elements; nothing if there is none.
std::optional<DType> dtype_of_elements(int64_t type);
ElementType element_type_of(DType dtype);
std::string shown_element_type(int64_t type);  // "uint16"

// A name of the file in a message: at most `longest` characters, of which control characters and those beyond ASCII are shown as '?'.
std::string shown_name(std::string_view name, size_t longest = 80);

// A tensor. One without dimensions has one element here.
struct Literal {
  std::string_view name;
  Tensor tensor;
  bool is_scalar = false;  // no dimensions
};

struct GraphData;

struct Attribute {
  enum class Type : int32_t { undefined, number, integer, string, tensor, graph, numbers, integers, strings };
  std::string_view name, reference;  // reference: the attribute of the function whose value it has
  Type type = Type::undefined;
  float number = 0;
  int64_t integer = 0;
  std::string_view string;
  std::vector<float> numbers;
  std::vector<int64_t> integers;
  std::vector<std::string_view> strings;
  std::optional<Literal> tensor;
  std::shared_ptr<const GraphData> graph;
};

struct NodeData {
  std::string_view op, domain, name;
  std::vector<std::string_view> inputs, outputs;  // empty names: absent
  std::vector<Attribute> attributes;
};

// A dimension of an input or output: a number, a name for a number that is not known yet, or neither.
struct Extent {
  std::optional<int64_t> size;
  std::string_view name;
};

struct ValueInfo {
  std::string_view name;
  bool is_tensor = false;  // else a sequence, an optional, a map, or nothing that is known
  int64_t type = 0;        // of elements
  std::optional<std::vector<Extent>> sizes;
};

struct GraphData {
  std::vector<NodeData> nodes;
  std::vector<Literal> initializers;
  std::vector<ValueInfo> inputs, outputs;
};

struct OperatorSet {
  std::string_view domain;
  int64_t version = 0;
};

struct FunctionData {
  std::string_view name, domain;
  std::vector<std::string_view> inputs, outputs;
  std::vector<Attribute> defaults;
  std::vector<NodeData> nodes;
  std::vector<OperatorSet> operator_sets;
};

// Text that the file holds beside the graph, such as the names of classes.
struct Metadata {
  std::string_view key, value;
};

struct Model {
  std::vector<std::shared_ptr<const MappedFile>> files;  // to which names and tensors point
  std::vector<Metadata> metadata;
  std::vector<OperatorSet> operator_sets;
  std::vector<FunctionData> functions;
  GraphData graph;
};

// Reads a file, and the files in its folder in which it says that elements of tensors are. Raises an error in the name of `function` if it
// is damaged, or has tensors of a type that there is no dtype for.
std::shared_ptr<const Model> read_model(const std::string& path, std::string_view function);

// Reads the bytes of a file, to which names point. Elements in other files are refused. `name`: of the bytes, for messages.
std::shared_ptr<const Model> read_model(std::span<const std::byte> bytes, const std::string& name, std::string_view function);

}  // namespace mt::onnx
