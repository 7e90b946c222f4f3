#include "engine/onnx/model.h"

#include <algorithm>
#include <stdexcept>

// A field of another wire type than the message has is an error of the file.
#define protozero_assert(condition) \
  if (!(condition)) throw std::invalid_argument("a field of another type")
#include <protozero/pbf_reader.hpp>

#include "engine/onnx/external_file.h"

namespace mt::onnx {
namespace {

using protozero::pbf_reader;

constexpr int most_nested_graphs = 32;

constexpr std::string_view element_type_names[] = {
    "undefined",      "float32",    "uint8",          "int8",   "uint16", "int16",      "int32",      "int64",    "string",
    "bool",           "float16",    "float64",        "uint32", "uint64", "complex64",  "complex128", "bfloat16", "float8e4m3fn",
    "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",  "int4",   "float4e2m1", "float8e8m0", "uint2",    "int2"};

std::string_view text_of(pbf_reader& message) {
  const protozero::data_view view = message.get_view();
  return {view.data(), view.size()};
}

}  // namespace

std::optional<DType> dtype_of_elements(int64_t type) {
  switch (static_cast<ElementType>(type)) {
    case ElementType::float32:
      return DType::float32;
    case ElementType::uint8:
      return DType::uint8;
    case ElementType::int8:
      return DType::int8;
    case ElementType::int16:
      return DType::int16;
    case ElementType::int32:
      return DType::int32;
    case ElementType::int64:
      return DType::int64;
    case ElementType::boolean:
      return DType::boolean;
    case ElementType::float16:
      return DType::float16;
    case ElementType::float64:
      return DType::float64;
    case ElementType::bfloat16:
      return DType::bfloat16;
    // By name, because a minimal library lacks the dtypes for storage.
    case ElementType::uint16:
      return find_dtype("uint16");
    case ElementType::uint32:
      return find_dtype("uint32");
    case ElementType::uint64:
      return find_dtype("uint64");
    case ElementType::float8e4m3fn:
      return find_dtype("float8_e4m3fn");
    case ElementType::float8e5m2:
      return find_dtype("float8_e5m2");
    default:
      return std::nullopt;
  }
}

ElementType element_type_of(DType dtype) {
  for (int type = 0; type <= static_cast<int>(ElementType::float8e5m2); ++type) {
    if (dtype_of_elements(type) == dtype) return static_cast<ElementType>(type);
  }
  return ElementType::undefined;
}

std::string shown_element_type(int64_t type) {
  if (type >= 0 && type < static_cast<int64_t>(std::size(element_type_names))) return std::string(element_type_names[type]);
  return concat("type ", type);
}

std::string shown_name(std::string_view name, size_t longest) {
  std::string shown(name.substr(0, longest));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return name.size() > longest ? shown + "..." : shown;
}

namespace {

// Where the elements of a tensor are, as the file says.
struct TensorMessage {
  std::string_view name, raw;
  std::vector<int64_t> sizes;
  int64_t type = 0;
  bool has_raw = false, is_external = false;
  std::string_view location, offset, length;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<int64_t> integers;  // of int32_data, int64_data and uint64_data
};

class Reader {
 public:
  // `has_folder`: path is that of a file, next to which others may be.
  Reader(const std::string& path, std::string_view function, bool has_folder) : path_(path), function_(function), has_folder_(has_folder) {}

  std::shared_ptr<const Model> read_file() {
    const auto file = MappedFile::open(function_, path_);
    model_->files.push_back(file);
    (void)read(file->bytes());
    file->release_pages();
    return model_;
  }

