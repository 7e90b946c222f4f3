// Quotients by 255 are correctly rounded, as by a division; with FMA they are computed by a multiplication with 1/255 in two parts.
// AVX-512 is not used, because its three-way shuffles are slower here: 500 x 375 pixels to floats take 86 us with it, 74 us with AVX2.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "packages/image/split.cpp"
#include <hwy/foreach_target.h>  // must come before what is compiled several times
#include <hwy/highway.h>

#include "packages/image/split.h"

HWY_BEFORE_NAMESPACE();
namespace mt::image::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class V> HWY_INLINE V over_255(V x) {
  const hn::DFromV<V> d;
#if defined(HWY_NATIVE_FMA) && HWY_NATIVE_FMA
  constexpr float high = 1.0f / 255, low = static_cast<float>(1.0 / 255 - high);
  return hn::MulAdd(x, hn::Set(d, high), hn::Mul(x, hn::Set(d, low)));
#else
  return hn::Div(x, hn::Set(d, 255.0f));
#endif
}

template <class V> HWY_INLINE void store_scaled(V bytes, float* out) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> d32;
  const hn::Rebind<uint8_t, decltype(d)> quarter;
  const hn::Half<hn::DFromV<V>> half;
  static_assert(hn::MaxLanes(half) == 2 * hn::MaxLanes(quarter));
  const hn::Half<decltype(half)> d8;
  const auto put = [&](auto part, float* to) HWY_ATTR { hn::StoreU(over_255(hn::ConvertTo(d, hn::PromoteTo(d32, part))), d, to); };
  const size_t lanes = hn::Lanes(d);
  const auto lower = hn::LowerHalf(half, bytes), upper = hn::UpperHalf(half, bytes);
  put(hn::LowerHalf(d8, lower), out);
  put(hn::UpperHalf(d8, lower), out + lanes);
  put(hn::LowerHalf(d8, upper), out + 2 * lanes);
  put(hn::UpperHalf(d8, upper), out + 3 * lanes);
}

HWY_INLINE void store(hn::Vec<hn::ScalableTag<uint8_t>> bytes, uint8_t* out) { hn::StoreU(bytes, hn::ScalableTag<uint8_t>(), out); }
HWY_INLINE void store(hn::Vec<hn::ScalableTag<uint8_t>> bytes, float* out) { store_scaled(bytes, out); }
HWY_INLINE void store_one(uint8_t x, uint8_t* out) { *out = x; }
HWY_INLINE void store_one(uint8_t x, float* out) { *out = static_cast<float>(x) / 255; }

// Floats need four times the bytes of their pixels, and the processor doesn't prefetch the next row. Without prefetching one row ahead,
// 4% of the time of decoding is spent on waiting for the memory that is written.
template <class T> HWY_INLINE void ask_for(T* next, int64_t count) {
  if constexpr (sizeof(T) > 1) {
    constexpr int64_t line = 64 / sizeof(T);
    for (int64_t i = 0; i < count; i += line) __builtin_prefetch(next + i, 1);
  }
}

template <class T> HWY_INLINE void split(const uint8_t* pixels, T* a, T* b, T* c, int64_t n) {
  const hn::ScalableTag<uint8_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::Vec<decltype(d)> va, vb, vc;
    hn::LoadInterleaved3(d, pixels + 3 * i, va, vb, vc);
    store(va, a + i);
    store(vb, b + i);
    store(vc, c + i);
    ask_for(a + n + i, lanes);
    ask_for(b + n + i, lanes);
    ask_for(c + n + i, lanes);
  }
  for (; i < n; ++i) {
    store_one(pixels[3 * i], a + i);
    store_one(pixels[3 * i + 1], b + i);
    store_one(pixels[3 * i + 2], c + i);
  }
}

void split_bytes(const uint8_t* pixels, uint8_t* a, uint8_t* b, uint8_t* c, int64_t n) { split(pixels, a, b, c, n); }
void split_floats(const uint8_t* pixels, float* a, float* b, float* c, int64_t n) { split(pixels, a, b, c, n); }

