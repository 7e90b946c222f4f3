#include "engine/ops/equal.h"

namespace mt {

void plan_equal(Call& call) {
  const Tensor &a = call.tensor(0), &b = call.tensor(1);
  const bool comparable = a.same_sizes(b) || (a.numel() == 0 && b.numel() == 0 && (a.dim() == 0 || b.dim() == 0));
  const bool compares = comparable && a.numel() > 0;
  const DType dtype = promote(a.dtype(), b.dtype());
  const Tensor x = compares ? contiguous(to_dtype(a, dtype)) : a, y = compares ? contiguous(to_dtype(b, dtype)) : b;
  const DType wanted = call.is_given(0) ? call.result(0).dtype() : DType::boolean;
  const Tensor same = call.output(0, wanted, Shape{1}, {.computed_in = DType::boolean});
  if (compares)
    call.launch(EqualPlan{x, y, same});
  else
    fill(same, ScalarValue::of(comparable));
  call.finish(0, same);
  call.as_number = true;
}

}  // namespace mt
