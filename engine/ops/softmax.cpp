#include "engine/ops/softmax.h"

#include <limits>

#include "engine/ops/widened_dtype.h"

namespace mt {
namespace {

// Plans x and y along argument `dim_argument`, in this dtype; 16-bit floats are computed in float32.
void plan_slices(Call& call, const Tensor& x, const Tensor* y, DType dtype, int dim_argument, bool reduces) {
  if (x.dim() == 0) return call.finish(0, call.output(0, dtype, x.sizes()));
  const int dim = call.dim(dim_argument, x.dim());
  Shape sizes(x.sizes());
  if (reduces) sizes[dim] = 1;
  const DType computed = widened_dtype(dtype);
  const Tensor out = call.output(0, dtype, sizes, {.dense = true, .computed_in = computed});
  const auto prepared = [&](const Tensor& t) { return contiguous(to_dtype(t, computed)); };
  const Tensor a = prepared(x), b = y != nullptr ? prepared(*y) : Tensor();
  if (a.numel() > 0)
    call.launch<SoftmaxPlan>(a, b, out, dim);
  else  // out has elements only for logsumexp of empty slices
    fill(out, element_as(Value(-std::numeric_limits<double>::infinity()), computed));
  call.finish(0, out);
}

}  // namespace

void plan_softmax(Call& call) {
  const Tensor& x = call.tensor(0);
  plan_slices(call, x, nullptr, float_for(x.dtype()), 1, false);
}

void plan_logsumexp(Call& call) {
  const Tensor& x = call.tensor(0);
  plan_slices(call, x, nullptr, float_for(x.dtype()), 1, true);
}

void plan_softmax_grad(Call& call) {
  const Tensor &g = call.tensor(0), &y = call.tensor(1);
  if (!y.same_sizes(g)) call.fail_at<Status::shape>(1, y.sizes(), ", expected ", g.sizes());
  plan_slices(call, g, &y, float_for(promote(g.dtype(), y.dtype())), 2, false);
}

}  // namespace mt
