// Fourier transforms down columns: a vector's lanes are adjacent columns, so that a pass is arithmetic of full vectors. Included once for
// each CPU instruction set, after fft_butterflies-inl.h; no include guard.

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

template <class T> MT_FN int64_t lanes_of() { return static_cast<int64_t>(hn::Lanes(typename Simd<T>::D())); }

// Rows of complex numbers, `step` elements from one to the next: real and imaginary parts in separate memory, or alternating in `re`.
template <class T> struct Rows {
  T *re, *im;
  int64_t step;

  bool alternate() const { return im == nullptr; }
  Rows at_column(int64_t column) const { return alternate() ? Rows{re + 2 * column, im, step} : Rows{re + column, im + column, step}; }
};

// Rows of vectors, first the real parts and then the imaginary parts.
template <class T> MT_FN Rows<T> split_rows(T* first) { return {first, first + lanes_of<T>(), 2 * lanes_of<T>()}; }

// Converts two vectors of alternating real and imaginary parts to one of real and one of imaginary parts, only by exchanges of neighbours:
// lane i gets number cpu::lane_of_pair(i). The same exchange converts back.
template <class T> MT_FN Complex<T> exchanged(Complex<T> x) {
  return {Simd<T>(hn::OddEven(hn::DupEven(x.im.v), x.re.v)), Simd<T>(hn::OddEven(x.im.v, hn::DupOdd(x.re.v)))};
}
MT_FN Complex<double> exchanged(Complex<double> x) {
  const Simd<double>::D d;
  return {Simd<double>(hn::InterleaveLower(d, x.re.v, x.im.v)), Simd<double>(hn::InterleaveUpper(d, x.re.v, x.im.v))};
}

template <class T> MT_FN Simd<T> load_vector(const T* p) { return Simd<T>(hn::LoadU(typename Simd<T>::D(), p)); }
template <class T> MT_FN void store_vector(Simd<T> v, T* p) { hn::StoreU(v.v, typename Simd<T>::D(), p); }

template <class T, bool alternate> MT_FN Complex<T> load_row(const Rows<T>& rows, int64_t row) {
  if constexpr (alternate) {
    const T* const p = rows.re + row * rows.step;
    return exchanged(Complex<T>{load_vector(p), load_vector(p + lanes_of<T>())});
  } else {
    return {load_vector(rows.re + row * rows.step), load_vector(rows.im + row * rows.step)};
  }
}

template <class T, bool alternate> MT_FN void store_row(Complex<T> x, const Rows<T>& rows, int64_t row, Simd<T> scale) {
  if constexpr (alternate) {
    T* const p = rows.re + row * rows.step;
    const Complex<T> pairs = exchanged(Complex<T>{x.re * scale, x.im * scale});
    store_vector(pairs.re, p);
    store_vector(pairs.im, p + lanes_of<T>());
  } else {
    store_vector(x.re, rows.re + row * rows.step);
    store_vector(x.im, rows.im + row * rows.step);
  }
}

// Copies the rows of the first columns of a vector to full vectors, and back.
template <class T> void gather(const Rows<T>& from, int64_t n, int64_t columns, const Rows<T>& to) {
  const int64_t lanes = lanes_of<T>();
  HWY_ALIGN T pairs[2 * HWY_MAX_BYTES / sizeof(T)] = {};
  for (int64_t row = 0; row < n; ++row) {
    Complex<T> x;
    if (from.alternate()) {
      std::copy_n(from.re + row * from.step, 2 * columns, pairs);
      x = exchanged(Complex<T>{load_vector(pairs), load_vector(pairs + lanes)});
    } else {
      x = {load_some(from.re + row * from.step, columns), load_some(from.im + row * from.step, columns)};
    }
    store_row<T, false>(x, to, row, Simd<T>(1));
  }
}

template <class T> void scatter(const Rows<T>& from, int64_t n, int64_t columns, const Rows<T>& to, T scale) {
  HWY_ALIGN T pairs[2 * HWY_MAX_BYTES / sizeof(T)];
  const Rows<T> aside{pairs, nullptr, 0};
  for (int64_t row = 0; row < n; ++row) {
    const Complex<T> x = load_row<T, false>(from, row);
    if (to.alternate()) {
      store_row<T, true>(x, aside, 0, Simd<T>(scale));
      std::copy_n(pairs, 2 * columns, to.re + row * to.step);
    } else {
      store_some(x.re, to.re + row * to.step, columns);
      store_some(x.im, to.im + row * to.step, columns);
    }
  }
}

