// Textbook forms (Golub & Van Loan, Matrix Computations, 4th ed.), unblocked: LU 3.4, Cholesky 4.2, Householder QR 5.2, Jacobi's
// eigenvalues 8.5, one-sided Jacobi's singular values 8.6. Signs and packing are LAPACK's. In comments, ' is the conjugate transpose.
#include "engine/cpu/plain_lapack.h"

#include <numeric>

#include "engine/cpu/plain_complex_eigen.h"
#include "engine/cpu/plain_eigen.h"
#include "engine/cpu/plain_matrix.h"

namespace mt::cpu {
namespace {

using namespace plain;

template <class T> int lu(int64_t m, int64_t n, T* data, int32_t* pivots) {
  const Columns<T> a{data, m, n};
  int info = 0;
  for (int64_t j = 0; j < std::min(m, n); ++j) {
    int64_t p = j;
    for (int64_t i = j + 1; i < m; ++i)
      if (magnitude(a(i, j)) > magnitude(a(p, j))) p = i;
    pivots[j] = static_cast<int32_t>(p + 1);
    if (a(p, j) == T(0)) {
      if (info == 0) info = static_cast<int>(j + 1);
      continue;
    }
    if (p != j)
      for (int64_t c = 0; c < n; ++c) std::swap(a(j, c), a(p, c));
    for (int64_t i = j + 1; i < m; ++i) a(i, j) = a(i, j) / a(j, j);
    for (int64_t c = j + 1; c < n; ++c) add_scaled(a.col(c) + j + 1, T(-1) * a(j, c), a.col(j) + j + 1, m - j - 1);
  }
  return info;
}

template <class T> int triangular_solve(Triangle t, int64_t n, int64_t k, const T* data, T* right) {
  const Columns<const T> a{data, n, n};
  const Columns<T> b{right, n, k};
  if (!t.unit)
    for (int64_t i = 0; i < n; ++i)
      if (a(i, i) == T(0)) return static_cast<int>(i + 1);
  const auto sum_of = t.conjugated ? &dot<T> : &product_sum<T>;
  const bool upward = t.upper != t.transposed;  // solves for the last unknown first
  for (int64_t c = 0; c < k; ++c) {
    T* const x = b.col(c);
    for (int64_t step = 0; step < n; ++step) {
      const int64_t j = upward ? n - 1 - step : step, first = t.upper ? 0 : j + 1, count = t.upper ? j : n - 1 - j;
      if (t.transposed) x[j] -= sum_of(a.col(j) + first, x + first, count);
      if (!t.unit) x[j] = x[j] / (t.conjugated ? conjugate(a(j, j)) : a(j, j));
      if (!t.transposed) add_scaled(x + first, T(-1) * x[j], a.col(j) + first, count);
    }
  }
  return 0;
}

template <class T> int lu_solve(bool transposed, int64_t n, int64_t k, const T* factors, const int32_t* pivots, T* right) {
  const Columns<T> b{right, n, k};
  const auto swap_rows = [&](int64_t i) {
    for (int64_t c = 0; c < k && pivots[i] != i + 1; ++c) std::swap(b(i, c), b(pivots[i] - 1, c));
  };
  for (int64_t i = 0; i < n && !transposed; ++i) swap_rows(i);
  triangular_solve<T>({transposed, transposed, !transposed}, n, k, factors, right);
  triangular_solve<T>({!transposed, transposed, transposed}, n, k, factors, right);
  for (int64_t i = n - 1; i >= 0 && transposed; --i) swap_rows(i);
  return 0;
}

template <class T> int lu_inverse(int64_t n, T* factors, const int32_t* pivots) {
  auto inverse = buffer<T>(n * n);
  set_identity(Columns<T>{inverse.data(), n, n});
  const int info = lu_solve(false, n, n, factors, pivots, inverse.data());
  std::copy(inverse.begin(), inverse.end(), factors);
  return info;
}

// Leaves the other triangle as it is.
template <class T> int cholesky(bool upper, int64_t n, T* data) {
  const Columns<T> a{data, n, n};
  const auto at = [&](int64_t i, int64_t j) -> T& { return upper ? a(j, i) : a(i, j); };  // i >= j
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n; ++i) {
      Wide<T> sum = static_cast<Wide<T>>(at(i, j));
      for (int64_t k = 0; k < j; ++k) sum -= static_cast<Wide<T>>(at(i, k)) * conjugate(static_cast<Wide<T>>(at(j, k)));
      if (i == j && !(real_part(sum) > 0)) return static_cast<int>(j + 1);
      at(i, j) = static_cast<T>(i == j ? Wide<T>(std::sqrt(real_part(sum))) : sum / static_cast<Wide<T>>(at(j, j)));
    }
  }
  return 0;
}

