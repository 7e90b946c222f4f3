// Sums and moments of rows in vectors, and the arithmetic of normalisation. Included once for each CPU instruction set, after
// first_lanes-inl.h; no include guard.

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

constexpr int64_t run_length = 512;  // elements that are summed in their own type

// The number of elements in a vector: all its lanes, or some.
struct AllLanes {};
struct FirstLanes {
  int64_t count;
};

template <class T> MT_FN Simd<T> load(const T* p, AllLanes) { return Simd<T>(hn::LoadU(typename Simd<T>::D(), p)); }
template <class T> MT_FN Simd<T> load(const T* p, FirstLanes some) { return load_some(p, some.count); }
template <class T> MT_FN void store(Simd<T> v, T* p, AllLanes) { hn::StoreU(v.v, typename Simd<T>::D(), p); }
template <class T> MT_FN void store(Simd<T> v, T* p, FirstLanes some) { store_some(v, p, some.count); }
template <class T> MT_FN Simd<T> first_of(Simd<T> v, AllLanes) { return v; }
template <class T> MT_FN Simd<T> first_of(Simd<T> v, FirstLanes some) {
  return Simd<T>(hn::IfThenElseZero(hn::FirstN(typename Simd<T>::D(), static_cast<size_t>(some.count)), v.v));
}
template <class T> MT_FN Simd<T> mul_add(Simd<T> a, Simd<T> b, Simd<T> c) { return Simd<T>(hn::MulAdd(a.v, b.v, c.v)); }

// Calls f(i, size) for the vectors of a row.
template <class T, class F> MT_FN void each_vector(int64_t n, F f) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(typename Simd<T>::D()));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f(i, AllLanes());
  if (i < n) f(i, FirstLanes{n - i});
}

struct Sums {
  double first = 0, second = 0;
};

// Computes two sums over a row: f(i, size, a, b) adds to both, nothing beyond size.
template <class T, class F> MT_FN Sums sum_row(int64_t n, F f) {
  using V = Simd<T>;
  const typename V::D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  Sums total;
  for (int64_t begin = 0; begin < n; begin += run_length) {
    const int64_t end = std::min(n, begin + run_length);
    V a0(0), a1(0), a2(0), a3(0), b0(0), b1(0), b2(0), b3(0);
    int64_t i = begin;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      f(i, AllLanes(), a0, b0);
      f(i + lanes, AllLanes(), a1, b1);
      f(i + 2 * lanes, AllLanes(), a2, b2);
      f(i + 3 * lanes, AllLanes(), a3, b3);
    }
    for (; i + lanes <= end; i += lanes) f(i, AllLanes(), a0, b0);
    if (i < end) f(i, FirstLanes{end - i}, a0, b0);
    total.first += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, ((a0 + a1) + (a2 + a3)).v)));
    total.second += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, ((b0 + b1) + (b2 + b3)).v)));
  }
  return total;
}

// (x - mean) factor + bias: subtracts the mean rounded to T, then adds the rounding error.
template <class T> struct Normal {
  Simd<T> mean, factor, shift;

  Normal() = default;
  Normal(double m, double scale, double bias = 0) : mean(static_cast<T>(m)), factor(static_cast<T>(scale)) {
    shift = Simd<T>(static_cast<T>(bias - (m - static_cast<double>(static_cast<T>(m))) * scale));
  }
  MT_FN Simd<T> operator()(Simd<T> x) const { return Simd<T>(hn::MulAdd((x - mean).v, factor.v, shift.v)); }
};

struct Moments {
  double mean, squares;  // squares: the mean square of differences to it
};

// Moments from differences to `centre`, which should be near the mean: else they are imprecise, and `near` becomes false.
template <class T> MT_FN Moments moments_of(const T* x, int64_t n, T centre, bool& near) {
  using V = Simd<T>;
  const V middle(centre);
  const Sums sums = sum_row<T>(n, [&](int64_t i, auto size, V& sum, V& squares) HWY_ATTR {
    const V off = first_of(load(x + i, size) - middle, size);
    sum = sum + off;
    squares = mul_add(off, off, squares);
  });
  const auto count = static_cast<double>(n);
  const double off = sums.first / count, variance = sums.second / count - off * off;
  near = off * off <= 4 * variance;
  return {static_cast<double>(centre) + off, std::max(0.0, variance)};
}

template <class T> MT_FN Moments moments(const T* x, int64_t n) {
  constexpr int64_t sample = 32;  // elements, whose mean is the centre
  const int64_t some = std::min(n, sample);
  const double sum = sum_row<T>(some, [&](int64_t i, auto size, Simd<T>& a, Simd<T>&) HWY_ATTR { a = a + load(x + i, size); }).first;
  bool near = false;
  const Moments found = moments_of(x, n, static_cast<T>(sum / static_cast<double>(some)), near);
  return near ? found : moments_of(x, n, static_cast<T>(found.mean), near);
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
