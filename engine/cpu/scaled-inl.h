// Positive numbers and 0 with a range of exponents without end, for products of many probabilities: mantissa times 2^exponent. Included
// once for each CPU instruction set, after functions-inl.h; no include guard.

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

// Mantissas of results are in [1, 2); exponents are integers. 0 has the mantissa 0 and the exponent of_zero, so that it loses its bits in
// no sum.
struct Scaled {
  static constexpr double of_zero = -1.7e308, least = -1e300;  // exponents below `least` count as those of 0
  using V = Simd<double>;
  V mantissa, exponent;
};

namespace scaled_numbers {

using V = Simd<double>;
constexpr uint64_t fraction = (uint64_t{1} << 52) - 1, one = uint64_t{1023} << 52;

MT_FN hn::Vec<hn::RebindToUnsigned<V::D>> bits_of(V x) { return hn::BitCast(hn::RebindToUnsigned<V::D>(), x.v); }
template <class Bits> MT_FN V from_bits(Bits bits) { return V(hn::BitCast(V::D(), bits)); }

// 2^d for integers d from -1023 (which gives 0) to 1023. The sum has d in its last bits, which become the exponent's.
MT_FN V power_of_two(V d) { return from_bits(hn::ShiftLeft<52>(bits_of(d + V(0x1.8p52 + 1023)))); }

// What the mantissa is multiplied by in a sum of this greatest exponent.
MT_FN V share(V exponent, V greatest) { return power_of_two(V(hn::Max((exponent - greatest).v, V(-1023).v))); }

}  // namespace scaled_numbers

// The number with this mantissa, a normal number or 0.
MT_FN Scaled normalized(scaled_numbers::V mantissa, scaled_numbers::V exponent) {
  using namespace scaled_numbers;
  const hn::RebindToUnsigned<V::D> du;
  const auto bits = bits_of(mantissa);
  const auto is_zero = mantissa == V(0);
  // The exponent's bits, as the last ones of a number of 2^52 or more.
  const V biased = from_bits(hn::Or(hn::ShiftRight<52>(bits), bits_of(V(0x1p52))));
  const V fractional = from_bits(hn::Or(hn::And(bits, hn::Set(du, fraction)), hn::Set(du, one)));
  return {select(is_zero, V(0), fractional), select(is_zero, V(Scaled::of_zero), exponent + (biased - V(0x1p52 + 1023)))};
}

// The sums and products below are not normalized: a product of two of them is.
MT_FN Scaled operator+(const Scaled& a, const Scaled& b) {
  using namespace scaled_numbers;
  const V greatest(hn::Max(a.exponent.v, b.exponent.v));
  return {a.mantissa * share(a.exponent, greatest) + b.mantissa * share(b.exponent, greatest), greatest};
}
MT_FN Scaled sum(const Scaled& a, const Scaled& b, const Scaled& c) {
  using namespace scaled_numbers;
  const V greatest(hn::Max(hn::Max(a.exponent.v, b.exponent.v), c.exponent.v));
  return {a.mantissa * share(a.exponent, greatest) + b.mantissa * share(b.exponent, greatest) + c.mantissa * share(c.exponent, greatest),
          greatest};
}
MT_FN Scaled operator*(const Scaled& a, const Scaled& b) { return normalized(a.mantissa * b.mantissa, a.exponent + b.exponent); }

// exp(x), with a mantissa near 1: e^r with |r| <= ln(2) / 2 as Taylor's polynomial, whose error is below 1e-17. x is at most 1e300, or
// -infinity; the result is normal or 0.
MT_FN Scaled scaled_exp(scaled_numbers::V x) {
  using namespace scaled_numbers;
  constexpr double coefficients[] = {
      1,          1,           1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
      1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  const V k(hn::Round((x * V(1.44269504088896340736)).v));
  const V r(hn::NegMulAdd(k.v, V(1.90821492927058770002e-10).v, hn::NegMulAdd(k.v, V(6.93147180369123816490e-1).v, x.v)));
  // Far from 0 the reduction has no correct digits left; nor has exp(x).
  const V near(hn::Min(hn::Max(r.v, V(-0.35).v), V(0.35).v));
  const auto is_zero = k < V(Scaled::least);
  return {select(is_zero, V(0), polynomial(near, coefficients)), select(is_zero, V(Scaled::of_zero), k)};
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
