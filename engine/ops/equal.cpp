#include "engine/ops/equal.h"

#include "engine/ops/common_dtype.h"

namespace mt {

void plan_equal(Call& call) {
  const Tensor &a = call.tensor(0), &b = call.tensor(1);
  const bool comparable = a.same_sizes(b) || (a.numel() == 0 && b.numel() == 0 && (a.dim() == 0 || b.dim() == 0));
  const bool compares = comparable && a.numel() > 0;
  const DType common = common_dtype(call, a.dtype(), b.dtype()),
              dtype = storage_dtypes.contains(common) ? arithmetic_dtype(common) : common;
  const bool direct = !compares || (a.dtype() == dtype && b.dtype() == dtype && a.is_contiguous() && b.is_contiguous());
  const Tensor x = direct ? Tensor() : contiguous(to_dtype(a, dtype)), y = direct ? Tensor() : contiguous(to_dtype(b, dtype));
  const DType wanted = call.is_given(0) ? call.result(0).dtype() : DType::boolean;
  const Tensor same = call.output(0, wanted, Shape{1}, {.computed_in = DType::boolean});
  if (compares)
    call.launch<EqualPlan>(direct ? a : x, direct ? b : y, same);
  else
    write_element(same, same.offset(), ScalarValue::of(comparable));
  call.finish(0, same);
  call.as_number = true;
}

}  // namespace mt