  std::shared_ptr<const Model> read(std::span<const std::byte> bytes) {
    try {
      pbf_reader message(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      read_model(message);
    } catch (const protozero::exception& e) {
      refuse(concat("damaged data (", e.what(), ")"), "an ONNX model");
    } catch (const std::invalid_argument& e) {
      refuse(concat("damaged data (", e.what(), ")"), "an ONNX model");
    }
    if (!has_graph_) refuse("no graph", "an ONNX model");
    if (model_->operator_sets.empty()) refuse("no operator set", "an ONNX model");
    return model_;
  }

 private:
  [[noreturn]] void refuse(std::string_view actual, std::string_view expected) const {
    fail<Status::file>(function_, path_, actual, ", expected ", expected);
  }

  void read_model(pbf_reader& message) {
    while (message.next()) {
      switch (message.tag()) {
        case 7:
          has_graph_ = true;
          model_->graph = graph_of(message.get_message(), 0);
          break;
        case 8:
          model_->operator_sets.push_back(operator_set_of(message.get_message()));
          break;
        case 14:
          model_->metadata.push_back(entry_of(message.get_message()));
          break;
        case 25:
          model_->functions.push_back(function_of(message.get_message()));
          break;
        default:
          message.skip();
      }
    }
  }

  // A StringStringEntryProto.
  static Metadata entry_of(pbf_reader message) {
    Metadata entry;
    while (message.next()) {
      if (message.tag() == 1)
        entry.key = text_of(message);
      else if (message.tag() == 2)
        entry.value = text_of(message);
      else
        message.skip();
    }
    return entry;
  }

  static OperatorSet operator_set_of(pbf_reader message) {
    OperatorSet set;
    while (message.next()) {
      if (message.tag() == 1)
        set.domain = text_of(message);
      else if (message.tag() == 2)
        set.version = message.get_int64();
      else
        message.skip();
    }
    if (set.domain == "ai.onnx") set.domain = "";
    return set;
  }

  FunctionData function_of(pbf_reader message) {
    FunctionData function;
    while (message.next()) {
      switch (message.tag()) {
        case 1:
          function.name = text_of(message);
          break;
        case 4:
          function.inputs.push_back(text_of(message));
          break;
        case 5:
          function.outputs.push_back(text_of(message));
          break;
        case 7:
          function.nodes.push_back(node_of(message.get_message(), 0));
          break;
        case 9:
          function.operator_sets.push_back(operator_set_of(message.get_message()));
          break;
        case 10:
          function.domain = text_of(message);
          break;
        case 11:
          function.defaults.push_back(attribute_of(message.get_message(), 0));
          break;
        default:
          message.skip();
      }
    }
    return function;
  }

  GraphData graph_of(pbf_reader message, int depth) {
    if (depth > most_nested_graphs) refuse(concat("graphs within graphs, ", depth, " deep"), concat("at most ", most_nested_graphs));
    GraphData graph;
    while (message.next()) {
      switch (message.tag()) {
        case 1:
          graph.nodes.push_back(node_of(message.get_message(), depth));
          break;
        case 5:
          graph.initializers.push_back(literal_of(message.get_message()));
          break;
        case 11:
          graph.inputs.push_back(value_of(message.get_message()));
          break;
        case 12:
          graph.outputs.push_back(value_of(message.get_message()));
          break;
        case 15:
          refuse("a sparse initializer", "dense ones");
        default:
          message.skip();
      }
    }
    return graph;
  }

  NodeData node_of(pbf_reader message, int depth) {
    NodeData node;
    while (message.next()) {
      switch (message.tag()) {
        case 1:
          node.inputs.push_back(text_of(message));
          break;
        case 2:
          node.outputs.push_back(text_of(message));
          break;
        case 3:
          node.name = text_of(message);
          break;
        case 4:
          node.op = text_of(message);
          break;
        case 5:
          node.attributes.push_back(attribute_of(message.get_message(), depth));
          break;
        case 7:
          node.domain = text_of(message);
          if (node.domain == "ai.onnx") node.domain = "";
          break;
        default:
          message.skip();
      }
    }
    return node;
  }

  // Older files lack the type: the field that has a value says it.
  Attribute attribute_of(pbf_reader message, int depth) {
    using Type = Attribute::Type;
    Attribute attribute;
    Type seen = Type::undefined;
    while (message.next()) {
      switch (message.tag()) {
        case 1:
          attribute.name = text_of(message);
          break;
        case 21:
          attribute.reference = text_of(message);
          break;
        case 2:
          attribute.number = message.get_float();
          seen = Type::number;
          break;
        case 3:
          attribute.integer = message.get_int64();
          seen = Type::integer;
          break;
        case 4:
          attribute.string = text_of(message);
          seen = Type::string;
          break;
        case 5:
          attribute.tensor = literal_of(message.get_message());
          seen = Type::tensor;
          break;
        case 6:
          attribute.graph = std::make_shared<const GraphData>(graph_of(message.get_message(), depth + 1));
          seen = Type::graph;
          break;
        case 7:
          numbers_of(message, attribute.numbers);
          seen = Type::numbers;
          break;
        case 8:
          integers_of(message, attribute.integers);
          seen = Type::integers;
          break;
        case 9:
          attribute.strings.push_back(text_of(message));
          seen = Type::strings;
          break;
        case 20:
          attribute.type = static_cast<Type>(message.get_enum());
          break;
        default:
          message.skip();
      }
    }
    if (attribute.type == Type::undefined) attribute.type = seen;
    return attribute;
  }

  // Lists are packed or not.
  static void numbers_of(pbf_reader& message, std::vector<float>& list) {
    if (message.wire_type() == protozero::pbf_wire_type::fixed32) return list.push_back(message.get_float());
    for (const float number : message.get_packed_float()) list.push_back(number);
  }
  static void integers_of(pbf_reader& message, std::vector<int64_t>& list) {
    if (message.wire_type() == protozero::pbf_wire_type::varint) return list.push_back(message.get_int64());
    for (const int64_t number : message.get_packed_int64()) list.push_back(number);
  }

  static ValueInfo value_of(pbf_reader message) {
    ValueInfo value;
    while (message.next()) {
      if (message.tag() == 1)
        value.name = text_of(message);
      else if (message.tag() == 2)
        read_type(message.get_message(), value);
      else
        message.skip();
    }
    return value;
  }

  static void read_type(pbf_reader message, ValueInfo& value) {
    while (message.next()) {
      if (message.tag() != 1) {
        message.skip();
        continue;
      }
      value.is_tensor = true;
      pbf_reader tensor = message.get_message();
      while (tensor.next()) {
        if (tensor.tag() == 1)
          value.type = tensor.get_int32();
        else if (tensor.tag() == 2)
          value.sizes = extents_of(tensor.get_message());
        else
          tensor.skip();
      }
    }
  }

  static std::vector<Extent> extents_of(pbf_reader message) {
    std::vector<Extent> extents;
    while (message.next()) {
      if (message.tag() != 1) {
        message.skip();
        continue;
      }
      Extent extent;
      pbf_reader dimension = message.get_message();
      while (dimension.next()) {
        if (dimension.tag() == 1)
          extent.size = dimension.get_int64();
        else if (dimension.tag() == 2)
          extent.name = text_of(dimension);
        else
          dimension.skip();
      }
      if (extent.size && *extent.size < 0) extent.size.reset();  // Paddle's way to say that any size will do
      extents.push_back(extent);
    }
    return extents;
  }

  Literal literal_of(pbf_reader message) {
    TensorMessage tensor;
    while (message.next()) {
      switch (message.tag()) {
        case 1:
          integers_of(message, tensor.sizes);
          break;
        case 2:
          tensor.type = message.get_int32();
          break;
        case 4:
          numbers_of(message, tensor.floats);
          break;
        case 5:
        case 7:
        case 11:
          integers_of(message, tensor.integers);
          break;
        case 8:
          tensor.name = text_of(message);
          break;
        case 9:
          tensor.raw = text_of(message);
          tensor.has_raw = true;
          break;
        case 10:
          for (const double number : message.get_packed_double()) tensor.doubles.push_back(number);
          break;
        case 13:
          read_place(message.get_message(), tensor);
          break;
        case 14:
          tensor.is_external = message.get_enum() == 1;
          break;
        default:
          message.skip();
      }
    }
    return literal_from(tensor);
  }

  static void read_place(pbf_reader message, TensorMessage& tensor) {
    const auto [key, value] = entry_of(message);
    if (key == "location") tensor.location = value;
    if (key == "offset") tensor.offset = value;
    if (key == "length") tensor.length = value;
  }

  [[noreturn]] void refuse_tensor(const TensorMessage& tensor, std::string_view actual, std::string_view expected) const {
    refuse(concat("a tensor ", shown_name(tensor.name), " with ", actual), expected);
  }

  Literal literal_from(const TensorMessage& tensor) {
    const std::optional<DType> dtype = dtype_of_elements(tensor.type);
    if (!dtype) refuse_tensor(tensor, concat("elements of the type ", shown_element_type(tensor.type)), "a type that is a dtype");
    if (tensor.sizes.size() > static_cast<size_t>(max_dims)) refuse_tensor(tensor, concat(tensor.sizes.size(), " dimensions"), "fewer");
    uint64_t count = 1;
    for (const int64_t size : tensor.sizes) {
      if (size < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(size), &count) || count > uint64_t{1} << 48)
        refuse_tensor(tensor, concat("a size of ", size), "elements that the file has");
    }
    const std::vector<int64_t> one{1};
    const Sizes sizes = tensor.sizes.empty() ? Sizes(one) : Sizes(tensor.sizes);
    const bool is_scalar = tensor.sizes.empty();
    const uint64_t bytes = count * static_cast<uint64_t>(size_of(*dtype));
    if (tensor.is_external) return {tensor.name, external(tensor, *dtype, sizes, bytes), is_scalar};
    if (tensor.has_raw) {
      if (tensor.raw.size() != bytes) refuse_tensor(tensor, concat(tensor.raw.size(), " bytes"), std::to_string(bytes));
      return {tensor.name, from_bytes(tensor.raw, *dtype, sizes), is_scalar};
    }
    return {tensor.name, from_lists(tensor, *dtype, sizes, count), is_scalar};
  }

