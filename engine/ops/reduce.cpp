#include "engine/ops/reduce.h"

#include <cmath>

namespace mt {
namespace {

// What a plan function decides.
struct Way {
  int dim;          // -1: all
  DType dtypes[2];  // of the results
  int results = 1, variant = 0;
  ReduceArgs args = {};
  bool in_order = false;
};

void check_dtype(const Call& call, DType dtype) {
  const Decl& d = *call.op.decl;
  if (!d.dtypes.contains(dtype)) call.fail_at<Status::dtype>(0, dtype, " came, ", tensors_of(d.dtypes), " was expected");
}

void reduce(Call& call, const Tensor& x, const Way& way) {
  check_dtype(call, x.dtype());
  ReduceArgs args = way.args;
  args.count = way.dim < 0 ? x.numel() : x.size(way.dim);
  if (way.dim < 0) {
    const Tensor out = call.output(0, way.dtypes[0], Shape{1});
    call.launch(ReducePlan{x, way.dim, way.variant, &out, 1, args, way.in_order});
    if (call.is_given(0)) call.finish(0, out);
    return;
  }
  Shape sizes(x.sizes());
  sizes[way.dim] = 1;
  Tensor outs[2];
  for (int r = 0; r < way.results; ++r) outs[r] = call.output(r, way.dtypes[r], sizes);
  if (outs[0].numel() > 0) call.launch(ReducePlan{x, way.dim, way.variant, outs, way.results, args, way.in_order});
  for (int r = 0; r < way.results; ++r) call.finish(r, outs[r]);
}

// Argument i as a dimension of x, -1 when it was left out.
int optional_dim(const Call& call, int i) { return call.has(i) ? call.dim(i, call.tensor(0).dim()) : -1; }

void check_some(const Call& call, const Tensor& x, int dim) {
  if (dim < 0 ? x.numel() == 0 : x.size(dim) == 0) call.fail_at<Status::shape>(0, x.sizes(), " came, one element or more was expected");
}

// Integers are counted in 64 bits; along a dimension the sum has their own dtype.
DType sum_dtype(DType dtype, int dim) { return is_float(dtype) || (dim >= 0 && dtype != DType::boolean) ? dtype : DType::int64; }

// What all elements of floats give: as a number it isn't rounded to their dtype, as in Torch7.
DType whole_dtype(const Call& call, DType dtype, int dim) { return dim < 0 && call.as_number && is_float(dtype) ? DType::float64 : dtype; }

Tensor float_operand(const Call& call, int dim) {
  if (dim < 0) call.refuse_positions();
  const Tensor& x = call.tensor(0);
  return to_dtype(x, float_for(x.dtype()));
}

}  // namespace

void plan_sum(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  reduce(call, x, {dim, {whole_dtype(call, sum_dtype(x.dtype(), dim), dim)}});
}

void plan_prod(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  const bool in_order = dim >= 0 && (x.dtype() == DType::float32 || x.dtype() == DType::float64);
  reduce(call, x, {.dim = dim, .dtypes = {whole_dtype(call, sum_dtype(x.dtype(), dim), dim)}, .variant = in_order ? 1 : 0});
}

void plan_mean(Call& call) {
  const int dim = optional_dim(call, 1);
  const Tensor x = float_operand(call, dim);
  if (dim < 0) check_some(call, x, dim);
  reduce(call, x, {dim, {whole_dtype(call, x.dtype(), dim)}});
}

void plan_extremum(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  check_some(call, x, dim);
  if (dim < 0)
    reduce(call, x, {dim, {x.dtype()}});
  else
    reduce(call, x, {.dim = dim, .dtypes = {x.dtype(), DType::int64}, .results = 2, .variant = 1, .in_order = true});
}

void plan_position(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  check_some(call, x, dim);
  reduce(call, x, {.dim = dim, .dtypes = {DType::int64}, .in_order = true});
}

void plan_norm(Call& call) {
  const double p = call.number(1);
  const int dim = optional_dim(call, 2);
  const Tensor x = float_operand(call, dim);
  if (std::isnan(p)) call.fail_at(1, p, " came, a number was expected");
  const int infinite = p > 0 ? 3 : 4;
  const int variant = p == 2 ? 0 : p == 1 ? 1 : p == 0 ? 2 : std::isinf(p) ? infinite : 5;
  reduce(call, x, {.dim = dim, .dtypes = {whole_dtype(call, x.dtype(), dim)}, .variant = variant, .args = {.p = p}});
}

void plan_variance(Call& call) {
  const int dim = optional_dim(call, 1);
  const Tensor x = float_operand(call, dim);
  if (dim < 0) check_some(call, x, dim);
  reduce(call, x, {.dim = dim, .dtypes = {whole_dtype(call, x.dtype(), dim)}, .args = {.biased = call.boolean(2)}});
}

void plan_test(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  reduce(call, x, {dim, {dim < 0 ? DType::boolean : DType::uint8}});
}

}  // namespace mt
