// Fourier transforms from and to real numbers. Two rows become the real and the imaginary part of one complex row; a long or single row
// becomes one of half the length if its length is even. Included once for each CPU instruction set, after fft_any-inl.h; no include guard.

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

constexpr int64_t longest_pair = 512;  // up to this length, rows are transformed in pairs if there are several

template <class T> MT_FN Complex<T> load_pairs(const T* p) { return load_row<T, true>({const_cast<T*>(p), nullptr, 0}, 0); }
template <class T> MT_FN void store_pairs(Complex<T> x, T* p) { store_row<T, true>(x, {p, nullptr, 0}, 0, Simd<T>(1)); }

// Reverses vectors of consecutive numbers. Lanes of exchanged pairs are reversed as others are.
template <class T> MT_FN Complex<T> reversed(Complex<T> x) {
  const typename Simd<T>::D d;
  return {Simd<T>(hn::Reverse(d, x.re.v)), Simd<T>(hn::Reverse(d, x.im.v))};
}

// Converts between the transform of n real numbers and that of n / 2 complex ones, whose real parts are the even numbers and whose
// imaginary parts are the odd ones: for s = x_k + conj(x_(h - k)), d = x_k - conj(x_(h - k)), h = n / 2, number k is s weight + d t_k and
// number h - k the conjugate of s weight - d t_k, where t_k is -i exp(-2 pi i k / n) / 2, or i exp(2 pi i k / n) for the inverse.
template <class T> struct Halves {
  int64_t h, blocks;  // of `lanes` numbers from 1 on, and as many from the end
  T weight;
  cpu::Lines<T> t;  // for blocks, as vectors; then for single numbers up to h / 2

  Halves(int64_t n, bool back) : h(n / 2), blocks((h - 1) / (2 * lanes_of<T>())), weight(static_cast<T>(back ? 1 : 0.5)) {
    const int64_t lanes = lanes_of<T>();
    const auto factor = [&](int64_t k) {
      const cpu::Root w = cpu::root_of_unity(k, n);
      return back ? cpu::Root{w.im, w.re} : cpu::Root{w.im / 2, -w.re / 2};
    };
    for (int64_t block = 0; block < blocks; ++block) {
      for (int64_t i = 0; i < lanes; ++i) t.push_back(static_cast<T>(factor(1 + block * lanes + cpu::lane_of_pair(i, lanes)).re));
      for (int64_t i = 0; i < lanes; ++i) t.push_back(static_cast<T>(factor(1 + block * lanes + cpu::lane_of_pair(i, lanes)).im));
    }
    for (int64_t k = 1 + blocks * lanes; k <= h / 2; ++k) {
      t.push_back(static_cast<T>(factor(k).re));
      t.push_back(static_cast<T>(factor(k).im));
    }
  }

  // Converts the numbers 1 to h - 1; `to` may be `from`.
  void fold(const T* from, T* to) const {
    constexpr int64_t grain = 2048;
    parallel_for(blocks, grain, [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) fold_block(from, to, block);
    });
    const int64_t first = 1 + blocks * lanes_of<T>();
    for (int64_t k = first; k <= h / 2; ++k) fold_one(from, to, k, t.data() + 2 * (first - 1) + 2 * (k - first));
  }

 private:
  void fold_block(const T* from, T* to, int64_t block) const {
    const int64_t lanes = lanes_of<T>(), low = 1 + block * lanes, high = h - low - lanes + 1;
    const Complex<T> x = load_pairs(from + 2 * low), y = reversed(load_pairs(from + 2 * high));
    const T* const factors = t.data() + 2 * lanes * block;
    const Complex<T> difference{x.re - y.re, x.im + y.im},
        product = multiplied(difference, load_vector(factors), load_vector(factors + lanes));
    const Simd<T> w(weight), re = w * (x.re + y.re), im = w * (x.im - y.im);
    store_pairs(Complex<T>{re + product.re, im + product.im}, to + 2 * low);
    store_pairs(reversed(Complex<T>{re - product.re, product.im - im}), to + 2 * high);
  }

  void fold_one(const T* from, T* to, int64_t k, const T* factor) const {
    const T *const x = from + 2 * k, *const y = from + 2 * (h - k);
    const T re = weight * (x[0] + y[0]), im = weight * (x[1] - y[1]), u = x[0] - y[0], v = x[1] + y[1],
            product_re = u * factor[0] - v * factor[1], product_im = u * factor[1] + v * factor[0];
    to[2 * k] = re + product_re;
    to[2 * k + 1] = im + product_im;
    to[2 * (h - k)] = re - product_re;
    to[2 * (h - k) + 1] = product_im - im;
  }
};