template <class T> int cholesky_solve(bool upper, int64_t n, int64_t k, const T* factor, T* b) {
  triangular_solve<T>({upper, upper, false, upper}, n, k, factor, b);
  return triangular_solve<T>({upper, !upper, false, !upper}, n, k, factor, b);
}

template <class T> int cholesky_inverse(bool upper, int64_t n, T* factor) {
  const Columns<T> a{factor, n, n};
  for (int64_t i = 0; i < n; ++i)
    if (a(i, i) == T(0)) return static_cast<int>(i + 1);
  auto inverse = buffer<T>(n * n);
  set_identity(Columns<T>{inverse.data(), n, n});
  cholesky_solve(upper, n, n, factor, inverse.data());
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = upper ? 0 : j; i < (upper ? j + 1 : n); ++i) a(i, j) = inverse[static_cast<size_t>(i + j * n)];
  return 0;
}

// A complete symmetric matrix from one triangle.
template <class T> std::vector<T> mirrored(bool upper, int64_t n, const T* data) {
  auto whole = buffer<T>(n * n);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < n; ++i) {
      const T own = (i < j) == upper ? data[i + j * n] : conjugate(data[j + i * n]);
      whole[static_cast<size_t>(i + j * n)] = i == j ? T(real_part(own)) : own;
    }
  return whole;
}

template <class T> int pivoted_cholesky(bool upper, int64_t n, T* data, int32_t* pivots, double tolerance) {
  auto whole = mirrored(upper, n, data);
  const Columns<T> w{whole.data(), n, n}, a{data, n, n};
  std::iota(pivots, pivots + n, 1);
  double least = tolerance;
  for (int64_t j = 0; j < n; ++j) {
    int64_t p = j;
    for (int64_t i = j + 1; i < n; ++i)
      if (real_part(w(i, i)) > real_part(w(p, p))) p = i;
    const auto largest = static_cast<double>(real_part(w(p, p)));
    if (j == 0 && tolerance < 0) least = static_cast<double>(n) * std::numeric_limits<Part<T>>::epsilon() / 2 * largest;
    if (!(largest > (j == 0 ? 0 : least))) return 1;
    std::swap(pivots[j], pivots[p]);
    for (int64_t i = 0; i < n; ++i) std::swap(w(i, j), w(i, p));
    for (int64_t i = 0; i < n; ++i) std::swap(w(j, i), w(p, i));
    // Row j of w holds row j of the upper factor.
    w(j, j) = std::sqrt(real_part(w(j, j)));
    for (int64_t i = j + 1; i < n; ++i) w(j, i) = w(j, i) / w(j, j);
    for (int64_t c = j + 1; c < n; ++c)
      for (int64_t i = j + 1; i < n; ++i) w(i, c) -= conjugate(w(j, i)) * w(j, c);
  }
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i <= j; ++i) (upper ? a(i, j) : a(j, i)) = upper ? w(i, j) : conjugate(w(i, j));
  return 0;
}

template <class T> int qr(int64_t m, int64_t n, T* data, T* tau) {
  const Columns<T> a{data, m, n};
  const T scale = unit_scale(data, m * n);
  std::for_each(data, data + m * n, [&](T& x) { x *= scale; });
  for (int64_t j = 0; j < std::min(m, n); ++j) {
    tau[j] = make_reflector(&a(j, j), m - j);
    reflect(&a(j, j), conjugate(tau[j]), from_row(a, j, j + 1));
  }
  for (int64_t j = 0; j < n; ++j) std::for_each(a.col(j), a.col(j) + std::min(j + 1, m), [&](T& x) { x = x / scale; });
  return 0;
}

// Computes Q c or Q' c, with Q the product of the reflectors in a's columns.
template <class T> void multiply_left(bool transposed, int64_t reflectors, const Columns<const T>& a, const T* tau, const Columns<T>& c) {
  for (int64_t step = 0; step < reflectors; ++step) {
    const int64_t j = transposed ? step : reflectors - 1 - step;
    reflect(&a(j, j), transposed ? conjugate(tau[j]) : tau[j], from_row(c, j, 0));
  }
}

template <class T> std::vector<T> adjoint(int64_t m, int64_t n, const T* data) {
  auto turned = buffer<T>(m * n);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < m; ++i) turned[static_cast<size_t>(j + i * n)] = conjugate(data[i + j * m]);
  return turned;
}

