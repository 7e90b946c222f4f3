// The value that functors compute with: a SIMD vector of float or double (Highway), or one element of any other type.
// Included once for each CPU instruction set, between HWY_BEFORE_NAMESPACE() and HWY_AFTER_NAMESPACE(); no include guard.
// Functions that Highway lacks come from SLEEF (1.0 ulp versions).

#include <hwy/highway.h>

#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <type_traits>

#define MT_FN HWY_INLINE

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The elements at p that a mask from FirstN names, the rest 0. Highway's MaskedLoad reads whole vectors before AVX2, aligned ones at that,
// and on AVX2 for elements below 32 bits: it may run past the end of memory, or fault on odd addresses.
template <class M, class D> MT_FN hn::Vec<D> load_first(M mask, D d, const hn::TFromD<D>* p) {
  using T = hn::TFromD<D>;
  if constexpr (HWY_TARGET <= HWY_AVX3 || (HWY_TARGET <= HWY_AVX2 && sizeof(T) >= 4)) {
    return hn::MaskedLoad(mask, d, p);
  } else {
    alignas(64) T first[hn::MaxLanes(d)] = {};
    std::memcpy(first, p, hn::CountTrue(d, mask) * sizeof(T));
    return hn::Load(d, first);
  }
}

// ---- one element
// -------------------------------------------------------------------------------------------------------------------------

struct BitMask {
  bool b;
  MT_FN BitMask operator&(BitMask o) const { return {b && o.b}; }
  MT_FN BitMask operator|(BitMask o) const { return {b || o.b}; }
  MT_FN BitMask operator!() const { return {!b}; }
};

template <class T> struct Scalar {
  using Element = T;
  using Mask = BitMask;
  T v;

  Scalar() = default;
  template <class U> MT_FN explicit Scalar(U value) : v(static_cast<T>(value)) {}

  // Signed overflow wraps: the arithmetic is done on the unsigned type.
  using Wrap = typename std::conditional_t<std::is_integral_v<T>,
                                           std::make_unsigned<std::conditional_t<(std::is_integral_v<T> && sizeof(T) >= 4), T, int>>,
                                           std::type_identity<T>>::type;
  friend MT_FN Scalar operator+(Scalar a, Scalar b) { return Scalar(static_cast<T>(static_cast<Wrap>(a.v) + static_cast<Wrap>(b.v))); }
  friend MT_FN Scalar operator-(Scalar a, Scalar b) { return Scalar(static_cast<T>(static_cast<Wrap>(a.v) - static_cast<Wrap>(b.v))); }
  friend MT_FN Scalar operator*(Scalar a, Scalar b) { return Scalar(static_cast<T>(static_cast<Wrap>(a.v) * static_cast<Wrap>(b.v))); }
  friend MT_FN Scalar operator/(Scalar a, Scalar b) {
    if constexpr (std::is_integral_v<T>) {
      // The driver refuses zero; the most negative number divided by -1 wraps.
      if (b.v == T(0)) return Scalar(T(0));
      if (std::is_signed_v<T> && b.v == static_cast<T>(-1)) return Scalar(T(0)) - a;
    }
    return Scalar(static_cast<T>(a.v / b.v));
  }
  friend MT_FN Mask operator<(Scalar a, Scalar b) { return {a.v < b.v}; }
  friend MT_FN Mask operator<=(Scalar a, Scalar b) { return {a.v <= b.v}; }
  friend MT_FN Mask operator>(Scalar a, Scalar b) { return {a.v > b.v}; }
  friend MT_FN Mask operator>=(Scalar a, Scalar b) { return {a.v >= b.v}; }
  friend MT_FN Mask operator==(Scalar a, Scalar b) { return {a.v == b.v}; }
  friend MT_FN Mask operator!=(Scalar a, Scalar b) { return {a.v != b.v}; }
  friend MT_FN Scalar select(Mask m, Scalar a, Scalar b) { return m.b ? a : b; }
};

template <class T> MT_FN Scalar<T> fmod(Scalar<T> a, Scalar<T> b) {
  if constexpr (std::is_integral_v<T>) {
    if (b.v == T(0) || (std::is_signed_v<T> && b.v == static_cast<T>(-1))) return Scalar<T>(T(0));
    return Scalar<T>(static_cast<T>(a.v % b.v));
  } else {
    return Scalar<T>(std::fmod(a.v, b.v));
  }
}
template <class T> MT_FN Scalar<T> abs(Scalar<T> a) { return a.v < T(0) ? Scalar<T>(T(0)) - a : a; }  // the least integer stays
template <class T> MT_FN Scalar<T> floor(Scalar<T> a) { return a; }
template <class T> MT_FN Scalar<T> ceil(Scalar<T> a) { return a; }
template <class T> MT_FN Scalar<T> round(Scalar<T> a) { return a; }
template <class T> MT_FN Scalar<T> trunc(Scalar<T> a) { return a; }