  static Tensor from_bytes(std::string_view raw, DType dtype, Sizes sizes) {
    Tensor made = Tensor::empty(dtype, sizes);
    if (!raw.empty()) std::memcpy(made.bytes(), raw.data(), raw.size());
    return made;
  }

  // Floats of 16 and 8 bits are in int32_data by their bits.
  Tensor from_lists(const TensorMessage& tensor, DType dtype, Sizes sizes, uint64_t count) const {
    const size_t given = std::max({tensor.floats.size(), tensor.doubles.size(), tensor.integers.size()});
    if (given != count) refuse_tensor(tensor, concat(given, " elements"), std::to_string(count));
    Tensor made = Tensor::empty(dtype, sizes);
    const auto fill = [&](auto* to, const auto& list) {
      for (size_t i = 0; i < list.size(); ++i) to[i] = static_cast<std::remove_reference_t<decltype(to[0])>>(list[i]);
    };
    const bool is_float = dtype == DType::float32, is_double = dtype == DType::float64;
    if ((is_float ? tensor.floats.size() : is_double ? tensor.doubles.size() : tensor.integers.size()) != count)
      refuse_tensor(tensor, "elements of another type than it says", "that type");
    if (is_float)
      fill(made.data<float>(), tensor.floats);
    else if (is_double)
      fill(made.data<double>(), tensor.doubles);
    else if (dtype == DType::boolean)
      fill(made.data<bool>(), tensor.integers);
    else
      by_width(dtype, [&]<class W>(W) { fill(made.data<W>(), tensor.integers); });
    return made;
  }

