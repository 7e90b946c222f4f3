// Fourier transforms of a few complex vectors in registers, from which the passes of fft.cpp are composed. Included once for each CPU
// instruction set, after lane-inl.h; no include guard.

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

template <class T> struct Complex {
  Simd<T> re, im;
  friend MT_FN Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend MT_FN Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
};

template <class T> MT_FN Simd<T> mul_add(Simd<T> a, Simd<T> b, Simd<T> c) { return Simd<T>(hn::MulAdd(a.v, b.v, c.v)); }
template <class T> MT_FN Simd<T> neg_mul_add(Simd<T> a, Simd<T> b, Simd<T> c) { return Simd<T>(hn::NegMulAdd(a.v, b.v, c.v)); }

template <class T> MT_FN Complex<T> multiplied(Complex<T> a, Simd<T> re, Simd<T> im) {
  return {neg_mul_add(a.im, im, a.re * re), mul_add(a.re, im, a.im * re)};
}

// Calls f with the constants 0 .. count - 1.
template <int count, class F> MT_FN void repeat(F f) {
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) { (f(std::integral_constant<int, i>()), ...); }
  (std::make_integer_sequence<int, count>());
}

// a - i b and a + i b.
template <class T> MT_FN Complex<T> minus_i(Complex<T> a, Complex<T> b) { return {a.re + b.im, a.im - b.re}; }
template <class T> MT_FN Complex<T> plus_i(Complex<T> a, Complex<T> b) { return {a.re - b.im, a.im + b.re}; }

template <class T> MT_FN void four(Complex<T>& a, Complex<T>& b, Complex<T>& c, Complex<T>& d) {
  const Complex<T> even = a + c, odd = b + d, x = a - c, y = b - d;
  a = even + odd;
  b = minus_i(x, y);
  c = even - odd;
  d = plus_i(x, y);
}

// Transforms x in place; the order of results is natural.
template <class T, int radix> struct Butterfly;

template <class T> struct Butterfly<T, 2> {
  static MT_FN void run(Complex<T> (&x)[2]) {
    const Complex<T> a = x[0];
    x[0] = a + x[1];
    x[1] = a - x[1];
  }
};

template <class T> struct Butterfly<T, 4> {
  static MT_FN void run(Complex<T> (&x)[4]) { four(x[0], x[1], x[2], x[3]); }
};

template <class T> struct Butterfly<T, 8> {
  static MT_FN void run(Complex<T> (&x)[8]) {
    using V = Simd<T>;
    four(x[0], x[2], x[4], x[6]);
    four(x[1], x[3], x[5], x[7]);
    const V c(0.70710678118654752440);
    const Complex<T> e0 = x[0], e1 = x[2], e2 = x[4], e3 = x[6], o0 = x[1], o1 = x[3], o2 = x[5], o3 = x[7];
    // exp(-i pi / 4) o1 = c (u, v), exp(-3 i pi / 4) o3 = c (s, -t)
    const V u = o1.re + o1.im, v = o1.im - o1.re, s = o3.im - o3.re, t = o3.re + o3.im;
    x[0] = e0 + o0;
    x[4] = e0 - o0;
    x[1] = {mul_add(c, u, e1.re), mul_add(c, v, e1.im)};
    x[5] = {neg_mul_add(c, u, e1.re), neg_mul_add(c, v, e1.im)};
    x[2] = minus_i(e2, o2);
    x[6] = plus_i(e2, o2);
    x[3] = {mul_add(c, s, e3.re), neg_mul_add(c, t, e3.im)};
    x[7] = {neg_mul_add(c, s, e3.re), mul_add(c, t, e3.im)};
  }
};