// ---- a vector of floats or doubles
// -------------------------------------------------------------------------------------------------------

template <class T> struct Simd {
  using Element = T;
  using D = hn::ScalableTag<T>;
  using Vec = hn::Vec<D>;
  struct Mask {
    hn::Mask<D> m;
    friend MT_FN Mask operator&(Mask a, Mask b) { return {hn::And(a.m, b.m)}; }
    friend MT_FN Mask operator|(Mask a, Mask b) { return {hn::Or(a.m, b.m)}; }
    MT_FN Mask operator!() const { return {hn::Not(m)}; }
  };
  Vec v;

  Simd() = default;
  MT_FN explicit Simd(Vec value) : v(value) {}
  template <class U>
  requires std::is_arithmetic_v<U> MT_FN explicit Simd(U value) : v(hn::Set(D(), static_cast<T>(value))) {}

  friend MT_FN Simd operator+(Simd a, Simd b) { return Simd(hn::Add(a.v, b.v)); }
  friend MT_FN Simd operator-(Simd a, Simd b) { return Simd(hn::Sub(a.v, b.v)); }
  friend MT_FN Simd operator*(Simd a, Simd b) { return Simd(hn::Mul(a.v, b.v)); }
  friend MT_FN Simd operator/(Simd a, Simd b) { return Simd(hn::Div(a.v, b.v)); }
  friend MT_FN Mask operator<(Simd a, Simd b) { return {hn::Lt(a.v, b.v)}; }
  friend MT_FN Mask operator<=(Simd a, Simd b) { return {hn::Le(a.v, b.v)}; }
  friend MT_FN Mask operator>(Simd a, Simd b) { return {hn::Gt(a.v, b.v)}; }
  friend MT_FN Mask operator>=(Simd a, Simd b) { return {hn::Ge(a.v, b.v)}; }
  friend MT_FN Mask operator==(Simd a, Simd b) { return {hn::Eq(a.v, b.v)}; }
  // Highway 1.0.3 takes NaN != NaN for false on AVX-512.
  friend MT_FN Mask operator!=(Simd a, Simd b) { return {hn::Not(hn::Eq(a.v, b.v))}; }
  friend MT_FN Simd select(Mask m, Simd a, Simd b) { return Simd(hn::IfThenElse(m.m, a.v, b.v)); }
  friend MT_FN Simd abs(Simd a) { return Simd(hn::Abs(a.v)); }
  friend MT_FN Simd sqrt(Simd a) { return Simd(hn::Sqrt(a.v)); }
  friend MT_FN Simd floor(Simd a) { return Simd(hn::Floor(a.v)); }
  friend MT_FN Simd ceil(Simd a) { return Simd(hn::Ceil(a.v)); }
  friend MT_FN Simd trunc(Simd a) { return Simd(hn::Trunc(a.v)); }
  friend MT_FN Simd copysign(Simd magnitude, Simd sign) { return Simd(hn::CopySign(magnitude.v, sign.v)); }
  // Half away from zero. The largest float below a half must not be rounded up by the addition: what was added decides.
  friend MT_FN Simd round(Simd a) {
    const Simd whole = trunc(a), rest = abs(a - whole);
    return copysign(select(rest >= Simd(0.5), abs(whole) + Simd(1), abs(whole)), a);
  }
};

// The sum of coefficients[i] x^i.
template <class T, size_t N> MT_FN Simd<T> polynomial(Simd<T> x, const T (&coefficients)[N]) {
  const typename Simd<T>::D d;
  auto sum = hn::Set(d, coefficients[N - 1]);
  for (size_t i = N - 1; i-- > 0;) sum = hn::MulAdd(sum, x.v, hn::Set(d, coefficients[i]));
  return Simd<T>(sum);
}

