#include "engine/ops/where.h"

#include "engine/core/past_caches.h"
#include "engine/ops/images.h"

namespace mt {
namespace {

ChooseFn loop_for(const Call& call, DType dtype) {
  const auto& loops = *static_cast<const ChooseLoops*>(call.op.kernels);
  switch (size_of(dtype)) {
    case 1:
      return loops.byte;
    case 2:
      return loops.half;
    case 4:
      return loops.word;
    default:
      return loops.twice;
  }
}

DType chosen_dtype(const Call& call) {
  const Value &x = call.arg(1), &y = call.arg(2);
  if (x.is_tensor() && y.is_tensor()) return promote(x.tensor->dtype(), y.tensor->dtype());
  if (x.is_tensor()) return x.tensor->dtype();
  return y.is_tensor() ? y.tensor->dtype() : call.default_dtype;
}

// An operand in the result's dtype; a number becomes a tensor of one element.
Tensor operand(const Call& call, int i, DType dtype) {
  const Value& value = call.arg(i);
  if (value.is_tensor()) return to_dtype(*value.tensor, dtype);
  Tensor one = Tensor::empty(dtype, {1});
  dispatch(dtype, [&]<class T>(std::type_identity<T>) {
    *one.data<T>() = value.type == Value::Type::integer ? convert_element<T>(value.integer) : element_from<T>(value.number);
  });
  return one;
}

}  // namespace

void run_where(Call& call) {
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
  const Tensor out = image_output(call, 0, dtype, shape, layout_of_operands(call, shape));
  if (out.numel() > 0) {
    Iterator it(out.sizes());
    it.add(out);
    it.add(mask);
    it.add(x);
    it.add(y);
    it.collapse();
    const bool apart = out.bytes() != x.bytes() && out.bytes() != y.bytes() && out.bytes() != mask.bytes();
    const bool large = apart && outgrows_caches(out.numel(), size_of(dtype));
    it.run_rows([&, loop = loop_for(call, dtype)](std::byte** pointers, const Rows& rows) { loop(pointers, rows, large); });
  }
  call.finish(0, out);
}

}  // namespace mt
