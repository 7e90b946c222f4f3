// The value type of functors for complex elements; cuda/value.h has that of real ones. Its elementary functions: cuda/complex_functions.h.
#pragma once

#include "cuda/value.h"

namespace mt::cuda {

template <class T> struct Value<Complex<T>> {
  using Element = Complex<T>;
  using Mask = BitMask;
  Element v;

  Value() = default;
  MT_FN Value(T real, T imaginary) : v(real, imaginary) {}
  template <class U> MT_FN explicit Value(U value) : v(static_cast<Element>(value)) {}

  friend MT_FN Value operator+(Value a, Value b) { return Value(a.v + b.v); }
  friend MT_FN Value operator-(Value a, Value b) { return Value(a.v - b.v); }
  friend MT_FN Value operator*(Value a, Value b) { return Value(a.v * b.v); }
  friend MT_FN Value operator/(Value a, Value b) { return Value(a.v / b.v); }
  friend MT_FN Mask operator==(Value a, Value b) { return {a.v == b.v}; }
  friend MT_FN Mask operator!=(Value a, Value b) { return {a.v != b.v}; }
  friend MT_FN Value select(Mask m, Value a, Value b) { return m.b ? a : b; }
};

// A real number multiplies and divides each part, since infinity times 0 is NaN.
template <class T> MT_FN Value<Complex<T>> times_number(Value<Complex<T>> number, Value<Complex<T>> x) {
  return number.v.im == 0 ? Value<Complex<T>>(number.v.re * x.v.re, number.v.re * x.v.im) : number * x;
}
template <class T> MT_FN Value<Complex<T>> quotient_by(Value<Complex<T>> x, Value<Complex<T>> number) {
  return number.v.im == 0 ? Value<Complex<T>>(x.v.re / number.v.re, x.v.im / number.v.re) : x / number;
}
template <class T> MT_FN Value<Complex<T>> negative(Value<Complex<T>> a) { return {-a.v.re, -a.v.im}; }
template <class T> MT_FN Value<Complex<T>> conj(Value<Complex<T>> a) { return {a.v.re, -a.v.im}; }
template <class T> MT_FN Value<T> abs(Value<Complex<T>> a) { return Value<T>(std::hypot(a.v.re, a.v.im)); }
template <class T> MT_FN Value<Complex<T>> sgn(Value<Complex<T>> a) {
  const T magnitude = abs(a).v;
  return magnitude == 0 ? a : Value<Complex<T>>(a.v.re / magnitude, a.v.im / magnitude);
}
template <class T> MT_FN BitMask is_infinite(Value<Complex<T>> a) { return {std::isinf(a.v.re) || std::isinf(a.v.im)}; }

}  // namespace mt::cuda
