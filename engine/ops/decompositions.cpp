// Shapes, dtypes and results of decompositions: eigenvalues, singular values, Cholesky, QR.
#include "engine/ops/matrix_stack.h"

namespace mt {
#include "engine/ops/linalg-inl.h"
using namespace linalg;

void Symeig::plan(Call& call) {
  const Types types(call, 1);
  const Options<2> options(call, 1, {"NV", "UL"});
  const bool vectors = options.is(0, 'V');
  const Tensor& a = expect_square(call, 0);
  const Shape lead = leading(a);
  const Stack v(types.computed, lead, a);
  const int64_t n = v.rows();
  const Tensor values = Tensor::empty(types.computed, joined(lead, {n}));
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    expect_finite<T>(call, 0, v);
    each(v, 4 * n * n * n, [&](int64_t i) {
      expect_done(call, 0, kernels.symmetric_eigen(vectors, options.is(1, 'U'), n, v.at<T>(i), vector_at<T>(values, i)));
    });
  });
  deliver(call, 0, values, types.result);
  deliver(call, 1, vectors ? v.tensor() : Tensor::empty(types.computed, {}), types.result);
}

void Eig::plan(Call& call) {
  const Types types(call, 1);
  const Options<1> options(call, 1, {"NV"});
  const bool vectors = options.is(0, 'V');
  const Tensor& a = expect_square(call, 0);
  const Shape lead = leading(a);
  const Stack work(types.computed, lead, a), right(types.computed, lead, vectors ? a : Tensor::empty(types.computed, joined(lead, {0, 0}))),
      values(types.computed, lead, work.rows(), 2, true);
  const int64_t n = work.rows();
  const Tensor parts = Tensor::empty(types.computed, joined(lead, {2 * n}));
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    expect_finite<T>(call, 0, work);
    each(work, 10 * n * n * n, [&](int64_t i) {
      T *const real = vector_at<T>(parts, i), *const imaginary = real + n;
      expect_done(call, 0, kernels.eigen(vectors, n, work.at<T>(i), real, imaginary, right.at<T>(i)));
      for (int64_t k = 0; k < n; ++k) {
        values.at<T>(i)[2 * k] = real[k];
        values.at<T>(i)[2 * k + 1] = imaginary[k];
      }
    });
  });
  deliver(call, 0, values.tensor(), types.result);
  deliver(call, 1, vectors ? right.tensor() : Tensor::empty(types.computed, {}), types.result);
}

void Svd::plan(Call& call) {
  const Types types(call, 1);
  const Options<1> options(call, 1, {"SA"});
  const bool full = options.is(0, 'A');
  const Tensor& a = expect_matrix(call, 0);
  const Shape lead = leading(a);
  const int64_t m = rows_of(a), n = cols_of(a), k = std::min(m, n);
  const Stack work(types.computed, lead, a), u(types.computed, lead, m, full ? m : k), v(types.computed, lead, n, full ? n : k, true);
  const Tensor s = Tensor::empty(types.computed, joined(lead, {k}));
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    expect_finite<T>(call, 0, work);
    each(work, 8 * m * n * k, [&](int64_t i) {
      const Vectors wanted = full ? Vectors::full : Vectors::thin;
      expect_done(call, 0, kernels.singular(wanted, m, n, work.at<T>(i), vector_at<T>(s, i), u.at<T>(i), v.at<T>(i)));
    });
    if (k > 0 || !full) return;
    set_identity<T>(u);  // any basis will do
    set_identity<T>(v);
  });
  deliver(call, 0, u.tensor(), types.result);
  deliver(call, 1, s, types.result);
  deliver(call, 2, v.tensor(), types.result);
}

