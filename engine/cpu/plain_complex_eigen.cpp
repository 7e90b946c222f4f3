// The complex QR algorithm (Golub & Van Loan, Matrix Computations, 4th ed., 7.5): Householder's reduction to Hessenberg form, shifts by J.
// Wilkinson (1965), Givens' rotations to triangular form, and back substitution for the vectors.
#include "engine/cpu/plain_complex_eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mt::cpu {
namespace {

using Number = std::complex<double>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

class ComplexEigen {
 public:
  ComplexEigen(int64_t n, Number* a, Number* basis) : n_(n), h_(a), z_(basis) {}

  // Makes h triangular. Returns the number of eigenvalues that were not found.
  int triangulate() {
    for (int64_t i = 0; i < n_ * n_; ++i) norm_ = std::max(norm_, std::abs(h_[i]));
    const double scale = norm_ > 0 && std::isfinite(norm_) ? std::ldexp(1.0, -std::ilogb(norm_)) : 1;
    std::for_each(h_, h_ + n_ * n_, [&](Number& x) { x *= scale; });
    norm_ *= scale;
    if (z_ != nullptr) {
      std::fill(z_, z_ + n_ * n_, Number(0));
      for (int64_t i = 0; i < n_; ++i) z_[i + i * n_] = 1;
    }
    for (int64_t j = 0; j + 2 < n_; ++j) reflect(j);
    const int missing = iterate();
    std::for_each(h_, h_ + n_ * n_, [&](Number& x) { x /= scale; });
    norm_ /= scale;
    return missing;
  }

  // Replaces the basis by the eigenvectors.
  void find_vectors() {
    for (int64_t k = n_ - 1; k >= 0; --k) {
      std::vector<Number> x(static_cast<size_t>(n_)), v(static_cast<size_t>(n_));
      const Number value = at(k, k);
      const double tiny = std::max({epsilon * std::abs(value), epsilon * norm_, std::numeric_limits<double>::min() / epsilon});
      x[static_cast<size_t>(k)] = 1;
      for (int64_t i = k - 1; i >= 0; --i) {
        Number sum = 0;
        for (int64_t j = i + 1; j <= k; ++j) sum -= at(i, j) * x[static_cast<size_t>(j)];
        const Number divisor = at(i, i) - value;
        x[static_cast<size_t>(i)] = sum / (std::abs(divisor) < tiny ? Number(tiny) : divisor);
        const double size = std::abs(x[static_cast<size_t>(i)]);
        if (size > 1 / epsilon) std::for_each(x.begin() + i, x.begin() + k + 1, [size](Number& one) { one /= size; });
      }
      for (int64_t j = 0; j <= k; ++j)
        for (int64_t i = 0; i < n_; ++i) v[static_cast<size_t>(i)] += z_[i + j * n_] * x[static_cast<size_t>(j)];
      const Number largest = *std::max_element(v.begin(), v.end(), [](Number a, Number b) { return std::abs(a) < std::abs(b); });
      double length = 0;
      for (const Number one : v) length += std::norm(one / std::abs(largest));
      const Number divisor = largest * std::sqrt(length);
      for (int64_t i = 0; i < n_; ++i) z_[i + k * n_] = v[static_cast<size_t>(i)] / divisor;
    }
  }

 private:
  Number& at(int64_t i, int64_t j) const { return h_[i + j * n_]; }

  // Sets column j to 0 below the element beside the diagonal, by a reflection of rows and columns.
  void reflect(int64_t j) {
    const int64_t first = j + 1;
    double rest = 0;
    for (int64_t i = first + 1; i < n_; ++i) rest += std::norm(at(i, j));
    if (rest == 0) return;
    std::vector<Number> v(&at(0, j), &at(0, j) + n_);
    Number& head = v[static_cast<size_t>(first)];
    const double size = std::abs(head), length = std::sqrt(rest + size * size);
    head += size > 0 ? head / size * length : Number(length);
    double square = rest + std::norm(head);
    const auto element = [&](int64_t i) { return v[static_cast<size_t>(i)]; };
    for (int64_t c = j; c < n_; ++c) {
      Number sum = 0;
      for (int64_t i = first; i < n_; ++i) sum += std::conj(element(i)) * at(i, c);
      for (int64_t i = first; i < n_; ++i) at(i, c) -= 2.0 / square * sum * element(i);
    }
    for (Number* const m : {h_, z_}) {
      for (int64_t r = 0; r < n_ && m != nullptr; ++r) {
        Number sum = 0;
        for (int64_t c = first; c < n_; ++c) sum += m[r + c * n_] * element(c);
        for (int64_t c = first; c < n_; ++c) m[r + c * n_] -= 2.0 / square * sum * std::conj(element(c));
      }
    }
    for (int64_t i = first + 1; i < n_; ++i) at(i, j) = 0;
  }