template <class T> class FromReal {
 public:
  FromReal(int64_t n, bool onesided, T scale) : n_(n), size_(onesided ? n / 2 + 1 : n), scale_(scale) {}

  // Transforms consecutive rows of n numbers to rows of frequencies.
  void run_rows(const T* x, T* out, int64_t rows, int64_t grain) const {
    if (rows > 1 && (n_ % 2 != 0 || n_ <= longest_pair)) return run_pairs(x, out, rows, grain);
    if (rows < 2 * num_threads()) {
      for (int64_t row = 0; row < rows; ++row) run_alone(x + row * n_, out + 2 * row * size_);
      return;
    }
    const Half half(n_);
    parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
      const cpu::Elements<T> scratch(half.transform.scratch_elements());
      for (int64_t row = begin; row < end; ++row) {
        T* const to = out + 2 * row * size_;
        T* const first = const_cast<T*>(x) + row * n_;
        half.transform.run({first, nullptr, 0}, {to, nullptr, 0}, scale_, scratch.data(), {{first + n_, n_}, {to + 2 * size_, 2 * size_}});
        finish(half, to);
      }
    });
  }

  void run_alone(const T* x, T* out) const {
    if (n_ % 2 != 0) return run_pairs(x, out, 1, 1);
    const Half half(n_);
    half.transform.run_alone({const_cast<T*>(x), nullptr, 0}, {out, nullptr, 0}, scale_);
    finish(half, out);
  }

 private:
  struct Half {
    AnyLength<T> transform;
    std::shared_ptr<const Halves<T>> halves;
    explicit Half(int64_t n) : transform(n / 2, false, true, true), halves(cpu::kept_plan<Halves<T>>(n, false)) {}
  };

  void finish(const Half& half, T* out) const {
    half.halves->fold(out, out);
    const T re = out[0], im = out[1];
    out[0] = re + im;
    out[n_] = re - im;
    out[1] = out[n_ + 1] = 0;
    mirror(out);
  }

  // Writes the frequencies above the half, if requested.
  void mirror(T* out) const {
    for (int64_t k = n_ / 2 + 1; k < size_; ++k) {
      out[2 * k] = out[2 * (n_ - k)];
      out[2 * k + 1] = -out[2 * (n_ - k) + 1];
    }
  }

  void run_pairs(const T* x, T* out, int64_t rows, int64_t grain) const {
    const AnyLength<T> transform(n_, false, false, true);
    parallel_for((rows + 1) / 2, std::max<int64_t>(1, grain / 2), [&](int64_t begin, int64_t end) {
      const cpu::Elements<T> scratch(5 * n_ + 2 + transform.scratch_elements());
      T *const both = scratch.data(), *const none = both + 2 * n_;
      for (int64_t pair = begin; pair < end; ++pair) {
        const bool single = 2 * pair + 1 == rows;
        T *const first = const_cast<T*>(x) + 2 * pair * n_, *second = first + n_, *to = out + 4 * pair * size_;
        if (single) std::fill_n(second = none, n_, T(0));
        transform.run({first, second, 0}, {both, nullptr, 0}, scale_ / 2, none + 3 * n_ + 2,
                      {{first + 2 * n_, 2 * n_}, {to + 4 * size_, 4 * size_}});
        separate(both, to, single ? none + n_ : to + 2 * size_);
        mirror(to);
        if (!single) mirror(to + 2 * size_);
      }
    });
  }

  // The transforms a and b of two real rows from that of a + i b: (z_k + conj(z_(n - k))) / 2 and (z_k - conj(z_(n - k))) / 2 i.
  void separate(const T* z, T* a, T* b) const {
    const int64_t lanes = lanes_of<T>(), last = n_ / 2;
    a[0] = 2 * z[0];
    b[0] = 2 * z[1];
    a[1] = b[1] = 0;
    int64_t k = 1;
    for (; k + lanes - 1 <= last; k += lanes) {
      const Complex<T> x = load_pairs(z + 2 * k), y = reversed(load_pairs(z + 2 * (n_ - k - lanes + 1)));
      store_pairs(Complex<T>{x.re + y.re, x.im - y.im}, a + 2 * k);
      store_pairs(Complex<T>{x.im + y.im, y.re - x.re}, b + 2 * k);
    }
    for (; k <= last; ++k) {
      const T *const x = z + 2 * k, *const y = z + 2 * (n_ - k);
      a[2 * k] = x[0] + y[0];
      a[2 * k + 1] = x[1] - y[1];
      b[2 * k] = x[1] + y[1];
      b[2 * k + 1] = y[0] - x[0];
    }
  }

  int64_t n_, size_;
  T scale_;
};

