#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "engine/arguments/convert.h"
#include "engine/core/geometry.h"
#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;
using SizeList = std::vector<int64_t>;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Whether the op takes less time than two products and a softmax. It computes blocks of 64 queries: few queries leave most of a block
// empty, and few scores lie in the first-level cache anyway.
bool is_worthwhile(int64_t queries, int64_t keys, int64_t size) {
  constexpr int64_t block = 64, most_empty_parts = 4, most_empty_parts_of_wide = 8;
  const int64_t padded = (queries + block - 1) / block * block;
  return keys >= 64 && (padded - queries) * (size <= 64 ? most_empty_parts : most_empty_parts_of_wide) <= padded;
}

// The op multiplies the queries by the scale, the program the scores: beyond these numbers one of them may overflow earlier.
constexpr double least_scale = 1e-9, most_scale = 1e9;

struct Mask {
  enum class How : uint8_t { added, excludes, keeps };
  Ref value;
  How how;  // added to the scores, or what elements other than 0 mean
};

// softmax(scale query key' + mask) value.
struct Attention {
  Ref query = {}, transposed_key = {}, value = {};
  double scale = 1;
  bool causal = false;
  std::optional<Mask> mask = std::nullopt;
  SizeList masked = {};  // the sizes to which the mask broadcasts
  size_t last = 0;       // the product with the values
  std::set<size_t> absorbed = {};
};

bool is_named(const Graph::Step& step, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, step.op->decl->name) != names.end();
}

bool is_value(const Argument& argument) { return argument.type == Argument::Type::value && !argument.negative; }

std::optional<double> number_of(const Argument& argument) {
  if (argument.type != Argument::Type::immediate || kinds_of(argument.immediate) != number_kinds) return std::nullopt;
  return argument.immediate.as_double();
}

// Whether an argument is one of the last dimensions: 1 for the last one.
bool is_from_end(const Argument& dim, size_t place, size_t dims) {
  const std::optional<double> number = number_of(dim);
  return number && (*number == static_cast<double>(dims - place) || *number == -static_cast<double>(place));
}

// The factor of a step that multiplies its first argument by a number.
std::optional<double> factor_of(const Graph::Step& step) {
  const bool multiplies = is_named(step, {"mul", "cmul"});
  const std::optional<double> number = multiplies || is_named(step, {"div", "cdiv"}) ? number_of(step.arguments[1]) : std::nullopt;
  if (!number) return std::nullopt;
  return multiplies ? *number : 1 / *number;
}

bool is_product(const Graph::Step& step) {
  return is_named(step, {"mm", "bmm", "matmul"}) && is_value(step.arguments[0]) && is_value(step.arguments[1]);
}

int64_t from_end(const SizeList& sizes, size_t place) { return sizes[sizes.size() - place]; }

SizeList with_matrix(const SizeList& sizes, int64_t rows, int64_t columns) {
  SizeList result = sizes;
  result[sizes.size() - 2] = rows;
  result[sizes.size() - 1] = columns;
  return result;
}

Argument sizes_argument(const SizeList& sizes) {
  Argument argument;
  argument.type = Argument::Type::sizes;
  for (const int64_t size : sizes) argument.sizes.push_back({{.number = size}});
  return argument;
}

// expandAs and viewAs use their template for its sizes alone: with known sizes it has one use less.
Graph without_templates(const Graph& graph) {
  Rewrite rewrite(graph);
  for (const Graph::Step& step : graph.steps) {
    const std::optional<ValueType> type = graph.type_of({Ref::Of::result, step.first});
    if (!type || !is_named(step, {"expandAs", "viewAs"})) {
      rewrite.copy(step);
      continue;
    }
    Graph::Step sized = step;
    sized.op = Registry::instance().find(step.op->decl->name == "viewAs" ? "view" : "expand");
    sized.arguments = rewrite.arguments(step);
    sized.arguments[1] = sizes_argument(type->sizes);
    rewrite.add(std::move(sized), step.first);
  }
  return rewrite.finish();
}

class Finder {
 public:
  explicit Finder(const Graph& graph) : graph_(graph), uses_(graph) {}

