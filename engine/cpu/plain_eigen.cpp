// The real QR algorithm (Golub & Van Loan, Matrix Computations, 4th ed., 7.4 and 7.5): balancing, Householder's reduction to Hessenberg
// form, Francis's double shifts to quasi-triangular form, and back substitution for the vectors. Balancing is that of B. Parlett & C.
// Reinsch (1969), "Balancing a matrix for calculation of eigenvalues and eigenvectors".
#include "engine/cpu/plain_eigen.h"

#include <complex>
#include <numeric>

#include "engine/cpu/plain_matrix.h"

namespace mt::cpu {
namespace {

using namespace plain;
using Complex = std::complex<double>;
using Matrix = Columns<double>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double negligible = 0x1p-500;  // next to 1: squares below it underflow

class Eigen {
 public:
  Eigen(int64_t n, double* a, double* real, double* imaginary, double* right)
      : n_(n), h_{a, n, n}, real_(real), imaginary_(imaginary), q_{right, n, n} {}

  int run() {
    const double scale = unit_scale(h_.data, n_ * n_);
    std::for_each(h_.data, h_.data + n_ * n_, [&](double& x) { x *= scale; });
    isolate();
    balance();
    if (q_.data) set_identity(q_);
    reduce();
    const int64_t missing = iterate();
    if (q_.data && missing == 0) find_vectors();
    for (int64_t i = 0; i < n_; ++i) {
      real_[i] /= scale;
      imaginary_[i] /= scale;
    }
    return static_cast<int>(missing);
  }

  int run_schur() {
    const double scale = unit_scale(h_.data, n_ * n_);
    std::for_each(h_.data, h_.data + n_ * n_, [&](double& x) { x *= scale; });
    set_identity(q_);
    reduce();
    const int64_t missing = iterate();
    for (int64_t i = 0; i + 1 < n_; ++i)
      if (h_(i + 1, i) != 0) level(i);
    std::for_each(h_.data, h_.data + n_ * n_, [&](double& x) { x /= scale; });
    return static_cast<int>(missing);
  }

 private:
  void exchange(int64_t i, int64_t j);
  void isolate();
  void balance();
  void reduce();
  int64_t iterate();
  int64_t block_start(int64_t last);
  void split(int64_t i);
  void level(int64_t i);
  void rotate_both(int64_t i, double cosine, double sine);
  void double_step(int64_t first, int64_t last, double upper, double lower, double below, double above);
  void reflect_both(const double* v, double tau, int64_t size, int64_t row, int64_t first_col, int64_t last_row);
  void find_vectors();
  void substitute(Complex value, int64_t from, Complex* x) const;
  void store(int64_t i, bool pair, int64_t size, const Complex* x);

