#include "engine/onnx/write_model.h"

#include <filesystem>
#include <span>
#include <utility>

#include "engine/core/device.h"
#include "engine/core/registry.h"
#include "engine/core/replaced_file.h"

#include <protozero/pbf_writer.hpp>

namespace mt::onnx {
namespace {

using protozero::pbf_writer;

constexpr int64_t small_tensor = 1024;            // bytes: smaller ones stay in the file of the model
constexpr int64_t largest_message = 0x7fff'ffff;  // bytes of a protocol buffer
constexpr size_t alignment = 64;                  // of tensors in the file of the data

// The version of the format with which an operator set came out (onnx.helper.VERSION_TABLE).
int64_t format_version(int64_t operators) {
  constexpr std::pair<int64_t, int64_t> first_versions[] = {{28, 14}, {25, 13}, {24, 12}, {23, 11}, {21, 10}, {19, 9}, {15, 8}};
  for (const auto& [first, version] : first_versions) {
    if (operators >= first) return version;
  }
  return 7;
}

std::string text_of(std::string_view text) { return std::string(text); }

std::span<const std::byte> bytes_of(const Tensor& t) {
  return {t.bytes(), static_cast<size_t>(t.numel()) * static_cast<size_t>(size_of(t.dtype()))};
}

// The numbers of fields are those of onnx.proto (github.com/onnx/onnx).
class Writer {
 public:
  Writer(ReplacedFile* data, std::string location) : data_(data), location_(std::move(location)) {}

  std::string write(const Model& model) {
    std::string bytes;
    pbf_writer message(bytes);
    message.add_int64(1, format_version(model.operator_sets[0].version));
    message.add_string(2, "moontorch");
    {
      pbf_writer graph(message, 7);
      write_graph(graph, model.graph, "main");
    }
    for (const OperatorSet& set : model.operator_sets) {
      pbf_writer import(message, 8);
      import.add_string(1, text_of(set.domain));
      import.add_int64(2, set.version);
    }
    return bytes;
  }

 private:
  void write_graph(pbf_writer& message, const GraphData& graph, const char* name) {
    for (const NodeData& node : graph.nodes) {
      pbf_writer child(message, 1);
      write_node(child, node);
    }
    message.add_string(2, name);
    for (const Literal& literal : graph.initializers) {
      pbf_writer child(message, 5);
      write_tensor(child, literal);
    }
    for (const ValueInfo& value : graph.inputs) write_value(message, 11, value);
    for (const ValueInfo& value : graph.outputs) write_value(message, 12, value);
  }

  void write_node(pbf_writer& message, const NodeData& node) {
    for (const std::string_view input : node.inputs) message.add_string(1, text_of(input));
    for (const std::string_view output : node.outputs) message.add_string(2, text_of(output));
    message.add_string(3, text_of(node.name));
    message.add_string(4, text_of(node.op));
    for (const Attribute& attribute : node.attributes) {
      pbf_writer child(message, 5);
      write_attribute(child, attribute);
    }
  }

  void write_attribute(pbf_writer& message, const Attribute& attribute) {
    using Type = Attribute::Type;
    message.add_string(1, text_of(attribute.name));
    switch (attribute.type) {
      case Type::number:
        message.add_float(2, attribute.number);
        break;
      case Type::integer:
        message.add_int64(3, attribute.integer);
        break;
      case Type::string:
        message.add_bytes(4, text_of(attribute.string));
        break;
      case Type::tensor: {
        pbf_writer child(message, 5);
        write_tensor(child, *attribute.tensor);
        break;
      }
      case Type::graph: {
        pbf_writer child(message, 6);
        write_graph(child, *attribute.graph, "body");
        break;
      }
      case Type::numbers:
        for (const float number : attribute.numbers) message.add_float(7, number);
        break;
      case Type::integers:
        for (const int64_t number : attribute.integers) message.add_int64(8, number);
        break;
      case Type::strings:
        for (const std::string_view text : attribute.strings) message.add_bytes(9, text_of(text));
        break;
      case Type::undefined:
        break;
    }
    message.add_enum(20, static_cast<int32_t>(attribute.type));
  }

