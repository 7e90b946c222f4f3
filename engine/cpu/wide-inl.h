// Applies functions of one element, in long double, lane by lane. Included once for each CPU instruction set, between
// HWY_BEFORE_NAMESPACE() and HWY_AFTER_NAMESPACE() in the namespace of the instruction set; no include guard.

// F::of is a function of as many numbers as there are operands.
template <class F, class... V> MT_FN auto element(const F&, V... operands) {
  using Vector = std::common_type_t<V...>;
  using T = typename Vector::Element;
  const typename Vector::D d;
  constexpr size_t most = HWY_MAX_BYTES / sizeof(T);
  HWY_ALIGN T lanes[sizeof...(V)][most];
  T* from = lanes[0];
  ((hn::Store(operands.v, d, from), from += most), ...);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    lanes[0][i] = [&]<size_t... I>(std::index_sequence<I...>) { return static_cast<T>(F::of(static_cast<long double>(lanes[I][i])...)); }
    (std::index_sequence_for<V...>());
  }
  return Vector(hn::Load(d, lanes[0]));
}
