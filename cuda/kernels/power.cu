// Powers: kernels of the functors in engine/ops/power-inl.h.
#include "cuda/complex_functions.h"
#include "cuda/functors/power.h"
#include "cuda/kernels/pointwise.h"

namespace mt::cuda {

// The exponent as a real number; NaN if it has an imaginary part.
double real_exponent(const PointwisePlan& plan) {
  return dispatch<inexact_dtypes>(plan.dtype, [&]<class T>(std::type_identity<T>) {
    const auto exponent = scalar_of<T>(plan.values[1]);
    if constexpr (is_complex<T>)
      return exponent.im == 0 ? static_cast<double>(exponent.re) : std::numeric_limits<double>::quiet_NaN();
    else
      return static_cast<double>(exponent);
  });
}

void run_power(const PointwisePlan& plan) {
  constexpr uint32_t number_exponent = 2;  // the bit for a number as the second operand
  if (plan.scalars == number_exponent) {
    if (is_special(real_exponent(plan), SpecialPowers())) return run_pointwise<SpecialPower>(plan);
  }
  run_pointwise<Pow>(plan);
}

KernelRows power_rows() {
  static constexpr KernelRow rows[] = {{Pow::decl.name, kernel<&run_power>()}};
  return rows;
}

}  // namespace mt::cuda
