// The plans of decompositions: eigenvalues, singular values, Cholesky, QR.
#include "engine/ops/decompositions.h"

#include "engine/ops/matrices.h"

namespace mt {
#include "engine/ops/linalg-inl.h"
using namespace linalg;

void Symeig::plan(Call& call) {
  const Types types(call, 1, 0);
  const Options<2> options(call, 1, {"NV", "UL"});
  const bool vectors = options.is(0, 'V');
  const Tensor& a = expect_square(call, 0);
  const Shape lead = leading(a);
  const Tensor v = by_columns(call, types.computed, lead, a), values = call.empty(real_part_of(types.computed), joined(lead, {rows_of(a)}));
  const SymmetricEigenPlan plan{v, values, vectors, options.is(1, 'U')};
  if (v.numel() > 0) call.launch(plan);
  const MatrixFailure& failure = plan.failure;
  expect_done(call, 0, failure);
  deliver(call, 0, values, types.part());
  deliver(call, 1, vectors ? v : call.empty(types.computed, {}), types.result);
}

void Eig::plan(Call& call) {
  const Types types(call, 1);
  const bool wanted = Options<1>(call, 1, {"NV"}).is(0, 'V');
  const Tensor& a = expect_square(call, 0);
  const Shape lead = leading(a);
  const int64_t n = rows_of(a);
  const bool is_real = types.part() == types.result;
  const Tensor work = by_columns(call, types.computed, lead, a),
               values = call.empty(types.computed, is_real ? joined(lead, {n, 2}) : joined(lead, {n})),
               vectors = wanted ? by_columns(call, types.computed, lead, n, n) : call.empty(types.computed, {});
  const EigenPlan plan{work, values, vectors};
  if (work.numel() > 0) call.launch(plan);
  const MatrixFailure& failure = plan.failure;
  expect_done(call, 0, failure);
  deliver(call, 0, values, types.result);
  deliver(call, 1, vectors, types.result);
}

void Schur::plan(Call& call) {
  const Types types(call, 1);
  const Tensor& a = expect_square(call, 0);
  const Tensor t = by_columns(call, types.computed, leading(a), a),
               z = by_columns(call, types.computed, leading(a), rows_of(a), rows_of(a));
  const SchurPlan plan{t, z};
  if (t.numel() > 0) call.launch(plan);
  const MatrixFailure& failure = plan.failure;
  expect_done(call, 0, failure);
  deliver(call, 0, t, types.result);
  deliver(call, 1, z, types.result);
}

void Svd::plan(Call& call) {
  const Types types(call, 1, 1);
  const bool full = Options<1>(call, 1, {"SA"}).is(0, 'A');
  const Tensor& a = expect_matrix(call, 0);
  const Shape lead = leading(a);
  const int64_t m = rows_of(a), n = cols_of(a), k = std::min(m, n);
  const Tensor work = by_columns(call, types.computed, lead, a), u = by_columns(call, types.computed, lead, m, full ? m : k),
               v = call.empty(types.computed, joined(lead, {n, full ? n : k})),
               s = call.empty(real_part_of(types.computed), joined(lead, {k}));
  const SingularPlan plan{work, u, s, v, full};
  if (u.numel() > 0 || v.numel() > 0) call.launch(plan);
  const MatrixFailure& failure = plan.failure;
  expect_done(call, 0, failure);
  deliver(call, 0, u, types.result);
  deliver(call, 1, s, types.part());
  deliver(call, 2, v, types.result);
}

namespace {

void run_cholesky(Call& call, bool upper) {
  const Types types(call, 1);
  const Tensor& a = expect_square(call, 0);
  const SquareCopy factor(call, types.computed, leading(a), a);
  const CholeskyPlan plan{factor.matrices, upper, factor.row_major};
  if (factor.matrices.numel() > 0) call.launch(plan);
  const MatrixFailure& failure = plan.failure;
  if (failure) call.fail_at(0, "the leading minor of order ", failure.info, " is not positive definite");
  deliver(call, 0, factor.row_major ? transposed(factor.matrices) : factor.matrices, types.result);
}

}  // namespace

void Potrf::plan(Call& call) { run_cholesky(call, Options<1>(call, 1, {"UL"}).is(0, 'U')); }

void Cholesky::plan(Call& call) { run_cholesky(call, call.boolean(1)); }

void Potrs::plan(Call& call) {
  const Types types(call, 2);
  const bool upper = Options<1>(call, 2, {"UL"}).is(0, 'U');
  const Tensor &a = expect_square(call, 1), b = right_side(call, 0, rows_of(a));
  const Shape lead = common_lead(call, 1, b, a);
  const Tensor factor = by_columns(call, types.computed, lead, a), x = by_columns(call, types.computed, lead, b);
  if (x.numel() > 0) call.launch<CholeskySolvePlan>(factor, x, upper);
  deliver(call, 0, x, types.result);
}

void Potri::plan(Call& call) {
  const Types types(call, 1);
  const bool upper = Options<1>(call, 1, {"UL"}).is(0, 'U');
  const Tensor& a = expect_square(call, 0);
  const Tensor inverse = by_columns(call, types.computed, leading(a), a);
  const CholeskyInversePlan plan{inverse, upper};
  if (inverse.numel() > 0) call.launch(plan);
  const MatrixFailure& failure = plan.failure;
  if (failure)
    call.fail_at(0, "A(", failure.info, ",", failure.info,
                 ") is 0, A cannot be factorized: expected a factor without zeros on the diagonal");
  deliver(call, 0, inverse, types.result);
}

void Pstrf::plan(Call& call) {
  const DType dtype = call.tensor(0).dtype(), computed = Types::computing(dtype);
  Types::expect_result(call, 1, DType::int32);
  const bool upper = Options<1>(call, 1, {"UL"}).is(0, 'U');
  Types::expect_floats(call, 0, dtype);
  Types::expect_result(call, 0, dtype);
  const Tensor& a = expect_square(call, 0);
  const Shape lead = leading(a);
  const Tensor factor = by_columns(call, computed, lead, a), pivots = call.empty(DType::int32, joined(lead, {rows_of(a)}));
  const PivotedCholeskyPlan plan{factor, pivots, upper, call.number(2)};
  if (factor.numel() > 0) call.launch(plan);
  const MatrixFailure& failure = plan.failure;
  if (failure) call.fail_at(0, "a matrix that is rank deficient or not positive semidefinite, expected one of full rank");
  deliver(call, 0, factor, dtype);
  deliver(call, 1, pivots, DType::int32);
}

void Qr::plan(Call& call) {
  const Types types(call, 1);
  const Tensor& a = expect_matrix(call, 0);
  const Shape lead = leading(a);
  const int64_t m = rows_of(a), n = cols_of(a), k = std::min(m, n);
  const Tensor work = by_columns(call, types.computed, lead, a), r = call.empty(types.computed, joined(lead, {k, n})),
               q = by_columns(call, types.computed, lead, m, k);
  if (work.numel() > 0) call.launch<QrPlan>(work, q, r);
  deliver(call, 0, q, types.result);
  deliver(call, 1, r, types.result);
}

void Geqrf::plan(Call& call) {
  const Types types(call, 1);
  const Tensor& a = expect_matrix(call, 0);
  const Shape lead = leading(a);
  const Tensor factors = by_columns(call, types.computed, lead, a),
               tau = call.empty(types.computed, joined(lead, {std::min(rows_of(a), cols_of(a))}));
  if (factors.numel() > 0) call.launch<QrFactorsPlan>(factors, tau);
  deliver(call, 0, factors, types.result);
  deliver(call, 1, tau, types.result);
}

namespace {

// The factors of reflectors, as many as tau has, over the batch of the matrices that hold them.
Tensor reflector_factors(const Call& call, int arg, const Tensor& m, DType dtype) {
  const Tensor& tau = call.tensor(arg);
  const int64_t most = std::min(rows_of(m), cols_of(m));
  const bool fits = tau.dim() == m.dim() - 1 && tau.size(tau.dim() - 1) <= most &&
                    std::ranges::equal(Sizes(leading(m)), tau.sizes().first(tau.dim() - 1));
  if (!fits) call.fail_at<Status::shape>(arg, tau.sizes(), ", expected at most ", most, " factors for each matrix of ", m.sizes());
  return contiguous(to_dtype(tau, dtype));
}

}  // namespace

void Orgqr::plan(Call& call) {
  const Types types(call, 2);
  const Tensor& m = expect_matrix(call, 0);
  const Tensor tau = reflector_factors(call, 1, m, types.computed);
  Tensor columns = m;
  columns.set_geometry(m.offset(), joined(leading(m), {rows_of(m), tau.size(tau.dim() - 1)}), Shape(m.strides()));
  const Tensor q = by_columns(call, types.computed, leading(m), columns);
  if (q.numel() > 0) call.launch<QrBasisPlan>(q, tau);
  deliver(call, 0, q, types.result);
}

void Ormqr::plan(Call& call) {
  const Types types(call, 3);
  const Options<2> options(call, 3, {"LR", "NTC"});
  const bool left = options.is(0, 'L');
  const Tensor &m = expect_matrix(call, 0), &c = expect_matrix(call, 2);
  const Tensor tau = reflector_factors(call, 1, m, types.computed);
  if ((left ? rows_of(c) : cols_of(c)) != rows_of(m) || !std::ranges::equal(Sizes(leading(c)), Sizes(leading(m))))
    call.fail_at<Status::shape>(2, c.sizes(), ", expected ", rows_of(m), left ? " rows" : " columns", " for each matrix of ", m.sizes());
  const Tensor reflectors = by_columns(call, types.computed, leading(m), m), product = by_columns(call, types.computed, leading(m), c);
  if (tau.numel() > 0 && product.numel() > 0) call.launch<QrMultiplyPlan>(reflectors, tau, product, left, !options.is(1, 'N'));
  deliver(call, 0, product, types.result);
}

}  // namespace mt
