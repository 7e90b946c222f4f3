// Complex numbers as elements of tensors: two floats or doubles, laid out as C's complex types, BLAS's and NumPy's.
#pragma once

#include <type_traits>

namespace mt {

template <class T> struct Complex {
  using value_type = T;
  T re, im;

  Complex() = default;
  template <class U>
  requires std::is_arithmetic_v<U>
  constexpr Complex(U real) : re(static_cast<T>(real)), im(0) {}  // NOLINT: implicit, as of a real number in a formula
  constexpr Complex(T real, T imaginary) : re(real), im(imaginary) {}
  template <class U> constexpr explicit Complex(const Complex<U>& other) : re(static_cast<T>(other.re)), im(static_cast<T>(other.im)) {}

  friend constexpr Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend constexpr Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  // The formula of the definition, as in NumPy: products of infinities can be NaN.
  friend constexpr Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  // By Smith's method, which overflows only if the quotient does (Robert L. Smith, "Algorithm 116", Communications of the ACM 5, 1962).
  friend constexpr Complex operator/(Complex a, Complex b) {
    const bool real_is_larger = (b.re < 0 ? -b.re : b.re) >= (b.im < 0 ? -b.im : b.im);
    const T large = real_is_larger ? b.re : b.im, small = real_is_larger ? b.im : b.re;
    const T along = real_is_larger ? a.re : a.im, across = real_is_larger ? a.im : a.re;
    const T ratio = large == 0 ? 0 : small / large, divisor = large == 0 ? 0 : large + small * ratio;
    const T imaginary = (across - along * ratio) / divisor;
    return {(along + across * ratio) / divisor, real_is_larger ? imaginary : -imaginary};
  }
  Complex& operator+=(Complex other) { return *this = *this + other; }
  Complex& operator-=(Complex other) { return *this = *this - other; }
  Complex& operator*=(Complex other) { return *this = *this * other; }
  friend constexpr bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
  friend constexpr bool operator!=(Complex a, Complex b) { return !(a == b); }
};

}  // namespace mt
