// Calls SLEEF's functions from clang, 128 bits at a time. Unless the whole file is compiled for AVX, clang passes wider vectors in memory,
// even between functions compiled for AVX; SLEEF expects them in registers. Included once for each CPU instruction set: no include guard.

#undef MT_PART
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
#define MT_PART(name, ulp) Sleef_##name##f4_##ulp##avx2128, Sleef_##name##d2_##ulp##avx2128, __m128, __m128d
#elif HWY_TARGET == HWY_SSE4
#define MT_PART(name, ulp) Sleef_##name##f4_##ulp##sse4, Sleef_##name##d2_##ulp##sse4, __m128, __m128d
#elif HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
#define MT_PART(name, ulp) Sleef_##name##f4_##ulp##advsimd, Sleef_##name##d2_##ulp##advsimd, float32x4_t, float64x2_t
#endif

template <class T, class Raw> MT_FN Simd<T> in_parts(Raw (*f)(Raw), Simd<T> a) {
  const typename Simd<T>::D d;
  const hn::Full128<T> part;
  HWY_ALIGN T x[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(a.v, d, x);
  for (size_t i = 0; i < hn::Lanes(d); i += 16 / sizeof(T)) {
    hn::Store(hn::Vec<hn::Full128<T>>{f(hn::Load(part, x + i).raw)}, part, x + i);
  }
  return Simd<T>(hn::Load(d, x));
}
template <class T, class Raw> MT_FN Simd<T> in_parts(Raw (*f)(Raw, Raw), Simd<T> a, Simd<T> b) {
  const typename Simd<T>::D d;
  const hn::Full128<T> part;
  HWY_ALIGN T x[HWY_MAX_BYTES / sizeof(T)];
  HWY_ALIGN T y[HWY_MAX_BYTES / sizeof(T)];
  hn::Store(a.v, d, x);
  hn::Store(b.v, d, y);
  for (size_t i = 0; i < hn::Lanes(d); i += 16 / sizeof(T)) {
    hn::Store(hn::Vec<hn::Full128<T>>{f(hn::Load(part, x + i).raw, hn::Load(part, y + i).raw)}, part, x + i);
  }
  return Simd<T>(hn::Load(d, x));
}

#undef MT_EXPAND
#define MT_EXPAND(macro, ...) macro(__VA_ARGS__)
#define MT_UNARY_(name, f, d, VF, VD)                                                       \
  extern "C" VF f(VF);                                                                      \
  extern "C" VD d(VD);                                                                      \
  template <std::same_as<float> T> MT_FN Simd<T> name(Simd<T> a) { return in_parts(f, a); } \
  MT_FN Simd<double> name(Simd<double> a) { return in_parts(d, a); }
#define MT_BINARY_(name, f, d, VF, VD)                                               \
  extern "C" VF f(VF, VF);                                                           \
  extern "C" VD d(VD, VD);                                                           \
  MT_FN Simd<float> name(Simd<float> a, Simd<float> b) { return in_parts(f, a, b); } \
  MT_FN Simd<double> name(Simd<double> a, Simd<double> b) { return in_parts(d, a, b); }
#define MT_UNARY(name, ulp) MT_EXPAND(MT_UNARY_, name, MT_PART(name, ulp))
#define MT_BINARY(name, ulp) MT_EXPAND(MT_BINARY_, name, MT_PART(name, ulp))