// The rows for a butterfly's results: in natural order; in reverse order after row 0 for the inverse transform.
struct ResultRows {
  int64_t first, start, step;
  int64_t operator[](int64_t k) const { return k == 0 ? first : start + k * step; }
};

template <class T> MT_FN ResultRows result_rows(const typename cpu::ColumnPlan<T>::Pass& pass, int64_t p, int64_t q, bool backwards) {
  const int64_t row = q + pass.s * pass.radix * p, n = pass.s * pass.radix;
  if (!backwards) return {row, row, pass.s};
  return {q == 0 ? 0 : n - q, n - q, -pass.s};
}

template <class T, int radix, bool from_alternate, bool to_alternate>
void run_pass(const typename cpu::ColumnPlan<T>::Pass& pass, const Rows<T>& from, const Rows<T>& to, bool backwards, T scale) {
  const int64_t m = pass.m, s = pass.s;
  const Simd<T> factor(scale);
  for (int64_t p = 0; p < m; ++p) {
    const T* const twiddles = pass.twiddles + 2 * (radix - 1) * p;
    for (int64_t q = 0; q < s; ++q) {
      Complex<T> x[radix];
      repeat<radix>([&](auto j) __attribute__((always_inline)) { x[j] = load_row<T, from_alternate>(from, q + s * (p + m * j)); });
      Butterfly<T, radix>::run(x);
      if (p > 0) {
        repeat<radix - 1>([&](auto k) __attribute__((always_inline)) {
          x[k + 1] = multiplied(x[k + 1], Simd<T>(twiddles[2 * k]), Simd<T>(twiddles[2 * k + 1]));
        });
      }
      const ResultRows rows = result_rows<T>(pass, p, q, backwards);
      repeat<radix>([&](auto k) __attribute__((always_inline)) { store_row<T, to_alternate>(x[k], to, rows[k], factor); });
    }
  }
}

// A radix without specialised code: parts are separate on both sides.
template <class T>
void run_odd_pass(const typename cpu::ColumnPlan<T>::Pass& pass, const Rows<T>& from, const Rows<T>& to, bool backwards) {
  const int64_t m = pass.m, s = pass.s;
  const int radix = pass.radix;
  Complex<T> x[cpu::most_of_a_radix];
  for (int64_t p = 0; p < m; ++p) {
    const T* const twiddles = pass.twiddles + 2 * (radix - 1) * p;
    for (int64_t q = 0; q < s; ++q) {
      for (int j = 0; j < radix; ++j) x[j] = load_row<T, false>(from, q + s * (p + m * j));
      odd_butterfly(x, radix, pass.roots);
      const ResultRows rows = result_rows<T>(pass, p, q, backwards);
      for (int k = 0; k < radix; ++k) {
        if (k > 0 && p > 0) x[k] = multiplied(x[k], Simd<T>(twiddles[2 * k - 2]), Simd<T>(twiddles[2 * k - 1]));
        store_row<T, false>(x[k], to, rows[k], Simd<T>(1));
      }
    }
  }
}

// Whether a pass of this radix can read and write alternating real and imaginary parts directly.
inline bool takes_pairs(int radix) { return radix == 2 || radix == 3 || radix == 4 || radix == 5 || radix == 8 || radix == 16; }

template <class T, int radix>
void run_pass_of(const typename cpu::ColumnPlan<T>::Pass& pass, const Rows<T>& from, const Rows<T>& to, bool backwards, T scale) {
  if (from.alternate() && to.alternate()) return run_pass<T, radix, true, true>(pass, from, to, backwards, scale);
  if (from.alternate()) return run_pass<T, radix, true, false>(pass, from, to, backwards, scale);
  if (to.alternate()) return run_pass<T, radix, false, true>(pass, from, to, backwards, scale);
  return run_pass<T, radix, false, false>(pass, from, to, backwards, scale);
}