template <class T> int qr_basis(int64_t m, int64_t n, int64_t reflectors, T* data, const T* tau) {
  const std::vector<T> kept(data, data + m * reflectors);
  const Columns<T> q{data, m, n};
  set_identity(q);
  multiply_left<T>(false, reflectors, {kept.data(), m, reflectors}, tau, q);
  return 0;
}

template <class T>
int qr_multiply(bool left, bool transposed, int64_t m, int64_t n, int64_t reflectors, int64_t rows, const T* data, const T* tau, T* c) {
  const Columns<const T> a{data, rows, reflectors};
  if (left) {
    multiply_left<T>(transposed, reflectors, a, tau, {c, m, n});
    return 0;
  }
  auto turned = adjoint(m, n, c);  // c Q = (Q' c')'
  multiply_left<T>(!transposed, reflectors, a, tau, {turned.data(), n, m});
  const auto back = adjoint(n, m, turned.data());
  std::copy(back.begin(), back.end(), c);
  return 0;
}

template <class T> int least_squares(int64_t m, int64_t n, int64_t k, T* a, T* right) {
  const int64_t few = std::min(m, n), most = std::max(m, n);
  auto tau = buffer<T>(few), packed = m >= n ? std::vector<T>(a, a + m * n) : adjoint(m, n, a);
  const Columns<T> q{packed.data(), most, few}, b{right, most, k};
  qr(most, few, packed.data(), tau.data());
  auto triangle = buffer<T>(few * few), x = buffer<T>(few * k);
  for (int64_t j = 0; j < few; ++j)
    for (int64_t i = 0; i <= j; ++i) triangle[static_cast<size_t>(i + j * few)] = q(i, j);
  const auto solve = [&](bool transposed) {
    for (int64_t c = 0; c < k; ++c) std::copy_n(b.col(c), few, x.data() + c * few);
    const int info = triangular_solve<T>({true, transposed, false, transposed}, few, k, triangle.data(), x.data());
    for (int64_t c = 0; c < k; ++c) std::copy_n(x.data() + c * few, few, b.col(c));
    return info;
  };
  int info;
  if (m >= n) {
    multiply_left<T>(true, few, {packed.data(), most, few}, tau.data(), b);
    info = solve(false);
  } else {  // a' = Q R: the shortest x is Q R'^-1 b
    info = solve(true);
    for (int64_t c = 0; c < k; ++c) std::fill(b.col(c) + few, b.col(c) + most, T(0));
    multiply_left<T>(false, few, {packed.data(), most, few}, tau.data(), b);
    packed = adjoint(n, m, packed.data());
  }
  std::copy(packed.begin(), packed.end(), a);
  return info;
}

constexpr int most_sweeps = 60;  // of Jacobi's rotations: they converge quadratically, usually after 6 to 10

// Makes the entry `beside` of the rows and columns p and q real by the phase of column q, which those of the other matrix get, too: the
// entry is positive then.
template <class T> Part<T> align(T beside, T* column, int64_t rows, T* basis, int64_t basis_rows) {
  if constexpr (is_real<T>) {
    return beside;
  } else {
    const Part<T> size = magnitude(beside);
    const T turn = conjugate(beside) / T(size);
    std::for_each(column, column + rows, [&](T& x) { x *= turn; });
    std::for_each(basis, basis + basis_rows, [&](T& x) { x *= turn; });
    return size;
  }
}

// The rotation that sets the off-diagonal entry of two diagonal ones to 0.
template <class T> void rotation(T first, T second, T beside, T& cosine, T& sine) {
  const T theta = (second - first) / (2 * beside), t = std::copysign(T(1), theta) / (std::abs(theta) + std::hypot(T(1), theta));
  cosine = 1 / std::hypot(T(1), t);
  sine = t * cosine;
}

template <class T> std::vector<int64_t> order_of(const std::vector<T>& values, bool descending) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    const T x = values[static_cast<size_t>(i)], y = values[static_cast<size_t>(j)];
    return descending ? x > y : x < y;
  });
  return order;
}

