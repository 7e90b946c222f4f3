// Products of matrices, and Einstein's sums.
#include <algorithm>
#include <map>

#include "engine/onnx/node_kind.h"

namespace mt::onnx {
namespace {

// Products of integers run in float64, which is exact for sums below 2^53, where the engine has no kernel for the dtype.
Tensor product(const NodeRun& n, const Tensor& a, const Tensor& b) {
  if (is_float(a.dtype())) return n.eval("(a, b) matmul(a, b)", {a, b});
  const Tensor wide = n.eval("(a, b) matmul(a, b)", {n.converted(a, DType::float64), n.converted(b, DType::float64)});
  return n.converted(wide, a.dtype());
}

void mat_mul(NodeRun& n) {
  const Sizes a = n.sizes(0), b = n.sizes(1);
  if (a.empty() || b.empty()) n.refuse("an input without dimensions", "at least one");
  n.give(product(n, n.tensor(0), n.tensor(1)), a.size() == 1 && b.size() == 1);
}

void gemm(NodeRun& n) {
  const double alpha = n.number("alpha", 1), beta = n.number("beta", 1);
  const bool turns_a = n.integer("transA", 0) != 0, turns_b = n.integer("transB", 0) != 0;
  if (n.rank(0) != 2 || n.rank(1) != 2) n.refuse("an input that is no matrix", "2 dimensions");
  const Tensor a = turns_a ? n.permuted(n.tensor(0), {1, 0}) : n.tensor(0);
  // A layer, whose weight is (out, in).
  const Tensor weight = turns_b ? n.tensor(1) : n.permuted(n.tensor(1), {1, 0});
  const bool is_layer =
      alpha == 1 && is_float(a.dtype()) && (!n.has(2) || (beta == 1 && n.rank(2) == 1 && n.sizes(2)[0] == weight.size(0)));
  if (is_layer) return n.give(n.eval("(x, weight, bias) linear(x, weight, bias)", {a, weight, n.optional(2)}));
  Tensor result = product(n, a, n.permuted(weight, {1, 0}));
  if (alpha != 1) result = n.eval("(x, alpha) mul(x, alpha)", {result, alpha});
  if (n.has(2)) {
    const Tensor added = n.broadcast(n.in(2), result.sizes());
    result = n.eval("(x, y, beta) add(mul(y, beta), x)", {result, added, beta});
  }
  n.give(result);
}

void det(NodeRun& n) {
  const Tensor& x = n.tensor(0);
  if (n.rank(0) < 2) n.refuse(concat(n.rank(0), " dimensions"), "at least 2");
  const Sizes sizes = n.sizes(0).first(n.sizes(0).size() - 2);
  n.give(n.eval("(x) det(x)", {x}), sizes);
}

// ---- Einstein's sums: "bij,bjk->bik"

struct Equation {
  std::vector<std::string> terms;  // of the inputs; each letter a dimension. '0', '1', ... are those of an ellipsis
  std::string output;
};

// The dimensions of an ellipsis are paired from the last one on.
std::string expanded(const NodeRun& n, std::string_view term, size_t rank, size_t& ellipsis) {
  std::string letters;
  const size_t dots = term.find("...");
  const size_t named = static_cast<size_t>(std::ranges::count_if(term, [](char c) { return c != '.' && c != ' '; }));
  for (size_t i = 0; i < term.size(); ++i) {
    if (i == dots) {
      if (rank < named) n.refuse(concat("a term ", term, " for ", rank, " dimensions"), "as many");
      ellipsis = std::max(ellipsis, rank - named);
      for (size_t k = rank - named; k-- > 0;) letters += static_cast<char>('0' + k);
      i += 2;
    } else if (term[i] != ' ') {
      letters += term[i];
    }
  }
  if (letters.size() != rank) n.refuse(concat("a term ", term, " for ", rank, " dimensions"), "as many");
  return letters;
}

Equation equation_of(const NodeRun& n) {
  const std::string_view text = n.string("equation", "");
  const size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  Equation made;
  size_t ellipsis = 0;
  for (size_t i = 0; i < n.inputs(); ++i) {
    const size_t comma = left.find(',');
    if (i + 1 < n.inputs() && comma == std::string_view::npos)
      n.refuse(concat("the equation ", text), concat("a term for each of ", n.inputs(), " inputs"));
    made.terms.push_back(expanded(n, left.substr(0, comma), n.sizes(i).size(), ellipsis));
    left.remove_prefix(comma == std::string_view::npos ? left.size() : comma + 1);
  }
  if (arrow != std::string_view::npos) {
    const std::string_view right = text.substr(arrow + 2);
    const bool has_dots = right.find("...") != std::string_view::npos;
    const auto named = static_cast<size_t>(std::ranges::count_if(right, [](char c) { return c != '.' && c != ' '; }));
    made.output = expanded(n, right, named + (has_dots ? ellipsis : 0), ellipsis);
    return made;
  }
  std::map<char, int> counts;
  for (const std::string& term : made.terms) {
    for (const char c : term) ++counts[c];
  }
  for (size_t k = ellipsis; k-- > 0;) made.output += static_cast<char>('0' + k);
  for (const auto& [letter, count] : counts) {
    if (count == 1 && !(letter >= '0' && letter <= '9')) made.output += letter;
  }
  return made;
}

// A repeated letter of one term is a diagonal.
Tensor without_repeats(const NodeRun& n, Tensor x, std::string& term) {
  for (size_t i = 0; i < term.size(); ++i) {
    const size_t again = term.find(term[i], i + 1);
    if (again == std::string::npos) continue;
    const int64_t size = x.size(static_cast<int>(i));
    if (x.size(static_cast<int>(again)) != size) n.refuse("a diagonal of a dimension of another size", concat(size));
    std::vector<int64_t> sizes, strides;
    for (size_t d = 0; d < term.size(); ++d) {
      if (d == again) continue;
      sizes.push_back(x.size(static_cast<int>(d)));
      strides.push_back(x.stride(static_cast<int>(d)) + (d == i ? x.stride(static_cast<int>(again)) : 0));
    }
    x = n.eval("(x, sizes, strides, first) as_strided(x, sizes, strides, first)", {x, sizes, strides, Operand(x.offset() + 1)});
    term.erase(again, 1);
    --i;
  }
  return x;
}

// Dimensions in the order of these letters; missing ones have size 1.
Tensor arranged(const NodeRun& n, const Tensor& x, const std::string& term, const std::string& letters) {
  std::vector<int64_t> order, sizes;
  for (const char letter : letters) {
    const size_t at = term.find(letter);
    if (at != std::string::npos) order.push_back(static_cast<int64_t>(at));
    sizes.push_back(at == std::string::npos ? 1 : x.size(static_cast<int>(at)));
  }
  return n.reshaped(order.empty() ? x : n.permuted(x, order), sizes);
}

Tensor summed(const NodeRun& n, const Tensor& x, std::string& term, const std::string& kept) {
  Tensor result = x;
  for (size_t i = term.size(); i-- > 0;) {
    if (kept.find(term[i]) != std::string::npos) continue;
    Shape sizes = result.sizes();
    result = n.eval("(x, dim) sum(x, dim)", {result, dimension(static_cast<int64_t>(i))});
    sizes.erase(static_cast<int>(i));
    result = n.reshaped(result, sizes);
    term.erase(i, 1);
  }
  return result;
}

// The product of two terms, as a batch of products of matrices: letters of both that are kept, of the first alone, of the second alone,
// summed.
Tensor multiplied(const NodeRun& n, const Tensor& a, const std::string& first, const Tensor& b, const std::string& second,
                  const std::string& kept, std::string& term) {
  std::string batch, rows, columns, inner;
  for (const char c : first) {
    const bool both = second.find(c) != std::string::npos, stays = kept.find(c) != std::string::npos;
    (both ? stays ? batch : inner : rows) += c;
  }
  for (const char c : second) {
    if (first.find(c) == std::string::npos) columns += c;
  }
  std::map<char, int64_t> size;
  const auto note = [&](const Tensor& x, const std::string& letters) {
    for (size_t i = 0; i < letters.size(); ++i) {
      int64_t& known = size.emplace(letters[i], 1).first->second;
      const int64_t here = x.size(static_cast<int>(i));
      if (known != 1 && here != 1 && known != here) n.refuse(concat("sizes of ", known, " and ", here, " for one letter"), "equal ones");
      if (here != 1) known = here;
    }
  };
  if (!first.empty()) note(a, first);
  if (!second.empty()) note(b, second);
  const auto matrices = [&](const Tensor& x, const std::string& letters, const std::string& left, const std::string& right) {
    const std::string order = batch + left + right;
    std::vector<int64_t> sizes;
    for (const char c : order) sizes.push_back(size[c]);
    const Tensor full = n.broadcast({arranged(n, x, letters, order), order.empty()}, sizes);
    const auto count = [&](const std::string& some) {
      int64_t product = 1;
      for (const char c : some) product *= size[c];
      return product;
    };
    return n.reshaped(full, Shape{count(batch), count(left), count(right)});
  };
  const Tensor made = product(n, matrices(a, first, rows, inner), matrices(b, second, inner, columns));
  term = batch + rows + columns;
  std::vector<int64_t> sizes;
  for (const char c : term) sizes.push_back(size[c]);
  return n.reshaped(made, sizes);
}

void einsum(NodeRun& n) {
  Equation equation = equation_of(n);
  Tensor result;
  std::string term;
  for (size_t i = 0; i < n.inputs(); ++i) {
    std::string next = equation.terms[i];
    std::string kept = equation.output;
    for (size_t k = i + 1; k < n.inputs(); ++k) kept += equation.terms[k];
    Tensor x = without_repeats(n, n.tensor(i), next);
    if (i == 0) {
      result = summed(n, x, next, kept);
      term = next;
      continue;
    }
    x = summed(n, x, next, kept + term);
    std::string left = term;
    result = summed(n, result, left, kept + next);
    result = multiplied(n, result, left, x, next, kept, term);
  }
  if (term.size() != equation.output.size()) n.refuse("an output letter that no input has", "letters of the inputs");
  result = arranged(n, result, term, equation.output);
  n.give(result, equation.output.empty());
}

constexpr NodeKind kinds[] = {
    {"Det", det},
    {"Einsum", einsum},
    {"Gemm", gemm},
    {"MatMul", mat_mul},
};

}  // namespace

std::span<const NodeKind> product_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
