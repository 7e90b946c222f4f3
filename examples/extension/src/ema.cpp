// ema: an op with a plan, which checks a call by sizes alone, and a kernel, which works on contiguous memory. Its derivative is an op, too,
// whose own derivative is ema again.
#include <algorithm>

#include "ops.h"

namespace {

enum { x_arg, alpha_arg, dim_arg };

const char* plan(const mt_kernel_call* call, mt_op_plan*) {  // the result has the sizes of x, the default
  const mt_op_tensor& x = *call->args[x_arg].tensors;
  const double alpha = call->args[alpha_arg].number;
  if (!(alpha >= 0 && alpha <= 1)) return mt_op_refuse(call, "alpha: %g, expected 0..1", alpha);
  if (x.ndim > 0 && mt_op_dim(call, dim_arg, x.ndim) < 0) {
    const long long dim = call->args[dim_arg].integer;
    return mt_op_refuse(call, "dim: dimension %lld out of range 1..%d", dim < 0 ? dim : dim + 1, x.ndim);
  }
  return nullptr;
}

// Along a dimension, elements are `step` apart in memory. One thread computes each series.
// `adds`: adds scale times the average to the result.
template <class T, bool backwards, bool adds = false> const char* kernel(const mt_kernel_call* call) {
  const mt_op_tensor& x = *call->args[x_arg].tensors;
  const int32_t dim = mt_op_dim(call, dim_arg, x.ndim);
  const T alpha = static_cast<T>(call->args[alpha_arg].number), scale = static_cast<T>(call->scale);
  const int64_t length = x.sizes[dim], step = x.strides[dim], series = x.count / length;
  const T* from = static_cast<const T*>(x.data);
  T* to = static_cast<T*>(call->results[0].data);
  moontorch::parallel_for(call, series, std::max<int64_t>(1, 10000 / length), [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      const int64_t first = s / step * step * length + s % step;
      T average = 0;
      for (int64_t i = 0; i < length; ++i) {
        const int64_t at = first + (backwards ? length - 1 - i : i) * step;
        average += alpha * (from[at] - average);
        to[at] = adds ? to[at] + scale * average : average;
      }
    }
  });
  return nullptr;
}

}  // namespace

const mt_op_decl ema = {
    .name = "ema",
    .signature = "[res] x:tensor alpha:number dim:dim=last",
    .doc =
        "Exponential moving average along a dimension: y[t] = y[t - 1] + alpha (x[t] - y[t - 1]), from y[0] = 0. Sizes are those of x. "
        "Errors: alpha outside 0..1, dim outside 1..x:dim(). Source: Brown (1956), Exponential Smoothing for Predicting Demand.",
    .samples = "{randn(3, 4), 0.25}, {randn(3, 4), 0.5, 1}, {randn(2, 5, 3), 0.75, 2}, {randn(5), 1}, {randn(0), 0.5}",
    .result = "float",
    .gradients = {"ema_grad(g, alpha, dim)"},
    .plan = plan,
    .kernels = {.float32 = kernel<float, false>, .float64 = kernel<double, false>},
};

const mt_op_decl ema_grad = {
    .name = "ema_grad",
    .signature = "[res] g:tensor alpha:number dim:dim=last",
    .doc = "The gradient of ema by x, from that of its result: the same average, taken from the end.",
    .samples = "{randn(3, 4), 0.25}, {randn(3, 4), 0.5, 1}, {randn(2, 5, 3), 0.75, 2}, {randn(0), 0.5}",
    .result = "float",
    .gradients = {"ema(h, alpha, dim)"},  // h: the gradient of this op's result, since g is an argument
    .plan = plan,
    .kernels = {.float32 = kernel<float, true>, .float64 = kernel<double, true>},
    // The gradient of a tensor that several ops read is a sum: these kernels add to it without a temporary tensor.
    .accumulate = {.float32 = kernel<float, true, true>, .float64 = kernel<double, true, true>},
};
