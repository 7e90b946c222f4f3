#include "engine/ops/where.h"

#include "engine/ops/images.h"

namespace mt {
namespace {

DType chosen_dtype(const Call& call) {
  const Value &x = call.arg(1), &y = call.arg(2);
  if (x.is_tensor() && y.is_tensor()) return promote(x.tensor->dtype(), y.tensor->dtype());
  if (x.is_tensor()) return x.tensor->dtype();
  return y.is_tensor() ? y.tensor->dtype() : call.default_dtype;
}

// An operand in the result's dtype; a number becomes a tensor of one element.
Tensor operand(const Call& call, int i, DType dtype) {
  const Value& value = call.arg(i);
  return value.is_tensor() ? to_dtype(*value.tensor, dtype) : one_element(value, dtype, call.device);
}

}  // namespace

void plan_where(Call& call) {
  const Tensor& mask = call.tensor(0);
  if (mask.dtype() != DType::uint8 && mask.dtype() != DType::boolean) {
    call.fail_at(0, mask.dtype(), " came, a mask, torch.ByteTensor or torch.BoolTensor, was expected");
  }
  const DType dtype = chosen_dtype(call);
  const Tensor x = operand(call, 1, dtype), y = operand(call, 2, dtype);
  Shape shape(mask.sizes());
  for (int i = 1; i <= 2; ++i) {
    if (!call.arg(i).is_tensor()) continue;
    if ((call.tensor(i).dim() == 0) != (shape.size() == 0)) {
      call.fail_at(i, call.tensor(i).sizes(), " came, sizes that broadcast with ", Sizes(shape), " were expected");
    }
    shape = broadcast(call.name(), call.argument(i), shape, call.tensor(i).sizes());
  }
  const Tensor out = call.output(0, dtype, shape, {.layout = layout_of_operands(call, shape)});
  if (out.numel() > 0) {
    Geometry geometry(out.sizes());
    for (const Tensor* t : {&out, &mask, &x, &y}) geometry.add(*t);
    geometry.collapse();
    call.launch(WherePlan{geometry, size_of(dtype)});
  }
  call.finish(0, out);
}

}  // namespace mt
