// exp, tanh and erf of floats. Compiled into the loops that call them, they take half to a fifth of the time of SLEEF's, whose calls spill
// all registers: 8.9, 20 and 32 us for 1e5 floats on a Zen 5, instead of 17, 103 and 133. Errors are below 1, 1.4 and 1.2 units in the last
// place. Polynomials are minimax ones, fitted by bench/minimax.py. Included once for each CPU instruction set: no include guard.

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

// p 2^n for an integer n, rounded once: also to infinity, subnormal numbers and 0.
MT_FN Simd<float> scale(Simd<float> p, Simd<float> n) {
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

// exp(x) = 2^n exp(r), n = round(x / log(2)), by Cody and Waite: log(2) in two parts, so that n times the first one is exact.
MT_FN Simd<float> exp(Simd<float> x) {
  using V = Simd<float>;
  const V::D d;
  constexpr float rest[] = {0.49999994F, 0.16666521F, 0.041668389F, 0.0083687454F, 0.0013814539F};  // (exp(r) - 1 - r) / r^2
  // Outside of this range exp(x) is infinite or 0. Max and Min return their second argument if one is NaN.
  const V in_range(hn::Min(hn::Set(d, 89.0F), hn::Max(hn::Set(d, -105.0F), x.v)));
  const V n(hn::Round((in_range * V(1.44269504F)).v));
  const V r(hn::NegMulAdd(n.v, hn::Set(d, -2.12194440e-4F), hn::NegMulAdd(n.v, hn::Set(d, 0.693359375F), in_range.v)));
  return scale(V(1) + V(hn::MulAdd((r * r).v, polynomial(r, rest).v, r.v)), n);
}

// 1 - 2 / (exp(2 x) + 1); near 0 a polynomial.
MT_FN Simd<float> tanh(Simd<float> x) {
  using V = Simd<float>;
  constexpr float rest[] = {-0.33333281F, 0.13331442F, -0.053739715F, 0.020639086F, -0.0057049864F};  // (tanh(a) / a - 1) / a^2
  const V a = abs(x), square = a * a;
  const V near(hn::MulAdd((a * square).v, polynomial(square, rest).v, a.v)), far = V(1) - V(2) / (exp(a + a) + V(1));
  return copysign(select(a < V(0.625), near, far), x);
}

// 1 - exp(log(erfc(x))), with a polynomial for the logarithm; near 0 another polynomial. From 4 on it is 1.
MT_FN Simd<float> erf(Simd<float> x) {
  using V = Simd<float>;
  constexpr float rest[] = {0.12837917F,   -0.37612632F,    0.1128369F,   -0.026859071F,
                            0.0052002249F, -0.00081335765F, 8.3316554e-5F};  // erf(a) / a - 1
  constexpr float logarithm[] = {-0.00020770849F, -1.1276261F, -0.63726562F, -0.10385858F, 0.022191783F, -0.0030344173F, 0.00019504146F};
  const V a(hn::Min(hn::Set(V::D(), 4.0F), abs(x).v)), square = a * a;
  const V near(hn::MulAdd(a.v, polynomial(square, rest).v, a.v)), far = V(1) - exp(polynomial(a, logarithm));
  return copysign(select(a < V(0.927734375), near, far), x);
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
