#include "engine/ops/power.h"

namespace mt {
namespace {

const PointwiseLoops& loops_for(const PowerLoops& powers, double exponent) {
  if (exponent == 1) return powers.one;
  if (exponent == 2) return powers.square;
  if (exponent == 3) return powers.cube;
  if (exponent == 0.5) return powers.root;
  if (exponent == -0.5) return powers.inverse_root;
  if (exponent == -1) return powers.inverse;
  if (exponent == -2) return powers.inverse_square;
  return powers.general;
}

}  // namespace

void run_power(Call& call) {
  const auto& powers = *static_cast<const PowerLoops*>(call.op.kernels);
  const bool by_number = call.arg(0).is_tensor() && !call.arg(1).is_tensor();
  const Op op{call.op.decl, call.op.run, by_number ? &loops_for(powers, call.number(1)) : &powers.general, {}};
  Call chosen{op, call.args, call.results, call.given, call.default_dtype, call.generator, call.as_number};
  run_pointwise(chosen);
}

}  // namespace mt
