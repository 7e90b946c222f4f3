#include "engine/ops/nonfinite.h"

#include "engine/core/device.h"
#include "engine/core/registry.h"

namespace mt {
namespace {

// The result of an op of one tensor whose other arguments are absent.
Tensor result_of(const Op& op, Tensor x) {
  Value args[Signature::max_params];
  args[0] = Value(x);
  Tensor made;
  Tensor* results[] = {&made};
  Call call{op, {args, static_cast<size_t>(op.decl->signature.count)}, results};
  run_op(call);
  return made;
}

double number_in(const Tensor& one) { return *to_dtype(on_host(one), DType::float64).data<double>(); }

}  // namespace

// The sum of floats is finite only if they are. A sum that overflows costs the second look.
Nonfinite nonfinite_in(const Tensor& x) {
  static const Registry& ops = Registry::instance();
  static const Op &sum = *ops.find("sum"), &any = *ops.find("any"), &isnan = *ops.find("isnan"), &isinf = *ops.find("isinf");
  if (!is_float(x.dtype()) || x.numel() == 0 || settled_device(x.device()) == meta_device) return Nonfinite::none;
  const double total = number_in(result_of(sum, x));
  if (total - total == 0) return Nonfinite::none;
  if (number_in(result_of(any, result_of(isnan, x))) != 0) return Nonfinite::nan;
  return number_in(result_of(any, result_of(isinf, x))) != 0 ? Nonfinite::infinity : Nonfinite::none;
}

}  // namespace mt
