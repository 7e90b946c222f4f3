// Powers: kernels of the functors in engine/ops/power-inl.h.
#include "cuda/functions.h"
#include "cuda/kernels/pointwise.h"

namespace mt::cuda {

#include "engine/ops/power-inl.h"

template <class... Op> bool is_special(double exponent, List<Op...>) { return ((exponent == Op::exponent) || ...); }

template <class V, class... Op> MT_DEVICE V special_power(V x, V y, List<Op...>) {
  V result = x;
  ((y.v == static_cast<typename V::Element>(Op::exponent) ? void(result = Op()(x, y)) : void()), ...);
  return result;
}

// x to the power of a number that needs no logarithm. One kernel serves all these exponents: comparing the exponent costs nothing compared
// with loading x.
struct SpecialPower {
  static constexpr Decl decl = Pow::decl;
  template <class V> MT_FN V operator()(V x, V y) const { return special_power(x, y, SpecialPowers()); }
};

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
