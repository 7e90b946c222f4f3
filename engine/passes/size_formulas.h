// Expressions for whole numbers that differ between captures of a program with several sizes of its inputs.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/passes/passes.h"

namespace mt {

class SizeFormulas {
 public:
  // `samples` are captures of the same steps; `dims` the dimensions of inputs whose sizes differ.
  SizeFormulas(std::span<const Graph> samples, std::span<const OpenDim> dims);

  // From here on expressions may have sizes of the results of a step, as the sizes behind a convolution, which are rounded down.
  void add_results(const Graph::Step& step);

  // The expression that has these values in the samples: a number; a multiple of a size of an input, or of a product of two sizes, plus a
  // number; a sum of two such multiples; or likewise with sizes of results. Nothing if none has them.
  std::optional<Graph::SizeExpression> find(const std::vector<int64_t>& values) const;

 private:
  // A size, with its value in each sample.
  struct Atom {
    Graph::SizeToken extent;
    std::vector<int64_t> values;
  };
  using Factors = std::initializer_list<const Atom*>;

  void add(Graph::Ref tensor, size_t dim, std::vector<int64_t> values);
  static std::optional<Graph::SizeExpression> multiple(Factors factors, const std::vector<int64_t>& values);
  static std::optional<Graph::SizeExpression> sum(const Atom& a, const Atom& b, const std::vector<int64_t>& values);

  std::vector<std::vector<std::optional<ValueType>>> types_;  // of results, by sample
  std::vector<Atom> inputs_, results_;
};

}  // namespace mt