// A function of one element, for each lane.
template <class T, class F> MT_FN Simd<T> each(F f, Simd<T> a) {
  const typename Simd<T>::D d;
  HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(a.v, d, lanes);
  for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = f(lanes[i]);
  return Simd<T>(hn::Load(d, lanes));
}
template <class T, class F> MT_FN Simd<T> each(F f, Simd<T> a, Simd<T> b) {
  const typename Simd<T>::D d;
  HWY_ALIGN T x[HWY_MAX_BYTES / sizeof(T)];
  HWY_ALIGN T y[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(a.v, d, x);
  hn::Store(b.v, d, y);
  for (size_t i = 0; i < hn::Lanes(d); ++i) x[i] = f(x[i], y[i]);
  return Simd<T>(hn::Load(d, x));
}

#undef MT_SLEEF
#if defined(MT_WITH_SLEEF)
#if HWY_TARGET == HWY_AVX3
#define MT_SLEEF(name, ulp) Sleef_##name##f16_##ulp##avx512f, Sleef_##name##d8_##ulp##avx512f, __m512, __m512d
#elif HWY_TARGET == HWY_AVX2
#define MT_SLEEF(name, ulp) Sleef_##name##f8_##ulp##avx2, Sleef_##name##d4_##ulp##avx2, __m256, __m256d
#elif HWY_TARGET == HWY_SSE4
#define MT_SLEEF(name, ulp) Sleef_##name##f4_##ulp##sse4, Sleef_##name##d2_##ulp##sse4, __m128, __m128d
#elif HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
#define MT_SLEEF(name, ulp) Sleef_##name##f4_##ulp##advsimd, Sleef_##name##d2_##ulp##advsimd, float32x4_t, float64x2_t
#endif
#endif
#undef MT_UNARY
#undef MT_BINARY
#undef MT_EXPAND
#if defined(__clang__) && defined(MT_SLEEF)
#include "engine/cpu/sleef_parts-inl.h"
#elif defined(MT_SLEEF)
#define MT_EXPAND(macro, ...) macro(__VA_ARGS__)
#define MT_UNARY_(name, f, d, VF, VD)                                                                                         \
  extern "C" VF f(VF);                                                                                                        \
  extern "C" VD d(VD);                                                                                                        \
  template <std::same_as<float> T> MT_FN Simd<T> name(Simd<T> a) { return Simd<T>(hn::Vec<hn::ScalableTag<T>>{f(a.v.raw)}); } \
  MT_FN Simd<double> name(Simd<double> a) { return Simd<double>(hn::Vec<hn::ScalableTag<double>>{d(a.v.raw)}); }
#define MT_BINARY_(name, f, d, VF, VD)                                                                                               \
  extern "C" VF f(VF, VF);                                                                                                           \
  extern "C" VD d(VD, VD);                                                                                                           \
  MT_FN Simd<float> name(Simd<float> a, Simd<float> b) { return Simd<float>(hn::Vec<hn::ScalableTag<float>>{f(a.v.raw, b.v.raw)}); } \
  MT_FN Simd<double> name(Simd<double> a, Simd<double> b) { return Simd<double>(hn::Vec<hn::ScalableTag<double>>{d(a.v.raw, b.v.raw)}); }
#define MT_UNARY(name, ulp) MT_EXPAND(MT_UNARY_, name, MT_SLEEF(name, ulp))
#define MT_BINARY(name, ulp) MT_EXPAND(MT_BINARY_, name, MT_SLEEF(name, ulp))
#else
#define MT_UNARY(name, ulp)                           \
  template <class T> MT_FN Simd<T> name(Simd<T> a) {  \
    return each([](T x) { return std::name(x); }, a); \
  }
#define MT_BINARY(name, ulp)                                     \
  template <class T> MT_FN Simd<T> name(Simd<T> a, Simd<T> b) {  \
    return each([](T x, T y) { return std::name(x, y); }, a, b); \
  }
#endif

MT_UNARY(exp, u10)
MT_UNARY(expm1, u10)
MT_UNARY(log, u10)
MT_UNARY(log1p, u10)
MT_UNARY(log2, u10)
MT_UNARY(log10, u10)
MT_UNARY(sin, u10)
MT_UNARY(cos, u10)
MT_UNARY(tan, u10)
MT_UNARY(asin, u10)
MT_UNARY(acos, u10)
MT_UNARY(atan, u10)
MT_UNARY(sinh, u10)
MT_UNARY(cosh, u10)
MT_UNARY(tanh, u10)
MT_UNARY(erf, u10)
MT_BINARY(pow, u10)
MT_BINARY(atan2, u10)
// Exact: a quotient that a T holds as a whole number is right or 1 too large, and what a fused multiply-subtract leaves fits a T.
template <class T> MT_FN Simd<T> fmod(Simd<T> a, Simd<T> b) {
#if HWY_TARGET != HWY_SSE4
  const typename Simd<T>::D d;
  const auto x = hn::Abs(a.v), y = hn::Abs(b.v), quotient = hn::Div(x, y);
  const auto least_too_large = hn::Set(d, static_cast<T>(int64_t{1} << (std::numeric_limits<T>::digits - 1)));
  if (hn::AllTrue(d, hn::And(hn::Lt(quotient, least_too_large), hn::Lt(y, hn::Set(d, std::numeric_limits<T>::infinity()))))) {
    const auto rest = hn::NegMulAdd(hn::Trunc(quotient), y, x);
    return Simd<T>(hn::CopySign(hn::IfThenElse(hn::Lt(rest, hn::Zero(d)), hn::Add(rest, y), rest), a.v));
  }
#endif
  return each([](T x, T y) { return std::fmod(x, y); }, a, b);
}

template <class T> using Lane = std::conditional_t<std::is_floating_point_v<T>, Simd<T>, Scalar<T>>;

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#include "engine/cpu/float_functions-inl.h"
