#include "engine/graph/file.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/core/crc32c.h"
#include "engine/core/device.h"
#include "engine/core/mapped_file.h"
#include "engine/core/replaced_file.h"
#include "engine/graph/shown.h"
#include "engine/graph/syntax.h"
#include "engine/graph/text.h"
#include "engine/graph/verify.h"

namespace mt {
namespace {

using Bytes = std::span<const std::byte>;

constexpr size_t alignment = 64;  // of the text and the constants
constexpr std::string_view magic = "MTGRAPH\x1a";
constexpr uint32_t plain_version = 1, version_with_bodies = 2, newest_version = 3;  // which has names of sizes

// The file begins with this. All numbers have the byte order of little-endian machines.
struct Header {
  char magic[8];
  uint32_t version;
  uint32_t constants;   // their number
  uint64_t file_bytes;  // of the whole file
  uint64_t text_bytes;  // of the text, which follows the header
  uint64_t reserved[3];
  uint32_t unused;
  uint32_t checksum;  // of the header before this field, the text and the table
};
static_assert(sizeof(Header) == alignment);

// An entry of the table, which follows the text at the next multiple of 8; the constants follow the table, in the order of the text.
struct Entry {
  uint64_t first_byte;
  uint64_t bytes;
  uint32_t checksum;
  uint32_t unused;
};
static_assert(sizeof(Entry) == 24);

uint64_t rounded_up(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

template <class T> Bytes bytes_of(const T& value) { return std::as_bytes(std::span(&value, 1)); }
Bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
Bytes bytes_of(const Tensor& t) {
  return {t.bytes(),
          static_cast<size_t>(t.numel()) * static_cast<size_t>(size_of(t.dtype()))};  // no bytes at null: a tensor without storage
}

void check_byte_order(std::string_view function) {
  if (std::endian::native != std::endian::little)
    fail<Status::unsupported>(function, {}, "a machine with big-endian numbers, expected a little-endian one");
}

uint32_t checksum_of(const Header& header, Bytes text_and_table) {
  return crc32c(text_and_table, crc32c(bytes_of(header).first(offsetof(Header, checksum))));
}

// The contiguous elements of a constant, on the CPU.
Tensor elements_of(const Graph::Constant& constant, std::string_view function) {
  const Tensor& t = constant.tensor;
  if (t.storage() == nullptr) return t;
  if (t.device() == meta_device) fail(function, constant.name, "a constant without elements, expected one on a device that has them");
  return contiguous(t.device() == cpu_device ? t : to_device(t, cpu_device));
}

// The machine that loads a file decides which steps are fused.
Graph without_fusion(const Graph& graph) {
  Graph plain = graph;
  for (Graph::Step& step : plain.steps) {
    step.fusion = 0;
    for (auto& body : step.bodies) body = std::make_shared<const Graph>(without_fusion(*body));
  }
  return plain;
}

// The text of a graph. Raises an error if it does not parse back to the same graph.
std::string portable_text(const Graph& graph, std::string_view function) {
  std::string text = to_text(graph);
  size_t next = 0;
  const auto constant = [&](std::string_view) { return graph.constants[next++].tensor; };
  const std::string again = to_text(parse_graph(text, {.function = function, .argument = "graph", .constant = constant}));
  if (again != text) fail(function, "graph", "a program that its text does not describe, expected one that is equal to its parsed text");
  return text;
}

// The oldest version of the format that can express a graph.
uint32_t version_of(const Graph& graph) {
  uint32_t version = plain_version;
  if (std::ranges::any_of(graph.inputs, [](const Graph::Input& input) { return !input.size_names.empty(); })) return newest_version;
  for (const Graph::Step& step : graph.steps) {
    for (const auto& body : step.bodies) version = std::max({version, version_with_bodies, version_of(*body)});
  }
  return version;
}

void write_zeros(ReplacedFile& file, uint64_t count) {
  static constexpr std::byte zeros[alignment] = {};
  file.write(Bytes(zeros).first(count));
}

}  // namespace

void save_graph(const Graph& graph, const std::string& path, std::string_view function) {
  check_byte_order(function);
  const Graph plain = without_fusion(graph);
  std::string text = portable_text(plain, function);
  Header header = {};
  std::memcpy(header.magic, magic.data(), magic.size());
  header.version = version_of(plain);
  header.constants = static_cast<uint32_t>(graph.constants.size());
  header.text_bytes = text.size();
  text.resize(rounded_up(text.size(), sizeof(uint64_t)));
  std::vector<Tensor> constants;
  std::vector<Entry> table;
  uint64_t end = sizeof header + text.size() + graph.constants.size() * sizeof(Entry);
  for (const Graph::Constant& constant : graph.constants) {
    const Bytes bytes = bytes_of(constants.emplace_back(elements_of(constant, function)));
    const uint64_t first = rounded_up(end, alignment);
    table.push_back({first, bytes.size(), crc32c(bytes), 0});
    end = first + bytes.size();
  }
  header.file_bytes = end;
  const Bytes entries = std::as_bytes(std::span(table));
  header.checksum = crc32c(entries, checksum_of(header, bytes_of(text)));
  ReplacedFile file(function, path);
  file.write(bytes_of(header));
  file.write(bytes_of(text));
  file.write(entries);
  uint64_t written = sizeof header + text.size() + entries.size();
  for (size_t i = 0; i < table.size(); ++i) {
    write_zeros(file, table[i].first_byte - written);
    file.write(bytes_of(constants[i]));
    written = table[i].first_byte + table[i].bytes;
  }
  file.commit();
}

namespace {

class Loader {
 public:
  Loader(const std::string& path, std::string_view function)
      : path_(path), function_(function), file_(MappedFile::open(function, path)), bytes_(file_->bytes()) {}

