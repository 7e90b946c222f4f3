#include "engine/ops/where.h"

#include "engine/ops/common_dtype.h"
#include "engine/ops/images.h"

namespace mt {
namespace {

DType chosen_dtype(const Call& call) {
  const Value &x = call.arg(1), &y = call.arg(2);
  if (x.is_tensor() && y.is_tensor()) return common_dtype(call, x.tensor->dtype(), y.tensor->dtype());
  if (x.is_tensor()) return x.tensor->dtype();
  return y.is_tensor() ? y.tensor->dtype() : call.default_dtype;
}

}  // namespace

void plan_where(Call& call) {
  const Tensor& mask = call.tensor(0);
  if (mask.dtype() != DType::uint8 && mask.dtype() != DType::boolean) {
    call.fail_at<Status::dtype>(0, mask.dtype(), ", expected a mask, torch.ByteTensor or torch.BoolTensor");
  }
  const DType dtype = chosen_dtype(call);
  Tensor chosen[2];  // without storage for a number
  for (int i = 0; i < 2; ++i) {
    if (call.arg(i + 1).is_tensor()) chosen[i] = to_dtype(call.tensor(i + 1), dtype);
  }
  Shape shape(mask.sizes());
  for (int i = 1; i <= 2; ++i) {
    if (!call.arg(i).is_tensor()) continue;
    if ((call.tensor(i).dim() == 0) != (shape.size() == 0)) {
      call.fail_at<Status::shape>(i, call.tensor(i).sizes(), ", expected sizes that broadcast with ", Sizes(shape));
    }
    shape = broadcast(call.name(), call.argument(i), shape, call.tensor(i).sizes());
  }
  const Tensor out = call.output(0, dtype, shape, {.layout = layout_of_operands(call, shape)});
  if (out.numel() > 0) {
    WherePlan plan{Geometry(out.sizes()), size_of(dtype), 0};
    Geometry& geometry = plan.geometry;
    geometry.add(out);
    geometry.add(mask);
    for (int i = 0; i < 2; ++i) {
      if (call.arg(i + 1).is_tensor()) {
        geometry.add(chosen[i]);
      } else {
        geometry.add_scalar(element_as(call.arg(i + 1), dtype));
        plan.numbers |= 4u << i;
      }
    }
    geometry.collapse();
    call.launch(plan);
  }
  call.finish(0, out);
}

}  // namespace mt
