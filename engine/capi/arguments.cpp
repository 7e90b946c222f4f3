#include "engine/capi/arguments.h"

#include <algorithm>

namespace mt::capi {
namespace {

static_assert(sizeof(mt_value) == 16);
constexpr int kind_bits[][2] = {
    {MT_TENSOR, kind_tensor},       {MT_NUMBER, kind_number}, {MT_INTEGER, kind_int},    {MT_INDEX, kind_index},     {MT_DIM, kind_dim},
    {MT_BOOLEAN, kind_boolean},     {MT_STRING, kind_string}, {MT_SIZES, kind_sizes},    {MT_TENSORS, kind_tensors}, {MT_DTYPE, kind_dtype},
    {MT_GENERATOR, kind_generator}, {MT_DIMS, kind_dims},     {MT_INDICES, kind_indices}};
static_assert(std::ranges::all_of(kind_bits, [](const auto& pair) { return pair[0] == pair[1]; }));

}  // namespace

uint16_t kinds_of(const mt_value& v) {
  switch (v.kind) {
    case MT_NUMBER:
    case MT_INTEGER:
    case MT_INDEX:
    case MT_DIM:
      return number_kinds;  // any number may be an integer
    case MT_STRING:
      return kind_string | kind_dtype;  // the name of a dtype, or of a device
    case MT_TENSOR:
    case MT_BOOLEAN:
    case MT_SIZES:
    case MT_TENSORS:
    case MT_DTYPE:
    case MT_GENERATOR:
      return static_cast<uint16_t>(v.kind);
    default:
      return 0;
  }
}

namespace {

std::string_view name_of(const mt_value& v) {
  switch (v.kind) {
    case MT_NONE:
      return "none";
    case MT_TENSOR:
      return "tensor";
    case MT_NUMBER:
      return "number";
    case MT_INTEGER:
    case MT_INDEX:
    case MT_DIM:
      return "integer";
    default: {
      const uint16_t kinds = kinds_of(v);
      const auto known = std::ranges::find(kind_names, v.kind, [](const KindNames& names) { return int32_t{names.kinds}; });
      return kinds != 0 && known != std::end(kind_names) ? known->shown : "a value of no known kind";
    }
  }
}

}  // namespace

ArgumentOrder::ArgumentOrder(const Op& op, const Arguments& given) : given_(given), count_(given.count) {
  const Signature& signature = op.decl->signature;
  for (int32_t k = 0; k < given.named_count; ++k) {
    const char* const text = given.named[k].name;
    const std::string_view name = text != nullptr ? text : "";
    const int i = signature.find(name);
    if (i < 0) {
      std::string known;
      for (int p = 0; p < signature.count; ++p) mt::append(known, concat(p > 0 ? ", " : "", signature.params[p].name));
      refuse_argument(op.decl->name, "arguments", concat("one called ", name), known);
    }
    int8_t& position = positions_[static_cast<size_t>(i)];
    if (position != 0) refuse_argument(op.decl->name, name, "twice", "once");
    position = static_cast<int8_t>(given.count + k + 1);
    if (given.named[k].value.kind != MT_NONE) ++named_count_;
  }
}

ArgumentOrder ArgumentOrder::of_signature(const Arguments& given) {
  ArgumentOrder order(given);
  for (int i = 0; i < given.count; ++i) {
    if (given.args[i].kind == MT_NONE) continue;
    order.positions_[static_cast<size_t>(i)] = static_cast<int8_t>(i + 1);
    ++order.named_count_;
  }
  return order;
}

void ArgumentOrder::append(std::string& text, int at) const {
  const mt_value& v = given_[at];
  if (v.kind == MT_NUMBER)
    mt::append(text, v.as.number);
  else if (v.kind == MT_TENSOR && v.as.tensor != nullptr)
    mt::append(text, concat(v.as.tensor->tensor.dtype(), " ", v.as.tensor->tensor.sizes()));
  else
    text += name_of(v);
}

Reader::Reader(const Op& op, const Arguments& given, const Tensor* target) : op_(op), given_(given), target_(target) {}

void Reader::read(const Match& m) {
  const Signature& signature = op_.decl->signature;
  size_t listed = 0;  // counted first, so that addresses in tensors_ stay valid
  for (int i = 0; i < signature.count; ++i) {
    if (m.args[i] == 0) continue;
    const mt_value& v = given_[m.args[i]];
    listed += v.kind == MT_TENSORS && v.count > 0 ? static_cast<size_t>(v.count) : 0;
  }
  tensors_.reserve(listed);
  for (int i = 0; i < signature.count; ++i) {
    if (m.args[i] == 0)
      set_default(values_[i], signature.params[i]);
    else
      convert(*this, signature.params[i], m.args[i], values_[i]);
  }
}

Tensor* Reader::tensor(int at, const Param& p) const {
  const mt_value& v = given_[at];
  if (v.kind != MT_TENSOR) return nullptr;
  if (v.as.tensor == nullptr) refuse_argument(op(), p.name, "NULL", "a tensor");
  return &v.as.tensor->tensor;
}

bool Reader::number(int at, Value& value) const {
  const mt_value& v = given_[at];
  if ((kinds_of(v) & number_kinds) == 0) return false;
  if (v.kind == MT_NUMBER) {
    value.type = Value::Type::number;
    value.number = v.as.number;
  } else {
    value.type = Value::Type::integer;
    value.integer = v.as.integer;
  }
  return true;
}

void Reader::check_list(int at, const Param& p, const void* data, int32_t most) const {
  const int32_t count = given_[at].count;
  if (count < 0 || count > most) refuse_argument<Status::range>(op(), p.name, concat("a count of ", count), "0..", most);
  if (count > 0 && data == nullptr) refuse_argument(op(), p.name, "NULL", count, " of them");
}

Sizes Reader::sizes(int at, const Param& p) const {
  const mt_value& v = given_[at];
  check_list(at, p, v.as.sizes, max_dims);
  return {v.as.sizes, static_cast<size_t>(v.count)};
}

std::string_view Reader::text(int at, const Param& p) const {
  const mt_value& v = given_[at];
  check_list(at, p, v.as.string, INT32_MAX);
  return {v.as.string, static_cast<size_t>(v.count)};
}

std::optional<DType> Reader::dtype(int at, const Param& p) const {
  const mt_value& v = given_[at];
  if (v.kind != MT_DTYPE) return std::nullopt;
  if (v.as.dtype < 0 || v.as.dtype >= dtype_count) {
    refuse_argument<Status::dtype>(op(), p.name, v.as.dtype, "0..", dtype_count - 1);
  }
  return static_cast<DType>(v.as.dtype);
}

DType Reader::own_dtype(const Value& value) const {
  return mt::own_dtype(target_, {values_, static_cast<size_t>(&value - values_)}, DType::float64);
}

void Reader::read_element_kind(Value& value, std::string_view text, DType own, const Param& p) const {
  mt::read_element_kind(value, text, own, op(), p.name);
}

std::span<Tensor* const> Reader::tensors(int at, const Param& p) {
  const mt_value& v = given_[at];
  check_list(at, p, v.as.tensors, INT32_MAX);
  const size_t first = tensors_.size();
  for (int32_t k = 0; k < v.count; ++k) {
    if (v.as.tensors[k] == nullptr) refuse_argument(op(), p.name, concat("NULL as element ", k + 1), "a tensor");
    tensors_.push_back(&v.as.tensors[k]->tensor);
  }
  return std::span(tensors_).subspan(first);
}

Generator* Reader::generator(int at, const Param& p) const {
  if (given_[at].as.generator == nullptr) refuse_argument(op(), p.name, "NULL", "a generator");
  return &given_[at].as.generator->generator;
}

std::string_view Reader::type_name(int at) const { return name_of(given_[at]); }

}  // namespace mt::capi
