// Shapes, dtypes and results of normalisation.
#include "engine/ops/norm.h"

#include <vector>

#include "engine/ops/images.h"

namespace mt {
#include "engine/ops/norm-inl.h"

namespace {

const NormKernels& kernels(const Call& call) { return *static_cast<const NormKernels*>(call.op.kernel.data); }

NormShape norm_shape(const Call& call, int arg, const Tensor& x) {
  if (x.dim() < 2) call.fail_at(arg, x.sizes(), " came, (n, channels, …) was expected");
  int64_t points = 1;
  for (int d = 2; d < x.dim(); ++d) points *= x.size(d);
  // With its channels last every point is a row of all channels.
  if (layout_of(x) == ImageLayout::channels_last) return {x.size(0) * points, x.size(1), 1};
  return {x.size(0), x.size(1), points};
}

// One value a channel, as the kernels take it; `otherwise` where the argument was left out.
std::vector<double> channel_values(const Call& call, int arg, int64_t channels, double otherwise) {
  if (!call.has(arg)) return std::vector<double>(static_cast<size_t>(channels), otherwise);
  const Tensor& t = call.tensor(arg);
  if (t.numel() != channels) call.fail_at(arg, t.sizes(), " came, [", channels, "] was expected");
  const Tensor dense = dense_argument(call, arg, DType::float64);
  return {dense.data<double>(), dense.data<double>() + channels};
}

Tensor as_tensor(const std::vector<double>& values) {
  Tensor t = Tensor::empty(DType::float64, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.data<double>());
  return t;
}

void give_values(const Call& call, int result, DType dtype, const std::vector<double>& values) {
  const Tensor out = call.output(result, dtype, Shape{static_cast<int64_t>(values.size())});
  if (!values.empty()) copy(out, as_tensor(values));
  call.finish(result, out);
}

// running = (1 - momentum) running + momentum latest
void move_running(const Call& call, int arg, const std::vector<double>& latest, double momentum) {
  if (!call.has(arg)) return;
  const Tensor& running = call.tensor(arg);
  std::vector<double> values = channel_values(call, arg, static_cast<int64_t>(latest.size()), 0);
  for (size_t c = 0; c < latest.size(); ++c) values[c] += momentum * (latest[c] - values[c]);
  Tensor moved = as_tensor(values);
  if (!values.empty()) copy(running, moved);
  running.touch();
}

}  // namespace

void BatchNorm::plan(Call& call) {
  const Tensor& x = call.tensor(0);
  const NormShape s = norm_shape(call, 0, x);
  const bool training = call.boolean(5);
  if (training && s.values() < 2) call.fail_at(0, x.sizes(), " came, two values a channel or more were expected in training");
  for (const int arg : {3, 4})
    if (!training && !call.has(arg)) call.fail_at(arg, "nothing came, a tensor was expected outside training");
  const DType inner = image_dtype(call, 0, x.dtype());
  const std::vector<double> weight = channel_values(call, 1, s.channels, 1), bias = channel_values(call, 2, s.channels, 0);
  std::vector<double> mean = channel_values(call, 3, s.channels, 0), variance = channel_values(call, 4, s.channels, 1), invstd(mean.size());
  const ImageResult y(call, 0, x.dtype(), inner, x.sizes(), layout_of(x));
  const Tensor dense = dense_images(call, 0, inner, layout_of(x));
  kernels(call).forward(
      inner, s,
      {dense.bytes(), y.bytes(), weight.data(), bias.data(), mean.data(), variance.data(), invstd.data(), call.number(7), training});
  if (training) {
    move_running(call, 3, mean, call.number(6));
    const auto n = static_cast<double>(s.values());
    for (double& v : variance) v *= n / (n - 1);
    move_running(call, 4, variance, call.number(6));
  }
  y.done();
  give_values(call, 1, inner, mean);
  give_values(call, 2, inner, invstd);
}

void BatchNormGrad::plan(Call& call) {
  const Tensor &g = call.tensor(0), &x = call.tensor(1);
  const NormShape s = norm_shape(call, 1, x);
  if (!std::ranges::equal(g.sizes(), x.sizes())) call.fail_at(0, g.sizes(), " came, ", x.sizes(), " was expected");
  const DType inner = image_dtype(call, 1, x.dtype());
  const std::vector<double> weight = channel_values(call, 2, s.channels, 1), mean = channel_values(call, 3, s.channels, 0),
                            invstd = channel_values(call, 4, s.channels, 1);
  std::vector<double> weight_grad(mean.size()), bias_grad(mean.size());
  const ImageResult x_grad(call, 0, x.dtype(), inner, x.sizes(), layout_of(x));
  const Tensor dense_g = dense_images(call, 0, inner, layout_of(x)), dense_x = dense_images(call, 1, inner, layout_of(x));
  kernels(call).backward(inner, s,
                         {dense_g.bytes(), dense_x.bytes(), x_grad.bytes(), weight.data(), mean.data(), invstd.data(), weight_grad.data(),
                          bias_grad.data(), call.boolean(5)});
  x_grad.done();
  const DType channel_dtype = call.has(2) ? call.tensor(2).dtype() : inner;
  give_values(call, 1, channel_dtype, weight_grad);
  give_values(call, 2, channel_dtype, bias_grad);
}

}  // namespace mt