template <class T> int symmetric_eigen(bool vectors, bool upper, int64_t n, T* data, Part<T>* values) {
  using R = Part<T>;
  auto whole = mirrored(upper, n, data), basis = buffer<T>(n * n);
  const Columns<T> a{whole.data(), n, n}, v{basis.data(), n, n};
  const R scale = unit_scale(whole.data(), n * n);
  for (T& x : whole) x *= T(scale);
  set_identity(v);
  bool still = false;
  for (int sweep = 0; sweep < most_sweeps && !still; ++sweep) {
    still = true;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        const R least = std::numeric_limits<R>::epsilon() / 4 * std::sqrt(magnitude(a(p, p)) * magnitude(a(q, q)));
        if (magnitude(a(p, q)) <= std::max(least, std::numeric_limits<R>::min())) continue;
        still = false;
        const T turn = a(p, q);
        const R beside = align(turn, a.col(q), n, v.col(q), n);
        if constexpr (!is_real<T>) {
          for (int64_t j = 0; j < n; ++j) a(q, j) *= turn / T(beside);
        }
        R c, s;
        rotation(real_part(a(p, p)), real_part(a(q, q)), beside, c, s);
        rotate(a.col(p), a.col(q), n, 1, c, s);
        rotate(&a(p, 0), &a(q, 0), n, n, c, s);
        rotate(v.col(p), v.col(q), n, 1, c, s);
        a(p, q) = a(q, p) = 0;
      }
    }
  }
  auto diagonal = buffer<R>(n);
  for (int64_t i = 0; i < n; ++i) diagonal[static_cast<size_t>(i)] = real_part(a(i, i));
  const auto order = order_of(diagonal, false);
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[static_cast<size_t>(j)];
    values[j] = real_part(a(from, from)) / scale;
    if (vectors) std::copy_n(v.col(from), n, data + j * n);
  }
  return still ? 0 : 1;
}

template <class T> std::vector<std::complex<double>> wide_copy(int64_t n, const Complex<T>* a) {
  std::vector<std::complex<double>> wide(static_cast<size_t>(n * n));
  std::transform(a, a + n * n, wide.begin(), [](Complex<T> x) { return std::complex<double>(x.re, x.im); });
  return wide;
}

template <class T> void narrow_copy(const std::vector<std::complex<double>>& wide, Complex<T>* to) {
  std::transform(wide.begin(), wide.end(), to, [](std::complex<double> x) { return Complex<T>(Complex<double>(x.real(), x.imag())); });
}

template <class T> int eigen(bool vectors, int64_t n, T* a, Part<T>* real, Part<T>* imaginary, T* right) {
  if constexpr (!is_real<T>) {
    std::vector<std::complex<double>> work = wide_copy(n, a), values(static_cast<size_t>(n)),
                                      basis(static_cast<size_t>(vectors ? n * n : 0));
    const int info = plain_complex_eigen(n, work.data(), values.data(), vectors ? basis.data() : nullptr);
    for (int64_t i = 0; i < n; ++i) {
      real[i] = static_cast<Part<T>>(values[static_cast<size_t>(i)].real());
      imaginary[i] = static_cast<Part<T>>(values[static_cast<size_t>(i)].imag());
    }
    narrow_copy(basis, right);
    return info;
  } else {
    std::vector<double> work(a, a + n * n), values(static_cast<size_t>(2 * n)), basis(static_cast<size_t>(vectors ? n * n : 0));
    const int info = plain_eigen(n, work.data(), values.data(), values.data() + n, vectors ? basis.data() : nullptr);
    std::copy_n(values.data(), n, real);
    std::copy_n(values.data() + n, n, imaginary);
    std::copy(basis.begin(), basis.end(), right);
    return info;
  }
}

template <class T> int schur(int64_t n, T* a, T* z) {
  if constexpr (!is_real<T>) {
    std::vector<std::complex<double>> work = wide_copy(n, a), basis(static_cast<size_t>(n * n));
    const int info = plain_complex_schur(n, work.data(), basis.data());
    narrow_copy(work, a);
    narrow_copy(basis, z);
    return info;
  } else {
    std::vector<double> work(a, a + n * n), basis(static_cast<size_t>(n * n));
    const int info = plain_schur(n, work.data(), basis.data());
    std::copy(work.begin(), work.end(), a);
    std::copy(basis.begin(), basis.end(), z);
    return info;
  }
}

// Sets the columns of q from `known` on so that q is an orthonormal basis: unit vectors, orthogonalised twice against the others.
template <class T> void complete_basis(const Columns<T>& q, int64_t known) {
  int64_t unit = 0;
  for (int64_t j = known; j < q.cols; ++unit) {
    std::fill_n(q.col(j), q.rows, T(0));
    q(unit % q.rows, j) = 1;
    for (int pass = 0; pass < 2; ++pass)
      for (int64_t i = 0; i < j; ++i) add_scaled(q.col(j), T(-1) * dot(q.col(i), q.col(j), q.rows), q.col(i), q.rows);
    const Part<T> norm = length_of(q.col(j), q.rows);
    if (norm * norm * static_cast<Part<T>>(2 * q.rows) < 1)
      continue;  // some unit vector has a remainder with a squared norm above 1 / rows
    for (int64_t i = 0; i < q.rows; ++i) q(i, j) = q(i, j) / T(norm);
    ++j;
  }
}