namespace {

// Moves the lower half of a matrix to the upper one, transposed, or the other way, and leaves zeros. By tiles, so that each cache line is
// used whole.
template <class T> void move_half(bool to_upper, int64_t n, T* a) {
  constexpr int64_t tile = 64 / static_cast<int64_t>(sizeof(T));
  for (int64_t col = 0; col < n; col += tile) {
    for (int64_t row = col; row < n; row += tile) {
      const int64_t from_col = to_upper ? col : row, from_row = to_upper ? row : col;
      if (row > col && row + tile <= n) {
        T block[tile][tile];
        for (int64_t j = 0; j < tile; ++j) {
          T* const from = a + from_row + (from_col + j) * n;
          for (int64_t i = 0; i < tile; ++i) block[i][j] = std::exchange(from[i], T(0));
        }
        for (int64_t i = 0; i < tile; ++i) std::copy_n(block[i], tile, a + from_col + (from_row + i) * n);
        continue;
      }
      for (int64_t j = col; j < std::min(n, col + tile); ++j) {
        for (int64_t i = std::max(j + 1, row); i < std::min(n, row + tile); ++i) {
          T &below = a[i + j * n], &above = a[j + i * n];
          (to_upper ? above : below) = std::exchange(to_upper ? below : above, T(0));
        }
      }
    }
  }
}

// OpenBLAS computes lower factors twice as fast as upper ones (512 doubles: 1.4 and 3.0 ms): the half that counts goes there, if it is not
// there already, and an upper factor is brought back.
void run_cholesky(Call& call, bool upper) {
  const Types types(call, 1);
  const Tensor& a = expect_square(call, 0);
  Stack factor = Stack::as_stored(types.computed, leading(a), a);
  const int64_t n = factor.rows();
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    const bool below = upper == factor.is_transposed();  // memory's lower half holds what is read
    each(factor, n * n * n / 6, [&](int64_t i) {
      T* const m = factor.at<T>(i);
      if (!below) move_half(false, n, m);
      const int info = kernels.cholesky(false, n, m);
      if (info > 0) call.fail_at(0, "the leading minor of order ", info, " is not positive definite");
      if (upper)
        move_half(true, n, m);
      else if (below)
        clear_other_half(false, n, n, m);
    });
  });
  deliver(call, 0, factor.as_columns(), types.result);
}

}  // namespace

void Potrf::plan(Call& call) { run_cholesky(call, Options<1>(call, 1, {"UL"}).is(0, 'U')); }

void Cholesky::plan(Call& call) { run_cholesky(call, call.boolean(1)); }

void Potrs::plan(Call& call) {
  const Types types(call, 2);
  const bool upper = Options<1>(call, 2, {"UL"}).is(0, 'U');
  const Tensor &a = expect_square(call, 1), b = right_side(call, 0, rows_of(a));
  const Shape lead = common_lead(call, 1, b, a);
  const Stack factor(types.computed, lead, a), x(types.computed, lead, b);
  const int64_t n = x.rows(), k = x.cols();
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(x, 2 * n * n * k, [&](int64_t i) { kernels.cholesky_solve(upper, n, k, factor.at<T>(i), x.at<T>(i)); });
  });
  deliver(call, 0, x.tensor(), types.result);
}

void Potri::plan(Call& call) {
  const Types types(call, 1);
  const bool upper = Options<1>(call, 1, {"UL"}).is(0, 'U');
  const Tensor& a = expect_square(call, 0);
  const Stack inverse(types.computed, leading(a), a);
  const int64_t n = inverse.rows();
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(inverse, n * n * n, [&](int64_t i) {
      const int info = kernels.cholesky_inverse(upper, n, inverse.at<T>(i));
      if (info > 0)
        call.fail_at(0, "A(", info, ",", info, ") is 0, A cannot be factorized: a factor without zeros on the diagonal was expected");
      mirror(upper, n, inverse.at<T>(i));
      clear_signs_of_zeros(n, inverse.at<T>(i));
    });
  });
  deliver(call, 0, inverse.tensor(), types.result);
}

void Pstrf::plan(Call& call) {
  const DType dtype = call.tensor(0).dtype();
  Types::expect_result(call, 1, DType::int32);
  const bool upper = Options<1>(call, 1, {"UL"}).is(0, 'U');
  if (!is_float(dtype)) call.fail_at(0, dtype, " came, a tensor of floats was expected");
  Types::expect_result(call, 0, dtype);
  const DType computed = size_of(dtype) == 2 ? DType::float32 : dtype;
  const Tensor& a = expect_square(call, 0);
  const Shape lead = leading(a);
  const Stack factor(computed, lead, a);
  const int64_t n = factor.rows();
  const Tensor pivots = Tensor::empty(DType::int32, joined(lead, {n}));
  with_kernels(call, computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(factor, n * n * n / 6, [&](int64_t i) {
      const int info = kernels.pivoted_cholesky(upper, n, factor.at<T>(i), vector_at<int32_t>(pivots, i), call.number(2));
      if (info > 0) call.fail_at(0, "a matrix that is rank deficient or not positive semidefinite came, one of full rank was expected");
      clear_other_half(upper, n, n, factor.at<T>(i));
    });
  });
  deliver(call, 0, factor.tensor(), dtype);
  deliver(call, 1, pivots, DType::int32);
}

