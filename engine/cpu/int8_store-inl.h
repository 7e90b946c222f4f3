// How floats become 8-bit integers in vectors: included inside the namespace of each instruction set, no include guard.

using Floats = hn::CappedTag<float, int8_panel>;  // a panel has a whole number of vectors
using Integers = hn::Rebind<int32_t, Floats>;

// A number within bounds; NaN becomes the least one. x86's instructions return their second operand for NaN; others return NaN.
template <class V> HWY_INLINE V bounded(V v, V least, V most) {
#if HWY_ARCH_X86
  return hn::Min(hn::Max(v, least), most);
#else
  v = hn::IfThenElse(hn::Ge(v, least), v, least);
  return hn::IfThenElse(hn::Le(v, most), v, most);
#endif
}

// Rounds (half to even), adds a zero point and stores integers within the bounds of T. Numbers are bounded first, so that the sum with
// 1.5 * 2^23 has them rounded in its lowest bits.
template <class T> HWY_INLINE void store_integers(hn::Vec<Floats> v, int32_t zero, T* to) {
  const Floats d;
  const Integers di;
  constexpr float shift = 12582912.0F;
  const auto least = hn::Set(d, static_cast<float>(std::numeric_limits<T>::min() - zero)),
             most = hn::Set(d, static_cast<float>(std::numeric_limits<T>::max() - zero)), shifts = hn::Set(d, shift);
  const auto offset = hn::Sub(hn::BitCast(di, shifts), hn::Set(di, zero));
  const auto integers = hn::Sub(hn::BitCast(di, hn::Add(bounded(v, least, most), shifts)), offset);
  const hn::Rebind<T, Floats> narrow;
  hn::StoreU(hn::DemoteTo(narrow, integers), narrow, to);
}

template <class T> HWY_INLINE void store_floats(hn::Vec<Floats> v, int32_t zero, T* to) {
  if constexpr (std::is_same_v<T, float>)
    hn::StoreU(v, Floats(), to);
  else
    store_integers(v, zero, to);
}
