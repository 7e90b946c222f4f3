// Elementary functions of vectors of float and double: SLEEF's (1.0 ulp versions), the C library's without SLEEF, and some of floats from
// float_functions-inl.h. Included once for each CPU instruction set, in place of lane-inl.h; no include guard.

#include <cmath>
#include <concepts>

#include "engine/cpu/lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

// The sum of coefficients[i] x^i.
template <class T, size_t N> MT_FN Simd<T> polynomial(Simd<T> x, const T (&coefficients)[N]) {
  const typename Simd<T>::D d;
  auto sum = hn::Set(d, coefficients[N - 1]);
#ifndef __OPTIMIZE_SIZE__
#pragma GCC unroll 16
#endif
  for (size_t i = 1; i < N; ++i) sum = hn::MulAdd(sum, x.v, hn::Set(d, coefficients[N - 1 - i]));
  return Simd<T>(sum);
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

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#include "engine/cpu/float_functions-inl.h"
