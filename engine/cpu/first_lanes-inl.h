// Loads and stores of the first lanes of a vector, for the last elements of a row. Included once for each CPU instruction set, after
// lane-inl.h; no include guard.

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

template <class T> MT_FN Simd<T> load_some(const T* p, int64_t count) {
  const typename Simd<T>::D d;
  if (count == static_cast<int64_t>(hn::Lanes(d))) return Simd<T>(hn::LoadU(d, p));
  return Simd<T>(load_first(hn::FirstN(d, static_cast<size_t>(count)), d, p));
}
template <class T> MT_FN void store_some(Simd<T> v, T* p, int64_t count) {
  const typename Simd<T>::D d;
  if (count == static_cast<int64_t>(hn::Lanes(d)))
    hn::StoreU(v.v, d, p);
  else
    store_first(v.v, hn::FirstN(d, static_cast<size_t>(count)), d, p);
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
