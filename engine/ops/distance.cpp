#include "engine/ops/distance.h"

namespace mt {

void plan_match(Call& call) {
  const Tensor &a = call.tensor(0), &b = call.tensor(1);
  for (int i = 0; i < 2; ++i) {
    if (call.tensor(i).dim() < 2) call.fail_at<Status::shape>(i, call.tensor(i).sizes(), ", expected a matrix");
  }
  int64_t n = 1, other = 1;
  for (int d = 1; d < a.dim(); ++d) n *= a.size(d);
  for (int d = 1; d < b.dim(); ++d) other *= b.size(d);
  if (n != other) call.fail_at<Status::shape>(1, b.sizes(), ", expected rows of ", n, " elements as in ", a.sizes());
  const DType dtype = promote(a.dtype(), b.dtype());
  if (dtype == DType::boolean) call.fail_at<Status::dtype>(0, dtype, ", expected a tensor of numbers");
  const Tensor x = contiguous(to_dtype(a, dtype)), y = contiguous(to_dtype(b, dtype));
  const Tensor out = call.output(0, dtype, Shape{a.size(0), b.size(0)}, {.dense = true});
  if (out.numel() > 0) call.launch<DistancePlan>(x, y, out, n, call.number(2));
  call.finish(0, out);
}

}  // namespace mt