// m >= n. w, m by n, with elements of about 1, becomes U diag(values); the columns of v are the right vectors. Columns that depend on
// others shrink by the rounding error with each rotation: one whose squares underflow counts as 0, as its rotations would, too.
template <class T> bool orthogonalize(const Columns<T>& w, const Columns<T>& v) {
  using R = Part<T>;
  set_identity(v);
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool still = true;
    for (int64_t p = 0; p < w.cols; ++p) {
      for (int64_t q = p + 1; q < w.cols; ++q) {
        const R pp = real_part(dot(w.col(p), w.col(p), w.rows)), qq = real_part(dot(w.col(q), w.col(q), w.rows));
        const T pq = dot(w.col(p), w.col(q), w.rows);
        if (magnitude(pq) <= std::numeric_limits<R>::epsilon() * std::sqrt(pp) * std::sqrt(qq)) continue;
        if (std::min(pp, qq) < std::numeric_limits<R>::min()) continue;
        still = false;
        R c, s;
        rotation(pp, qq, align(pq, w.col(q), w.rows, v.col(q), v.rows), c, s);
        rotate(w.col(p), w.col(q), w.rows, 1, c, s);
        rotate(v.col(p), v.col(q), v.rows, 1, c, s);
      }
    }
    if (still) return true;
  }
  return false;
}

template <class T> int singular(Vectors vectors, int64_t m, int64_t n, T* a, Part<T>* values, T* u, T* v_transposed) {
  using R = Part<T>;
  const bool wide = m < n;
  const int64_t rows = std::max(m, n), cols = std::min(m, n);
  auto work = wide ? adjoint(m, n, a) : std::vector<T>(a, a + m * n), right = buffer<T>(cols * cols);
  const Columns<T> w{work.data(), rows, cols}, v{right.data(), cols, cols};
  const R scale = unit_scale(work.data(), rows * cols);
  for (T& x : work) x *= T(scale);
  if (!orthogonalize(w, v)) return 1;
  auto lengths = buffer<R>(cols);
  for (int64_t j = 0; j < cols; ++j) lengths[static_cast<size_t>(j)] = length_of(w.col(j), rows);
  const auto order = order_of(lengths, true);
  for (int64_t j = 0; j < cols; ++j) values[j] = lengths[static_cast<size_t>(order[static_cast<size_t>(j)])] / scale;
  if (vectors == Vectors::none) return 0;
  const int64_t wanted = vectors == Vectors::full ? rows : cols;
  auto long_basis = buffer<T>(rows * wanted), short_basis = buffer<T>(cols * cols);
  const Columns<T> left{long_basis.data(), rows, wanted};
  const R least = std::numeric_limits<R>::epsilon() * static_cast<R>(rows) * (cols > 0 ? lengths[static_cast<size_t>(order[0])] : 0);
  int64_t known = 0;
  for (int64_t j = 0; j < cols; ++j) {
    const int64_t from = order[static_cast<size_t>(j)];
    const R length = lengths[static_cast<size_t>(from)];
    std::copy_n(v.col(from), cols, short_basis.data() + j * cols);
    if (length <= least || known < j) continue;
    for (int64_t i = 0; i < rows; ++i) left(i, j) = w(i, from) / T(length);
    ++known;
  }
  complete_basis(left, known);
  // a = left diag(values) short', or, if wide, a' is.
  const auto turned = wide ? adjoint(rows, wanted, long_basis.data()) : adjoint(cols, cols, short_basis.data());
  std::copy(turned.begin(), turned.end(), v_transposed);
  const auto& kept = wide ? short_basis : long_basis;
  std::copy(kept.begin(), kept.end(), u);
  return 0;
}

}  // namespace

template <class T> const Lapack<T>& plain_lapack() {
  static constexpr Lapack<T> routines{
      &lu<T>,       &lu_solve<T>,   &lu_inverse<T>, &triangular_solve<T>, &least_squares<T>,    &symmetric_eigen<T>,  &eigen<T>,
      &schur<T>,    &singular<T>,   &cholesky<T>,   &cholesky_solve<T>,   &cholesky_inverse<T>, &pivoted_cholesky<T>, &qr<T>,
      &qr_basis<T>, &qr_multiply<T>};
  return routines;
}

template const Lapack<float>& plain_lapack<float>();
template const Lapack<double>& plain_lapack<double>();
template const Lapack<Complex<float>>& plain_lapack<Complex<float>>();
template const Lapack<Complex<double>>& plain_lapack<Complex<double>>();

}  // namespace mt::cpu
