// Fourier transforms of rows of any length: in four steps or, if the length has a large prime factor, as a convolution whose length has
// only small ones. Included once for each CPU instruction set, after fft_rows-inl.h; no include guard.
//
// Source: Bluestein (1970), "A linear filtering approach to the computation of discrete Fourier transform": with j k = (j^2 + k^2 - (k -
// j)^2) / 2 the transform is c_k sum_j (x_j c_j) conj(c_(k - j)), where c_k = exp(-pi i k^2 / n).

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

// The operands of the convolution: c, [n][2], and the transform of conj(c) around 0, over the length of the convolution, [length][2].
template <class T> struct Chirp {
  int64_t n, length;
  cpu::Lines<T> c, spectrum;

  Chirp(int64_t points, bool inverse) : n(points), length(cpu::convolution_length(2 * points - 1)) {
    std::vector<double> around(static_cast<size_t>(2 * length));
    int64_t square = 0;  // k^2 modulo 2 n
    for (int64_t k = 0; k < n; ++k) {
      const cpu::Root root = cpu::root_of_unity(square, 2 * n);
      square = (square + 2 * k + 1) % (2 * n);
      const double im = inverse ? -root.im : root.im;
      c.push_back(static_cast<T>(root.re));
      c.push_back(static_cast<T>(im));
      for (const int64_t place : {k, (length - k) % length}) {
        around[static_cast<size_t>(2 * place)] = root.re / static_cast<double>(length);
        around[static_cast<size_t>(2 * place + 1)] = -im / static_cast<double>(length);
      }
    }
    const FourSteps<double> steps(length, false, true, true);
    const cpu::Elements<double> scratch(steps.scratch_elements());
    std::vector<double> transformed(around.size());
    steps.run({around.data(), nullptr, 0}, {transformed.data(), nullptr, 0}, 1, scratch.data());
    spectrum.assign(transformed.begin(), transformed.end());
  }
};

// Multiplies the complex numbers (2 i, 2 i + 1) of one list by those of another, conjugate or not.
template <class T> MT_FN void multiply_pairs(const T* a, const T* b, T* product, int64_t count) {
  const int64_t lanes = lanes_of<T>();
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto x = load_row<T, true>({const_cast<T*>(a) + 2 * i, nullptr, 0}, 0),
               y = load_row<T, true>({const_cast<T*>(b) + 2 * i, nullptr, 0}, 0);
    store_row<T, true>(multiplied(x, y.re, y.im), {product + 2 * i, nullptr, 0}, 0, Simd<T>(1));
  }
  for (; i < count; ++i) {
    const T re = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
    product[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
    product[2 * i] = re;
  }
}

template <class T> class Convolution {
 public:
  Convolution(int64_t n, bool inverse)
      : chirp_(cpu::kept_plan<Chirp<T>>(n, inverse)),
        forward_(chirp_->length, false, true, true),
        backward_(chirp_->length, true, true, true) {}

  int64_t scratch_elements() const { return 4 * chirp_->length + std::max(forward_.scratch_elements(), backward_.scratch_elements()); }

  void run(Rows<T> from, Rows<T> to, T scale, T* scratch) const {
    const int64_t n = chirp_->n, length = chirp_->length;
    T *const a = scratch, *const b = scratch + 2 * length, *const rest = scratch + 4 * length;
    const T* x = from.re;
    if (!from.alternate()) {
      for (int64_t i = 0; i < n; ++i) {
        b[2 * i] = from.re[i];
        b[2 * i + 1] = from.im[i];
      }
      x = b;
    }
    multiply_pairs(x, chirp_->c.data(), a, n);
    std::fill(a + 2 * n, a + 2 * length, T(0));
    forward_.run({a, nullptr, 0}, {b, nullptr, 0}, 1, rest);
    multiply_pairs(b, chirp_->spectrum.data(), b, length);
    backward_.run({b, nullptr, 0}, {a, nullptr, 0}, scale, rest);
    if (to.alternate()) return multiply_pairs(a, chirp_->c.data(), to.re, n);
    multiply_pairs(a, chirp_->c.data(), a, n);
    for (int64_t i = 0; i < n; ++i) {
      to.re[i] = a[2 * i];
      to.im[i] = a[2 * i + 1];
    }
  }

 private:
  std::shared_ptr<const Chirp<T>> chirp_;
  FourSteps<T> forward_, backward_;
};

template <class T> class AnyLength {
 public:
  AnyLength(int64_t n, bool inverse, bool from_alternate, bool to_alternate) : n_(n) {
    if (cpu::has_small_factors(n))
      steps_.emplace(n, inverse, from_alternate, to_alternate);
    else
      convolution_.emplace(n, inverse);
  }

  int64_t scratch_elements() const { return steps_ ? steps_->scratch_elements() : convolution_->scratch_elements(); }

  // from and to must not overlap. Results with alternating parts are multiplied by scale; for others it must be 1.
  void run(Rows<T> from, Rows<T> to, T scale, T* scratch, const Ahead<T>& ahead = {}) const {
    if (steps_)
      steps_->run(from, to, scale, scratch, ahead);
    else
      convolution_->run(from, to, scale, scratch);
  }

  // Allocates memory, and uses several threads if the row is long enough.
  void run_alone(Rows<T> from, Rows<T> to, T scale) const {
    constexpr int64_t least_to_share = 16384;
    if (steps_ && n_ >= least_to_share) return steps_->run_parallel(from, to, scale);
    const cpu::Elements<T> scratch(scratch_elements());
    run(from, to, scale, scratch.data());
  }

 private:
  int64_t n_;
  std::optional<FourSteps<T>> steps_;
  std::optional<Convolution<T>> convolution_;
};

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