template <class T> class ToReal {
 public:
  ToReal(int64_t n, T scale) : n_(n), frequencies_(n / 2 + 1), scale_(scale) {}

  void run_rows(const T* x, T* out, int64_t rows, int64_t grain) const {
    if (rows > 1 && (n_ % 2 != 0 || n_ <= longest_pair)) return run_pairs(x, out, rows, grain);
    if (rows < 2 * num_threads()) {
      for (int64_t row = 0; row < rows; ++row) run_alone(x + 2 * row * frequencies_, out + row * n_);
      return;
    }
    const Half half(n_);
    parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
      const cpu::Elements<T> scratch(n_ + half.transform.scratch_elements());
      for (int64_t row = begin; row < end; ++row) {
        const T* const first = x + 2 * row * frequencies_;
        T* const to = out + row * n_;
        prepare(half, first, scratch.data());
        half.transform.run({scratch.data(), nullptr, 0}, {to, nullptr, 0}, scale_, scratch.data() + n_,
                           {{first + 2 * frequencies_, 2 * frequencies_}, {to + n_, n_}});
      }
    });
  }

  void run_alone(const T* x, T* out) const {
    if (n_ % 2 != 0) return run_pairs(x, out, 1, 1);
    const Half half(n_);
    const cpu::Elements<T> z(n_);
    prepare(half, x, z.data());
    half.transform.run_alone({z.data(), nullptr, 0}, {out, nullptr, 0}, scale_);
  }

 private:
  struct Half {
    AnyLength<T> transform;
    std::shared_ptr<const Halves<T>> halves;
    explicit Half(int64_t n) : transform(n / 2, true, true, true), halves(cpu::kept_plan<Halves<T>>(n, true)) {}
  };

  void prepare(const Half& half, const T* x, T* z) const {
    half.halves->fold(x, z);
    z[0] = x[0] + x[n_];
    z[1] = x[0] - x[n_];
  }

  void run_pairs(const T* x, T* out, int64_t rows, int64_t grain) const {
    const AnyLength<T> transform(n_, true, true, false);
    parallel_for((rows + 1) / 2, std::max<int64_t>(1, grain / 2), [&](int64_t begin, int64_t end) {
      const cpu::Elements<T> scratch(5 * n_ + 2 + transform.scratch_elements());
      T *const both = scratch.data(), *const none = both + 2 * n_;
      for (int64_t pair = begin; pair < end; ++pair) {
        const bool single = 2 * pair + 1 == rows;
        const T *const first = x + 4 * pair * frequencies_, *second = first + 2 * frequencies_;
        T* const to = out + 2 * pair * n_;
        if (single) std::fill_n(none, 2 * frequencies_, T(0));
        join(first, single ? none : second, both);
        transform.run({both, nullptr, 0}, {to, single ? none + 2 * frequencies_ : to + n_, 0}, 1, none + 3 * n_ + 2,
                      {{first + 4 * frequencies_, 4 * frequencies_}, {to + 2 * n_, 2 * n_}});
      }
    });
  }

  // z = a + i b for all frequencies of two real rows.
  void join(const T* a, const T* b, T* z) const {
    const int64_t lanes = lanes_of<T>(), last = (n_ - 1) / 2;
    z[0] = scale_ * a[0];
    z[1] = scale_ * b[0];
    const Simd<T> scale(scale_);
    int64_t k = 1;
    for (; k + lanes - 1 <= last; k += lanes) {
      Complex<T> x = load_pairs(a + 2 * k), y = load_pairs(b + 2 * k);
      x = {x.re * scale, x.im * scale};
      y = {y.re * scale, y.im * scale};
      store_pairs(Complex<T>{x.re - y.im, x.im + y.re}, z + 2 * k);
      store_pairs(reversed(Complex<T>{x.re + y.im, y.re - x.im}), z + 2 * (n_ - k - lanes + 1));
    }
    for (; k <= last; ++k) {
      const T re = scale_ * a[2 * k], im = scale_ * a[2 * k + 1], other_re = scale_ * b[2 * k], other_im = scale_ * b[2 * k + 1];
      z[2 * k] = re - other_im;
      z[2 * k + 1] = im + other_re;
      z[2 * (n_ - k)] = re + other_im;
      z[2 * (n_ - k) + 1] = other_re - im;
    }
    if (n_ % 2 == 0) {
      z[n_] = scale_ * a[n_];
      z[n_ + 1] = scale_ * b[n_];
    }
  }

  int64_t n_, frequencies_;
  T scale_;
};

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