  // The attention whose weights a step computes.
  std::optional<Attention> at(size_t softmax) const {
    const Graph::Step& step = graph_.steps[softmax];
    if (!is_named(step, {"softmax"}) || !is_value(step.arguments[0])) return std::nullopt;
    const std::optional<SizeList> sizes = sizes_of(step.arguments[0].value);
    const bool is_last = sizes && sizes->size() >= 2 && (!step.has(1) || is_from_end(step.arguments[1], 1, sizes->size()));
    if (!is_last) return std::nullopt;
    Attention attention;
    attention.absorbed.insert(softmax);
    if (!follow_weights(softmax, attention)) return std::nullopt;
    return follow_scores(step.arguments[0].value, std::move(attention));
  }

  // The matrices whose transposed ones a value is: the value before a step that transposes it.
  std::optional<Ref> transposed(Ref value) const {
    const Graph::Step* const step = producer(value);
    if (step == nullptr || !is_named(*step, {"t", "transpose"}) || !is_value(step->arguments[0])) return std::nullopt;
    const size_t dims = sizes_of(value)->size();
    const auto swaps = [&](size_t a, size_t b) {
      return is_from_end(step->arguments[1], a, dims) && is_from_end(step->arguments[2], b, dims);
    };
    if (step->op->decl->name == "transpose" && !swaps(1, 2) && !swaps(2, 1)) return std::nullopt;
    return step->arguments[0].value;
  }

 private:
  std::optional<SizeList> sizes_of(Ref ref) const {
    std::optional<ValueType> type = graph_.type_of(ref);
    if (!type || !type->has_known_sizes()) return std::nullopt;
    return std::move(type->sizes);
  }

  // The step whose first result a value is, or null.
  const Graph::Step* producer(Ref value) const { return producing_step(graph_, uses_, value); }

  // Whether a step only gives its first argument other leading sizes.
  bool keeps_matrices(const Graph::Step& step) const {
    if (!is_named(step, {"view", "reshape", "contiguous", "clone", "squeeze", "unsqueeze"}) || !is_value(step.arguments[0])) return false;
    const std::optional<SizeList> from = sizes_of(step.arguments[0].value), to = sizes_of({Ref::Of::result, step.first});
    return from && to && from->size() >= 2 && to->size() >= 2 && from_end(*from, 1) == from_end(*to, 1) &&
           from_end(*from, 2) == from_end(*to, 2);
  }

  // From the softmax to the product with the values.
  bool follow_weights(size_t step, Attention& found) const {
    for (;;) {
      const Ref weights{Ref::Of::result, graph_.steps[step].first};
      const std::optional<size_t> user = uses_.only_user(weights.index);
      if (!user) return false;
      const Graph::Step& next = graph_.steps[*user];
      if (next.arguments[0].type != Argument::Type::value || next.arguments[0].value != weights) return false;
      if (is_product(next)) {
        found.value = next.arguments[1].value;
        found.last = *user;
        return true;
      }
      if (!keeps_matrices(next)) return false;
      found.absorbed.insert(*user);
      step = *user;
    }
  }

  // From the argument of the softmax back to the product of queries and keys.
  std::optional<Attention> follow_scores(Ref scores, Attention found) const {
    for (;;) {
      const Graph::Step* const step = producer(scores);
      if (step == nullptr || !uses_.only_user(scores.index)) return std::nullopt;
      found.absorbed.insert(uses_.producer(scores.index));
      if (is_product(*step)) {
        found.query = step->arguments[0].value;
        found.transposed_key = step->arguments[1].value;
        return fits(found) ? std::optional(std::move(found)) : std::nullopt;
      }
      if (!is_value(step->arguments[0])) return std::nullopt;
      const std::optional<double> factor = factor_of(*step);
      if (!factor && !keeps_matrices(*step)) return follow_masked(*step, found);
      found.scale *= factor.value_or(1);
      scores = step->arguments[0].value;
    }
  }

  std::optional<Attention> follow_masked(const Graph::Step& step, const Attention& found) const {
    const auto& arguments = step.arguments;
    const auto is_barrier = [](const Argument& argument) { return number_of(argument) == -infinity; };
    if (is_named(step, {"maskedFill"}) && is_barrier(arguments[2]) && is_value(arguments[1]))
      return follow_past({arguments[1].value, Mask::How::excludes}, arguments[0].value, found);
    if (is_named(step, {"where"}) && is_barrier(arguments[2]) && is_value(arguments[1]))
      return follow_past({arguments[0].value, Mask::How::keeps}, arguments[1].value, found);
    if (!is_named(step, {"add"}) || step.has(2) || !is_value(arguments[1])) return std::nullopt;
    const Ref a = arguments[0].value, b = arguments[1].value;
    if (auto attention = follow_past({b, Mask::How::added}, a, found)) return attention;
    return follow_past({a, Mask::How::added}, b, found);
  }