void Qr::plan(Call& call) {
  const Types types(call, 1);
  const Tensor& a = expect_matrix(call, 0);
  const Shape lead = leading(a);
  const int64_t m = rows_of(a), n = cols_of(a), k = std::min(m, n);
  const Stack work(types.computed, lead, a), r(types.computed, lead, k, n, true), q(types.computed, lead, m, k);
  const Tensor tau = Tensor::empty(types.computed, {work.count(), k});
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(work, 4 * m * n * k, [&](int64_t i) {
      T *const factors = work.at<T>(i), *const upper = r.at<T>(i);
      kernels.qr(m, n, factors, vector_at<T>(tau, i));
      for (int64_t row = 0; row < k; ++row)
        for (int64_t col = 0; col < n; ++col) upper[row * n + col] = row <= col ? factors[row + col * m] : T(0);
      std::copy_n(factors, m * k, q.at<T>(i));
      kernels.qr_basis(m, k, k, q.at<T>(i), vector_at<T>(tau, i));
    });
  });
  deliver(call, 0, q.tensor(), types.result);
  deliver(call, 1, r.tensor(), types.result);
}

void Geqrf::plan(Call& call) {
  const Types types(call, 1);
  const Tensor& a = expect_matrix(call, 0);
  const Shape lead = leading(a);
  const Stack factors(types.computed, lead, a);
  const int64_t m = factors.rows(), n = factors.cols(), k = std::min(m, n);
  const Tensor tau = Tensor::empty(types.computed, joined(lead, {k}));
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(factors, 2 * m * n * k, [&](int64_t i) { kernels.qr(m, n, factors.at<T>(i), vector_at<T>(tau, i)); });
  });
  deliver(call, 0, factors.tensor(), types.result);
  deliver(call, 1, tau, types.result);
}

namespace {

// The factors of reflectors, as many as tau has, over the batch of the matrices that hold them.
Tensor reflector_factors(const Call& call, int arg, const Tensor& m, DType dtype) {
  const Tensor& tau = call.tensor(arg);
  const int64_t most = std::min(rows_of(m), cols_of(m));
  const bool fits = tau.dim() == m.dim() - 1 && tau.size(tau.dim() - 1) <= most &&
                    std::ranges::equal(Sizes(leading(m)), tau.sizes().first(tau.dim() - 1));
  if (!fits) call.fail_at(arg, tau.sizes(), " came, at most ", most, " factors for each matrix of ", m.sizes(), " were expected");
  return contiguous(to_dtype(tau, dtype));
}

}  // namespace

void Orgqr::plan(Call& call) {
  const Types types(call, 2);
  const Tensor& m = expect_matrix(call, 0);
  const Tensor tau = reflector_factors(call, 1, m, types.computed);
  const int64_t k = tau.size(tau.dim() - 1);
  Tensor columns = m;
  columns.set_geometry(m.offset(), joined(leading(m), {rows_of(m), k}), Shape(m.strides()));
  const Stack q(types.computed, leading(m), columns);
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(q, 2 * q.rows() * k * k, [&](int64_t i) { kernels.qr_basis(q.rows(), k, k, q.at<T>(i), vector_at<T>(tau, i)); });
  });
  deliver(call, 0, q.tensor(), types.result);
}

void Ormqr::plan(Call& call) {
  const Types types(call, 3);
  const Options<2> options(call, 3, {"LR", "NT"});
  const bool left = options.is(0, 'L');
  const Tensor &m = expect_matrix(call, 0), &c = expect_matrix(call, 2);
  const Tensor tau = reflector_factors(call, 1, m, types.computed);
  if ((left ? rows_of(c) : cols_of(c)) != rows_of(m) || !std::ranges::equal(Sizes(leading(c)), Sizes(leading(m))))
    call.fail_at(2, c.sizes(), " came, ", rows_of(m), left ? " rows" : " columns", " for each matrix of ", m.sizes(), " were expected");
  const Stack reflectors(types.computed, leading(m), m), product(types.computed, leading(m), c);
  const int64_t k = tau.size(tau.dim() - 1);
  if (k > 0)
    with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
      each(product, 2 * product.rows() * product.cols() * k, [&](int64_t i) {
        kernels.qr_multiply(left, options.is(1, 'T'), product.rows(), product.cols(), k, reflectors.rows(), reflectors.at<T>(i),
                            vector_at<T>(tau, i), product.at<T>(i));
      });
    });
  deliver(call, 0, product.tensor(), types.result);
}

}  // namespace mt
