// The plans of linear systems, inverses and determinants.
#include "engine/ops/linalg.h"

#include "engine/ops/matrices.h"

namespace mt {
#include "engine/ops/linalg-inl.h"
using namespace linalg;

namespace {

// Solves a x = b by LU factors; x holds b first. Both are overwritten.
void solve_in(const Call& call, int a_arg, const Tensor& a, bool row_major, const Tensor& x) {
  const SolvePlan plan{a, x, row_major};
  if (a.numel() > 0) call.launch(plan);
  const MatrixFailure& failure = plan.failure;
  if (failure) call.fail_at(a_arg, "U(", failure.info, ",", failure.info, ") is zero, singular U: expected a matrix that can be inverted");
}

}  // namespace

void Gesv::plan(Call& call) {
  const Types types(call, 2);
  const Tensor &a = expect_square(call, 1), b = right_side(call, 0, rows_of(a));
  const Shape lead = common_lead(call, 1, b, a);
  const Tensor lu = by_columns(call, types.computed, lead, a), x = by_columns(call, types.computed, lead, b);
  solve_in(call, 1, lu, false, x);
  deliver(call, 0, x, types.result);
  deliver(call, 1, lu, types.result);
}

void Solve::plan(Call& call) {
  const Types types(call, 2);
  const Tensor &a = expect_square(call, 0), b = right_side(call, 1, rows_of(a));
  const Shape lead = common_lead(call, 1, a, b);
  const SquareCopy lu(call, types.computed, lead, a);
  Tensor x = by_columns(call, types.computed, lead, b);
  solve_in(call, 0, lu.matrices, lu.row_major, x);
  if (call.tensor(1).dim() == 1) {
    const Shape strides(x.strides().first(static_cast<size_t>(lead.size()) + 1));
    x.set_geometry(x.offset(), joined(lead, {rows_of(a)}), strides);
  }
  deliver(call, 0, x, types.result);
}

void Trtrs::plan(Call& call) {
  const Types types(call, 2);
  const Options<3> options(call, 2, {"UL", "NTC", "NU"});
  const bool conjugated = options.is(1, 'C');
  const Triangle triangle{options.is(0, 'U'), conjugated || options.is(1, 'T'), options.is(2, 'U'), conjugated};
  const Tensor &a = expect_square(call, 1), b = right_side(call, 0, rows_of(a));
  const Shape lead = common_lead(call, 1, b, a);
  const Tensor factor = by_columns(call, types.computed, lead, a), x = by_columns(call, types.computed, lead, b);
  const TriangularSolvePlan plan{factor, x, triangle};
  if (x.numel() > 0) call.launch(plan);
  const MatrixFailure& failure = plan.failure;
  if (failure) call.fail_at(1, "A(", failure.info, ",", failure.info, ") is zero, singular A: expected a matrix that can be inverted");
  deliver(call, 0, x, types.result);
  deliver(call, 1, factor, types.result);
}

void Gels::plan(Call& call) {
  const Types types(call, 2);
  const Tensor &a = expect_matrix(call, 1), b = right_side(call, 0, rows_of(a));
  const Shape lead = common_lead(call, 1, b, a);
  const int64_t m = rows_of(a), n = cols_of(a), k = cols_of(b);
  const Tensor factors = by_columns(call, types.computed, lead, a), zeros = call.empty(types.computed, joined(lead, {k, std::max(m, n)})),
               sides = transposed(zeros), x = by_columns(call, types.computed, lead, n, k);
  const auto first_rows = [&](int64_t rows) {
    Tensor part = sides;
    part.set_geometry(part.offset(), joined(lead, {rows, k}), Shape(part.strides()));
    return part;
  };
  fill(zeros, element_as(Value(0.0), types.computed));
  if (sides.numel() > 0 && m > 0) copy(first_rows(m), expand_to(b, joined(lead, {m, k})));
  const LeastSquaresPlan plan{factors, sides};
  if (factors.numel() > 0 && k > 0) call.launch(plan);
  const MatrixFailure& failure = plan.failure;
  if (failure) call.fail_at(1, "diagonal element ", failure.info, " of its triangular factor is zero: expected a matrix of full rank");
  if (x.numel() > 0) copy(x, first_rows(n));
  deliver(call, 0, x, types.result);
  deliver(call, 1, factors, types.result);
}

void Inverse::plan(Call& call) {
  const Types types(call, 1);
  const Tensor& a = expect_square(call, 0);
  const Tensor inverse = by_columns(call, types.computed, leading(a), a);
  const InversePlan plan{inverse};
  if (inverse.numel() > 0) call.launch(plan);
  const MatrixFailure& failure = plan.failure;
  if (failure) call.fail_at(0, "U(", failure.info, ",", failure.info, ") is 0, U is singular: expected a matrix that can be inverted");
  deliver(call, 0, inverse, types.result);
}

namespace {

// The results of a determinant.
void run_determinant(Call& call, DeterminantPlan::Wanted wanted) {
  const bool has_sign = wanted == DeterminantPlan::Wanted::sign_and_logarithm;
  const Types types(call, 1, has_sign ? 1 : -1);
  const Tensor& a = expect_square(call, 0);
  const Shape one_each = a.dim() == 2 ? Shape{1} : leading(a);
  const SquareCopy lu(call, types.computed, leading(a), a);
  const DType wide = types.part() == types.result ? DType::float64 : complex_of(DType::float64);
  const Tensor out = call.empty(has_sign ? DType::float64 : wide, one_each), sign = has_sign ? call.empty(wide, one_each) : Tensor();
  if (out.numel() > 0) call.launch<DeterminantPlan>(lu.matrices, out, sign, wanted);
  call.as_number = call.as_number && a.dim() == 2;
  if (!has_sign) return deliver(call, 0, to_dtype(out, types.result), types.result);
  deliver(call, 0, to_dtype(sign, types.result), types.result);
  deliver(call, 1, to_dtype(out, types.part()), types.part());
}

}  // namespace

void Det::plan(Call& call) { run_determinant(call, DeterminantPlan::Wanted::value); }

void Logdet::plan(Call& call) { run_determinant(call, DeterminantPlan::Wanted::logarithm); }

void Slogdet::plan(Call& call) { run_determinant(call, DeterminantPlan::Wanted::sign_and_logarithm); }

void Lu::plan(Call& call) {
  const Types types(call, 1);
  const Tensor& a = expect_matrix(call, 0);
  const Shape lead = leading(a);
  const int64_t m = rows_of(a), n = cols_of(a), k = std::min(m, n);
  const Tensor work = by_columns(call, types.computed, lead, a), p = by_columns(call, types.computed, lead, m, m),
               l = by_columns(call, types.computed, lead, m, k), u = by_columns(call, types.computed, lead, k, n);
  if (p.numel() > 0) call.launch<LuPlan>(work, p, l, u);
  deliver(call, 0, p, types.result);
  deliver(call, 1, l, types.result);
  deliver(call, 2, u, types.result);
}

}  // namespace mt
