#include "engine/ops/norm.h"

#include "engine/ops/images.h"

namespace mt {
namespace {

NormShape norm_shape(const Call& call, int arg, const Tensor& x, ImageLayout layout) {
  if (x.dim() < 2) call.fail_at<Status::shape>(arg, x.sizes(), ", expected (n, channels, …)");
  int64_t points = 1;
  for (int d = 2; d < x.dim(); ++d) points *= x.size(d);
  if (layout == ImageLayout::channels_last) return {x.size(0) * points, x.size(1), 1};
  return {x.size(0), x.size(1), points};
}

// The kernel has updated `values`, which is the running statistic itself or a copy; writes back a copy.
void keep_running(const Call& call, int arg, const Tensor& values) {
  if (!call.has(arg)) return;
  const Tensor& running = call.tensor(arg);
  if (values.storage() != running.storage()) copy(running, values);
  running.touch();
}

}  // namespace

void plan_batch_norm(Call& call) {
  const Tensor& x = call.tensor(0);
  const ImageLayout layout = layout_of(x);
  const NormShape s = norm_shape(call, 0, x, layout);
  const bool training = call.boolean(5);
  if (training && s.values() < 2) call.fail_at<Status::shape>(0, x.sizes(), ", expected two values a channel or more in training");
  for (const int arg : {3, 4})
    if (!training && !call.has(arg)) call.fail_at(arg, "nothing, expected a tensor outside training");
  const DType inner = image_dtype(call, 0, x.dtype());
  const Tensor weight = values_of(call, 1, DType::float64, s.channels), bias = values_of(call, 2, DType::float64, s.channels),
               running_mean = values_of(call, 3, DType::float64, s.channels), running_var = values_of(call, 4, DType::float64, s.channels);
  const Tensor y = call.output(0, x.dtype(), x.sizes(), {.layout = layout, .dense = true, .computed_in = inner}),
               mean = values_output(call, 1, inner, s.channels), invstd = values_output(call, 2, inner, s.channels);
  const Tensor dense = with_layout(x, inner, layout);
  if (s.channels > 0) {
    call.launch<BatchNormPlan>(s, dense, weight, bias, running_mean, running_var, y, mean, invstd, call.number(6), call.number(7),
                               training);
  }
  if (training) {
    keep_running(call, 3, running_mean);
    keep_running(call, 4, running_var);
  }
  call.finish(0, y);
  call.finish(1, mean);
  call.finish(2, invstd);
}

void plan_batch_norm_grad(Call& call) {
  const Tensor &g = call.tensor(0), &x = call.tensor(1);
  const ImageLayout layout = layout_of(x);
  const NormShape s = norm_shape(call, 1, x, layout);
  if (!std::ranges::equal(g.sizes(), x.sizes())) call.fail_at<Status::shape>(0, g.sizes(), ", expected ", x.sizes());
  const DType inner = image_dtype(call, 1, x.dtype()), of_channels = call.has(2) ? call.tensor(2).dtype() : inner;
  const Tensor weight = values_of(call, 2, DType::float64, s.channels), mean = values_of(call, 3, DType::float64, s.channels),
               invstd = values_of(call, 4, DType::float64, s.channels);
  const Tensor x_grad = call.output(0, x.dtype(), x.sizes(), {.layout = layout, .dense = true, .computed_in = inner}),
               weight_grad = values_output(call, 1, of_channels, s.channels), bias_grad = values_output(call, 2, of_channels, s.channels);
  const Tensor dense_g = with_layout(g, inner, layout), dense_x = with_layout(x, inner, layout);
  if (s.channels > 0)
    call.launch<BatchNormGradPlan>(s, dense_g, dense_x, weight, mean, invstd, x_grad, weight_grad, bias_grad, call.boolean(5));
  call.finish(0, x_grad);
  call.finish(1, weight_grad);
  call.finish(2, bias_grad);
}

}  // namespace mt
