// Elementary functions of vectors of complex numbers. Values, branch cuts and results for infinities, NaN and signed zeros are those of
// C99's Annex G: the C library computes the functions that have "by_lanes" in their name, and others for vectors with a lane out of the
// usual range. Included once for each CPU instruction set, after complex-inl.h and functions-inl.h; no include guard.

#include <cmath>
#include <complex>
#include <numbers>

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

template <class T> HWY_INLINE std::complex<T> standard(Complex<T> z) { return {z.re, z.im}; }
template <class T> HWY_INLINE Complex<T> element_of_standard(std::complex<T> z) { return {z.real(), z.imag()}; }

#undef MT_BY_LANES
#define MT_BY_LANES(name, function)                                                                     \
  template <class T> HWY_NOINLINE SimdComplex<T> name(SimdComplex<T> z) {                               \
    return each([](Complex<T> lane) { return element_of_standard(std::function(standard(lane))); }, z); \
  }
MT_BY_LANES(exp_by_lanes, exp)
MT_BY_LANES(log_by_lanes, log)
MT_BY_LANES(sqrt_by_lanes, sqrt)
MT_BY_LANES(sin_by_lanes, sin)
MT_BY_LANES(cos_by_lanes, cos)
MT_BY_LANES(sinh_by_lanes, sinh)
MT_BY_LANES(cosh_by_lanes, cosh)
MT_BY_LANES(tanh_by_lanes, tanh)
MT_BY_LANES(tan_by_lanes, tan)
MT_BY_LANES(asin, asin)
MT_BY_LANES(acos, acos)
MT_BY_LANES(atan, atan)
MT_BY_LANES(asinh, asinh)
MT_BY_LANES(acosh, acosh)
MT_BY_LANES(atanh, atanh)
#undef MT_BY_LANES

// Whether |x| < least_x and |y| < least_y in all lanes.
template <class T> MT_FN bool all_within(Simd<T> x, double most_x, Simd<T> y, double most_y) {
  const typename Simd<T>::D d;
  return hn::AllTrue(d, ((abs(x) < Simd<T>(most_x)) & (abs(y) < Simd<T>(most_y))).m);
}
// Beyond this, exp overflows or is denormal, though its product with a sine need not be.
template <class T> constexpr double exp_limit = sizeof(T) == 4 ? 80 : 700;
// Up to here sines and cosines are computed in vectors.
template <class T> constexpr double sine_limit = std::numeric_limits<T>::max();

template <class T> MT_FN SimdComplex<T> exp(SimdComplex<T> z) {
  if (!all_within(z.re, exp_limit<T>, z.im, sine_limit<T>)) return exp_by_lanes(z);
  const Simd<T> scale = exp(z.re);
  return {scale * cos(z.im), scale * sin(z.im)};
}
template <class T> MT_FN SimdComplex<T> sin(SimdComplex<T> z) {
  if (!all_within(z.re, sine_limit<T>, z.im, exp_limit<T>)) return sin_by_lanes(z);
  return {sin(z.re) * cosh(z.im), cos(z.re) * sinh(z.im)};
}
template <class T> MT_FN SimdComplex<T> cos(SimdComplex<T> z) {
  if (!all_within(z.re, sine_limit<T>, z.im, exp_limit<T>)) return cos_by_lanes(z);
  return {cos(z.re) * cosh(z.im), negative(sin(z.re) * sinh(z.im))};
}
template <class T> MT_FN SimdComplex<T> sinh(SimdComplex<T> z) {
  if (!all_within(z.re, exp_limit<T>, z.im, sine_limit<T>)) return sinh_by_lanes(z);
  return {sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im)};
}
template <class T> MT_FN SimdComplex<T> cosh(SimdComplex<T> z) {
  if (!all_within(z.re, exp_limit<T>, z.im, sine_limit<T>)) return cosh_by_lanes(z);
  return {cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im)};
}
// William Kahan, "Branch Cuts for Complex Elementary Functions", 1987: with t = tan(y), s = sinh(x), the quotient of (1 + t^2) cosh(x) s +
// i t and 1 + (1 + t^2) s^2.
template <class T> MT_FN SimdComplex<T> tanh(SimdComplex<T> z) {
  constexpr double most = sizeof(T) == 4 ? 8 : 18;  // beyond, the real part is 1 but for its last digits
  if (!all_within(z.re, most, z.im, sine_limit<T>)) return tanh_by_lanes(z);
  const Simd<T> t = tan(z.im), s = sinh(z.re), one(1), secant = one + t * t, divisor = one + secant * s * s;
  return {secant * cosh(z.re) * s / divisor, t / divisor};
}
template <class T> MT_FN SimdComplex<T> tan(SimdComplex<T> z) {  // -i tanh(i z)
  constexpr double most = sizeof(T) == 4 ? 8 : 18;
  if (!all_within(z.re, sine_limit<T>, z.im, most)) return tan_by_lanes(z);
  const SimdComplex<T> turned = tanh(SimdComplex<T>(negative(z.im), z.re));
  return {turned.im, negative(turned.re)};
}

