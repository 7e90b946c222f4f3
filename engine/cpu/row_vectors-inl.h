// Covers rows by full vectors, the last of which repeats columns: without masks or single elements. Included once for each CPU instruction
// set, after Highway; no include guard.

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

constexpr int64_t narrowest_row = 4;

// Calls f(tag of the widest vectors that have at most `widest` lanes and fit into `columns`, at least
// narrowest_row).
template <class T, size_t widest = 16, class F> HWY_INLINE void with_row_vectors(int64_t columns, F&& f) {
  const hwy::HWY_NAMESPACE::CappedTag<T, widest> wide;
  const hwy::HWY_NAMESPACE::CappedTag<T, 8> middle;
  if (columns >= static_cast<int64_t>(hwy::HWY_NAMESPACE::Lanes(wide))) return f(wide);
  if (columns >= static_cast<int64_t>(hwy::HWY_NAMESPACE::Lanes(middle))) return f(middle);
  f(hwy::HWY_NAMESPACE::CappedTag<T, narrowest_row>());
}

// Calls f(first column, number of the vector's columns already covered) for the vectors of a row. One call of f, so that it is inlined.
template <class D, class F> HWY_INLINE void each_row_vector(D d, int64_t columns, F&& f) {
  const auto lanes = static_cast<int64_t>(hwy::HWY_NAMESPACE::Lanes(d));
  for (int64_t done = 0; done < columns; done += lanes) {
    const int64_t first = done + lanes <= columns ? done : columns - lanes;
    f(first, done - first);
  }
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
