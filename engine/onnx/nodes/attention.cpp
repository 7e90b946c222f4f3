// Attention, and what transformers use with it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/onnx/node_kind.h"

namespace mt::onnx {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// (batch, heads, length, size) of an input, from that or (batch, length, heads * size).
Tensor by_heads(const NodeRun& n, size_t i, int64_t heads) {
  const Tensor& x = n.tensor(i);
  if (x.dim() == 4) return x;
  if (x.dim() != 3 || heads <= 0 || x.size(2) % heads != 0)
    n.refuse(concat("input ", i + 1, " of ", x.dim(), " dimensions for ", heads, " heads"), "3 or 4");
  return n.permuted(n.reshaped(x, Shape{x.size(0), x.size(1), heads, x.size(2) / heads}), {0, 2, 1, 3});
}

// Each head, repeated for the queries that share it.
Tensor repeated_heads(const NodeRun& n, const Tensor& x, int64_t heads) {
  if (x.size(1) == heads) return x;
  if (x.size(1) == 0 || heads % x.size(1) != 0) n.refuse(concat(heads, " heads of queries for ", x.size(1), " of keys"), "a multiple");
  const Shape wide{x.size(0), x.size(1), heads / x.size(1), x.size(2), x.size(3)};
  const Tensor column = n.reshaped(x, Shape{x.size(0), x.size(1), 1, x.size(2), x.size(3)});
  return n.reshaped(n.broadcast({column}, wide), Shape{x.size(0), heads, x.size(2), x.size(3)});
}

// Which keys a query may see by its place: not later ones, and not beyond the windows. By batch, since caches have different lengths.
Tensor frontier(const NodeRun& n, int64_t batch, int64_t queries, int64_t keys, int64_t past) {
  const bool is_causal = n.integer("is_causal", 0) != 0;
  const int64_t left = n.integer("left_window_size", -1), right = n.integer("right_window_size", -1);
  std::vector<int64_t> valid;
  if (n.has(6)) valid = n.integers(6);
  if (!valid.empty() && valid.size() != static_cast<size_t>(batch)) n.refuse(concat(valid.size(), " lengths"), concat(batch));
  if (!is_causal && left < 0 && right < 0 && valid.empty()) return {};
  const int64_t masks = valid.empty() ? 1 : batch;
  Tensor mask = Tensor::empty(DType::boolean, {masks, 1, queries, keys});
  bool* out = mask.data<bool>();
  for (int64_t b = 0; b < masks; ++b) {
    const int64_t offset = n.has(4) ? past : valid.empty() ? 0 : valid[static_cast<size_t>(b)] - queries;
    for (int64_t i = 0; i < queries; ++i) {
      for (int64_t j = 0; j < keys; ++j) {
        const int64_t at = i + offset;
        *out++ = (!is_causal || j <= at) && (left < 0 || j >= at - left) && (right < 0 || j <= at + right) &&
                 (valid.empty() || j < valid[static_cast<size_t>(b)]);
      }
    }
  }
  return mask;
}

// Scores with the mask of the caller, of which missing last keys are excluded, and the frontier.
Tensor masked(const NodeRun& n, Tensor scores, int64_t past) {
  const Shape sizes = scores.sizes();
  if (n.has(3)) {
    NodeValue mask = n.in(3);
    const int64_t known = mask.tensor.size(mask.tensor.dim() - 1);
    const bool is_choice = mask.tensor.dtype() == DType::boolean;
    if (known < sizes[3] && known != 1) {
      Shape rest = mask.tensor.sizes();
      rest[mask.tensor.dim() - 1] = sizes[3] - known;
      const Tensor parts[] = {mask.tensor, n.filled(rest, is_choice ? 0 : -infinity, mask.tensor.dtype())};
      mask.tensor = n.concatenated(parts, mask.tensor.dim() - 1);
    }
    const Tensor wide = n.broadcast(mask, sizes);
    scores = is_choice ? n.eval("(mask, x, low) where(mask, x, low)", {wide, scores, -infinity})
                       : n.eval("(x, mask) add(x, mask)", {scores, n.converted(wide, scores.dtype())});
  }
  const Tensor seen = frontier(n, sizes[0], sizes[2], sizes[3], past);
  if (seen.dim() == 0) return scores;
  return n.eval("(mask, x, low) where(mask, x, low)", {n.broadcast({seen}, sizes), scores, -infinity});
}

void attention(NodeRun& n) {
  const bool is_packed = n.rank(0) == 3;
  const Tensor q = by_heads(n, 0, n.integer("q_num_heads", 0));
  Tensor k = by_heads(n, 1, n.integer("kv_num_heads", 0)), v = by_heads(n, 2, n.integer("kv_num_heads", 0));
  int64_t past = 0;
  if (n.has(4) && n.has(5)) {
    past = n.tensor(4, 4).size(2);
    const Tensor keys[] = {n.tensor(4), k}, values[] = {n.tensor(5), v};
    k = n.concatenated(keys, 2);
    v = n.concatenated(values, 2);
  }
  n.give(k, false, 1);
  n.give(v, false, 2);
  const int64_t heads = q.size(1);
  const Tensor all_k = repeated_heads(n, k, heads), all_v = repeated_heads(n, v, heads);
  const double scale = std::sqrt(n.number("scale", 1 / std::sqrt(static_cast<double>(q.size(3)))));
  const int64_t mode = n.integer("qk_matmul_output_mode", 0);
  Tensor scores = n.eval("(q, k, scale) matmul(mul(q, scale), mul(transpose(k, 3, 4), scale))", {q, all_k, scale});
  if (mode == 0) n.give(scores, false, 3);
  const double cap = n.number("softcap", 0);
  if (cap != 0) scores = n.eval("(x, cap) mul(tanh(div(x, cap)), cap)", {scores, cap});
  if (mode == 1) n.give(scores, false, 3);
  scores = masked(n, scores, past);
  if (mode == 2) n.give(scores, false, 3);
  const DType dtype = q.dtype(), precise = dtype_of_elements(n.integer("softmax_precision", 0)).value_or(dtype);
  // A query that sees no key gets zeros.
  Tensor weights =
      n.converted(n.eval("(x) where(eq(expandAs(max(x, 4), x), -inf), 0, softmax(x, 4))", {n.converted(scores, precise)}), dtype);
  if (mode == 3) n.give(weights, false, 3);
  Tensor y = n.eval("(weights, v) matmul(weights, v)", {weights, all_v});
  if (is_packed) y = n.reshaped(n.permuted(y, {0, 2, 1, 3}), Shape{y.size(0), y.size(2), heads * y.size(3)});
  n.give(y);
}

// Rotates pairs of elements by the angles of their positions.
void rotary_embedding(NodeRun& n) {
  const bool is_packed = n.rank(0) == 3;
  const Tensor x = by_heads(n, 0, n.integer("num_heads", 0));  // (batch, heads, length, size)
  const int64_t given = n.integer("rotary_embedding_dim", 0), rotated = given == 0 ? x.size(3) : given, half = rotated / 2;
  if (rotated > x.size(3) || rotated % 2 != 0) n.refuse(concat(rotated, " rotated elements of ", x.size(3)), "an even number of them");
  const auto angles = [&](size_t i) {
    Tensor t = n.tensor(i);
    if (n.has(3)) {
      const Tensor& at = n.tensor(3);
      t = n.eval("(x, at) index(x, 1, add(at, 1))", {t, n.reshaped(n.converted(at, DType::int64), Shape{at.numel()})});
    }
    return n.broadcast({n.reshaped(t, Shape{x.size(0), 1, x.size(2), half})}, Shape{x.size(0), x.size(1), x.size(2), half});
  };
  const Tensor cos = angles(1), sin = angles(2), turned = n.narrowed(x, 3, 0, rotated);
  const bool is_interleaved = n.integer("interleaved", 0) != 0;
  Tensor first, second;
  if (is_interleaved) {
    const Tensor pairs = n.reshaped(turned, Shape{x.size(0), x.size(1), x.size(2), half, 2});
    first = n.eval("(x) select(x, 5, 1)", {pairs});
    second = n.eval("(x) select(x, 5, 2)", {pairs});
  } else {
    first = n.narrowed(turned, 3, 0, half);
    second = n.narrowed(turned, 3, half, half);
  }
  const Tensor real = n.eval("(x, y, c, s) csub(cmul(x, c), cmul(y, s))", {first, second, cos, sin});
  const Tensor imaginary = n.eval("(x, y, c, s) add(cmul(x, s), cmul(y, c))", {first, second, cos, sin});
  Tensor y;
  if (is_interleaved) {
    const Tensor both[] = {n.eval("(x) unsqueeze(x, 5)", {real}), n.eval("(x) unsqueeze(x, 5)", {imaginary})};
    y = n.reshaped(n.concatenated(both, 4), Shape{x.size(0), x.size(1), x.size(2), rotated});
  } else {
    const Tensor both[] = {real, imaginary};
    y = n.concatenated(both, 3);
  }
  if (rotated < x.size(3)) {
    const Tensor both[] = {y, n.narrowed(x, 3, rotated, x.size(3) - rotated)};
    y = n.concatenated(both, 3);
  }
  if (is_packed) y = n.permuted(y, {0, 2, 1, 3});
  n.give(y, n.sizes(0));
}

// Writes new keys or values into a cache, from a position of each example on.
void tensor_scatter(NodeRun& n) {
  Tensor cache = n.tensor(0);
  const Tensor& update = n.tensor(1);
  const int dim = n.axis_attribute(-2, n.rank(0));
  const bool is_circular = n.string("mode", "linear") == "circular";
  const std::vector<int64_t> first = n.has(2) ? n.integers(2) : std::vector<int64_t>(static_cast<size_t>(cache.size(0)), 0);
  const int64_t length = update.size(dim), room = cache.size(dim);
  if (first.size() != static_cast<size_t>(cache.size(0)) || length > room)
    n.refuse("an update that does not fit", "one for each example of the cache");
  std::vector<int64_t> at, sizes(static_cast<size_t>(cache.dim()), 1);
  for (const int64_t start : first) {
    if (start < 0 || (!is_circular && start > room - length)) n.refuse(concat("the position ", start), concat("0..", room - length));
    for (int64_t i = 0; i < length; ++i) at.push_back((start + i) % room + 1);
  }
  sizes[0] = cache.size(0);
  sizes[static_cast<size_t>(dim)] = length;
  const Tensor index = n.broadcast({n.reshaped(n.from_integers(at), sizes)}, update.sizes());
  n.give(n.eval("(x, dim, at, y) scatter(x, dim, at, y)", {cache, dimension(dim), index, update}));
}

// ---- state that runs along a sequence

void linear_attention(NodeRun& n) {
  const int64_t query_heads = n.integer("q_num_heads", 0), heads = n.integer("kv_num_heads", 0);
  if (heads <= 0) n.refuse(concat(heads, " heads of keys"), "at least 1");
  const Tensor q = by_heads(n, 0, query_heads), k = by_heads(n, 1, heads), v = by_heads(n, 2, heads);
  const std::string_view rule = n.string("update_rule", "gated_delta");
  const bool is_gated = rule == "gated" || rule == "gated_delta", is_delta = rule == "delta" || rule == "gated_delta";
  if (!is_gated && !is_delta && rule != "linear") n.refuse(concat("the rule ", rule), "linear, gated, delta or gated_delta");
  const int64_t batch = q.size(0), time = q.size(2), dk = k.size(3), dv = v.size(3);
  const double given = n.number("scale", 0), scale = given == 0 ? 1 / std::sqrt(static_cast<double>(q.size(3))) : given;
  Tensor state = n.has(3) ? n.tensor(3) : n.filled(Shape{batch, heads, dk, dv}, 0, q.dtype());
  const auto row = [&](const Tensor& x, int64_t t) { return n.reshaped(n.narrowed(x, 2, t, 1), Shape{batch, x.size(1), x.size(3), 1}); };
  const Shape square{batch, heads, dk, dv};
  const auto at_step = [&](size_t input, int64_t t, int64_t width) {
    const Tensor& x = n.tensor(input, 3);
    const Tensor now = n.narrowed(x, 1, t, 1);
    const int64_t columns = x.size(2);
    if (columns == 1) return n.broadcast({n.reshaped(now, Shape{batch, 1, 1, 1})}, square);
    if (columns % heads != 0 || (columns != heads && columns != heads * width))
      n.refuse(concat("gates of ", columns), concat(heads, " or ", heads * width));
    return n.broadcast({n.reshaped(now, Shape{batch, heads, columns / heads, 1})}, square);
  };
  std::vector<Tensor> outputs;
  for (int64_t t = 0; t < time; ++t) {
    const Tensor key = row(k, t), value = n.eval("(x) transpose(x, 3, 4)", {row(v, t)});
    if (is_gated) state = n.eval("(s, g) cmul(s, exp(g))", {state, at_step(4, t, dk)});
    Tensor added = value;
    if (is_delta) added = n.eval("(v, k, s) csub(v, matmul(transpose(k, 3, 4), s))", {value, key, state});
    Tensor outer = n.eval("(k, v) matmul(k, v)", {key, added});
    if (is_delta) outer = n.eval("(x, beta) cmul(x, beta)", {outer, at_step(5, t, 1)});
    state = n.eval("(s, x) add(s, x)", {state, outer});
    const Tensor read = repeated_heads(n, state, query_heads);
    const Tensor y = n.eval("(q, s, scale) mul(matmul(transpose(q, 3, 4), s), scale)", {row(q, t), read, scale});
    outputs.push_back(n.reshaped(y, Shape{batch, 1, query_heads * dv}));
  }
  n.give(n.concatenated(outputs, 1));
  n.give(state, false, 1);
}

void causal_conv_with_state(NodeRun& n) {
  const Tensor &x = n.tensor(0, 3), &weight = n.tensor(1, 3);
  const int64_t channels = x.size(1), width = weight.size(2) - 1;
  const Tensor past = n.has(3) ? n.tensor(3) : n.filled(Shape{x.size(0), channels, width}, 0, x.dtype());
  const Tensor parts[] = {past, x};
  const Tensor all = width > 0 ? n.concatenated(parts, 2) : x;
  Tensor y = n.eval("(x, weight, bias, groups) conv1d(x, weight, bias, 1, 0, 1, groups)", {all, weight, n.optional(2), Operand(channels)});
  if (n.string("activation", "none") != "none") y = n.eval("(x) silu(x)", {y});
  n.give(y);
  n.give(n.narrowed(all, 2, all.size(2) - width, width), false, 1);
}

constexpr NodeKind kinds[] = {
    {"Attention", attention},
    {"CausalConvWithState", causal_conv_with_state},
    {"LinearAttention", linear_attention},
    {"RotaryEmbedding", rotary_embedding},
    {"SwiGLU", nullptr, "(x, y, alpha) cmul(cmul(x, sigmoid(mul(x, alpha))), y)", "alpha=1"},
    {"TensorScatter", tensor_scatter},
};

}  // namespace

std::span<const NodeKind> attention_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
