// Sequences of tensors, and values that may be absent.
#include <algorithm>

#include "engine/onnx/node_kind.h"

namespace mt::onnx {
namespace {

using Items = std::vector<NodeValue>;

const Items& items_of(const NodeRun& n, size_t i) {
  const NodeValue& value = n.in(i);
  if (value.items == nullptr) n.refuse(concat("a tensor as input ", i + 1), "a sequence");
  return *value.items;
}

void give_items(NodeRun& n, Items items) {
  NodeValue value;
  value.items = std::make_shared<const Items>(std::move(items));
  n.give_value(std::move(value));
}

// A position in a sequence; negative ones count from the end.
int64_t position_in(const NodeRun& n, size_t input, int64_t size, int64_t most) {
  const int64_t given = n.integer(input), at = given < 0 ? given + size : given;
  if (at < 0 || at > most) n.refuse(concat("the position ", given), concat("one of ", size));
  return at;
}

void sequence_empty(NodeRun& n) { give_items(n, {}); }

void sequence_construct(NodeRun& n) {
  Items items;
  for (size_t i = 0; i < n.inputs(); ++i) items.push_back(n.in(i));
  give_items(n, std::move(items));
}

void sequence_insert(NodeRun& n) {
  Items items = items_of(n, 0);
  const auto size = static_cast<int64_t>(items.size());
  const int64_t at = n.has(2) ? position_in(n, 2, size, size) : size;
  items.insert(items.begin() + at, n.in(1));
  give_items(n, std::move(items));
}

void sequence_erase(NodeRun& n) {
  Items items = items_of(n, 0);
  const auto size = static_cast<int64_t>(items.size());
  if (items.empty()) n.refuse("an empty sequence", "elements");
  const int64_t at = n.has(1) ? position_in(n, 1, size, size - 1) : size - 1;
  items.erase(items.begin() + at);
  give_items(n, std::move(items));
}

void sequence_at(NodeRun& n) {
  const Items& items = items_of(n, 0);
  const auto size = static_cast<int64_t>(items.size());
  n.give_value(items[static_cast<size_t>(position_in(n, 1, size, size - 1))]);
}

void sequence_length(NodeRun& n) {
  const auto length = static_cast<int64_t>(items_of(n, 0).size());
  NodeValue value{n.from_integers(std::span(&length, 1)), true};
  value.is_known = true;
  n.give_value(std::move(value));
}

void split_to_sequence(NodeRun& n) {
  const Tensor& x = n.tensor(0);
  const int dim = n.axis_attribute(0, n.rank(0));
  const bool keeps = n.integer("keepdims", 1) != 0 || n.has(1);
  std::vector<int64_t> sizes;
  if (!n.has(1)) {
    sizes.assign(static_cast<size_t>(x.size(dim)), 1);
  } else if (n.in(1).is_scalar) {
    const int64_t each = n.integer(size_t{1});
    if (each <= 0) n.refuse(concat("parts of size ", each), "at least 1");
    for (int64_t first = 0; first < x.size(dim); first += each) sizes.push_back(std::min(each, x.size(dim) - first));
  } else {
    sizes = n.integers(1);
  }
  Items items;
  int64_t first = 0;
  for (const int64_t size : sizes) {
    if (size < 0 || size > x.size(dim) - first) n.refuse(concat("a part of size ", size), concat("at most ", x.size(dim) - first));
    const Tensor part = n.narrowed(x, dim, first, size);
    Shape without = part.sizes();
    without.erase(dim);
    items.push_back(keeps ? NodeValue{part} : NodeValue{n.reshaped(part, without), without.size() == 0});
    items.back().is_known = n.in(0).is_known;
    first += size;
  }
  if (first != x.size(dim)) n.refuse(concat("parts with ", first, " elements"), concat(x.size(dim)));
  give_items(n, std::move(items));
}

void concat_from_sequence(NodeRun& n) {
  const Items& items = items_of(n, 0);
  if (items.empty()) n.refuse("an empty sequence", "elements");
  const bool adds = n.integer("new_axis", 0) != 0;
  const int rank = items[0].rank() + (adds ? 1 : 0), dim = n.axis_attribute(0, rank);
  std::vector<Tensor> parts;
  for (const NodeValue& item : items) {
    std::vector<int64_t> sizes(item.sizes().begin(), item.sizes().end());
    if (adds) sizes.insert(sizes.begin() + dim, 1);
    parts.push_back(n.reshaped(item.tensor, sizes));
  }
  n.give(n.concatenated(parts, dim));
}

void sequence_map(NodeRun& n) {
  const Items& first = items_of(n, 0);
  std::vector<Items> results(n.outputs());
  for (size_t i = 0; i < first.size(); ++i) {
    Items inputs;
    for (size_t k = 0; k < n.inputs(); ++k) {
      const NodeValue& value = n.in(k);
      if (value.items != nullptr && value.items->size() <= i) n.refuse(concat("a sequence of ", value.items->size()), concat(first.size()));
      inputs.push_back(value.items != nullptr ? (*value.items)[i] : value);
    }
    Items outputs = run_body(n, 0, std::move(inputs));
    for (size_t k = 0; k < results.size() && k < outputs.size(); ++k) results[k].push_back(std::move(outputs[k]));
  }
  for (size_t k = 0; k < results.size(); ++k) {
    NodeValue value;
    value.items = std::make_shared<const Items>(std::move(results[k]));
    n.give_value(std::move(value), k);
  }
}

// ---- values that may be absent

void optional_get_element(NodeRun& n) { n.give_value(n.in(0)); }

void optional_has_element(NodeRun& n) {
  NodeValue value{n.filled({}, n.has(0) ? 1 : 0, DType::boolean), true};
  value.is_known = true;
  n.give_value(std::move(value));
}

constexpr auto itself = NodeKind::Knows::itself;

constexpr NodeKind kinds[] = {
    {"ConcatFromSequence", concat_from_sequence},
    {"OptionalGetElement", optional_get_element, {}, {}, itself},
    {"OptionalHasElement", optional_has_element, {}, {}, itself},
    {"SequenceAt", sequence_at, {}, {}, itself},
    {"SequenceConstruct", sequence_construct, {}, {}, itself},
    {"SequenceEmpty", sequence_empty, {}, {}, itself},
    {"SequenceErase", sequence_erase, {}, {}, itself},
    {"SequenceInsert", sequence_insert, {}, {}, itself},
    {"SequenceLength", sequence_length, {}, {}, itself},
    {"SequenceMap", sequence_map, {}, {}, itself},
    {"SplitToSequence", split_to_sequence, {}, {}, itself},
};

}  // namespace

std::span<const NodeKind> sequence_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
