#include "engine/ops/cross.h"

#include "engine/ops/common_dtype.h"

namespace mt {
namespace {

int product_dim(const Call& call) {
  const Tensor& a = call.tensor(0);
  if (call.has(2)) {
    const int dim = call.dim(2, a.dim());
    if (a.size(dim) != 3) call.fail_at<Status::shape>(2, "dimension ", Dim{dim}, " of ", a.sizes(), ", expected one of size 3");
    return dim;
  }
  for (int d = 0; d < a.dim(); ++d) {
    if (a.size(d) == 3) return d;
  }
  call.fail_at<Status::shape>(0, "no dimension of size 3 in a: ", a.sizes());
}

}  // namespace

void plan_cross(Call& call) {
  const Tensor &a = call.tensor(0), &b = call.tensor(1);
  if (!a.same_sizes(b)) call.fail_at<Status::shape>(1, "inconsistent tensor sizes: ", b.sizes(), ", expected ", a.sizes());
  const int dim = product_dim(call);
  const DType dtype = common_dtype(call, a.dtype(), b.dtype());
  if (dtype == DType::boolean) call.fail_at<Status::dtype>(0, dtype, ", expected a tensor of numbers");
  const Tensor x = contiguous(to_dtype(a, dtype)), y = contiguous(to_dtype(b, dtype));
  const Tensor out = call.output(0, dtype, x.sizes(), {.dense = true});
  if (out.numel() > 0) call.launch<CrossPlan>(x, y, out, dim);
  call.finish(0, out);
}

}  // namespace mt