template <class T>
void dispatch_pass(const typename cpu::ColumnPlan<T>::Pass& pass, const Rows<T>& from, const Rows<T>& to, bool backwards, T scale) {
  switch (pass.radix) {
    case 2:
      return run_pass_of<T, 2>(pass, from, to, backwards, scale);
    case 3:
      return run_pass_of<T, 3>(pass, from, to, backwards, scale);
    case 4:
      return run_pass_of<T, 4>(pass, from, to, backwards, scale);
    case 5:
      return run_pass_of<T, 5>(pass, from, to, backwards, scale);
    case 7:
      return run_pass<T, 7, false, false>(pass, from, to, backwards, scale);
    case 8:
      return run_pass_of<T, 8>(pass, from, to, backwards, scale);
    case 16:
      return run_pass_of<T, 16>(pass, from, to, backwards, scale);
    default:
      return run_odd_pass<T>(pass, from, to, backwards);
  }
}

// Transforms columns of plan.n rows, at most a vector's: the first `from_columns` are read, the first `to_columns` are written.
// `scale` multiplies only results with alternating parts. scratch: 4 lanes plan.n elements, whose first half may hold `from`, as
// split_rows.
template <class T> void transform_columns(const cpu::ColumnPlan<T>& plan, const Rows<T>& from, int64_t from_columns, const Rows<T>& to,
                                          int64_t to_columns, bool inverse, T scale, T* scratch) {
  const int64_t lanes = lanes_of<T>();
  const Rows<T> one = split_rows(scratch), other = split_rows(scratch + 2 * lanes * plan.n);
  const auto direct = [&](const Rows<T>& rows, int64_t columns, bool front) {
    if (columns < lanes || plan.passes.empty()) return false;
    return !rows.alternate() || takes_pairs((front ? plan.passes.front() : plan.passes.back()).radix);
  };
  const Rows<T>* source = &from;
  if (from.re == scratch) {
    source = &one;
  } else if (!direct(from, from_columns, true)) {
    gather(from, plan.n, from_columns, one);
    source = &one;
  }
  const bool direct_to = direct(to, to_columns, false);
  for (const auto& pass : plan.passes) {
    const bool last = &pass == &plan.passes.back();
    const Rows<T>* const target = last && direct_to ? &to : source == &one ? &other : &one;
    dispatch_pass<T>(pass, *source, *target, last && inverse, scale);
    source = target;
  }
  if (!direct_to) scatter(*source, plan.n, to_columns, to, scale);
}

// Transposes a square of vectors.
template <class T, int lanes> struct Square {
  Simd<T> row[lanes];

  // Pairs of rows `step` apart exchange their off-diagonal parts of that many lanes.
  template <int step> MT_FN void exchange() {
    repeat<lanes>([&](auto i) __attribute__((always_inline)) {
      if constexpr ((i & step) == 0) exchange_parts<step>(row[i], row[i + step]);
    });
  }

  template <int step> static MT_FN void exchange_parts(Simd<T>& a, Simd<T>& b) {
    using D = typename Simd<T>::D;
    const D d;
    const auto x = a.v, y = b.v;
    constexpr size_t bytes = step * sizeof(T);
    if constexpr (bytes == 4) {
      a.v = hn::OddEven(hn::DupEven(y), x);
      b.v = hn::OddEven(y, hn::DupOdd(x));
    } else if constexpr (bytes == 8) {
      const hn::Repartition<double, D> pairs;
      const auto u = hn::BitCast(pairs, x), v = hn::BitCast(pairs, y);
      a.v = hn::BitCast(d, hn::InterleaveLower(pairs, u, v));
      b.v = hn::BitCast(d, hn::InterleaveUpper(pairs, u, v));
    } else if constexpr (2 * step == lanes) {
      a.v = hn::ConcatLowerLower(d, y, x);
      b.v = hn::ConcatUpperUpper(d, y, x);
    } else {
      a.v = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(y), x);
      b.v = hn::OddEvenBlocks(y, hn::SwapAdjacentBlocks(x));
    }
  }

  MT_FN void transpose() {
    exchange<1>();
    if constexpr (lanes > 2) exchange<2>();
    if constexpr (lanes > 4) exchange<4>();
    if constexpr (lanes > 8) exchange<8>();
  }
};

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
