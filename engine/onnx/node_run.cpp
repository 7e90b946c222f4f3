#include "engine/onnx/node_run.h"

#include <algorithm>

#include "engine/core/device.h"
#include "engine/ops/calls.h"

namespace mt::onnx {

void NodeRun::refuse(std::string_view actual, std::string_view expected) const {
  constexpr size_t longest = 400;  // it may quote a text of the file
  fail("onnx", node_.name, shown_name(actual, longest), ", expected ", expected);
}

const NodeValue& NodeRun::in(size_t i) const {
  if (!has(i)) refuse(concat("no input ", i + 1), "one");
  return *inputs_[i];
}

const Tensor& NodeRun::tensor(size_t i) const {
  const NodeValue& value = in(i);
  if (value.items != nullptr) refuse(concat("a sequence as input ", i + 1), "a tensor");
  return value.tensor;
}

template <class T> std::vector<T> NodeRun::elements(const Tensor& t, bool is_known) const {
  if (!is_known) call_read(settings_.hook, t);
  const Tensor here = contiguous(to_dtype(t.device() == cpu_device ? t : to_device(t, cpu_device), dtype_of<T>));
  return {here.template data<T>(), here.template data<T>() + here.numel()};
}
template std::vector<int64_t> NodeRun::elements(const Tensor& t, bool is_known) const;
template std::vector<double> NodeRun::elements(const Tensor& t, bool is_known) const;

const Tensor& NodeRun::tensor(size_t i, int least_dims) const {
  const Tensor& found = tensor(i);
  if (in(i).rank() < least_dims) refuse(concat("input ", i + 1, " with ", in(i).rank(), " dimensions"), concat("at least ", least_dims));
  return found;
}

std::vector<int64_t> NodeRun::integers(size_t i) const { return elements<int64_t>(tensor(i), in(i).is_known); }

int64_t NodeRun::integer(size_t i) const {
  const std::vector<int64_t> list = integers(i);
  if (list.size() != 1) refuse(concat(list.size(), " elements in input ", i + 1), "1");
  return list[0];
}

std::vector<double> NodeRun::numbers(size_t i) const {
  return has(i) ? elements<double>(tensor(i), in(i).is_known) : std::vector<double>();
}

double NodeRun::number(size_t i) const {
  const std::vector<double> list = numbers(i);
  if (list.size() != 1) refuse(concat(list.size(), " elements in input ", i + 1), "1");
  return list[0];
}

const Attribute* NodeRun::attribute(std::string_view name) const {
  const auto found = std::ranges::find(node_.attributes, name, &Attribute::name);
  return found != node_.attributes.end() ? &*found : nullptr;
}

double NodeRun::number(std::string_view name, double otherwise) const {
  const Attribute* found = attribute(name);
  return found == nullptr                          ? otherwise
         : found->type == Attribute::Type::integer ? static_cast<double>(found->integer)
                                                   : double{found->number};
}

int64_t NodeRun::integer(std::string_view name, int64_t otherwise) const {
  const Attribute* found = attribute(name);
  return found != nullptr ? found->integer : otherwise;
}

std::string_view NodeRun::string(std::string_view name, std::string_view otherwise) const {
  const Attribute* found = attribute(name);
  return found != nullptr ? found->string : otherwise;
}

std::optional<std::vector<int64_t>> NodeRun::integers(std::string_view name) const {
  const Attribute* found = attribute(name);
  return found != nullptr ? std::optional(found->integers) : std::nullopt;
}

std::vector<float> NodeRun::numbers(std::string_view name) const {
  const Attribute* found = attribute(name);
  return found != nullptr ? found->numbers : std::vector<float>();
}

std::optional<std::vector<int64_t>> NodeRun::integers(size_t input, std::string_view name) const {
  return has(input) ? integers(input) : integers(name);
}

int NodeRun::axis(int64_t axis, int rank) const {
  const int64_t from_first = axis < 0 ? axis + rank : axis;
  if (from_first < 0 || from_first >= std::max(rank, 1)) refuse(concat("the axis ", axis), concat("one of ", rank, " dimensions"));
  return static_cast<int>(from_first);
}

void NodeRun::give(Tensor result, bool is_scalar, size_t output) { give_value({std::move(result), is_scalar}, output); }

void NodeRun::give(Tensor result, Sizes sizes, size_t output) { give_value({reshaped(result, sizes), sizes.empty()}, output); }

void NodeRun::give_value(NodeValue value, size_t output) {
  if (wants(output)) outputs_[output] = std::move(value);
}

Tensor NodeRun::reshaped(const Tensor& x, Sizes sizes) const {
  const Shape one{1};
  const Sizes wanted = sizes.empty() ? Sizes(one) : sizes;
  if (std::ranges::equal(x.sizes(), wanted)) return x;
  return eval("(x, sizes) reshape(x, sizes)", {x, wanted});
}

Tensor NodeRun::broadcast(const NodeValue& x, Sizes sizes) const {
  if (std::ranges::equal(x.tensor.sizes(), sizes)) return x.tensor;
  if (sizes.empty()) return x.tensor;
  std::vector<int64_t> padded(sizes.size() - std::min(sizes.size(), x.sizes().size()), 1);
  padded.insert(padded.end(), x.sizes().begin(), x.sizes().end());
  return eval("(x, sizes) expand(x, sizes)", {reshaped(x.tensor, padded), sizes});
}

std::vector<int64_t> NodeRun::common_sizes(std::span<const NodeValue* const> values) const {
  std::vector<int64_t> common;
  for (const NodeValue* value : values) {
    const Sizes sizes = value->sizes();
    if (sizes.size() > common.size()) common.insert(common.begin(), sizes.size() - common.size(), 1);
    for (size_t i = 0; i < sizes.size(); ++i) {
      int64_t& size = common[common.size() - sizes.size() + i];
      if (sizes[i] == 1 || sizes[i] == size) continue;
      if (size != 1) refuse(concat("inputs of the sizes ", size, " and ", sizes[i]), "sizes that are equal, or 1");
      size = sizes[i];
    }
  }
  return common;
}

Tensor NodeRun::converted(const Tensor& x, DType dtype) const {
  if (x.dtype() == dtype) return x;
  return eval("(x, dtype) to(x, dtype)", {x, dtype});
}

Tensor NodeRun::filled(Sizes sizes, double value, DType dtype) const {
  const Shape one{1};
  return eval("(sizes, value, dtype) full(sizes, value, dtype)", {sizes.empty() ? Sizes(one) : sizes, value, dtype});
}

Tensor NodeRun::from_integers(std::span<const int64_t> numbers, DType dtype) const {
  Tensor made = Tensor::empty(DType::int64, {static_cast<int64_t>(numbers.size())});
  std::ranges::copy(numbers, made.data<int64_t>());
  return to_dtype(made, dtype);
}

Tensor NodeRun::permuted(const Tensor& x, const std::vector<int64_t>& order) const {
  std::vector<int64_t> from_1 = order;
  for (int64_t& dim : from_1) ++dim;
  return eval("(x, dims) permute(x, dims)", {x, from_1});
}

Tensor NodeRun::concatenated(std::span<const Tensor> parts, int dim) const {
  if (parts.size() == 1) return parts[0];
  std::vector<Tensor*> list;
  for (const Tensor& part : parts) list.push_back(const_cast<Tensor*>(&part));
  return eval("(parts, dim) cat(tensors = parts, dim = dim)", {std::span<Tensor* const>(list), dimension(dim)});
}

Tensor NodeRun::padded(const Tensor& x, int dim, int64_t before, int64_t after, double value) const {
  std::vector<Tensor> parts;
  Shape sizes = x.sizes();
  const auto add_border = [&](int64_t size) {
    if (size == 0) return;
    sizes[dim] = size;
    parts.push_back(filled(sizes, value, x.dtype()));
  };
  add_border(before);
  parts.push_back(x);
  add_border(after);
  return concatenated(parts, dim);
}

Tensor NodeRun::by_channel(const Tensor& vector, const Tensor& like) const {
  std::vector<int64_t> sizes(static_cast<size_t>(std::max(like.dim() - 1, 1)), 1);
  sizes[0] = vector.numel();
  return broadcast({reshaped(vector, sizes)}, like.sizes());
}

Tensor NodeRun::rounded(const Tensor& x) const {
  return eval("(x) where(eq(abs(csub(x, trunc(x))), 0.5), mul(round(div(x, 2)), 2), round(x))", {x});
}

int64_t NodeRun::product(std::span<const int64_t> sizes) const {
  int64_t count = 1;
  for (const int64_t size : sizes) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) refuse(concat("a size of ", size), "fewer than 2^63 elements");
  }
  return count;
}

Tensor NodeRun::narrowed(const Tensor& x, int dim, int64_t first, int64_t length) const {
  if (first == 0 && length == x.size(dim)) return x;
  return eval("(x, dim, first, length) narrow(x, dim, first, length)", {x, dimension(dim), Operand(first + 1), Operand(length)});
}

}  // namespace mt::onnx