  uint64_t number_of(const TensorMessage& tensor, std::string_view text, uint64_t otherwise) const {
    if (text.empty()) return otherwise;
    uint64_t number = 0;
    for (const char c : text) {
      if (c < '0' || c > '9' || number > UINT64_MAX / 16)
        refuse_tensor(tensor, concat("the place ", shown_name(text)), "a number of bytes");
      number = number * 10 + static_cast<uint64_t>(c - '0');
    }
    return number;
  }

  // The elements are mapped where they are aligned.
  Tensor external(const TensorMessage& tensor, DType dtype, Sizes sizes, uint64_t bytes) {
    if (!has_folder_) refuse_tensor(tensor, "elements in another file", "elements among these bytes");
    const auto file = open_beside(path_, tensor.location, function_);
    if (file == nullptr) refuse_tensor(tensor, concat("elements in the file ", shown_name(tensor.location)), "a file of its folder");
    model_->files.push_back(file);
    const auto all = file->bytes();
    const uint64_t first = number_of(tensor, tensor.offset, 0);
    if (first > all.size() || bytes > all.size() - first || number_of(tensor, tensor.length, bytes) != bytes)
      refuse_tensor(tensor, concat("bytes from ", std::to_string(first), " on in a file of ", all.size()),
                    concat(std::to_string(bytes), " bytes there"));
    if (bytes == 0 || first % static_cast<uint64_t>(size_of(dtype)) != 0)
      return from_bytes({reinterpret_cast<const char*>(all.data()) + first, static_cast<size_t>(bytes)}, dtype, sizes);
    Shape strides = sizes;
    contiguous_strides(sizes, &strides[0]);
    const auto count = static_cast<int64_t>(bytes) / size_of(dtype);
    return Tensor::over(MappedFile::storage(file, first, dtype, count), 0, sizes, strides);
  }

  const std::string& path_;
  std::string_view function_;
  bool has_folder_;
  std::shared_ptr<Model> model_ = std::make_shared<Model>();
  bool has_graph_ = false;
};

}  // namespace

std::shared_ptr<const Model> read_model(const std::string& path, std::string_view function) {
  return Reader(path, function, true).read_file();
}

std::shared_ptr<const Model> read_model(std::span<const std::byte> bytes, const std::string& name, std::string_view function) {
  return Reader(name, function, false).read(bytes);
}

}  // namespace mt::onnx
