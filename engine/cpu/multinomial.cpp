// A draw u is a position in the cumulative weights of its row: it draws the first category that reaches it. Draws are made in order, as
// many as there are results; several threads compute the rows. Torch7 computes cumulative sums of all weights, divides them by their sum,
// and without replacement subtracts each drawn weight from all later sums. Here each sum covers some categories, in order or in a tree of
// which a draw changes one branch. The categories are equal unless u is within the rounding error of a sum.
#include "engine/cpu/multinomial.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "engine/core/mersenne.h"
#include "engine/core/parallel.h"
#include "engine/core/tensor.h"

namespace mt::cpu {
namespace {

constexpr int64_t grain = 1 << 14;       // categories and draws per thread
constexpr int64_t leaf = 16;             // categories that are summed together
constexpr int64_t most_draws = 1 << 16;  // at a time

WeightsFault fault_of(const MultinomialPlan& plan, const double* weights, int64_t row) {
  int64_t positive = 0, proper = 0;
  for (int64_t c = 0; c < plan.categories; ++c) {
    proper += static_cast<int64_t>(weights[c] >= 0) & static_cast<int64_t>(weights[c] <= std::numeric_limits<double>::max());
    positive += weights[c] > 0;
  }
  if (proper < plan.categories) {
    const double* const bad = std::find_if(weights, weights + plan.categories, [](double w) { return !(w >= 0) || !std::isfinite(w); });
    return {WeightsFault::Kind::weight, row, *bad, 0};
  }
  if (positive == 0) return {WeightsFault::Kind::no_mass, row, 0, 0};
  if (!plan.replacement && plan.n > positive) return {WeightsFault::Kind::too_few, row, 0, positive};
  return {};
}

double sum_of(const double* weights, int64_t count) {
  if (count < leaf) return std::accumulate(weights, weights + count, 0.0);
  double sums[4] = {};  // independent sums, so that additions overlap
  for (int64_t i = 0; i < leaf; i += 4)
    for (int64_t j = 0; j < 4; ++j) sums[j] += weights[i + j];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The first of some categories whose cumulative weight reaches `at`, above 0; the last with a weight if rounding leaves none. Without
// branches, so that draws overlap.
int64_t pick(const double* weights, int64_t count, double at) {
  int64_t below = 0;
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) below += static_cast<int64_t>((sum += weights[i]) < at);
  int64_t chosen = std::min(below, count - 1);
  while (weights[chosen] <= 0 && chosen > 0) --chosen;
  return chosen;
}

// The position of a draw in a sum.
double place(double u, double sum) { return std::max(u * sum, std::numeric_limits<double>::denorm_min()); }

// Cumulative sums of leaves.
class Sums {
 public:
  void assign(const double* weights, int64_t count) {
    weights_ = weights, count_ = count;
    sums_.resize(static_cast<size_t>((count + leaf - 1) / leaf));
    double total = 0;
    for (int64_t first = 0; first < count; first += leaf)
      sums_[static_cast<size_t>(first / leaf)] = total += sum_of(weights + first, std::min(leaf, count - first));
  }
  int64_t draw(double u) const {
    const double* const sums = sums_.data();
    const double at = place(u, sums_.back());
    int64_t found = 0;
    for (auto left = static_cast<int64_t>(sums_.size()); left > 1;) {
      const int64_t half = left / 2;
      found += half & -static_cast<int64_t>(sums[found + half - 1] < at);
      left -= half;
    }
    const int64_t first = found * leaf;
    return first + pick(weights_ + first, std::min(leaf, count_ - first), at - (found > 0 ? sums[found - 1] : 0));
  }

 private:
  const double* weights_ = nullptr;
  int64_t count_ = 0;
  std::vector<double> sums_;
};

// A binary tree: node i is the sum of nodes 2i and 2i + 1, a leaf that of some categories. When a category is removed, the sums of its
// branch are computed again, so that errors don't accumulate and an empty branch is exactly 0.
class Urn {
 public:
  void assign(const double* weights, int64_t count) {
    leaves_ = std::bit_ceil(static_cast<size_t>((count + leaf - 1) / leaf));
    weights_.assign(leaves_ * leaf, 0);
    std::copy_n(weights, count, weights_.begin());
    sums_.resize(2 * leaves_);
    for (size_t i = 0; i < leaves_; ++i) sums_[leaves_ + i] = sum_of(weights_.data() + i * leaf, leaf);
    for (size_t node = leaves_ - 1; node > 0; --node) sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
  }
  int64_t draw_out(double u) {
    double at = place(u, sums_[1]);
    size_t node = 1;
    while (node < leaves_) {
      node *= 2;
      const double left = sums_[node];
      if (left > 0 && (at <= left || sums_[node + 1] <= 0)) continue;
      at -= left;
      ++node;
    }
    double* const weights = weights_.data() + (node - leaves_) * leaf;
    const int64_t first = static_cast<int64_t>(node - leaves_) * leaf, chosen = pick(weights, leaf, at);
    weights[chosen] = 0;
    sums_[node] = sum_of(weights, leaf);
    while ((node /= 2) > 0) sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
    return first + chosen;
  }

 private:
  size_t leaves_ = 0;
  std::vector<double> weights_, sums_;
};

}  // namespace

void check_weights(const MultinomialPlan& plan) {
  const auto* weights = plan.weights.data<double>();
  std::vector<WeightsFault> faults(static_cast<size_t>(plan.rows));
  parallel_for(plan.rows, std::max<int64_t>(1, grain / plan.categories), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) faults[static_cast<size_t>(row)] = fault_of(plan, weights + row * plan.categories, row);
  });
  const auto first = std::find_if(faults.begin(), faults.end(), [](const auto& f) { return f.kind != WeightsFault::Kind::none; });
  if (first != faults.end()) *plan.fault = *first;
}

void draw_categories(const MultinomialPlan& plan) {
  const auto* weights = plan.weights.data<double>();
  auto* const out = plan.out.data<int64_t>();
  const int64_t n = plan.n, categories = plan.categories, at_once = std::clamp<int64_t>(most_draws / n, 1, plan.rows);
  const bool taken_out = !plan.replacement && n > 1;
  std::vector<double> draws(static_cast<size_t>(at_once * n));
  for (int64_t first = 0; first < plan.rows; first += at_once) {
    const int64_t rows = std::min(at_once, plan.rows - first);
    for (int64_t i = 0; i < rows * n; ++i) draws[static_cast<size_t>(i)] = plan.source.twister->uniform();
    parallel_for(rows, std::max<int64_t>(1, grain / (categories + n)), [&](int64_t begin, int64_t end) {
      Sums sums;
      Urn urn;
      for (int64_t row = begin; row < end; ++row) {
        const double* const from = weights + (first + row) * categories;
        const double* const u = draws.data() + row * n;
        int64_t* const to = out + (first + row) * n;
        if (taken_out) {
          urn.assign(from, categories);
          for (int64_t k = 0; k < n; ++k) to[k] = urn.draw_out(u[k]) + 1;
          continue;
        }
        sums.assign(from, categories);
        for (int64_t k = 0; k < n; ++k) to[k] = sums.draw(u[k]) + 1;
      }
    });
  }
}

}  // namespace mt::cpu
