#include "engine/ops/rownorm.h"

#include <algorithm>

#include "engine/ops/images.h"

namespace mt {
namespace {

struct RowSizes {
  int64_t count, length;
};

RowSizes rows_of(const Call& call, int arg) {
  const Tensor& x = call.tensor(arg);
  if (x.dim() == 0) call.fail_at<Status::shape>(arg, x.sizes(), ", expected one dimension or more");
  const int64_t length = x.size(x.dim() - 1);
  if (length == 0) call.fail_at<Status::shape>(arg, x.sizes(), ", expected rows of one element or more");
  return {x.numel() / length, length};
}

void finish_all(const Call& call, const Tensor& of_rows, const Tensor& first, const Tensor& second) {
  call.finish(0, of_rows);
  call.finish(1, first);
  if (call.results.size() > 2) call.finish(2, second);
}

// bias_arg: -1 if the mean isn't subtracted.
void plan_forward(Call& call, int bias_arg, int eps_arg) {
  const bool centred = bias_arg > 0;
  const Tensor& x = call.tensor(0);
  const RowSizes rows = rows_of(call, 0);
  const DType inner = image_dtype(call, 0, x.dtype());
  const Tensor weight = values_of(call, 1, inner, rows.length), bias = centred ? values_of(call, bias_arg, inner, rows.length) : Tensor();
  const Tensor y = call.output(0, x.dtype(), x.sizes(), {.dense = true, .computed_in = inner}),
               mean = centred ? values_output(call, 1, inner, rows.count) : Tensor(),
               invstd = values_output(call, centred ? 2 : 1, inner, rows.count);
  const Tensor dense = dense_argument(call, 0, inner);
  if (rows.count > 0) call.launch<RowNormPlan>(rows.count, rows.length, dense, weight, bias, y, mean, invstd, call.number(eps_arg));
  finish_all(call, y, centred ? mean : invstd, invstd);
}

void plan_backward(Call& call, bool centred) {
  const Tensor &g = call.tensor(0), &x = call.tensor(1);
  const RowSizes rows = rows_of(call, 1);
  if (!std::ranges::equal(g.sizes(), x.sizes())) call.fail_at<Status::shape>(0, g.sizes(), ", expected ", x.sizes());
  const DType inner = image_dtype(call, 1, x.dtype()), of_columns = call.has(2) ? call.tensor(2).dtype() : inner;
  const Tensor weight = values_of(call, 2, inner, rows.length), mean = centred ? values_of(call, 3, DType::float64, rows.count) : Tensor(),
               invstd = values_of(call, centred ? 4 : 3, DType::float64, rows.count);
  const Tensor x_grad = call.output(0, x.dtype(), x.sizes(), {.dense = true, .computed_in = inner}),
               weight_grad = values_output(call, 1, of_columns, rows.length),
               bias_grad = centred ? values_output(call, 2, of_columns, rows.length) : Tensor();
  const Tensor dense_g = dense_argument(call, 0, inner), dense_x = dense_argument(call, 1, inner);
  call.launch<RowNormGradPlan>(rows.count, rows.length, dense_g, dense_x, weight, mean, invstd, x_grad, weight_grad, bias_grad);
  finish_all(call, x_grad, weight_grad, bias_grad);
}

}  // namespace

void plan_layer_norm(Call& call) { plan_forward(call, 2, 3); }
void plan_layer_norm_grad(Call& call) { plan_backward(call, true); }
void plan_rms_norm(Call& call) { plan_forward(call, -1, 2); }
void plan_rms_norm_grad(Call& call) { plan_backward(call, false); }

}  // namespace mt
