// Positions in the lanes of a vector, stored as int64. Included once for each CPU instruction set, after Highway; no include guard.

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

template <class DI, class V> HWY_INLINE void store_positions(DI di, V positions, int64_t* to) {
  if constexpr (sizeof(hwy::HWY_NAMESPACE::TFromD<DI>) == sizeof(int64_t)) {
    hwy::HWY_NAMESPACE::StoreU(positions, di, to);
  } else {
    const hwy::HWY_NAMESPACE::Half<DI> half;
    const hwy::HWY_NAMESPACE::Rebind<int64_t, decltype(half)> wide;
    hwy::HWY_NAMESPACE::StoreU(hwy::HWY_NAMESPACE::PromoteTo(wide, hwy::HWY_NAMESPACE::LowerHalf(half, positions)), wide, to);
    hwy::HWY_NAMESPACE::StoreU(hwy::HWY_NAMESPACE::PromoteTo(wide, hwy::HWY_NAMESPACE::UpperHalf(half, positions)), wide,
                               to + hwy::HWY_NAMESPACE::Lanes(half));
  }
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
