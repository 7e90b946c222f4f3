// Vectors of complex numbers in functors: a vector of real and one of imaginary parts. In memory the parts alternate. Included once for
// each CPU instruction set, after lane-inl.h; no include guard. Its elementary functions: complex_functions-inl.h.

#include <cmath>
#include <cstring>
#include <limits>

#include "engine/core/complex.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

template <class T> MT_FN Simd<T> negative(Simd<T> a) { return Simd<T>(hn::Neg(a.v)); }

template <class T> struct SimdComplex {
  using Element = Complex<T>;
  using Part = Simd<T>;
  using D = typename Part::D;
  using Mask = typename Part::Mask;
  Part re, im;

  SimdComplex() = default;
  MT_FN explicit SimdComplex(Part real) : re(real), im(0) {}
  MT_FN SimdComplex(Part real, Part imaginary) : re(real), im(imaginary) {}
  template <class U>
  requires std::is_arithmetic_v<U> MT_FN explicit SimdComplex(U real) : re(real), im(0) {}
  MT_FN explicit SimdComplex(Element value) : re(value.re), im(value.im) {}

  friend MT_FN SimdComplex operator+(SimdComplex a, SimdComplex b) { return {a.re + b.re, a.im + b.im}; }
  friend MT_FN SimdComplex operator-(SimdComplex a, SimdComplex b) { return {a.re - b.re, a.im - b.im}; }
  friend MT_FN SimdComplex operator*(SimdComplex a, SimdComplex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  // As Complex does: engine/core/complex.h.
  friend MT_FN SimdComplex operator/(SimdComplex a, SimdComplex b) {
    const Part zero(0);
    const Mask real_is_larger = abs(b.re) >= abs(b.im);
    const Part large = select(real_is_larger, b.re, b.im), small = select(real_is_larger, b.im, b.re);
    const Part along = select(real_is_larger, a.re, a.im), across = select(real_is_larger, a.im, a.re);
    const Mask by_zero = large == zero;
    const Part ratio = select(by_zero, zero, small / large), divisor = select(by_zero, zero, large + small * ratio);
    const Part imaginary = (across - along * ratio) / divisor;
    return {(along + across * ratio) / divisor, select(real_is_larger, imaginary, Part(0) - imaginary)};
  }
  friend MT_FN Mask operator==(SimdComplex a, SimdComplex b) { return (a.re == b.re) & (a.im == b.im); }
  friend MT_FN Mask operator!=(SimdComplex a, SimdComplex b) { return (a.re != b.re) | (a.im != b.im); }
  friend MT_FN SimdComplex select(Mask m, SimdComplex a, SimdComplex b) { return {select(m, a.re, b.re), select(m, a.im, b.im)}; }
  MT_FN bool is_real() const { return hn::AllTrue(D(), (im == Part(0)).m); }
  friend MT_FN SimdComplex times_number(SimdComplex number, SimdComplex x) {
    return number.is_real() ? SimdComplex(number.re * x.re, number.re * x.im) : number * x;
  }
  friend MT_FN SimdComplex quotient_by(SimdComplex x, SimdComplex number) {
    return number.is_real() ? SimdComplex(x.re / number.re, x.im / number.re) : x / number;
  }
  friend MT_FN SimdComplex negative(SimdComplex a) { return {a.re * Part(-1), a.im * Part(-1)}; }
  friend MT_FN SimdComplex conj(SimdComplex a) { return {a.re, a.im * Part(-1)}; }

  // The magnitude. Squares that could overflow or lose digits are those of scaled parts.
  friend MT_FN Part abs(SimdComplex a) {
    using Limits = std::numeric_limits<T>;
    const Part x = abs(a.re), y = abs(a.im), large = select(x > y, x, y), small = select(x > y, y, x);
    const T most = static_cast<T>(Limits::is_iec559 && sizeof(T) == 4 ? 1e18 : 1e150);
    const Mask usual = (large < Part(most)) & (large > Part(1 / most));
    const Part direct = sqrt(x * x + y * y);
    const D d;
    if (hn::AllTrue(d, usual.m)) return direct;
    const Part ratio = select(large == Part(0), Part(0), small / large), scaled = large * sqrt(Part(1) + ratio * ratio);
    const Part infinity(Limits::infinity());
    // Infinite parts win over NaN, as in C.
    return select((x == infinity) | (y == infinity), infinity, select(usual, direct, select(x != x, x, select(y != y, y, scaled))));
  }
  friend MT_FN SimdComplex sgn(SimdComplex a) {
    const Part magnitude = abs(a);
    const Mask is_zero = magnitude == Part(0);
    return {select(is_zero, a.re, a.re / magnitude), select(is_zero, a.im, a.im / magnitude)};
  }
  friend MT_FN Mask is_infinite(SimdComplex a) {
    const Part infinity(std::numeric_limits<T>::infinity());
    return (abs(a.re) == infinity) | (abs(a.im) == infinity);
  }
};

template <class T> MT_FN BitMask is_infinite(Scalar<Complex<T>> a) { return {std::isinf(a.v.re) || std::isinf(a.v.im)}; }

template <class T> MT_FN SimdComplex<T> load_vector(const Complex<T>* p) {
  const hn::ScalableTag<T> d;
  hn::Vec<decltype(d)> re, im;
  hn::LoadInterleaved2(d, reinterpret_cast<const T*>(p), re, im);
  return {Simd<T>(re), Simd<T>(im)};
}
template <class M, class D, class T> MT_FN SimdComplex<T> load_first_of(M rest, D d, const Complex<T>* p) {
  HWY_ALIGN Complex<T> elements[hn::MaxLanes(d)] = {};
  std::memcpy(static_cast<void*>(elements), p, hn::CountTrue(d, rest) * sizeof *p);
  return load_vector(elements);
}
template <class D, class T> MT_FN bool can_stream_to(D, Complex<T>*) { return false; }
template <class T> MT_FN void store_vector(SimdComplex<T> v, Complex<T>* p, bool) {
  const hn::ScalableTag<T> d;
  hn::StoreInterleaved2(v.re.v, v.im.v, d, reinterpret_cast<T*>(p));
}
template <class M, class D, class T> MT_FN void store_first_of(SimdComplex<T> v, M rest, D d, Complex<T>* p) {
  HWY_ALIGN Complex<T> elements[hn::MaxLanes(d)];
  store_vector(v, elements, false);
  std::memcpy(static_cast<void*>(p), elements, hn::CountTrue(d, rest) * sizeof *p);
}

// Applies a function of elements to each lane of one or several vectors.
template <class T, class F, class... More> MT_FN SimdComplex<T> each(F f, SimdComplex<T> a, More... more) {
  const hn::ScalableTag<T> d;
  constexpr size_t most = hn::MaxLanes(d);
  HWY_ALIGN Complex<T> lanes[1 + sizeof...(more)][most];
  store_vector(a, lanes[0], false);
  size_t k = 0;
  (store_vector(more, lanes[++k], false), ...);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if constexpr (sizeof...(more) == 0)
      lanes[0][i] = f(lanes[0][i]);
    else
      lanes[0][i] = f(lanes[0][i], lanes[1][i]);
  }
  return load_vector(lanes[0]);
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