  std::optional<Attention> follow_past(Mask mask, Ref scores, Attention found) const {
    const std::optional<ValueType> type = graph_.type_of(scores);
    if (!type) return std::nullopt;
    const auto broadcasts = [&](Ref ref) {
      const std::optional<SizeList> sizes = sizes_of(ref);
      return sizes && !sizes->empty() && broadcasts_to(*sizes, type->sizes);
    };
    for (const Graph::Step* from = producer(mask.value);
         from != nullptr && is_named(*from, {"expand"}) && broadcasts(from->arguments[0].value); from = producer(mask.value))
      mask.value = from->arguments[0].value;
    if (!broadcasts(mask.value)) return std::nullopt;
    const DType dtype = graph_.type_of(mask.value)->dtype;
    const bool is_added = mask.how == Mask::How::added;
    if (is_added ? dtype != type->dtype : is_float(dtype)) return std::nullopt;
    if (!(found.scale > 0)) return std::nullopt;  // else an excluded key is not one afterwards
    if (!found.causal && is_causal(mask, type->sizes)) {
      found.causal = true;
    } else {
      if (found.mask || (is_added && found.scale != 1)) return std::nullopt;
      found.mask = mask;
      found.masked = type->sizes;
    }
    return follow_scores(scores, std::move(found));
  }

  // Whether a mask is a constant that excludes for each query the keys behind it, and changes no other score.
  bool is_causal(const Mask& mask, const SizeList& scores) const {
    const auto updates = [&](const Graph::Update& update) { return update.target == mask.value; };
    if (mask.value.of != Ref::Of::constant || std::ranges::any_of(graph_.updates, updates)) return false;
    const Tensor& constant = graph_.constants[static_cast<size_t>(mask.value.index)].tensor;
    const int64_t rows = from_end(scores, 2), columns = from_end(scores, 1);
    if (constant.dim() < 2 || constant.device() != cpu_device || constant.numel() != rows * columns ||
        constant.size(constant.dim() - 2) != rows || constant.size(constant.dim() - 1) != columns)
      return false;
    const Tensor elements = contiguous(to_dtype(constant, DType::float64));
    const double* element = elements.data<double>();
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j, ++element) {
        const bool excludes = mask.how == Mask::How::added   ? *element == -infinity
                              : mask.how == Mask::How::keeps ? *element == 0
                                                             : *element != 0;
        if (excludes != (j > i) || (mask.how == Mask::How::added && !excludes && *element != 0)) return false;
      }
    }
    return true;
  }

  bool fits(const Attention& found) const {
    const std::optional<ValueType> query = graph_.type_of(found.query), key = graph_.type_of(found.transposed_key),
                                   value = graph_.type_of(found.value);
    const Argument& weights = graph_.steps[found.last].arguments[0];
    const std::optional<SizeList> rows = sizes_of(weights.value);
    if (!query || !key || !value || !rows || !sizes_of({Ref::Of::result, graph_.steps[found.last].first})) return false;
    const bool has_dtype = query->dtype == DType::float32 || query->dtype == DType::float64;
    if (!has_dtype || key->dtype != query->dtype || value->dtype != query->dtype) return false;
    const double scale = std::abs(found.scale);
    if (!(scale >= least_scale && scale <= most_scale)) return false;
    const auto same_heads = [](const SizeList& a, const SizeList& b) {
      return a.size() >= 2 && a.size() == b.size() && std::equal(a.begin(), a.end() - 2, b.begin());
    };
    if (!same_heads(query->sizes, key->sizes) || !same_heads(*rows, value->sizes)) return false;
    const int64_t queries = from_end(query->sizes, 2), keys = from_end(key->sizes, 1);
    return is_worthwhile(queries, keys, from_end(query->sizes, 1));
  }

  const Graph& graph_;
  Uses uses_;
};

// Appends steps to the new graph.
class Builder {
 public:
  Builder(const Finder& finder, Rewrite& rewrite) : finder_(finder), rewrite_(rewrite) {}

