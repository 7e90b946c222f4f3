#include "engine/ops/scan.h"

#include "engine/ops/common_dtype.h"

namespace mt {
namespace {

// The dtype in which x is scanned.
DType scan_dtype(const Call& call, DType dtype) {
  const Decl& d = *call.op.decl;
  if (d.result == Rule::float_result) return float_for(dtype);
  if (!d.dtypes.contains(dtype)) call.fail_at<Status::dtype>(0, dtype, ", expected ", tensors_of(d.dtypes));
  return dtype;
}

Tensor prepared(const Tensor& x, DType dtype) { return x.dtype() == dtype ? contiguous(x) : to_dtype(x, dtype); }

}  // namespace

void plan_scan(Call& call) {
  const Tensor& given = call.tensor(0);
  const DType dtype = scan_dtype(call, given.dtype());
  const int dim = given.dim() > 0 ? call.dim(1, given.dim()) : 0;
  const Tensor x = prepared(given, dtype), out = call.output(0, dtype, x.sizes(), {.dense = true});
  if (call.op.decl->signature.result_count == 1) {
    if (x.numel() > 0) call.launch<ScanPlan>(x, out, Operand(), dim);
  } else {
    const Tensor positions = call.output(1, DType::int64, x.sizes(), {.dense = true});
    if (x.numel() > 0) call.launch<ScanPlan>(x, out, positions, dim);
    call.finish(1, positions);
  }
  call.finish(0, out);
}

void plan_cumulative_exp(Call& call) {
  const Tensor& first = call.tensor(0);
  DType dtype = first.dtype();
  for (int i = 1; i <= 2; ++i) {
    const Tensor& t = call.tensor(i);
    if (!t.same_sizes(first)) call.fail_at<Status::shape>(i, t.sizes(), ", expected ", first.sizes());
    dtype = common_dtype(call, dtype, t.dtype());
  }
  dtype = float_for(dtype);
  const int dim = first.dim() > 0 ? call.dim(3, first.dim()) : 0;
  const Tensor g = prepared(first, dtype), x = prepared(call.tensor(1), dtype), y = prepared(call.tensor(2), dtype);
  const Tensor out = call.output(0, dtype, g.sizes(), {.dense = true});
  if (g.numel() > 0) call.launch<CumulativeExpPlan>(g, x, y, out, dim, call.boolean(4));
  call.finish(0, out);
}

}  // namespace mt
