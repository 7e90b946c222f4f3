#include "engine/ops/rownorm.h"

#include <algorithm>

#include "engine/ops/images.h"

namespace mt {
namespace {

struct RowSizes {
  int64_t count, length, run, weights;  // as in plans
};

RowSizes rows_of(const Call& call, int arg) {
  const Tensor& x = call.tensor(arg);
  if (x.dim() == 0) call.fail_at<Status::shape>(arg, x.sizes(), ", expected one dimension or more");
  const int64_t length = x.size(x.dim() - 1);
  if (length == 0) call.fail_at<Status::shape>(arg, x.sizes(), ", expected rows of one element or more");
  return {x.numel() / length, length, 1, length};
}

// A row is a group of channels of a sample.
RowSizes groups_of(const Call& call, int arg, int groups_arg) {
  const Tensor& x = call.tensor(arg);
  if (x.dim() < 2) call.fail_at<Status::shape>(arg, x.sizes(), ", expected (n, channels, …)");
  const int64_t channels = x.size(1), groups = call.integer(groups_arg);
  if (groups < 1 || channels % groups != 0)
    call.fail_at<Status::range>(groups_arg, groups, ", expected a divisor of the ", channels, " channels");
  int64_t points = 1;
  for (int d = 2; d < x.dim(); ++d) points *= x.size(d);
  if (channels * points == 0) call.fail_at<Status::shape>(arg, x.sizes(), ", expected groups of one element or more");
  return {x.size(0) * groups, channels / groups * points, points, channels};
}

void finish_all(const Call& call, const Tensor& of_rows, const Tensor& first, const Tensor& second) {
  call.finish(0, of_rows);
  call.finish(1, first);
  if (call.results.size() > 2) call.finish(2, second);
}

// weight_arg: argument weight, then follow bias, if the mean is subtracted, and eps.
void plan_forward(Call& call, const RowSizes& rows, int weight_arg, bool centred) {
  const Tensor& x = call.tensor(0);
  const DType inner = image_dtype(call, 0, x.dtype());
  const Tensor weight = values_of(call, weight_arg, inner, rows.weights),
               bias = centred ? values_of(call, weight_arg + 1, inner, rows.weights) : Tensor();
  const Tensor y = call.output(0, x.dtype(), x.sizes(), {.dense = true, .computed_in = inner}),
               mean = centred ? values_output(call, 1, inner, rows.count) : Tensor(),
               invstd = values_output(call, centred ? 2 : 1, inner, rows.count);
  const Tensor dense = dense_argument(call, 0, inner);
  if (rows.count > 0) {
    call.launch<RowNormPlan>(rows.count, rows.length, rows.run, rows.weights, dense, weight, bias, y, mean, invstd,
                             call.number(weight_arg + (centred ? 2 : 1)));
  }
  finish_all(call, y, centred ? mean : invstd, invstd);
}

// weight_arg: argument weight, then follow mean, if it is subtracted, and invstd.
void plan_backward(Call& call, const RowSizes& rows, int weight_arg, bool centred) {
  const Tensor &g = call.tensor(0), &x = call.tensor(1);
  if (!std::ranges::equal(g.sizes(), x.sizes())) call.fail_at<Status::shape>(0, g.sizes(), ", expected ", x.sizes());
  const DType inner = image_dtype(call, 1, x.dtype()), of_columns = call.has(weight_arg) ? call.tensor(weight_arg).dtype() : inner;
  const Tensor weight = values_of(call, weight_arg, inner, rows.weights),
               mean = centred ? values_of(call, weight_arg + 1, DType::float64, rows.count) : Tensor(),
               invstd = values_of(call, weight_arg + (centred ? 2 : 1), DType::float64, rows.count);
  const Tensor x_grad = call.output(0, x.dtype(), x.sizes(), {.dense = true, .computed_in = inner}),
               weight_grad = values_output(call, 1, of_columns, rows.weights),
               bias_grad = centred ? values_output(call, 2, of_columns, rows.weights) : Tensor();
  const Tensor dense_g = dense_argument(call, 0, inner), dense_x = dense_argument(call, 1, inner);
  call.launch<RowNormGradPlan>(rows.count, rows.length, rows.run, rows.weights, dense_g, dense_x, weight, mean, invstd, x_grad, weight_grad,
                               bias_grad);
  finish_all(call, x_grad, weight_grad, bias_grad);
}

}  // namespace

void plan_layer_norm(Call& call) { plan_forward(call, rows_of(call, 0), 1, true); }
void plan_layer_norm_grad(Call& call) { plan_backward(call, rows_of(call, 1), 2, true); }
void plan_group_norm(Call& call) { plan_forward(call, groups_of(call, 0, 1), 2, true); }
void plan_group_norm_grad(Call& call) { plan_backward(call, groups_of(call, 1, 2), 3, true); }
void plan_rms_norm(Call& call) { plan_forward(call, rows_of(call, 0), 1, false); }
void plan_rms_norm_grad(Call& call) { plan_backward(call, rows_of(call, 1), 2, false); }

}  // namespace mt