  Graph load() {
    read_header();
    const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + sizeof header_, header_.text_bytes);
    std::vector<Tensor> constants;
    for (const syntax::Statement& statement : syntax::parse({text, function_, path_}).statements) {
      if (statement.type != syntax::Statement::Type::constant) continue;
      constants.push_back(next_constant(statement.names[0].name, statement.names[0].type));
    }
    size_t next = 0;
    const auto constant = [&](std::string_view) { return constants[next++]; };
    Graph graph = parse_graph(text, {.function = function_, .argument = path_, .constant = constant});
    if (read_ < header_.constants) refuse(concat("a text with ", read_, " constants"), concat(int64_t{header_.constants}));
    try {
      verify(graph);
    } catch (const Error& e) {
      raise(e.status(), concat(function_, ": ", path_, ": ", e.what()));
    }
    return graph;
  }

 private:
  [[noreturn]] void refuse(std::string_view actual, std::string_view expected) const {
    fail<Status::file>(function_, path_, actual, ", expected ", expected);
  }

  void read_header() {
    const bool is_graph = bytes_.size() >= magic.size() && std::memcmp(bytes_.data(), magic.data(), magic.size()) == 0;
    if (!is_graph) refuse("another format", "a file of a graph");
    if (bytes_.size() < sizeof header_) refuse(concat(bytes_.size(), " bytes"), "a header of 64");
    std::memcpy(&header_, bytes_.data(), sizeof header_);
    if (header_.version == 0 || header_.version > newest_version)
      refuse(concat("version ", int64_t{header_.version}, " of the format"), concat("at most ", int64_t{newest_version}));
    if (header_.file_bytes != bytes_.size()) refuse(concat(bytes_.size(), " bytes"), std::to_string(header_.file_bytes));
    const uint64_t room = bytes_.size() - sizeof header_;
    if (header_.text_bytes > room) refuse("a text that ends after the file", "a whole text");
    const uint64_t text = rounded_up(header_.text_bytes, sizeof(uint64_t)), table = header_.constants * uint64_t{sizeof(Entry)};
    if (text > room || table > room - text) refuse("a table that ends after the file", "a whole table");
    table_ = sizeof header_ + text;
    end_ = table_ + table;
    if (checksum_of(header_, bytes_.subspan(sizeof header_, text + table)) != header_.checksum)
      refuse("a header, text or table with another checksum", "an undamaged file");
  }

  // The constant that the text declares next.
  Tensor next_constant(std::string_view name, const std::optional<ValueType>& type) {
    if (read_ == header_.constants) refuse(concat("a further constant ", name), concat(int64_t{header_.constants}, " constants"));
    if (!type) refuse(concat("a constant ", name, " without a dtype and sizes"), "constants with both");
    Entry entry;
    std::memcpy(&entry, bytes_.data() + table_ + read_ * sizeof entry, sizeof entry);
    ++read_;
    const uint64_t bytes = bytes_of_type(name, *type);
    if (entry.first_byte % alignment != 0 || entry.first_byte < end_ || entry.first_byte > bytes_.size() ||
        entry.bytes > bytes_.size() - entry.first_byte)
      refuse(concat("a constant ", name, " outside of the file"), "constants behind the table, in order");
    if (entry.bytes != bytes) refuse(concat("a constant ", name, " with ", std::to_string(entry.bytes), " bytes"), std::to_string(bytes));
    end_ = entry.first_byte + bytes;
    if (crc32c(bytes_.subspan(entry.first_byte, bytes)) != entry.checksum)
      refuse(concat("a constant ", name, " with another checksum"), "an undamaged file");
    if (type->sizes.empty()) return Tensor(type->dtype);
    Shape strides = Sizes(type->sizes);
    contiguous_strides(type->sizes, &strides[0]);
    const auto count = static_cast<int64_t>(bytes) / size_of(type->dtype);
    return Tensor::over(MappedFile::storage(file_, entry.first_byte, type->dtype, count), 0, type->sizes, strides);
  }

  uint64_t bytes_of_type(std::string_view name, const ValueType& type) const {
    uint64_t bytes = static_cast<uint64_t>(size_of(type.dtype));
    if (type.sizes.empty()) return 0;
    for (const int64_t size : type.sizes) {
      if (size == ValueType::unknown_size) refuse(concat("a constant ", name, " of unknown sizes"), "constants of known sizes");
      if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes) || bytes > bytes_.size())
        refuse(concat("a constant ", name, " of ", info(type.dtype).name, shown_sizes(type, "?")), "elements that the file has");
    }
    return bytes;
  }

  const std::string& path_;
  std::string_view function_;
  std::shared_ptr<const MappedFile> file_;
  Bytes bytes_;
  Header header_ = {};
  uint64_t table_ = 0, end_ = 0;  // of the table, and of what was read before the next constant
  size_t read_ = 0;               // number of constants
};

}  // namespace

Graph load_graph(const std::string& path, std::string_view function) {
  check_byte_order(function);
  return Loader(path, function).load();
}

}  // namespace mt
