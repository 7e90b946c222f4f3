// Shapes, dtypes and results of linear systems, inverses and determinants.
#include "engine/ops/matrix_stack.h"

namespace mt {
#include "engine/ops/linalg-inl.h"
using namespace linalg;

void Gesv::plan(Call& call) {
  const Types types(call, 2);
  const Tensor &a = expect_square(call, 1), b = right_side(call, 0, rows_of(a));
  const Shape lead = common_lead(call, 1, b, a);
  const Stack lu(types.computed, lead, a), x(types.computed, lead, b);
  solve_in(call, 1, types.computed, lu, x);
  deliver(call, 0, x.tensor(), types.result);
  deliver(call, 1, lu.tensor(), types.result);
}

void Solve::plan(Call& call) {
  const Types types(call, 2);
  const Tensor &a = expect_square(call, 0), b = right_side(call, 1, rows_of(a));
  const Shape lead = common_lead(call, 1, a, b);
  const Stack lu = Stack::as_stored(types.computed, lead, a), x(types.computed, lead, b);
  solve_in(call, 0, types.computed, lu, x);
  Tensor solution = x.tensor();
  if (call.tensor(1).dim() == 1)
    solution.set_geometry(solution.offset(), joined(lead, {x.rows()}), solution.strides().first(lead.size() + 1));
  deliver(call, 0, solution, types.result);
}

void Trtrs::plan(Call& call) {
  const Types types(call, 2);
  const Options<3> options(call, 2, {"UL", "NT", "NU"});
  const Triangle triangle{options.is(0, 'U'), options.is(1, 'T'), options.is(2, 'U')};
  const Tensor &a = expect_square(call, 1), b = right_side(call, 0, rows_of(a));
  const Shape lead = common_lead(call, 1, b, a);
  const Stack factor(types.computed, lead, a), x(types.computed, lead, b);
  const int64_t n = x.rows(), k = x.cols();
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(x, n * n * k, [&](int64_t i) {
      const int info = kernels.triangular_solve(triangle, n, k, factor.at<T>(i), x.at<T>(i));
      if (info > 0) call.fail_at(1, "A(", info, ",", info, ") is zero, singular A: a matrix that can be inverted was expected");
    });
  });
  deliver(call, 0, x.tensor(), types.result);
  deliver(call, 1, factor.tensor(), types.result);
}

void Gels::plan(Call& call) {
  const Types types(call, 2);
  const Tensor &a = expect_matrix(call, 1), b = right_side(call, 0, rows_of(a));
  const Shape lead = common_lead(call, 1, b, a);
  const int64_t m = rows_of(a), n = cols_of(a), k = cols_of(b), most = std::max(m, n);
  const Stack factors(types.computed, lead, a), sides(types.computed, lead, most, k), x(types.computed, lead, n, k);
  const auto first_rows = [&](int64_t rows) {
    Tensor part = sides.tensor();
    part.set_geometry(part.offset(), joined(lead, {rows, k}), Shape(part.strides()));
    return part;
  };
  if (sides.tensor().numel() > 0) {
    std::memset(sides.tensor().bytes(), 0, static_cast<size_t>(sides.tensor().numel() * size_of(types.computed)));
    if (m > 0) copy(first_rows(m), expand_to(b, joined(lead, {m, k})));
  }
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    if (k > 0)
      each(factors, m * n * std::min(m, n), [&](int64_t i) {
        const int info = kernels.least_squares(m, n, k, factors.at<T>(i), sides.at<T>(i));
        if (info > 0) call.fail_at(1, "diagonal element ", info, " of its triangular factor is zero: a matrix of full rank was expected");
      });
  });
  if (x.tensor().numel() > 0) copy(x.tensor(), first_rows(n));
  deliver(call, 0, x.tensor(), types.result);
  deliver(call, 1, factors.tensor(), types.result);
}

void Inverse::plan(Call& call) {
  const Types types(call, 1);
  const Tensor& a = expect_square(call, 0);
  const Stack lu(types.computed, leading(a), a);
  const int64_t n = lu.rows();
  const Tensor pivots = Tensor::empty(DType::int32, {lu.count(), n});
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    each(lu, n * n * n, [&](int64_t i) {
      int32_t* const p = vector_at<int32_t>(pivots, i);
      int info = kernels.lu(n, n, lu.at<T>(i), p);
      if (info == 0) info = kernels.lu_inverse(n, lu.at<T>(i), p);
      if (info > 0) call.fail_at(0, "U(", info, ",", info, ") is 0, U is singular: a matrix that can be inverted was expected");
      clear_signs_of_zeros(n, lu.at<T>(i));
    });
  });
  deliver(call, 0, lu.tensor(), types.result);
}

