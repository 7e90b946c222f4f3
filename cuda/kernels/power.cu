// Powers: kernels of the functors in engine/ops/power-inl.h.
#include "cuda/functors/power.h"
#include "cuda/kernels/pointwise.h"

namespace mt::cuda {

void run_power(const PointwisePlan& plan) {
  constexpr uint32_t number_exponent = 2;  // the bit for a number as the second operand
  if (plan.scalars == number_exponent) {
    const double exponent = plan.dtype == DType::float64 ? plan.values[1].as<double>() : static_cast<double>(plan.values[1].as<float>());
    if (is_special(exponent, SpecialPowers())) return run_pointwise<SpecialPower>(plan);
  }
  run_pointwise<Pow>(plan);
}

KernelRows power_rows() {
  static constexpr KernelRow rows[] = {{Pow::decl.name, kernel<&run_power>()}};
  return rows;
}

}  // namespace mt::cuda
