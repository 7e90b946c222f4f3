// Vectors of 16-bit floats as float32: included inside the namespace of each instruction set, no include guard.

namespace hn = hwy::HWY_NAMESPACE;

constexpr bool has_instruction = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2;

constexpr hn::ScalableTag<float> floats;
constexpr hn::RebindToUnsigned<decltype(floats)> words;
constexpr hn::RebindToSigned<decltype(floats)> integers;
constexpr hn::Rebind<uint16_t, decltype(floats)> halves;
using Floats = hn::Vec<decltype(floats)>;
using Halves = hn::Vec<decltype(halves)>;

// Floats without a sign compare in the same order as integers.
template <class V> HWY_INLINE auto below(V x, int32_t limit) {
  return hn::RebindMask(words, hn::Lt(hn::BitCast(integers, x), hn::Set(integers, limit)));
}

HWY_INLINE Floats widened(std::type_identity<Half>, Halves v) {
  if constexpr (has_instruction) {
    const auto converted = hn::PromoteTo(floats, hn::BitCast(hn::Rebind<hwy::float16_t, decltype(floats)>(), v));
    if (HWY_LIKELY(hn::AllFalse(floats, hn::IsNaN(converted)))) return converted;
  }
  const auto bits = hn::PromoteTo(words, v);
  const auto magnitude = hn::And(bits, hn::Set(words, 0x7fff));
  const auto sign = hn::ShiftLeft<16>(hn::Xor(bits, magnitude));
  const auto shifted = hn::ShiftLeft<13>(magnitude);
  const auto normal = hn::Add(shifted, hn::Set(words, 0x38000000));
  const auto endless = hn::Or(shifted, hn::Set(words, 0x7f800000));  // infinity and NaN
  const auto small = hn::Mul(hn::ConvertTo(floats, hn::BitCast(integers, magnitude)), hn::Set(floats, 0x1p-24f));
  const auto finite = hn::IfThenElse(below(magnitude, 0x400), hn::BitCast(words, small), normal);
  return hn::BitCast(floats, hn::Or(sign, hn::IfThenElse(below(magnitude, 0x7c00), finite, endless)));
}

HWY_INLINE Floats widened(std::type_identity<BFloat16>, Halves v) {
  return hn::BitCast(floats, hn::ShiftLeft<16>(hn::PromoteTo(words, v)));
}