  void add(const Attention& attention) {
    const Graph& from = rewrite_.from();
    const std::optional<ValueType> query_type = from.type_of(attention.query);
    const SizeList query = query_type->sizes, key = from.type_of(attention.transposed_key)->sizes,
                   value = from.type_of(attention.value)->sizes;
    const SizeList heads = attention.mask ? attention.masked : query;
    const int64_t rows = from_end(query, 2), columns = from_end(value, 1);
    const Graph::Step& last = from.steps[attention.last];
    Graph::Step step;
    step.op = Registry::instance().find("scaledDotProductAttention");
    step.origin = last.origin;
    step.arguments.resize(static_cast<size_t>(step.op->decl->signature.count));
    step.arguments[0] = shaped(rewrite_.at(attention.query), query, with_matrix(heads, rows, from_end(query, 1)));
    step.arguments[1] = shaped(key_of(attention), with_matrix(key, from_end(key, 1), from_end(key, 2)),
                               with_matrix(heads, from_end(key, 1), from_end(key, 2)));
    step.arguments[2] = shaped(rewrite_.at(attention.value), value, with_matrix(heads, from_end(value, 2), columns));
    if (attention.mask) step.arguments[3] = Argument(added(*attention.mask, query_type->dtype));
    if (attention.causal) {
      Value causal;
      causal.type = Value::Type::boolean;
      causal.boolean = true;
      step.arguments[4] = Argument(causal);
    }
    step.arguments[5] = Argument(Value(attention.scale));
    const SizeList computed = with_matrix(heads, rows, columns), expected = from.type_of({Ref::Of::result, last.first})->sizes;
    if (computed == expected) return rewrite_.add(std::move(step), last.first);
    step.first = rewrite_.to().result_count();
    rewrite_.to().steps.push_back(step);
    rewrite_.replace(last.first, shaped({Ref::Of::result, step.first}, computed, expected).value);
  }

 private:
  Ref append(std::string_view op, std::vector<Argument> arguments) {
    return rewrite_.to().append(*Registry::instance().find(op), std::move(arguments), {}, false);
  }

  Argument shaped(Ref value, const SizeList& from, const SizeList& to) {
    if (from == to) return Argument(value);
    return Argument(append("reshape", {Argument(value), sizes_argument(to)}));
  }

  Ref key_of(const Attention& attention) {
    if (const std::optional<Ref> key = finder_.transposed(attention.transposed_key)) return rewrite_.at(*key);
    const auto dims = static_cast<double>(rewrite_.from().type_of(attention.transposed_key)->sizes.size());
    return append("transpose", {Argument(rewrite_.at(attention.transposed_key)), Argument(Value(dims - 2)), Argument(Value(dims - 1))});
  }

  // What a mask adds to the scores.
  Ref added(const Mask& mask, DType dtype) {
    const Argument value(rewrite_.at(mask.value));
    if (mask.how == Mask::How::added) return value.value;
    Value type;
    type.type = Value::Type::dtype;
    type.dtype = dtype;
    const Argument nothing(
        append("full", {sizes_argument(rewrite_.from().type_of(mask.value)->sizes), Argument(Value(0.0)), Argument(type)})),
        barrier(Value(-infinity));
    const bool keeps = mask.how == Mask::How::keeps;
    return append("where", {value, keeps ? nothing : barrier, keeps ? barrier : nothing});
  }

  const Finder& finder_;
  Rewrite& rewrite_;
};

}  // namespace

Graph fuse_attention(const Graph& graph) {
  const auto writes = [](const Graph::Step& step) { return !step.writes.empty(); };
  if (std::ranges::any_of(graph.steps, writes)) return graph;  // a fused step reads its operands later
  const Graph sized = without_templates(graph);
  const Finder finder(sized);
  std::vector<Attention> found;
  std::set<size_t> taken;
  const auto is_taken = [&](size_t step) { return taken.count(step) > 0; };
  for (size_t i = 0; i < sized.steps.size(); ++i) {
    std::optional<Attention> attention = finder.at(i);
    if (!attention || is_taken(attention->last) || std::ranges::any_of(attention->absorbed, is_taken)) continue;
    taken.insert(attention->absorbed.begin(), attention->absorbed.end());
    taken.insert(attention->last);
    found.push_back(*std::move(attention));
  }
  if (found.empty()) return graph;
  Rewrite rewrite(sized);
  Builder builder(finder, rewrite);
  for (size_t i = 0; i < sized.steps.size(); ++i) {
    const auto attention = std::ranges::find(found, i, &Attention::last);
    if (attention != found.end())
      builder.add(*attention);
    else if (!is_taken(i))
      rewrite.copy(sized.steps[i]);
  }
  return remove_dead_steps(rewrite.finish());
}

}  // namespace mt
