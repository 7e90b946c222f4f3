// Conversions of 16-bit floats. They use integers, as engine/core/half.h does, with the same results for every instruction set; infinities
// and rounding of Highway's conversions of half depend on the instruction set if the processor has no instruction. If it has one, that
// converts all but NaN, whose bits it changes. 1e5 elements take 3 us by the instruction, 44 to 52 one by one.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/convert.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <type_traits>

#include "engine/cpu/convert.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {
#include "engine/cpu/widened-inl.h"

HWY_INLINE Halves narrowed(std::type_identity<Half>, Floats v) {
  if constexpr (has_instruction) {
    if (HWY_LIKELY(hn::AllFalse(floats, hn::IsNaN(v))))
      return hn::BitCast(halves, hn::DemoteTo(hn::Rebind<hwy::float16_t, decltype(floats)>(), v));
  }
  const auto bits = hn::BitCast(words, v);
  const auto magnitude = hn::And(bits, hn::Set(words, 0x7fffffff));
  const auto sign = hn::ShiftRight<16>(hn::Xor(bits, magnitude));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(words, 1));
  const auto rounded = hn::Add(magnitude, hn::Add(odd, hn::Set(words, 0xfff)));
  const auto normal = hn::ShiftRight<13>(hn::Sub(rounded, hn::Set(words, 0x38000000)));
  // Adding 0.5 shifts the mantissa of a subnormal number into position, and rounds it.
  const auto small =
      hn::Sub(hn::BitCast(words, hn::Add(hn::BitCast(floats, magnitude), hn::Set(floats, 0.5f))), hn::Set(words, 0x3f000000));
  const auto finite = hn::IfThenElse(below(magnitude, 0x38800000), small, normal);
  const auto endless = hn::IfThenElse(below(magnitude, 0x7f800001), hn::Set(words, 0x7c00), hn::Set(words, 0x7e00));
  const auto result = hn::Or(sign, hn::IfThenElse(below(magnitude, 0x47800000), finite, endless));
  return hn::DemoteTo(halves, hn::BitCast(integers, result));
}

HWY_INLINE Halves narrowed(std::type_identity<BFloat16>, Floats v) {
  const auto bits = hn::BitCast(words, v);
  const auto upper = hn::ShiftRight<16>(bits);
  const auto rounded = hn::Add(bits, hn::Add(hn::And(upper, hn::Set(words, 1)), hn::Set(words, 0x7fff)));
  const auto isNaN = hn::RebindMask(words, hn::IsNaN(v));
  const auto result = hn::IfThenElse(isNaN, hn::Or(upper, hn::Set(words, 0x40)), hn::ShiftRight<16>(rounded));
  return hn::DemoteTo(halves, hn::BitCast(integers, result));
}

template <class T> void widen_run(float* to, const T* from, int64_t n) {
  const auto* bits = reinterpret_cast<const uint16_t*>(from);
  const auto lanes = static_cast<int64_t>(hn::Lanes(floats));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(widened(std::type_identity<T>(), hn::LoadU(halves, bits + i)), floats, to + i);
  for (; i < n; ++i) to[i] = from[i];
}

template <class T> void narrow_run(T* to, const float* from, int64_t n) {
  auto* bits = reinterpret_cast<uint16_t*>(to);
  const auto lanes = static_cast<int64_t>(hn::Lanes(floats));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(narrowed(std::type_identity<T>(), hn::LoadU(floats, from + i)), halves, bits + i);
  for (; i < n; ++i) to[i] = T(from[i]);
}

void widen_halves(float* to, const Half* from, int64_t n) { widen_run(to, from, n); }
void widen_bfloats(float* to, const BFloat16* from, int64_t n) { widen_run(to, from, n); }
void narrow_halves(Half* to, const float* from, int64_t n) { narrow_run(to, from, n); }
void narrow_bfloats(BFloat16* to, const float* from, int64_t n) { narrow_run(to, from, n); }

// The compiler vectorises it with the vector width of each instruction set.
#define MT_CONVERT(To, From)                                           \
  void convert_##From##_to_##To(To* to, const From* from, int64_t n) { \
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);  \
  }
MT_PLAIN_CONVERSIONS(MT_CONVERT)
#undef MT_CONVERT

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(widen_halves);
HWY_EXPORT(widen_bfloats);
HWY_EXPORT(narrow_halves);
HWY_EXPORT(narrow_bfloats);

namespace cpu {

void widen(float* to, const Half* from, int64_t n) { HWY_DYNAMIC_DISPATCH(widen_halves)(to, from, n); }
void widen(float* to, const BFloat16* from, int64_t n) { HWY_DYNAMIC_DISPATCH(widen_bfloats)(to, from, n); }
void narrow(Half* to, const float* from, int64_t n) { HWY_DYNAMIC_DISPATCH(narrow_halves)(to, from, n); }
void narrow(BFloat16* to, const float* from, int64_t n) { HWY_DYNAMIC_DISPATCH(narrow_bfloats)(to, from, n); }

#define MT_CONVERT(To, From)            \
  HWY_EXPORT(convert_##From##_to_##To); \
  void convert(To* to, const From* from, int64_t n) { HWY_DYNAMIC_DISPATCH(convert_##From##_to_##To)(to, from, n); }
MT_PLAIN_CONVERSIONS(MT_CONVERT)
#undef MT_CONVERT

}  // namespace cpu
}  // namespace mt
#endif