  void write_tensor(pbf_writer& message, const Literal& literal) {
    const Tensor& t = literal.tensor;
    if (!literal.is_scalar) {
      for (const int64_t size : t.sizes()) message.add_int64(1, size);
    }
    message.add_int32(2, static_cast<int32_t>(element_type_of(t.dtype())));
    message.add_string(8, text_of(literal.name));
    const Tensor elements = contiguous(on_host(t));
    const auto bytes = bytes_of(elements);
    if (data_ == nullptr || static_cast<int64_t>(bytes.size()) < small_tensor)
      message.add_bytes(9, reinterpret_cast<const char*>(bytes.data()), bytes.size());
    else
      write_external(message, bytes);
  }

  void write_external(pbf_writer& message, std::span<const std::byte> bytes) {
    static constexpr std::byte zeros[alignment] = {};
    const size_t padding = (alignment - written_ % alignment) % alignment;
    data_->write(std::span(zeros).first(padding));
    data_->write(bytes);
    const size_t offset = written_ + padding;
    written_ = offset + bytes.size();
    for (const auto& [key, value] :
         {std::pair{"location", location_}, std::pair{"offset", concat(offset)}, std::pair{"length", concat(bytes.size())}}) {
      pbf_writer entry(message, 13);
      entry.add_string(1, key);
      entry.add_string(2, value);
    }
    message.add_enum(14, 1);  // TensorProto.EXTERNAL
  }

  static void write_value(pbf_writer& message, uint32_t tag, const ValueInfo& value) {
    pbf_writer info(message, tag);
    info.add_string(1, text_of(value.name));
    pbf_writer type(info, 2);
    pbf_writer tensor(type, 1);
    tensor.add_int32(1, static_cast<int32_t>(value.type));
    if (!value.sizes) return;
    pbf_writer shape(tensor, 2);
    for (const Extent& extent : *value.sizes) {
      pbf_writer dim(shape, 1);
      if (extent.size)
        dim.add_int64(1, *extent.size);
      else if (!extent.name.empty())
        dim.add_string(2, text_of(extent.name));
    }
  }

  ReplacedFile* data_;
  std::string location_;
  size_t written_ = 0;
};

// The bytes of the tensors of a graph and of the graphs in it.
int64_t tensor_bytes(const GraphData& graph) {
  int64_t total = 0;
  for (const Literal& literal : graph.initializers) total += static_cast<int64_t>(bytes_of(literal.tensor).size());
  for (const NodeData& node : graph.nodes) {
    for (const Attribute& attribute : node.attributes) {
      if (attribute.graph) total += tensor_bytes(*attribute.graph);
      if (attribute.tensor) total += static_cast<int64_t>(bytes_of(attribute.tensor->tensor).size());
    }
  }
  return total;
}

}  // namespace

void write_model(const Model& model, const std::string& path, bool external, std::string_view function) {
  if (const int64_t bytes = tensor_bytes(model.graph); !external && bytes > largest_message)
    fail<Status::file>(function, path, bytes, " bytes of constants, expected at most ", largest_message, ", or the option external");
  ReplacedFile file(function, path);
  std::optional<ReplacedFile> data;
  const std::string data_path = path + ".data";
  if (external) data.emplace(function, data_path);
  const std::string bytes = Writer(data ? &*data : nullptr, std::filesystem::path(data_path).filename().string()).write(model);
  if (static_cast<int64_t>(bytes.size()) > largest_message)
    fail<Status::file>(function, path, bytes.size(), " bytes, expected at most ", largest_message);
  file.write(std::as_bytes(std::span(bytes)));
  if (data) data->commit();
  file.commit();
}

}  // namespace mt::onnx
