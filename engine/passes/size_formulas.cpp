#include "engine/passes/size_formulas.h"

#include <algorithm>

#include "engine/graph/infer.h"

namespace mt {
namespace {

using Token = Graph::SizeToken;
using Type = Graph::SizeToken::Type;
using Values = std::vector<int64_t>;

bool are_equal(const Values& values) { return std::ranges::count(values, values[0]) == static_cast<std::ptrdiff_t>(values.size()); }

// The whole number by which values rise when others rise by 1, from the first samples in which the others differ.
std::optional<int64_t> slope_of(const Values& values, const Values& others) {
  for (size_t i = 1; i < values.size(); ++i) {
    const int64_t run = others[i] - others[0];
    if (run == 0) continue;
    const int64_t rise = values[i] - values[0];
    return rise % run == 0 ? std::optional(rise / run) : std::nullopt;
  }
  return std::nullopt;
}

void append_multiple(Graph::SizeExpression& expression, int64_t factor, std::span<const Token> extents) {
  const bool is_first = expression.empty();
  const size_t start = expression.size();
  if (factor != 1) expression.push_back({.number = factor});
  for (const Token& extent : extents) {
    expression.push_back(extent);
    if (expression.size() - start > 1) expression.push_back({.type = Type::multiply});
  }
  if (!is_first) expression.push_back({.type = Type::add});
}

void append_number(Graph::SizeExpression& expression, int64_t number) {
  if (number == 0) return;
  expression.push_back({.number = number < 0 ? -number : number});
  expression.push_back({.type = number < 0 ? Type::subtract : Type::add});
}

}  // namespace

SizeFormulas::SizeFormulas(std::span<const Graph> samples, std::span<const OpenDim> dims) {
  for (const Graph& sample : samples) types_.push_back(infer_types(sample));
  for (const OpenDim& dim : dims) {
    Values values;
    for (const Graph& sample : samples)
      values.push_back(sample.inputs[static_cast<size_t>(dim.input)].type->sizes[static_cast<size_t>(dim.dim)]);
    if (std::ranges::find(inputs_, values, &Atom::values) == inputs_.end())
      inputs_.push_back(
          {{.type = Type::extent, .dim = static_cast<int8_t>(dim.dim), .tensor = {Graph::Ref::Of::input, dim.input}}, values});
  }
}

void SizeFormulas::add_results(const Graph::Step& step) {
  for (int32_t r = step.first; r < step.first + step.results(); ++r) {
    const auto type_in = [&](size_t sample) -> const std::optional<ValueType>& { return types_[sample][static_cast<size_t>(r)]; };
    const size_t dims = type_in(0) ? type_in(0)->sizes.size() : 0;
    bool is_known = true;
    for (size_t i = 0; i < types_.size(); ++i) is_known = is_known && type_in(i) && type_in(i)->sizes.size() == dims;
    for (size_t d = 0; is_known && d < dims; ++d) {
      Values values;
      for (size_t i = 0; i < types_.size(); ++i) values.push_back(type_in(i)->sizes[d]);
      const auto is_there = [&](const std::vector<Atom>& list) { return std::ranges::find(list, values, &Atom::values) != list.end(); };
      if (are_equal(values) || is_there(inputs_) || is_there(results_)) continue;
      results_.push_back({{.type = Type::extent, .dim = static_cast<int8_t>(d), .tensor = {Graph::Ref::Of::result, r}}, values});
    }
  }
}

std::optional<Graph::SizeExpression> SizeFormulas::multiple(Factors factors, const Values& values) {
  Values products(values.size(), 1);
  std::vector<Token> extents;
  for (const Atom* factor : factors) {
    extents.push_back(factor->extent);
    for (size_t i = 0; i < products.size(); ++i) {
      if (__builtin_mul_overflow(products[i], factor->values[i], &products[i])) return std::nullopt;
    }
  }
  const std::optional<int64_t> slope = slope_of(values, products);
  if (!slope || *slope == 0) return std::nullopt;
  for (size_t i = 1; i < values.size(); ++i) {
    int64_t rise = 0;
    if (__builtin_mul_overflow(*slope, products[i] - products[0], &rise) || values[i] - values[0] != rise) return std::nullopt;
  }
  Graph::SizeExpression expression;
  append_multiple(expression, *slope, extents);
  append_number(expression, values[0] - *slope * products[0]);
  return expression;
}

std::optional<Graph::SizeExpression> SizeFormulas::sum(const Atom& a, const Atom& b, const Values& values) {
  const auto rise = [](const Values& list, size_t i) { return list[i] - list[0]; };
  for (size_t i = 1; i < values.size(); ++i) {
    for (size_t k = i + 1; k < values.size(); ++k) {
      // Cramer's rule for rise(values) = x * rise(a) + y * rise(b) in two samples.
      const int64_t determinant = rise(a.values, i) * rise(b.values, k) - rise(a.values, k) * rise(b.values, i);
      if (determinant == 0) continue;
      const int64_t x = (rise(values, i) * rise(b.values, k) - rise(values, k) * rise(b.values, i)) / determinant;
      const int64_t y = (rise(a.values, i) * rise(values, k) - rise(a.values, k) * rise(values, i)) / determinant;
      const auto at = [&](size_t sample) { return x * a.values[sample] + y * b.values[sample]; };
      for (size_t s = 1; s < values.size(); ++s) {
        if (rise(values, s) != at(s) - at(0)) return std::nullopt;
      }
      if (x == 0 || y == 0) return std::nullopt;
      Graph::SizeExpression expression;
      append_multiple(expression, x, std::span(&a.extent, 1));
      append_multiple(expression, y, std::span(&b.extent, 1));
      append_number(expression, values[0] - at(0));
      return expression;
    }
  }
  return std::nullopt;
}

std::optional<Graph::SizeExpression> SizeFormulas::find(const Values& values) const {
  if (are_equal(values)) return Graph::SizeExpression{{.number = values[0]}};
  for (const Atom& a : inputs_) {
    if (auto found = multiple({&a}, values)) return found;
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    for (size_t k = i; k < inputs_.size(); ++k) {
      if (auto found = multiple({&inputs_[i], &inputs_[k]}, values)) return found;
      if (i == k) continue;
      if (auto found = sum(inputs_[i], inputs_[k], values)) return found;
      for (size_t j = k + 1; j < inputs_.size(); ++j) {
        if (auto found = multiple({&inputs_[i], &inputs_[k], &inputs_[j]}, values)) return found;
      }
    }
  }
  // Sizes of later results first: the program has probably asked for them.
  for (size_t i = results_.size(); i-- > 0;) {
    if (auto found = multiple({&results_[i]}, values)) return found;
  }
  for (size_t i = results_.size(); i-- > 0;) {
    for (const Atom& a : inputs_) {
      if (auto found = multiple({&a, &results_[i]}, values)) return found;
    }
    for (size_t k = i + 1; k-- > 0;) {
      if (auto found = multiple({&results_[k], &results_[i]}, values)) return found;
      for (const Atom& a : inputs_) {
        if (auto found = multiple({&a, &results_[k], &results_[i]}, values)) return found;
      }
    }
  }
  return std::nullopt;
}

}  // namespace mt
