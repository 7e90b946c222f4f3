// Powers: the functors of engine/ops/power-inl.h for one element.
#pragma once

#include "cuda/functions.h"
#include "engine/core/decl.h"

namespace mt::cuda {

#include "engine/ops/power-inl.h"

template <class... Op> constexpr bool is_special(double exponent, List<Op...>) { return ((exponent == Op::exponent) || ...); }

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

// x to the power of any number.
struct NumberPower {
  static constexpr Decl decl{.name = "number_pow", .signature = "[res] x:tensor y:number", .result = Rule::float_result};
  template <class V> MT_FN V operator()(V x, V y) const {
    return is_special(static_cast<double>(y.v), SpecialPowers()) ? special_power(x, y, SpecialPowers()) : pow(x, y);
  }
};

}  // namespace mt::cuda