template <class T> struct Butterfly<T, 16> {
  static MT_FN void run(Complex<T> (&x)[16]) {
    using V = Simd<T>;
    const V c(0.92387953251128675613), s(0.38268343236508977173), h(0.70710678118654752440), zero(0);
    repeat<4>([&](auto j) __attribute__((always_inline)) { four(x[j], x[j + 4], x[j + 8], x[j + 12]); });
    // x[j + 4 k] times exp(-2 pi i j k / 16)
    const auto diagonal = [&](Complex<T> a) __attribute__((always_inline)) { return Complex<T>{h * (a.re + a.im), h * (a.im - a.re)}; };
    const auto turned = [&](Complex<T> a) __attribute__((always_inline)) { return Complex<T>{a.im, zero - a.re}; };
    x[5] = multiplied(x[5], c, zero - s);
    x[6] = diagonal(x[6]);
    x[7] = multiplied(x[7], s, zero - c);
    x[9] = diagonal(x[9]);
    x[10] = turned(x[10]);
    x[11] = turned(diagonal(x[11]));
    x[13] = multiplied(x[13], s, zero - c);
    x[14] = turned(diagonal(x[14]));
    x[15] = multiplied(x[15], zero - c, s);
    repeat<4>([&](auto k) __attribute__((always_inline)) { four(x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]); });
    repeat<4>([&](auto i) __attribute__((always_inline)) {
      repeat<i>([&](auto j) __attribute__((always_inline)) { std::swap(x[4 * i + j], x[4 * j + i]); });
    });
  }
};

// cos and sin of 2 pi k / radix for k = 1 .. radix / 2.
template <int radix> inline constexpr double cosines[1] = {};
template <int radix> inline constexpr double sines[1] = {};
template <> inline constexpr double cosines<3>[] = {-0.5};
template <> inline constexpr double sines<3>[] = {0.86602540378443864676};
template <> inline constexpr double cosines<5>[] = {0.30901699437494742410, -0.80901699437494742410};
template <> inline constexpr double sines<5>[] = {0.95105651629515357212, 0.58778525229247312917};
template <> inline constexpr double cosines<7>[] = {0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624};
template <> inline constexpr double sines<7>[] = {0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048};

// Odd radices, by sums and differences of elements whose roots are conjugate.
template <class T, int radix> struct Butterfly {
  static constexpr int half = radix / 2;
  static MT_FN void run(Complex<T> (&x)[radix]) {
    using V = Simd<T>;
    Complex<T> sums[half], differences[half];
    const Complex<T> first = x[0];
    repeat<half>([&](auto j) __attribute__((always_inline)) {
      sums[j] = x[j + 1] + x[radix - 1 - j];
      differences[j] = x[j + 1] - x[radix - 1 - j];
      x[0] = x[0] + sums[j];
    });
    repeat<half>([&](auto k) __attribute__((always_inline)) {
      Complex<T> even = first, odd = {V(0), V(0)};
      repeat<half>([&](auto j) __attribute__((always_inline)) {
        constexpr int turn = (j + 1) * (k + 1) % radix, place = (turn <= half ? turn : radix - turn) - 1;
        const V c(cosines<radix>[place]), s(turn <= half ? sines<radix>[place] : -sines<radix>[place]);
        even = {mul_add(c, sums[j].re, even.re), mul_add(c, sums[j].im, even.im)};
        odd = {mul_add(s, differences[j].re, odd.re), mul_add(s, differences[j].im, odd.im)};
      });
      x[k + 1] = minus_i(even, odd);
      x[radix - 1 - k] = plus_i(even, odd);
    });
  }
};

// The same for any odd radix with given roots: [radix][2], the sines negative.
template <class T> void odd_butterfly(Complex<T>* x, int radix, const double* roots) {
  using V = Simd<T>;
  const int half = radix / 2;
  Complex<T> sums[cpu::most_of_a_radix / 2], differences[cpu::most_of_a_radix / 2];
  const Complex<T> first = x[0];
  for (int j = 0; j < half; ++j) {
    sums[j] = x[j + 1] + x[radix - 1 - j];
    differences[j] = x[j + 1] - x[radix - 1 - j];
    x[0] = x[0] + sums[j];
  }
  for (int k = 1; k <= half; ++k) {
    Complex<T> even = first, odd = {V(0), V(0)};
    for (int j = 0, turn = k; j < half; ++j, turn = (turn + k) % radix) {
      const V c(static_cast<T>(roots[2 * turn])), s(static_cast<T>(-roots[2 * turn + 1]));
      even = {mul_add(c, sums[j].re, even.re), mul_add(c, sums[j].im, even.im)};
      odd = {mul_add(s, differences[j].re, odd.re), mul_add(s, differences[j].im, odd.im)};
    }
    x[k] = minus_i(even, odd);
    x[radix - k] = plus_i(even, odd);
  }
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