  // The eigenvalue of the last block of two rows that is nearer to its last element.
  Number shift(int64_t last) const {
    const Number a = at(last - 1, last - 1), d = at(last, last), product = at(last - 1, last) * at(last, last - 1);
    const Number half = (a - d) / 2.0, root = std::sqrt(half * half + product);
    const Number sum = std::real(std::conj(half) * root) >= 0 ? half + root : half - root;
    return sum == Number(0) ? d : d - product / sum;
  }

  // One step of QR on rows `first` to `last`.
  void step(int64_t first, int64_t last, Number by) {
    Number x = at(first, first) - by, y = at(first + 1, first);
    for (int64_t k = first; k < last; ++k) {
      const double length = std::hypot(std::abs(x), std::abs(y));
      if (length > 0) rotate(k, first, last, x / length, y / length);
      if (k + 2 <= last) {
        x = at(k + 1, k);
        y = at(k + 2, k);
      }
    }
  }

  // Rows k and k + 1 become [c' s'; -s c] of them, with c and s of length 1 together; columns likewise by the adjoint.
  void rotate(int64_t k, int64_t first, int64_t last, Number c, Number s) {
    for (int64_t j = std::max(first, k - 1); j < n_; ++j) {
      const Number upper = at(k, j), lower = at(k + 1, j);
      at(k, j) = std::conj(c) * upper + std::conj(s) * lower;
      at(k + 1, j) = c * lower - s * upper;
    }
    if (k > first) at(k + 1, k - 1) = 0;
    const auto turn = [&](Number* m, int64_t rows) {
      for (int64_t i = 0; i < rows; ++i) {
        Number &left = m[i + k * n_], &right = m[i + (k + 1) * n_];
        const Number kept = left;
        left = c * kept + s * right;
        right = std::conj(c) * right - std::conj(s) * kept;
      }
    };
    turn(h_, std::min(k + 3, last + 1));
    if (z_ != nullptr) turn(z_, n_);
  }

  int iterate() {
    int64_t last = n_ - 1, steps = 30 * std::max<int64_t>(10, n_);
    for (int since = 0; last > 0; ++since) {
      int64_t first = last;
      for (; first > 0; --first) {
        const double beside = std::abs(at(first, first)) + std::abs(at(first - 1, first - 1));
        if (std::abs(at(first, first - 1)) > epsilon * (beside > 0 ? beside : norm_)) continue;
        at(first, first - 1) = 0;
        break;
      }
      if (first == last) {
        --last;
        since = -1;
      } else if (steps-- == 0) {
        return static_cast<int>(last + 1);
      } else {
        const bool is_cycle = since > 0 && since % 10 == 0;  // another shift ends it
        step(first, last, is_cycle ? at(last, last) + 0.75 * std::abs(at(last, last - 1)) : shift(last));
      }
    }
    return 0;
  }

  const int64_t n_;
  Number *const h_, *const z_;  // z: null if neither a basis nor vectors are wanted
  double norm_ = 0;
};

}  // namespace

int plain_complex_eigen(int64_t n, std::complex<double>* a, std::complex<double>* values, std::complex<double>* right) {
  ComplexEigen eigen(n, a, right);
  const int missing = eigen.triangulate();
  if (right != nullptr && missing == 0) eigen.find_vectors();
  for (int64_t i = 0; i < n; ++i) values[i] = a[i + i * n];
  return missing;
}

int plain_complex_schur(int64_t n, std::complex<double>* a, std::complex<double>* z) {
  const int missing = ComplexEigen(n, a, z).triangulate();
  for (int64_t j = 0; j < n; ++j) std::fill(a + j + 1 + j * n, a + n + j * n, std::complex<double>(0));
  return missing;
}

}  // namespace mt::cpu
