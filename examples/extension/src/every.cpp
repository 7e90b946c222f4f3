// every: a view, which has a plan and no kernel. The tape follows writes to it and to its base; its derivative is that of any view.
#include "ops.h"

namespace {

enum { x_arg, step_arg, dim_arg };

const char* plan(const mt_kernel_call* call, mt_op_plan* plan) {  // sizes and strides are initially those of x
  const mt_op_tensor& x = *call->args[x_arg].tensors;
  const int64_t step = call->args[step_arg].integer;
  if (step < 1) return mt_op_refuse(call, "step: %lld, expected 1 or more", static_cast<long long>(step));
  const int32_t dim = mt_op_dim(call, dim_arg, x.ndim);
  if (dim < 0) return mt_op_refuse(call, "dim: it is outside 1..%d", x.ndim);
  plan->results[0].sizes[dim] = (x.sizes[dim] + step - 1) / step;
  plan->view_strides[dim] = x.strides[dim] * step;
  return nullptr;
}

}  // namespace

const mt_op_decl every = {
    .name = "every",
    .signature = "[res] x:tensor step:int dim:dim=first",
    .doc = "A view of every `step`-th slice along a dimension, from the first. Errors: step below 1, dim outside 1..x:dim().",
    .samples = "{randn(5), 2}, {randn(3, 4), 2}, {randn(3, 4), 3, 2}, {randn(2, 3, 4), 1, -1}",
    .flags = MT_OP_VIEW,
    .plan = plan,
};
