#include "engine/cpu/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mt::cpu {
namespace {

// Vector instructions per row of a pass, measured as time on AVX-512: the arithmetic of a radix, and loads and stores.
double pass_cost(int radix) {
  switch (radix) {
    case 2:
      return 5;
    case 3:
      return 7;
    case 4:
      return 7.5;
    case 5:
      return 11;
    case 7:
      return 15;
    case 8:
      return 10.5;
    case 16:
      return 14.5;
    default:
      return 8 + 2.0 * radix;
  }
}

// The factors of n, the fastest first and last, where elements are read and written; empty if a prime factor is too large.
std::vector<int> factors_of(int64_t n) {
  std::vector<int> odd, even;
  int twos = 0;
  for (; n % 2 == 0; n /= 2) ++twos;
  for (int p = 3; p <= most_of_a_radix && n > 1; p += 2) {
    for (; n % p == 0; n /= p) odd.push_back(p);
  }
  if (n > 1) return {};
  while (twos >= 4 && twos % 3 != 0) {
    even.push_back(twos == 5 ? 8 : 16);
    twos -= twos == 5 ? 3 : 4;
  }
  for (; twos >= 3; twos -= 3) even.push_back(8);
  if (twos > 0) even.push_back(1 << twos);
  std::vector<int> factors;
  if (even.size() > 1) {
    factors.push_back(even.back());
    even.pop_back();
  }
  factors.insert(factors.end(), odd.rbegin(), odd.rend());
  factors.insert(factors.end(), even.begin(), even.end());
  return factors;
}

bool has_own_code(int radix) { return radix <= 5 || radix == 7 || radix == 8 || radix == 16; }

template <class List> void append_root(List& list, int64_t k, int64_t n, bool inverse) {
  const Root w = root_of_unity(k, n);
  list.push_back(static_cast<typename List::value_type>(w.re));
  list.push_back(static_cast<typename List::value_type>(inverse ? -w.im : w.im));
}

// Chooses the factorisation of n by the instructions of both steps, whose last vectors may have idle lanes.
int64_t first_length(int64_t n, int64_t lanes) {
  const auto vectors = [&](int64_t columns) { return static_cast<double>((columns + lanes - 1) / lanes); };
  int64_t best = 1;
  double least = 0;
  for (int64_t a = 1; a * a <= n; ++a) {
    if (n % a != 0) continue;
    for (const int64_t n1 : {a, n / a}) {
      const int64_t n2 = n / n1;
      const auto widest = static_cast<double>(std::max(n1, n2) * lanes);
      const double cost = (vectors(n2) * column_cost(n1) + vectors(n1) * column_cost(n2)) * (widest > 65536 ? 1.5 : 1);
      if (least == 0 || cost < least) {
        least = cost;
        best = n1;
      }
    }
  }
  return best;
}

}  // namespace

Root root_of_unity(int64_t k, int64_t n) {
  k %= n;
  const bool below = 2 * k > n;
  if (below) k = n - k;
  int64_t part = 4 * k;  // the angle is part pi / (2 n), in 0 .. pi
  const bool left = part > n;
  if (left) part = 2 * n - part;
  const bool steep = 2 * part > n;
  if (steep) part = n - part;
  const double angle = std::numbers::pi / 2 * static_cast<double>(part) / static_cast<double>(n);
  double re = std::cos(angle), im = std::sin(angle);
  if (steep) std::swap(re, im);
  return {left ? -re : re, below ? im : -im};
}

bool has_small_factors(int64_t n) { return n == 1 || !factors_of(n).empty(); }

double column_cost(int64_t n) {
  double cost = 0;
  for (const int radix : factors_of(n)) cost += pass_cost(radix);
  return cost * static_cast<double>(n);
}

template <class T> ColumnPlan<T>::ColumnPlan(int64_t length) : n(length), cost(column_cost(length)) {
  int64_t rest = n, done = 1;
  std::vector<size_t> at_twiddles, at_roots;
  for (const int radix : factors_of(n)) {
    const int64_t m = rest / radix;
    at_twiddles.push_back(twiddles_.size());
    at_roots.push_back(roots_.size());
    for (int64_t p = 0; p < m; ++p) {
      for (int k = 1; k < radix; ++k) append_root(twiddles_, p * k, rest, false);
    }
    if (!has_own_code(radix)) {
      for (int k = 0; k < radix; ++k) append_root(roots_, k, radix, false);
    }
    passes.push_back({radix, m, done, nullptr, nullptr});
    rest = m;
    done *= radix;
  }
  for (size_t i = 0; i < passes.size(); ++i) {
    passes[i].twiddles = twiddles_.data() + at_twiddles[i];
    passes[i].roots = roots_.data() + at_roots[i];
  }
}

template <class T> RowPlan<T>::RowPlan(int64_t length, int64_t lanes_of_vector, bool inverse, bool pairs)
    : n(length),
      n1(first_length(length, lanes_of_vector)),
      n2(n / n1),
      lanes(lanes_of_vector),
      blocks1((n1 + lanes - 1) / lanes),
      blocks2((n2 + lanes - 1) / lanes) {
  constexpr int64_t most_in_one_table = 8192;
  first = column_plan<T>(n1);
  second = column_plan<T>(n2);
  const bool whole = n <= most_in_one_table;
  for (int64_t block = 0; block < (whole ? blocks1 : 1); ++block) {
    for (int64_t row = 0; row < n2; ++row) {
      for (const bool imaginary : {false, true}) {
        for (int64_t lane = 0; lane < lanes; ++lane) {
          const Root w = root_of_unity(row * (block * lanes + (pairs ? lane_of_pair(lane, lanes) : lane)), n);
          of_block.push_back(static_cast<T>(!imaginary ? w.re : inverse ? -w.im : w.im));
        }
      }
    }
  }
  if (whole) return;
  for (int64_t block = 0; block < blocks1; ++block) {
    for (int64_t row = 0; row < n2; ++row) append_root(of_rows, row * block * lanes, n, inverse);
  }
}

int64_t convolution_length(int64_t n) {
  int64_t best = 0;
  double least = 0;
  for (const int64_t odd : {1, 3, 5, 9, 15}) {
    int64_t length = odd;
    while (length < n) length *= 2;
    const double cost = column_cost(length);
    if (best != 0 && cost >= least) continue;
    best = length;
    least = cost;
  }
  return best;
}

template <class T> std::shared_ptr<const ColumnPlan<T>> column_plan(int64_t n) {
  using Plan = ColumnPlan<T>;
  return PlanCache<Plan>::instance().find({n, 0, false, false}, [&] { return std::make_shared<const Plan>(n); });
}

template <class T> std::shared_ptr<const RowPlan<T>> row_plan(int64_t n, int64_t lanes, bool inverse, bool pairs) {
  using Plan = RowPlan<T>;
  return PlanCache<Plan>::instance().find({n, lanes, inverse, pairs},
                                          [&] { return std::make_shared<const Plan>(n, lanes, inverse, pairs); });
}

template struct ColumnPlan<float>;
template struct ColumnPlan<double>;
template struct RowPlan<float>;
template struct RowPlan<double>;
template std::shared_ptr<const ColumnPlan<float>> column_plan(int64_t);
template std::shared_ptr<const ColumnPlan<double>> column_plan(int64_t);
template std::shared_ptr<const RowPlan<float>> row_plan(int64_t, int64_t, bool, bool);
template std::shared_ptr<const RowPlan<double>> row_plan(int64_t, int64_t, bool, bool);

}  // namespace mt::cpu