// Magnitudes whose squares are in the range of T.
template <class T> MT_FN bool has_usual_magnitudes(Simd<T> large) {
  constexpr double most = sizeof(T) == 4 ? 1e18 : 1e150;
  const typename Simd<T>::D d;
  return hn::AllTrue(d, ((large < Simd<T>(most)) & (large > Simd<T>(1 / most))).m);
}

// The real part is log|z|. Where |z| is near 1, |z|^2 - 1 is computed with the rounding errors of the squares.
template <class T> MT_FN SimdComplex<T> log(SimdComplex<T> z) {
  const Simd<T> x = abs(z.re), y = abs(z.im), large = select(x > y, x, y), small = select(x > y, y, x);
  if (!HWY_NATIVE_FMA || !has_usual_magnitudes(large)) return log_by_lanes(z);
  const Simd<T> one(1), half(0.5);
  const Simd<T> square = large * large, lesser = small * small, sum = square + lesser;
  const Simd<T> lost(hn::Add(hn::MulSub(large.v, large.v, square.v), hn::MulSub(small.v, small.v, lesser.v)));
  const auto near_one = (sum > half) & (sum < Simd<T>(3));
  const Simd<T> beyond_one = select(near_one, ((square - one) + lesser) + lost, Simd<T>(0));
  return {half * select(near_one, log1p(beyond_one), log(sum)), atan2(z.im, z.re)};
}
template <class T> MT_FN SimdComplex<T> log10(SimdComplex<T> z) { return quotient_by(log(z), SimdComplex<T>(std::numbers::ln10)); }

// The larger part of the root is sqrt((|z| + |x|) / 2), the other one y divided by twice that.
template <class T> MT_FN SimdComplex<T> sqrt(SimdComplex<T> z) {
  const Simd<T> x = abs(z.re), y = abs(z.im);
  if (!has_usual_magnitudes(select(x > y, x, y))) return sqrt_by_lanes(z);
  const Simd<T> half(0.5), root = sqrt((abs(z) + x) * half), other = y / (root + root);
  const auto is_left = z.re < Simd<T>(0);
  return {select(is_left, other, root), copysign(select(is_left, root, other), z.im)};
}

template <class T> MT_FN SimdComplex<T> exp2(SimdComplex<T> z) { return exp(times_number(SimdComplex<T>(std::numbers::ln2), z)); }
template <class T> MT_FN SimdComplex<T> log2(SimdComplex<T> z) { return quotient_by(log(z), SimdComplex<T>(std::numbers::ln2)); }
// With exp(x + iy) - 1 = expm1(x) cos(y) - 2 sin(y / 2)^2 + i exp(x) sin(y) nothing cancels near 0.
template <class T> HWY_NOINLINE SimdComplex<T> expm1(SimdComplex<T> z) {
  return each(
      [](Complex<T> lane) {
        const T half = std::sin(lane.im / 2);
        return Complex<T>(std::expm1(lane.re) * std::cos(lane.im) - 2 * half * half, std::exp(lane.re) * std::sin(lane.im));
      },
      z);
}
// log|1 + z| = log1p(2 x + x^2 + y^2) / 2 where z is small.
template <class T> HWY_NOINLINE SimdComplex<T> wide_log1p(SimdComplex<T> z) {
  return each(
      [](Complex<T> lane) {
        const T x = lane.re, y = lane.im;
        if (std::abs(x) > T(0.5) || std::abs(y) > T(0.5)) return element_of_standard(std::log(std::complex<T>(1 + x, y)));
        return Complex<T>(std::log1p(2 * x + x * x + y * y) / 2, std::atan2(y, 1 + x));
      },
      z);
}
template <class T> MT_FN SimdComplex<T> wide_sinh(SimdComplex<T> z) { return sinh(z); }
template <class T> MT_FN SimdComplex<T> wide_cosh(SimdComplex<T> z) { return cosh(z); }
template <class T> MT_FN SimdComplex<T> wide_asinh(SimdComplex<T> z) { return asinh(z); }
template <class T> MT_FN SimdComplex<T> wide_acosh(SimdComplex<T> z) { return acosh(z); }

template <class T> MT_FN Simd<T> angle(SimdComplex<T> z) { return atan2(z.im, z.re); }

// Whole exponents up to this magnitude are products: they are exact for whole numbers, as NumPy's and C++'s are.
template <class T> Complex<T> power_of_element(Complex<T> base, Complex<T> exponent) {
  constexpr int most_products = 64;
  if (exponent.im == 0 && std::abs(exponent.re) <= most_products && exponent.re == std::trunc(exponent.re)) {
    Complex<T> product(1), factor = base;
    for (int n = std::abs(static_cast<int>(exponent.re)); n > 0; n /= 2, factor *= factor) {
      if (n % 2 == 1) product *= factor;
    }
    return exponent.re < 0 ? Complex<T>(1) / product : product;
  }
  return element_of_standard(std::pow(standard(base), standard(exponent)));
}
template <class T> HWY_NOINLINE SimdComplex<T> pow(SimdComplex<T> base, SimdComplex<T> exponent) {
  return each([](Complex<T> b, Complex<T> e) { return power_of_element(b, e); }, base, exponent);
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