namespace {

// The determinant of each matrix, from its LU factors: write(i, sign, logarithm of the magnitude, product).
template <class F> void determinants(const Call& call, const Stack& lu, DType dtype, F write) {
  const int64_t n = lu.rows();
  const Tensor pivots = Tensor::empty(DType::int32, {lu.count(), n});
  const auto finish = [&]<class T>(int64_t i, const T* a, const int32_t* p) {
    double sign = 1, logarithm = 0, product = 1;
    for (int64_t k = 0; k < n; ++k) {
      const double pivot = static_cast<double>(a[k + k * n]) * (p[k] == k + 1 ? 1 : -1);
      sign *= pivot > 0 ? 1 : pivot < 0 ? -1 : pivot;
      logarithm += std::log(std::abs(pivot));
      product *= pivot;
    }
    write(i, sign, logarithm, product);
  };
  with_kernels(call, dtype, [&]<class T>(const LinalgKernels<T>& kernels) {
    if (n == 0)
      for (int64_t i = 0; i < lu.count(); ++i) write(i, 1.0, 0.0, 1.0);
    each(lu, n * n * n / 3, [&](int64_t i) {
      kernels.lu(n, n, lu.at<T>(i), vector_at<int32_t>(pivots, i));
      finish(i, lu.at<T>(i), vector_at<int32_t>(pivots, i));
    });
  });
}

Shape one_each(const Tensor& a) { return a.dim() == 2 ? Shape{1} : leading(a); }

// An op with one number for each matrix: value(sign, logarithm, product).
template <class F> void run_determinant(Call& call, F value) {
  const Types types(call, 1);
  const Tensor& a = expect_square(call, 0);
  const Stack lu = Stack::as_stored(types.computed, leading(a), a);
  const Tensor results = Tensor::empty(DType::float64, one_each(a));
  determinants(call, lu, types.computed, [&](int64_t i, double sign, double logarithm, double product) {
    results.data<double>()[i] = value(sign, logarithm, product);
  });
  call.as_number = call.as_number && a.dim() == 2;
  deliver(call, 0, to_dtype(results, types.result), types.result);
}

}  // namespace

void Det::plan(Call& call) {
  run_determinant(call, [](double, double, double product) { return product; });
}

void Logdet::plan(Call& call) {
  run_determinant(call, [](double sign, double logarithm, double) { return sign < 0 ? std::nan("") : logarithm; });
}

void Slogdet::plan(Call& call) {
  const Types types(call, 1);
  const Tensor& a = expect_square(call, 0);
  const Stack lu = Stack::as_stored(types.computed, leading(a), a);
  const Tensor signs = Tensor::empty(DType::float64, one_each(a)), logarithms = Tensor::empty(DType::float64, one_each(a));
  determinants(call, lu, types.computed, [&](int64_t i, double sign, double logarithm, double) {
    signs.data<double>()[i] = sign;
    logarithms.data<double>()[i] = logarithm;
  });
  deliver(call, 0, to_dtype(signs, types.result), types.result);
  deliver(call, 1, to_dtype(logarithms, types.result), types.result);
}

void Lu::plan(Call& call) {
  const Types types(call, 1);
  const Tensor& a = expect_matrix(call, 0);
  const Shape lead = leading(a);
  const int64_t m = rows_of(a), n = cols_of(a), k = std::min(m, n);
  const Stack work(types.computed, lead, a), p(types.computed, lead, m, m), l(types.computed, lead, m, k), u(types.computed, lead, k, n);
  const Tensor pivots = Tensor::empty(DType::int32, {work.count(), k}), orders = Tensor::empty(DType::int32, {work.count(), m});
  with_kernels(call, types.computed, [&]<class T>(const LinalgKernels<T>& kernels) {
    parallel_for(work.count(), std::max<int64_t>(1, work_a_thread / std::max<int64_t>(1, m * n * k)), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T *const factors = work.at<T>(i), *const lower = l.at<T>(i), *const upper = u.at<T>(i), *const permutation = p.at<T>(i);
        int32_t *const swaps = vector_at<int32_t>(pivots, i), *const order = vector_at<int32_t>(orders, i);
        if (k > 0) kernels.lu(m, n, factors, swaps);
        for (int64_t j = 0; j < k; ++j) {
          std::copy_n(factors + j * m, m, lower + j * m);
          std::fill_n(lower + j * m, j, T(0));
          lower[j + j * m] = 1;
        }
        for (int64_t j = 0; j < n; ++j) std::copy_n(factors + j * m, k, upper + j * k);
        clear_other_half(true, k, n, upper);
        for (int64_t row = 0; row < m; ++row) order[row] = static_cast<int32_t>(row);
        for (int64_t j = 0; j < k; ++j) std::swap(order[j], order[swaps[j] - 1]);
        std::fill_n(permutation, m * m, T(0));
        for (int64_t row = 0; row < m; ++row) permutation[order[row] + row * m] = 1;
      }
    });
  });
  deliver(call, 0, p.tensor(), types.result);
  deliver(call, 1, l.tensor(), types.result);
  deliver(call, 2, u.tensor(), types.result);
}

}  // namespace mt
