#include "engine/ops/reduce.h"

#include <cmath>
#include <utility>

#include "engine/ops/accumulate.h"
#include "engine/ops/calls.h"

namespace mt {
namespace {

// The reducer and its parameters, as a plan function chooses them.
struct Reduction {
  int dim;  // -1: all
  int variant = 0;
  ReduceArgs args = {};
  bool in_order = false;
};

void check_dtype(const Call& call, DType dtype) {
  const Decl& d = *call.op.decl;
  if (!d.dtypes.contains(dtype)) call.fail_at<Status::dtype>(0, dtype, ", expected ", tensors_of(d.dtypes));
}

// Reduces x to one result for each of the dtypes.
template <int count> void reduce(Call& call, const Tensor& x, const DType (&dtypes)[count], const Reduction& reduction) {
  check_dtype(call, x.dtype());
  ReducePlan plan;
  plan.args = reduction.args;
  plan.args.count = x.numel();
  Shape sizes{1};
  if (reduction.dim >= 0) {
    plan.args.count = x.size(reduction.dim);
    sizes = Shape(x.sizes());
    sizes[reduction.dim] = 1;
  }
  [&]<int... r>(std::integer_sequence<int, r...>) {
    const Tensor outs[] = {call.output(r, dtypes[r], sizes)...};
    if (reduction.dim < 0 || outs[0].numel() > 0) {
      plan.x = x;
      plan.dim = reduction.dim;
      plan.variant = reduction.variant;
      ((plan.results[r] = outs[r]), ...);
      plan.result_count = count;
      plan.in_order = reduction.in_order;
      call.launch(plan);
    }
    (call.finish(r, outs[r]), ...);
  }
  (std::make_integer_sequence<int, count>());
}

// Argument i as a dimension of x, -1 if it was left out.
int optional_dim(const Call& call, int i) { return call.has(i) ? call.dim(i, call.tensor(0).dim()) : -1; }

void check_some(const Call& call, const Tensor& x, int dim) {
  if (dim < 0 ? x.numel() == 0 : x.size(dim) == 0) call.fail_at<Status::shape>(0, x.sizes(), ", expected one element or more");
}

// Sums of all integers are in 64 bits; along a dimension they have the elements' dtype.
DType sum_dtype(DType dtype, int dim) { return is_inexact(dtype) || (dim >= 0 && dtype != DType::boolean) ? dtype : accumulator_of(dtype); }

// The dtype of a sum of all elements: as a number it isn't rounded to their dtype, as in Torch7.
DType whole_dtype(const Call& call, DType dtype, int dim) { return dim < 0 && call.as_number ? accumulator_of(dtype) : dtype; }

Tensor float_operand(const Call& call, int dim) {
  if (dim < 0) call.refuse_positions();
  const Tensor& x = call.tensor(0);
  return to_dtype(x, float_for(x.dtype()));
}

}  // namespace

void plan_sum(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  reduce(call, x, {whole_dtype(call, sum_dtype(x.dtype(), dim), dim)}, {dim});
}

void plan_prod(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  const bool in_order = dim >= 0 && (x.dtype() == DType::float32 || x.dtype() == DType::float64);
  reduce(call, x, {whole_dtype(call, sum_dtype(x.dtype(), dim), dim)}, {.dim = dim, .variant = in_order ? 1 : 0});
}

void plan_mean(Call& call) {
  const int dim = optional_dim(call, 1);
  const Tensor x = float_operand(call, dim);
  if (dim < 0) check_some(call, x, dim);
  reduce(call, x, {whole_dtype(call, x.dtype(), dim)}, {dim});
}

void plan_extremum(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  check_some(call, x, dim);
  if (dim < 0)
    reduce(call, x, {x.dtype()}, {dim});
  else
    reduce(call, x, {x.dtype(), DType::int64}, {.dim = dim, .variant = 1, .in_order = true});
}

void plan_extrema(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  check_some(call, x, dim);
  reduce(call, x, {x.dtype(), x.dtype()}, {dim});
}

void plan_position(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  check_some(call, x, dim);
  reduce(call, x, {DType::int64}, {.dim = dim, .in_order = true});
}

void plan_norm(Call& call) {
  const double p = call.number(1);
  const int dim = optional_dim(call, 2);
  Tensor x = float_operand(call, dim);
  if (std::isnan(p)) call.fail_at(1, p, ", expected a number");
  const DType dtype = whole_dtype(call, real_part_of(x.dtype()), dim);
  if (complex_dtypes.contains(x.dtype())) {
    Tensor real;
    if (p == 2 && dim < 0 && x.dim() > 0 && x.dim() < max_dims) {  // the norm of both parts, without magnitudes
      call_part(nullptr, x, 0, real);
      Shape sizes(real.sizes()), strides(real.strides());
      sizes.push(2);
      strides.push(1);
      real.set_geometry(real.offset(), sizes, strides);
    } else {
      call_abs(nullptr, x, real);
    }
    x = real;
  }
  const int infinite = p > 0 ? 3 : 4;
  const int variant = p == 2 ? 0 : p == 1 ? 1 : p == 0 ? 2 : std::isinf(p) ? infinite : 5;
  reduce(call, x, {dtype}, {.dim = dim, .variant = variant, .args = {.p = p}});
}

namespace {

// Runs an op on x, with the other arguments of a call.
std::array<Tensor, 2> run_again(const Call& call, const Tensor& x) {
  std::array<Tensor, 2> made;
  Tensor* results[] = {&made[0], &made[1]};
  Value args[Signature::max_params];
  std::ranges::copy(call.args, args);
  args[0] = Value(const_cast<Tensor&>(x));
  Call other{call.op, {args, call.args.size()}, {results, static_cast<size_t>(call.op.decl->signature.result_count)}, 0};
  other.device = call.device;
  run_op(other);
  return made;
}

void give_copy(Call& call, int r, const Tensor& made) {
  const Tensor out = call.output(r, made.dtype(), Shape(made.sizes()));
  if (made.numel() > 0) copy(out, made);
  call.finish(r, out);
}

// The squared magnitudes of deviations are sums of the squares of two real deviations. A result of all elements as a number has doubles.
void plan_complex_variance(Call& call, const Tensor& z, int dim) {
  const Tensor wide = to_dtype(z, whole_dtype(call, z.dtype(), dim));
  std::array<Tensor, 2> made[2];
  for (int part = 0; part < 2; ++part) {
    Tensor parts;
    call_part(nullptr, wide, part, parts);
    made[part] = run_again(call, parts);
  }
  Tensor spread;
  if (call.name().starts_with("std"))
    call_hypot(nullptr, made[0][0], made[1][0], spread);
  else
    spread = sum_of(nullptr, made[0][0], made[1][0]);
  if (call.op.decl->signature.result_count > 1) {
    const Tensor mean = call.empty(wide.dtype(), made[0][1].sizes());
    for (int part = 0; part < 2; ++part) {
      Tensor parts;
      call_part(nullptr, mean, part, parts);
      if (parts.numel() > 0) copy(parts, made[part][1]);
    }
    give_copy(call, 1, mean);
  }
  give_copy(call, 0, spread);
}

}  // namespace

void plan_variance(Call& call) {
  const int dim = optional_dim(call, 1);
  const Tensor x = float_operand(call, dim);
  if (dim < 0) check_some(call, x, dim);
  if (complex_dtypes.contains(x.dtype())) return plan_complex_variance(call, x, dim);
  const DType dtype = whole_dtype(call, x.dtype(), dim);
  const Reduction reduction{.dim = dim, .args = {.biased = call.boolean(2)}};
  if (call.op.decl->signature.result_count == 1)
    reduce(call, x, {dtype}, reduction);
  else
    reduce(call, x, {dtype, dtype}, reduction);
}

void plan_test(Call& call) {
  const Tensor& x = call.tensor(0);
  const int dim = optional_dim(call, 1);
  reduce(call, x, {dim < 0 ? DType::boolean : DType::uint8}, {dim});
}

}  // namespace mt
