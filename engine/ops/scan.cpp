#include "engine/ops/scan.h"

namespace mt {

void plan_scan(Call& call) {
  const Tensor& given = call.tensor(0);
  const DType dtype = given.dtype();
  if (dtype == DType::boolean) call.fail_at(0, dtype, " came, a tensor of numbers was expected");
  if (given.dim() == 0) return call.finish(0, call.output(0, dtype, given.sizes()));
  const int dim = call.dim(1, given.dim());
  const Tensor x = contiguous(given), out = call.output(0, dtype, x.sizes(), {.dense = true});
  if (x.numel() > 0) call.launch(ScanPlan{x, out, dim});
  call.finish(0, out);
}

}  // namespace mt