HWY_INLINE hn::Vec<hn::ScalableTag<uint8_t>> load(const uint8_t* x) { return hn::LoadU(hn::ScalableTag<uint8_t>(), x); }

HWY_INLINE hn::Vec<hn::ScalableTag<uint8_t>> load(const float* x) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<uint8_t> d8;
  const hn::Half<decltype(d8)> half;
  const hn::Half<decltype(half)> quarter;
  const hn::Rebind<uint8_t, decltype(d)> few;
  static_assert(hn::MaxLanes(quarter) == hn::MaxLanes(few));
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0f), most = hn::Set(d, 255.0f), round = hn::Set(d, 0.5f);
  const size_t lanes = hn::Lanes(d);
  const auto take = [&](size_t i) HWY_ATTR {
    const auto v = hn::LoadU(d, x + i * lanes);
    const auto inside = hn::Min(hn::IfThenElseZero(hn::Gt(v, zero), v), one);
    return hn::DemoteTo(few, hn::ConvertTo(hn::RebindToSigned<decltype(d)>(), hn::Add(hn::Mul(inside, most), round)));
  };
  return hn::Combine(d8, hn::Combine(half, take(3), take(2)), hn::Combine(half, take(1), take(0)));
}

HWY_INLINE uint8_t load_one(const uint8_t* x) { return *x; }
HWY_INLINE uint8_t load_one(const float* x) { return *x > 0 ? static_cast<uint8_t>((*x < 1 ? *x : 1) * 255 + 0.5f) : 0; }

template <class T> HWY_INLINE void join(const T* a, const T* b, const T* c, uint8_t* pixels, int64_t n) {
  const hn::ScalableTag<uint8_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreInterleaved3(load(a + i), load(b + i), load(c + i), d, pixels + 3 * i);
  for (; i < n; ++i) {
    pixels[3 * i] = load_one(a + i);
    pixels[3 * i + 1] = load_one(b + i);
    pixels[3 * i + 2] = load_one(c + i);
  }
}

void join_bytes(const uint8_t* a, const uint8_t* b, const uint8_t* c, uint8_t* pixels, int64_t n) { join(a, b, c, pixels, n); }
void join_floats(const float* a, const float* b, const float* c, uint8_t* pixels, int64_t n) { join(a, b, c, pixels, n); }

void widen(const uint8_t* x, float* out, int64_t n) {
  const hn::ScalableTag<uint8_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) store(hn::LoadU(d, x + i), out + i);
  for (; i < n; ++i) store_one(x[i], out + i);
}

}  // namespace mt::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/target.h"

namespace mt::image {
HWY_EXPORT(split_bytes);
HWY_EXPORT(split_floats);
HWY_EXPORT(join_bytes);
HWY_EXPORT(join_floats);
HWY_EXPORT(widen);
void split3(const uint8_t* pixels, uint8_t* a, uint8_t* b, uint8_t* c, int64_t n) { HWY_DYNAMIC_DISPATCH(split_bytes)(pixels, a, b, c, n); }
void split3(const uint8_t* pixels, float* a, float* b, float* c, int64_t n) { HWY_DYNAMIC_DISPATCH(split_floats)(pixels, a, b, c, n); }
void join3(const uint8_t* a, const uint8_t* b, const uint8_t* c, uint8_t* pixels, int64_t n) {
  HWY_DYNAMIC_DISPATCH(join_bytes)(a, b, c, pixels, n);
}
void join3(const float* a, const float* b, const float* c, uint8_t* pixels, int64_t n) {
  HWY_DYNAMIC_DISPATCH(join_floats)(a, b, c, pixels, n);
}
void scale_bytes(const uint8_t* x, float* out, int64_t n) { HWY_DYNAMIC_DISPATCH(widen)(x, out, n); }
void choose_instructions() {
  static const bool chosen = (cpu::choose_target(), true);
  static_cast<void>(chosen);
}
}  // namespace mt::image
#endif
