// Elementary functions of one complex element, which the functors of engine/ops call. Values, branch cuts and results for infinities, NaN
// and signed zeros are those of C99's Annex G. Each function is compiled once in a file: the kernels call it.
#pragma once

#include <numbers>

#include "cuda/complex_value.h"
#include "cuda/functions.h"

#if defined(__CUDACC__)
#define MT_CALLED __device__ __noinline__
#else
#define MT_CALLED inline
#endif

namespace mt::cuda {

// Beyond this, exp overflows or is denormal, though its product with a sine need not be.
template <class T> inline constexpr T exp_limit = sizeof(T) == 4 ? 80 : 700;
// Between its inverse and this, magnitudes have squares in the range of T.
template <class T> inline constexpr T square_limit = sizeof(T) == 4 ? T(1e18) : T(1e150);

// e^x (re + i im), without overflow in between.
template <class T> MT_FN Value<Complex<T>> times_exp(T x, T re, T im) {
  if (std::fabs(x) <= exp_limit<T>) {
    const T scale = std::exp(x);
    return {scale * re, scale * im};
  }
  const T half = std::exp(x / 2);
  return {half * re * half, half * im * half};
}

template <class T> MT_CALLED Value<Complex<T>> exp(Value<Complex<T>> z) {
  const T x = z.v.re, y = z.v.im;
  if (y == 0) return {std::exp(x), y};
  if (std::isinf(x) && !std::isfinite(y)) return x < 0 ? Value<Complex<T>>(0, 0) : Value<Complex<T>>(x, y - y);
  return times_exp(x, std::cos(y), std::sin(y));
}

template <class T> MT_CALLED Value<Complex<T>> sinh(Value<Complex<T>> z) {
  const T x = z.v.re, y = z.v.im;
  if (y == 0) return {std::sinh(x), y};
  if (!std::isfinite(y) && (x == 0 || std::isinf(x))) return {x, y - y};
  const T c = std::cos(y), s = std::sin(y);
  if (std::fabs(x) > exp_limit<T>) return times_exp(std::fabs(x), std::copysign(T(0.5), x) * c, T(0.5) * s);
  return {std::sinh(x) * c, std::cosh(x) * s};
}

template <class T> MT_CALLED Value<Complex<T>> cosh(Value<Complex<T>> z) {
  const T x = z.v.re, y = z.v.im;
  if (y == 0) return {std::cosh(x), std::copysign(T(1), x) * y};
  if (!std::isfinite(y) && x == 0) return {y - y, x};
  if (!std::isfinite(y) && std::isinf(x)) return {std::fabs(x), y - y};
  const T c = std::cos(y), s = std::sin(y);
  if (std::fabs(x) > exp_limit<T>) return times_exp(std::fabs(x), T(0.5) * c, std::copysign(T(0.5), x) * s);
  return {std::cosh(x) * c, std::sinh(x) * s};
}

// William Kahan, "Branch Cuts for Complex Elementary Functions", 1987: with t = tan(y), s = sinh(x), the quotient of (1 + t^2) cosh(x) s +
// i t and 1 + (1 + t^2) s^2.
template <class T> MT_CALLED Value<Complex<T>> tanh(Value<Complex<T>> z) {
  constexpr T most = sizeof(T) == 4 ? 9 : 19;  // beyond, the real part is 1
  const T x = z.v.re, y = z.v.im;
  if (y == 0) return {std::tanh(x), y};
  if (std::isinf(x) && !std::isfinite(y)) return {std::copysign(T(1), x), std::copysign(T(0), y)};
  if (!std::isfinite(y)) return {x == 0 ? x : y - y, y - y};
  if (std::fabs(x) > most) return {std::copysign(T(1), x), 4 * std::sin(y) * std::cos(y) * std::exp(-2 * std::fabs(x))};
  const T t = std::tan(y), s = std::sinh(x), secant = 1 + t * t, divisor = 1 + secant * s * s;
  return {secant * std::cosh(x) * s / divisor, t / divisor};
}

// i z and -i z.
template <class T> MT_FN Value<Complex<T>> turned(Value<Complex<T>> z) { return {-z.v.im, z.v.re}; }
template <class T> MT_FN Value<Complex<T>> turned_back(Value<Complex<T>> z) { return {z.v.im, -z.v.re}; }

template <class T> MT_FN Value<Complex<T>> sin(Value<Complex<T>> z) { return turned_back(sinh(turned(z))); }
template <class T> MT_FN Value<Complex<T>> cos(Value<Complex<T>> z) { return cosh(turned(z)); }
template <class T> MT_FN Value<Complex<T>> tan(Value<Complex<T>> z) { return turned_back(tanh(turned(z))); }

// log|z|. Near 1 it is log1p of |z|^2 - 1, which is computed with the rounding errors of the squares.
template <class T> MT_CALLED T log_of_magnitude(T re, T im) {
  const T x = std::fabs(re), y = std::fabs(im), large = x > y ? x : y, small = x > y ? y : x;
  if (std::isinf(x) || std::isinf(y)) return std::numeric_limits<T>::infinity();
  if (x != x || y != y) return x + y;
  if (large == 0) return -std::numeric_limits<T>::infinity();
  if (!(large < square_limit<T> && large > 1 / square_limit<T>)) {
    const T ratio = small / large;
    return std::log(large) + std::log1p(ratio * ratio) / 2;
  }
  const T square = large * large, lesser = small * small, sum = square + lesser;
  if (sum <= T(0.5) || sum >= 3) return std::log(sum) / 2;
  const T lost = std::fma(large, large, -square) + std::fma(small, small, -lesser);
  return std::log1p(((square - 1) + lesser) + lost) / 2;
}

template <class T> MT_FN Value<T> angle(Value<Complex<T>> z) { return Value<T>(std::atan2(z.v.im, z.v.re)); }
template <class T> MT_FN Value<Complex<T>> log(Value<Complex<T>> z) { return {log_of_magnitude(z.v.re, z.v.im), angle(z).v}; }

// The larger part of the root is sqrt((|z| + |x|) / 2), the other one y divided by twice that. Parts that are very large or small are
// scaled by an even power of 2.
template <class T> MT_CALLED Value<Complex<T>> sqrt(Value<Complex<T>> z) {
  T x = z.v.re, y = z.v.im;
  if (std::isinf(y)) return {std::numeric_limits<T>::infinity(), y};
  if (x == 0 && y == 0) return {0, y};
  if (std::isinf(x))
    return x > 0 ? Value<Complex<T>>(x, y != y ? y : std::copysign(T(0), y)) : Value<Complex<T>>(y != y ? y : T(0), std::copysign(x, y));
  constexpr T up = sizeof(T) == 4 ? T(16777216) : T(18014398509481984.0);  // 2^24, 2^54
  constexpr T root_up = sizeof(T) == 4 ? T(4096) : T(134217728.0);
  const T large = std::fmax(std::fabs(x), std::fabs(y));
  const bool is_large = large > square_limit<T>, is_small = large < 1 / square_limit<T>;
  const T factor = is_large ? 1 / up : is_small ? up : T(1), back = is_large ? root_up : is_small ? 1 / root_up : T(1);
  x *= factor;
  y *= factor;
  const T root = std::sqrt((std::hypot(x, y) + std::fabs(x)) / 2), other = std::fabs(y) / (root + root);
  return {(x < 0 ? other : root) * back, std::copysign((x < 0 ? root : other) * back, y)};
}

// The inverse functions are Kahan's, of the paper above, with the roots of 1 - z and 1 + z.
template <class T> struct Roots { Complex<T> below, above; };
template <class T> MT_FN Roots<T> roots_of(Value<Complex<T>> z) {
  return {sqrt(Value<Complex<T>>(1 - z.v.re, -z.v.im)).v, sqrt(Value<Complex<T>>(1 + z.v.re, z.v.im)).v};
}
template <class T> MT_FN bool is_finite(Value<Complex<T>> z) { return std::isfinite(z.v.re) && std::isfinite(z.v.im); }

template <class T> MT_CALLED Value<Complex<T>> asinh(Value<Complex<T>> z) {
  const T x = z.v.re, y = z.v.im;
  if (!is_finite(z)) {
    const T infinity = std::numeric_limits<T>::infinity(), along = std::isinf(x) || std::isinf(y) ? infinity : x + y;
    const T across = y == 0 ? T(0) : x != x || y != y ? x + y : std::atan2(std::fabs(y), std::fabs(x));
    return {std::copysign(along, x), std::copysign(across, y)};
  }
  const Roots<T> r = roots_of(turned(z));
  const T re = std::atan2(-y, r.below.re * r.above.re - r.below.im * r.above.im);
  return {std::asinh(r.below.re * r.above.im - r.below.im * r.above.re), -re};
}
template <class T> MT_CALLED Value<Complex<T>> acos(Value<Complex<T>> z) {
  const T x = z.v.re, y = z.v.im;
  if (!is_finite(z)) {
    const T infinity = std::numeric_limits<T>::infinity(), across = std::isinf(x) || std::isinf(y) ? infinity : x + y;
    const bool is_number = x == x && y == y;
    return {is_number ? std::atan2(std::fabs(y), x) : x == 0 ? std::numbers::pi_v<T> / 2 : x + y, std::copysign(across, -y)};
  }
  const Roots<T> r = roots_of(z);
  return {2 * std::atan2(r.below.re, r.above.re), std::asinh(r.above.re * r.below.im - r.above.im * r.below.re)};
}
template <class T> MT_FN Value<Complex<T>> asin(Value<Complex<T>> z) { return turned_back(asinh(turned(z))); }
template <class T> MT_FN Value<Complex<T>> acosh(Value<Complex<T>> z) {
  const Complex<T> angle = acos(z).v;
  return {std::fabs(angle.im), std::copysign(angle.re, z.v.im)};
}
template <class T> MT_CALLED Value<Complex<T>> atanh(Value<Complex<T>> z) {
  constexpr T right = std::numbers::pi_v<T> / 2;
  const T x = std::fabs(z.v.re), y = std::fabs(z.v.im), large = std::fmax(x, y);
  T re, im;
  if (x != x || y != y) {
    re = std::isinf(x) || std::isinf(y) || x == 0 ? T(0) : x + y;
    im = std::isinf(y) ? right : x + y;
  } else if (large > square_limit<T>) {  // the real part of 1 / z
    const T a = std::isinf(x) ? T(1) : x / large, b = std::isinf(y) ? T(1) : y / large;
    re = std::isinf(large) ? T(0) : a / (a * a + b * b) / large;
    im = right;
  } else {
    const T beside = 1 - x;
    const bool is_near_pole = beside == 0 && y < T(1e-9);  // the square of y may be 0
    re = is_near_pole ? (std::numbers::ln2_v<T> - std::log(y)) / 2 : std::log1p(4 * x / (beside * beside + y * y)) / 4;
    im = std::atan2(2 * y, beside * (1 + x) - y * y) / 2;
  }
  return {std::copysign(re, z.v.re), std::copysign(im, z.v.im)};
}
template <class T> MT_FN Value<Complex<T>> atan(Value<Complex<T>> z) { return turned_back(atanh(turned(z))); }

template <class T> MT_FN Value<Complex<T>> log_to(T base, Value<Complex<T>> z) {
  const Value<Complex<T>> natural = log(z);
  return {natural.v.re / base, natural.v.im / base};
}
template <class T> MT_FN Value<Complex<T>> log2(Value<Complex<T>> z) { return log_to(std::numbers::ln2_v<T>, z); }
template <class T> MT_FN Value<Complex<T>> log10(Value<Complex<T>> z) { return log_to(std::numbers::ln10_v<T>, z); }
template <class T> MT_FN Value<Complex<T>> exp2(Value<Complex<T>> z) {
  return exp(Value<Complex<T>>(std::numbers::ln2_v<T> * z.v.re, std::numbers::ln2_v<T> * z.v.im));
}

// With exp(x + iy) - 1 = expm1(x) cos(y) - 2 sin(y / 2)^2 + i exp(x) sin(y) nothing cancels near 0.
template <class T> MT_CALLED Value<Complex<T>> expm1(Value<Complex<T>> z) {
  const T half = std::sin(z.v.im / 2);
  return {std::expm1(z.v.re) * std::cos(z.v.im) - 2 * half * half, std::exp(z.v.re) * std::sin(z.v.im)};
}
// log|1 + z| = log1p(2 x + x^2 + y^2) / 2 where z is small.
template <class T> MT_CALLED Value<Complex<T>> wide_log1p(Value<Complex<T>> z) {
  const T x = z.v.re, y = z.v.im;
  if (std::fabs(x) > T(0.5) || std::fabs(y) > T(0.5)) return log(Value<Complex<T>>(1 + x, y));
  return {std::log1p(2 * x + x * x + y * y) / 2, std::atan2(y, 1 + x)};
}
template <class T> MT_FN Value<Complex<T>> wide_sinh(Value<Complex<T>> z) { return sinh(z); }
template <class T> MT_FN Value<Complex<T>> wide_cosh(Value<Complex<T>> z) { return cosh(z); }
template <class T> MT_FN Value<Complex<T>> wide_asinh(Value<Complex<T>> z) { return asinh(z); }
template <class T> MT_FN Value<Complex<T>> wide_acosh(Value<Complex<T>> z) { return acosh(z); }

// Whole exponents up to this magnitude are products: they are exact for whole numbers, as NumPy's and C++'s are.
template <class T> MT_CALLED Value<Complex<T>> pow(Value<Complex<T>> base, Value<Complex<T>> exponent) {
  constexpr T most_products = 64;
  const T re = exponent.v.re, im = exponent.v.im;
  if (im == 0 && std::fabs(re) <= most_products && re == std::trunc(re)) {
    Value<Complex<T>> product(1), factor = base;
    for (int n = static_cast<int>(std::fabs(re)); n > 0; n /= 2) {
      if (n % 2 == 1) product = product * factor;
      factor = factor * factor;
    }
    return re < 0 ? Value<Complex<T>>(1) / product : product;
  }
  const Complex<T> l = log(base).v;
  return exp(Value<Complex<T>>(re * l.re - im * l.im, re * l.im + im * l.re));
}

}  // namespace mt::cuda
