// The type of values in functors: a SIMD vector of float or double (Highway), or one element of any other type. Included once for each
// CPU instruction set, between HWY_BEFORE_NAMESPACE() and HWY_AFTER_NAMESPACE(); no include guard. Its elementary functions:
// functions-inl.h.

#include <hwy/highway.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#define MT_FN HWY_INLINE

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Loads the elements at p that a mask from FirstN selects, the rest as 0. Highway's MaskedLoad reads full vectors before AVX2, and aligned,
// and on AVX2 for elements below 32 bits: it may read past the end of memory, or fault on odd addresses.
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

// Stores the elements that a mask from FirstN selects at p. Highway's BlendedStore writes full vectors on ARM, with the former elements of
// the other lanes: it would undo what another thread stores there meanwhile, or fault behind the end of memory.
template <class M, class D> MT_FN void store_first(hn::Vec<D> v, M mask, D d, hn::TFromD<D>* p) {
  using T = hn::TFromD<D>;
  if constexpr (HWY_TARGET <= HWY_AVX3 || (HWY_TARGET <= HWY_AVX2 && sizeof(T) >= 4)) {
    hn::BlendedStore(v, mask, d, p);
  } else {
    alignas(64) T all[hn::MaxLanes(d)];
    hn::Store(v, d, all);
    std::memcpy(p, all, hn::CountTrue(d, mask) * sizeof(T));
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
template <class T> MT_FN Scalar<T> abs(Scalar<T> a) { return a.v < T(0) ? Scalar<T>(T(0)) - a : a; }  // the least integer stays negative
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
  // Highway 1.0.3 computes NaN != NaN as false on AVX-512.
  friend MT_FN Mask operator!=(Simd a, Simd b) { return {hn::Not(hn::Eq(a.v, b.v))}; }
  friend MT_FN Simd select(Mask m, Simd a, Simd b) { return Simd(hn::IfThenElse(m.m, a.v, b.v)); }
  friend MT_FN Simd abs(Simd a) { return Simd(hn::Abs(a.v)); }
  friend MT_FN Simd sqrt(Simd a) { return Simd(hn::Sqrt(a.v)); }
  friend MT_FN Simd floor(Simd a) { return Simd(hn::Floor(a.v)); }
  friend MT_FN Simd ceil(Simd a) { return Simd(hn::Ceil(a.v)); }
  friend MT_FN Simd trunc(Simd a) { return Simd(hn::Trunc(a.v)); }
  friend MT_FN Simd copysign(Simd magnitude, Simd sign) { return Simd(hn::CopySign(magnitude.v, sign.v)); }
  // Rounds halves away from zero. Adding 0.5 must not round up the largest float below a half, so the added part decides.
  friend MT_FN Simd round(Simd a) {
    const Simd whole = trunc(a), rest = abs(a - whole);
    return copysign(select(rest >= Simd(0.5), abs(whole) + Simd(1), abs(whole)), a);
  }
};

// Applies a function of one element to each lane.
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

// Exact: a quotient that T represents as an integer is right or 1 too large, and T represents the remainder of the fused multiply-subtract.
template <class T> MT_FN Simd<T> fmod(Simd<T> a, Simd<T> b) {
#if HWY_NATIVE_FMA
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
