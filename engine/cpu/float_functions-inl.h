// exp, tanh, erf, sin and cos of floats. Compiled into the loops that call them, they take half to a fifth of the time of SLEEF's, whose
// calls spill all registers: exp, tanh and erf of 1e5 floats 8.9, 20 and 32 us on a Zen 5, instead of 17, 103 and 133; sin 44 us on a Zen
// 3, instead of 119. Included once for each CPU instruction set: no include guard.

#include "engine/cpu/lane_choices-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

MT_FN Simd<float> neg_mul_add(Simd<float> a, Simd<float> b, Simd<float> c) { return Simd<float>(hn::NegMulAdd(a.v, b.v, c.v)); }
MT_FN Simd<float> nearest(Simd<float> x) { return Simd<float>(hn::Round(x.v)); }

// Rounded once: also to infinity, subnormal numbers and 0.
MT_FN Simd<float> scaled(Simd<float> p, Simd<float> n) {
#if HWY_TARGET == HWY_AVX3
  return Simd<float>(hn::Vec<Simd<float>::D>{_mm512_scalef_ps(p.v.raw, n.v.raw)});
#else
  // In two steps, because a float may not represent 2^n.
  const hn::RebindToSigned<Simd<float>::D> whole;
  const auto all = hn::ConvertTo(whole, n.v), half = hn::ShiftRight<1>(all), bias = hn::Set(whole, 127);
  const auto power = [](auto exponent) HWY_ATTR { return hn::BitCast(Simd<float>::D(), hn::ShiftLeft<23>(exponent)); };
  return Simd<float>(hn::Mul(hn::Mul(p.v, power(hn::Add(half, bias))), power(hn::Add(hn::Sub(all, half), bias))));
#endif
}

MT_FN Simd<float> times_sign_of(Simd<float> x, Simd<float> y) {
  return Simd<float>(hn::Xor(x.v, hn::And(y.v, hn::Set(Simd<float>::D(), -0.0F))));
}
MT_FN Simd<float> odd_sign(Simd<float> n) {
  const Simd<float>::D d;
  return Simd<float>(hn::BitCast(d, hn::ShiftLeft<31>(hn::ConvertTo(hn::RebindToSigned<Simd<float>::D>(), n.v))));
}

MT_FN Simd<float> exp(Simd<float> x);

#include "engine/ops/float_formulas-inl.h"

MT_FN Simd<float> exp(Simd<float> x) { return exp_formula(x); }
MT_FN Simd<float> tanh(Simd<float> x) { return tanh_formula(x); }
MT_FN Simd<float> erf(Simd<float> x) { return erf_formula(x); }
#if HWY_NATIVE_FMA
MT_FN Simd<float> sin(Simd<float> x) {
  return sin_formula(x, [](Simd<float> far) HWY_ATTR { return sin<float>(far); });
}
MT_FN Simd<float> cos(Simd<float> x) {
  return cos_formula(x, [](Simd<float> far) HWY_ATTR { return cos<float>(far); });
}
#endif

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