  const int64_t n_;
  const Matrix h_;
  double *const real_, *const imaginary_;
  const Matrix q_;                   // data is null if no vectors are wanted
  int64_t low_ = 0, high_ = n_ - 1;  // the rows and columns that `isolate` left
  std::vector<int64_t> exchanged_ = std::vector<int64_t>(static_cast<size_t>(n_));
  std::vector<double> scales_ = std::vector<double>(static_cast<size_t>(n_), 1.0);
  double norm_ = 0;
};

void Eigen::exchange(int64_t i, int64_t j) {
  exchanged_[static_cast<size_t>(j)] = i;
  if (i == j) return;
  std::swap_ranges(h_.col(i), h_.col(i) + n_, h_.col(j));
  for (int64_t c = 0; c < n_; ++c) std::swap(h_(i, c), h_(j, c));
}

// Moves rows without other elements than the diagonal's to the end, and such columns to the start: their eigenvalues are exact.
void Eigen::isolate() {
  std::iota(exchanged_.begin(), exchanged_.end(), 0);
  const auto search = [&](bool rows) {
    for (int64_t i = high_; i >= low_; --i) {
      bool alone = true;
      for (int64_t j = low_; j <= high_; ++j) alone = alone && (i == j || (rows ? h_(i, j) : h_(j, i)) == 0);
      if (alone) return i;
    }
    return int64_t{-1};
  };
  for (int64_t i; high_ > low_ && (i = search(true)) >= 0;) exchange(i, high_--);
  for (int64_t i; high_ > low_ && (i = search(false)) >= 0;) exchange(i, low_++);
}

// Makes rows and columns about equally long, by powers of 2.
void Eigen::balance() {
  constexpr double largest_scale = 0x1p500;
  bool changed = true;
  while (changed) {
    changed = false;
    for (int64_t i = low_; i <= high_; ++i) {
      double row = 0, col = 0;
      for (int64_t j = low_; j <= high_; ++j) {
        if (i == j) continue;
        row += std::abs(h_(i, j));
        col += std::abs(h_(j, i));
      }
      if (row == 0 || col == 0) continue;
      const double factor = std::ldexp(1.0, (std::ilogb(row) - std::ilogb(col)) / 2);
      double& scale = scales_[static_cast<size_t>(i)];
      if (col * factor + row / factor >= 0.95 * (row + col) || scale * factor > largest_scale || scale * factor < 1 / largest_scale)
        continue;
      changed = true;
      scale *= factor;
      for (int64_t j = 0; j < n_; ++j) h_(j, i) *= factor;
      for (int64_t j = 0; j < n_; ++j) h_(i, j) /= factor;
    }
  }
}

// h = H h H with the reflector of v, which changes `size` rows and columns from `row` on: rows from column `first_col` on, columns up to
// row `last_row`. q = q H.
void Eigen::reflect_both(const double* v, double tau, int64_t size, int64_t row, int64_t first_col, int64_t last_row) {
  reflect(v, tau, Matrix{&h_(row, first_col), size, n_ - first_col, n_});
  reflect_right(v, tau, Matrix{h_.col(row), last_row + 1, size, n_});
  if (q_.data) reflect_right(v, tau, Matrix{q_.col(row), n_, size, n_});
}

// To Hessenberg form.
void Eigen::reduce() {
  for (int64_t j = 0; j + 2 < n_; ++j) {
    double* const x = &h_(j + 1, j);
    const int64_t size = n_ - j - 1;
    const double tau = make_reflector(x, size);
    reflect_both(x, tau, size, j + 1, j + 1, n_ - 1);
    std::fill(x + 1, x + size, 0.0);
  }
}

// Returns the first row of the last block that doesn't fall apart, after it has cleared the element before it.
int64_t Eigen::block_start(int64_t last) {
  for (int64_t i = last; i > 0; --i) {
    const double beside = std::abs(h_(i, i)) + std::abs(h_(i - 1, i - 1));
    if (std::abs(h_(i, i - 1)) > std::max(epsilon * beside, negligible * norm_)) continue;
    h_(i, i - 1) = 0;
    return i;
  }
  return 0;
}

// The eigenvalues of the block of rows i and i + 1; if they are real, the block becomes triangular.
void Eigen::split(int64_t i) {
  const double half = (h_(i, i) - h_(i + 1, i + 1)) / 2, below = h_(i + 1, i), above = h_(i, i + 1), last = h_(i + 1, i + 1);
  const double size = std::max(std::abs(half), std::sqrt(std::abs(below)) * std::sqrt(std::abs(above)));
  const double most = std::max(std::abs(below), std::abs(above)), least = std::min(std::abs(below), std::abs(above));
  const bool same_signs = std::signbit(below) == std::signbit(above);
  const double rest = size == 0 ? 0 : half / size * half + (same_signs ? 1 : -1) * (most / size * least);
  const double root = std::sqrt(size) * std::sqrt(std::abs(rest));
  if (rest < 0) {
    real_[i] = real_[i + 1] = last + half;
    imaginary_[i] = root;
    imaginary_[i + 1] = -root;
    return;
  }
  const double far = half + std::copysign(root, half);  // the larger eigenvalue's distance to the last element
  real_[i] = last + far;
  real_[i + 1] = far == 0 ? real_[i] : last - most / far * least * (same_signs ? 1 : -1);
  imaginary_[i] = imaginary_[i + 1] = 0;
  const double length = std::hypot(far, below), cosine = far / length, sine = below / length;  // (far, below) is an eigenvector
  rotate_both(i, cosine, sine);
  h_(i, i) = real_[i];
  h_(i + 1, i + 1) = real_[i + 1];
  h_(i + 1, i) = 0;
}

// Rotates the rows and columns i and i + 1, and these columns of q.
void Eigen::rotate_both(int64_t i, double cosine, double sine) {
  rotate(h_.col(i), h_.col(i + 1), i + 2, 1, cosine, -sine);
  rotate(&h_(i, i), &h_(i + 1, i), n_ - i, n_, cosine, -sine);
  if (q_.data) rotate(q_.col(i), q_.col(i + 1), n_, 1, cosine, -sine);
}

// Makes the diagonal elements of the block of a complex pair equal, as LAPACK's lanv2 does.
void Eigen::level(int64_t i) {
  const double difference = h_(i, i) - h_(i + 1, i + 1), sum = h_(i, i + 1) + h_(i + 1, i);
  if (difference == 0) return;
  const double size = std::hypot(sum, difference), cosine = std::sqrt((1 + std::abs(sum) / size) / 2),
               mean = (h_(i, i) + h_(i + 1, i + 1)) / 2;
  rotate_both(i, cosine, -std::copysign(difference / (2 * size * cosine), sum * difference));
  h_(i, i) = h_(i + 1, i + 1) = mean;
}

// One step of Francis on rows `first` to `last`. The shifts are the eigenvalues of [upper above; below lower].
void Eigen::double_step(int64_t first, int64_t last, double upper, double lower, double below, double above) {
  for (int64_t k = first; k < last; ++k) {
    const int64_t size = std::min<int64_t>(3, last - k + 1);
    double x[3] = {};
    if (k == first) {
      const double next = h_(k + 1, k), from_upper = upper - h_(k, k), from_lower = lower - h_(k, k);
      x[0] = from_upper / next * from_lower - below / next * above + h_(k, k + 1);
      x[1] = h_(k + 1, k + 1) - h_(k, k) - from_lower - from_upper;
      x[2] = h_(k + 2, k + 1);
    } else {
      for (int64_t i = 0; i < size; ++i) x[i] = h_(k + i, k - 1);
    }
    const double length = std::abs(x[0]) + std::abs(x[1]) + std::abs(x[2]);
    if (length == 0) continue;
    for (double& one : x) one /= length;
    const double tau = make_reflector(x, size);
    if (k > first) {
      h_(k, k - 1) = x[0] * length;
      for (int64_t i = 1; i < size; ++i) h_(k + i, k - 1) = 0;
    }
    reflect_both(x, tau, size, k, k, std::min(k + 3, last));
  }
}

// Deflates and iterates. Returns the number of eigenvalues that were not found.
int64_t Eigen::iterate() {
  for (int64_t j = 0; j < n_; ++j)
    for (int64_t i = 0; i <= std::min(j + 1, n_ - 1); ++i) norm_ = std::max(norm_, std::abs(h_(i, j)));
  int64_t last = n_ - 1, steps = 30 * std::max<int64_t>(10, n_);
  for (int since = 0; last >= 0; ++since) {
    const int64_t first = block_start(last);
    if (first == last) {
      real_[last] = h_(last, last);
      imaginary_[last] = 0;
      --last;
      since = -1;
    } else if (first + 1 == last) {
      split(first);
      last -= 2;
      since = -1;
    } else if (steps-- == 0) {
      return last + 1;
    } else if (since > 0 && since % 10 == 0) {  // other shifts end a cycle
      const double size = std::abs(h_(last, last - 1)) + std::abs(h_(last - 1, last - 2)), corner = h_(last, last) + 0.75 * size;
      double_step(first, last, corner, corner, -0.4375 * size, size);
    } else {
      double_step(first, last, h_(last - 1, last - 1), h_(last, last), h_(last, last - 1), h_(last - 1, last));
    }
  }
  return 0;
}

// Solves (h - value) x = 0 for the elements of x before `from`, given the others. x may be scaled.
void Eigen::substitute(Complex value, int64_t from, Complex* x) const {
  const double tiny = std::max(epsilon * std::abs(value), 0x1p-600);  // quotients stay below infinity
  const auto off = [&](Complex divisor) { return std::abs(divisor) < tiny ? Complex(tiny) : divisor; };
  for (int64_t i = from - 1; i >= 0; --i) {
    const bool pair = i > 0 && h_(i, i - 1) != 0;
    Complex low = 0, high = 0;
    for (int64_t k = i + 1; k < n_; ++k) {
      low -= h_(i, k) * x[k];
      if (pair) high -= h_(i - 1, k) * x[k];
    }
    if (pair) {  // [a b; c d] (y, z) = (high, low), by elimination of the larger element of the first column
      Complex a = h_(i - 1, i - 1) - value, b = h_(i - 1, i), c = h_(i, i - 1), d = h_(i, i) - value;
      if (std::abs(a) < std::abs(c)) {
        std::swap(a, c);
        std::swap(b, d);
        std::swap(high, low);
      }
      const Complex factor = c / a;
      x[i] = (low - factor * high) / off(d - factor * b);
      x[i - 1] = (high - b * x[i]) / a;
      --i;
    } else {
      x[i] = low / off(h_(i, i) - value);
    }
    double largest = 0;
    for (int64_t k = i; k < n_; ++k) largest = std::max(largest, std::abs(x[k]));
    if (largest > 1 / epsilon) std::for_each(x + i, x + n_, [&](Complex& one) { one /= largest; });
  }
}

// Replaces column i of q, or columns i and i + 1, by the vector q x of the first matrix, of length 1; x has `size` elements.
void Eigen::store(int64_t i, bool pair, int64_t size, const Complex* x) {
  std::vector<Complex> memory = buffer<Complex>(n_);
  Complex* const v = memory.data();
  for (int64_t k = 0; k < size; ++k)
    for (int64_t row = 0; row < n_; ++row) v[row] += q_(row, k) * x[k];
  for (int64_t row = 0; row < n_; ++row) v[row] *= scales_[static_cast<size_t>(row)];
  for (int64_t row = low_; row-- > 0;) std::swap(v[row], v[exchanged_[static_cast<size_t>(row)]]);
  for (int64_t row = high_ + 1; row < n_; ++row) std::swap(v[row], v[exchanged_[static_cast<size_t>(row)]]);
  const Complex largest = *std::max_element(v, v + n_, [](Complex a, Complex b) { return std::abs(a) < std::abs(b); });
  double length = 0;
  for (const Complex one : memory) length += std::norm(one / std::abs(largest));
  const Complex divisor = (pair ? largest : Complex(std::abs(largest))) * std::sqrt(length);
  for (int64_t row = 0; row < n_; ++row) {
    const Complex one = v[row] / divisor;
    q_(row, i) = one.real();
    if (pair) q_(row, i + 1) = one.imag();
  }
}

// From the last one, because each needs the columns of q up to its own.
void Eigen::find_vectors() {
  for (int64_t i = n_ - 1; i >= 0; --i) {
    std::vector<Complex> memory = buffer<Complex>(n_);
    Complex* const x = memory.data();
    const bool pair = imaginary_[i] != 0;
    x[i] = 1;
    if (pair) {
      --i;
      const Complex value(real_[i], imaginary_[i]);
      const double above = h_(i, i + 1), below = h_(i + 1, i);
      const bool by_first = std::abs(above) >= std::abs(below);
      x[i] = by_first ? Complex(1) : (value - h_(i + 1, i + 1)) / below;
      if (by_first) x[i + 1] = (value - h_(i, i)) / above;
      substitute(value, i, x);
    } else {
      substitute(real_[i], i, x);
    }
    store(i, pair, i + (pair ? 2 : 1), x);
  }
}

}  // namespace

int plain_schur(int64_t n, double* a, double* z) {
  std::vector<double> values = buffer<double>(2 * n);
  return Eigen(n, a, values.data(), values.data() + n, z).run_schur();
}

int plain_eigen(int64_t n, double* a, double* real, double* imaginary, double* right) { return Eigen(n, a, real, imaginary, right).run(); }

}  // namespace mt::cpu
