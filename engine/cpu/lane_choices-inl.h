// Functions of vectors besides arithmetic, for functions with several ranges. Included once for each CPU instruction set: no include guard.

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

MT_FN bool any(Simd<float>::Mask mask) { return !hn::AllFalse(Simd<float>::D(), mask.m); }
MT_FN bool any(Simd<double>::Mask mask) { return !hn::AllFalse(Simd<double>::D(), mask.m); }

// a b + c, rounded once if the instruction set supports it.
template <class T> MT_FN Simd<T> mul_add(Simd<T> a, Simd<T> b, Simd<T> c) { return Simd<T>(hn::MulAdd(a.v, b.v, c.v)); }

// The smaller one, and the larger one; b if one is NaN.
template <class T> MT_FN Simd<T> least(Simd<T> a, Simd<T> b) { return Simd<T>(hn::Min(a.v, b.v)); }
template <class T> MT_FN Simd<T> greatest(Simd<T> a, Simd<T> b) { return Simd<T>(hn::Max(a.v, b.v)); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
