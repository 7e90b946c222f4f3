// Fourier transforms of rows: consecutive elements. Included once for each CPU instruction set, after fft_columns-inl.h; no include guard.
//
// A row of n = n1 n2 elements is a matrix of n1 rows. First its columns are transformed, a vector of adjacent columns at a time; the result
// is multiplied by roots of unity and transposed in squares of vectors; then its columns are transformed, which yields the result in order.
// So a transform passes memory twice; all other work is on a block of a vector's columns, which stays in the caches. Many rows of small
// transforms are transformed as columns, too. Lengths with large prime factors are convolutions (Bluestein).

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

// Transposes a square of complex numbers: load(i) returns row i, store(i, x) receives row i of the transpose.
template <class T, class Load, class Store> MT_FN void transpose_square(Load load, Store store) {
  constexpr int lanes = static_cast<int>(hn::MaxLanes(typename Simd<T>::D()));
  Square<T, lanes> re, im;
  repeat<lanes>([&](auto i) __attribute__((always_inline)) { re.row[i] = load(i).re; });
  re.transpose();
  repeat<lanes>([&](auto i) __attribute__((always_inline)) { im.row[i] = load(i).im; });
  im.transpose();
  repeat<lanes>([&](auto i) __attribute__((always_inline)) { store(i, Complex<T>{re.row[i], im.row[i]}); });
}

// Memory to prefetch.
template <class T> struct Soon {
  const T* first = nullptr;
  int64_t count = 0;  // elements

  // Prefetches the next `part` elements.
  MT_FN void fetch(int64_t part) {
    constexpr int64_t line = 64 / sizeof(T);
    for (const T* const end = first + part; first < end; first += line) __builtin_prefetch(first, 0, 2);
  }
};

// Memory of the next row. Without prefetching, small transforms wait for it: the processor does not predict reads past a row's end.
template <class T> struct Ahead { Soon<T> from, to; };

template <class T> class FourSteps {
 public:
  FourSteps(int64_t n, bool inverse, bool from_alternate, bool to_alternate)
      : plan_(cpu::row_plan<T>(n, lanes_of<T>(), inverse, to_alternate)),
        inverse_(inverse),
        from_alternate_(from_alternate),
        to_alternate_(to_alternate) {}

  int64_t scratch_elements() const { return plan_->middle_elements() + plan_->scratch_elements(); }

  void run(Rows<T> from, Rows<T> to, T scale, T* scratch, Ahead<T> ahead = {}) const {
    T* const middle = scratch + plan_->scratch_elements();
    set_steps(from, to);
    const int64_t from_part = ahead.from.count / plan_->blocks2, to_part = ahead.to.count / plan_->blocks1;
    for (int64_t block = 0; block < plan_->blocks2; ++block) {
      ahead.from.fetch(from_part);
      first_step(from, block, middle, scratch);
    }
    for (int64_t block = 0; block < plan_->blocks1; ++block) {
      ahead.to.fetch(to_part);
      second_step(to, block, middle, scale, scratch);
    }
  }

  // The same with several threads.
  void run_parallel(Rows<T> from, Rows<T> to, T scale) const {
    const cpu::Elements<T> middle(plan_->middle_elements());
    set_steps(from, to);
    parallel_for(plan_->blocks2, 2, [&](int64_t begin, int64_t end) {
      const cpu::Elements<T> scratch(plan_->scratch_elements());
      for (int64_t block = begin; block < end; ++block) first_step(from, block, middle.data(), scratch.data());
    });
    parallel_for(plan_->blocks1, 2, [&](int64_t begin, int64_t end) {
      const cpu::Elements<T> scratch(plan_->scratch_elements());
      for (int64_t block = begin; block < end; ++block) second_step(to, block, middle.data(), scale, scratch.data());
    });
  }

 private:
  void set_steps(Rows<T>& from, Rows<T>& to) const {
    from.step = from.alternate() ? 2 * plan_->n2 : plan_->n2;
    to.step = to.alternate() ? 2 * plan_->n1 : plan_->n1;
  }

  // A block of columns of the intermediate matrix: rows of vectors, of which those beyond n1 are never written.
  T* block_of(T* middle, int64_t block) const {
    const int64_t lanes = lanes_of<T>();
    return middle + block * plan_->blocks1 * lanes * 2 * lanes;
  }

  void first_step(const Rows<T>& from, int64_t block, T* middle, T* scratch) const {
    const int64_t lanes = lanes_of<T>(), column = block * lanes;
    transform_columns<T>(*plan_->first, from.at_column(column), std::min(lanes, plan_->n2 - column), split_rows(block_of(middle, block)),
                         lanes, inverse_, T(1), scratch);
  }

  void second_step(const Rows<T>& to, int64_t block, T* middle, T scale, T* scratch) const {
    const int64_t lanes = lanes_of<T>(), column = block * lanes;
    for (int64_t part = 0; part < plan_->blocks2; ++part) turn_square(block, part, block_of(middle, part), scratch);
    transform_columns<T>(*plan_->second, split_rows(scratch), lanes, to.at_column(column), std::min(lanes, plan_->n1 - column), inverse_,
                         scale, scratch);
  }

  // Transposes rows block * lanes .. and columns part * lanes .. of the intermediate matrix to the scratch, with twiddle factors.
  void turn_square(int64_t block, int64_t part, const T* middle, T* scratch) const {
    const int64_t lanes = lanes_of<T>();
    const Rows<T> from = split_rows(const_cast<T*>(middle) + block * lanes * 2 * lanes), to = split_rows(scratch);
    const bool whole = plan_->of_rows.empty();
    const T* const of_block = plan_->of_block.data() + (whole ? block * plan_->n2 * 2 * lanes : 0);
    const T* const of_rows = whole ? nullptr : plan_->of_rows.data() + block * plan_->n2 * 2;
    transpose_square<T>(
        [&](int64_t i) __attribute__((always_inline)) { return load_row<T, false>(from, to_alternate_ ? cpu::lane_of_pair(i, lanes) : i); },
        [&](int64_t i, Complex<T> x) __attribute__((always_inline)) {
          const int64_t row = part * lanes + (from_alternate_ ? cpu::lane_of_pair(i, lanes) : i);
          if (row >= plan_->n2) return;
          const T* const twiddle = of_block + row * 2 * lanes;
          Complex<T> factor{load_vector(twiddle), load_vector(twiddle + lanes)};
          if (of_rows != nullptr) factor = multiplied(factor, Simd<T>(of_rows[2 * row]), Simd<T>(of_rows[2 * row + 1]));
          store_row<T, false>(multiplied(x, factor.re, factor.im), to, row, Simd<T>(1));
        });
  }

  std::shared_ptr<const cpu::RowPlan<T>> plan_;
  bool inverse_, from_alternate_, to_alternate_;
};

// As many rows as a vector has lanes, as columns. Rows have alternating parts and are n elements apart.
template <class T> class RowsTogether {
 public:
  RowsTogether(int64_t n, bool inverse) : plan_(cpu::column_plan<T>(n)), inverse_(inverse) {}

  int64_t scratch_elements() const { return 6 * lanes_of<T>() * padded(); }

  void run(const T* from, T* to, int64_t rows, T scale, T* scratch) const {
    const int64_t lanes = lanes_of<T>(), n = plan_->n;
    T* const result = scratch + 4 * lanes * padded();
    HWY_ALIGN T pairs[2 * HWY_MAX_BYTES / sizeof(T)] = {};
    for (int64_t column = 0; column < n; column += lanes) {
      const int64_t count = std::min(lanes, n - column);
      transpose_square<T>(
          [&](int64_t i) __attribute__((always_inline)) {
            const T* source = from + 2 * (std::min<int64_t>(i, rows - 1) * n + column);
            fetch_ahead(source);
            if (count < lanes) {
              std::copy_n(source, 2 * count, pairs);
              source = pairs;
            }
            return exchanged(Complex<T>{load_vector(source), load_vector(source + lanes)});
          },
          [&](int64_t i, Complex<T> x) __attribute__((always_inline)) {
            store_row<T, false>(x, split_rows(scratch), column + cpu::lane_of_pair(i, lanes), Simd<T>(1));
          });
    }
    // Rows beyond n, which the last square also fills, lie behind those that the passes use.
    transform_columns<T>(*plan_, split_rows(scratch), lanes, split_rows(result), lanes, inverse_, T(1), scratch);
    for (int64_t column = 0; column < n; column += lanes) {
      const int64_t count = std::min(lanes, n - column);
      transpose_square<T>(
          [&](int64_t i)
              __attribute__((always_inline)) { return load_row<T, false>(split_rows(result), column + cpu::lane_of_pair(i, lanes)); },
          [&](int64_t i, Complex<T> x) __attribute__((always_inline)) {
            if (i >= rows) return;
            T* const target = to + 2 * (i * n + column);
            fetch_ahead(target);
            if (count == lanes) return store_row<T, true>(x, {target, nullptr, 0}, 0, Simd<T>(scale));
            store_row<T, true>(x, {pairs, nullptr, 0}, 0, Simd<T>(scale));
            std::copy_n(pairs, 2 * count, target);
          });
    }
  }

  // Whether this is faster than one row at a time.
  static bool suits(int64_t n, int64_t rows) {
    constexpr double square = 12;  // cost of a transposition, in instructions per row
    constexpr int64_t longest = 1024;
    const int64_t lanes = lanes_of<T>();
    if (n > longest || rows < lanes || !cpu::has_small_factors(n)) return false;
    const auto plan = cpu::row_plan<T>(n, lanes, false, true);
    const double alone = static_cast<double>(plan->blocks2) * plan->first->cost +
                         static_cast<double>(plan->blocks1) * (plan->second->cost + square * static_cast<double>(plan->n2));
    return (cpu::column_cost(n) + 2 * square * static_cast<double>(n)) / static_cast<double>(lanes) < alone;
  }

 private:
  // Prefetches the same numbers of the next rows.
  MT_FN void fetch_ahead(const T* p) const {
    const int64_t lanes = lanes_of<T>();
    Soon<T>{p + 2 * lanes * plan_->n, 2 * lanes}.fetch(2 * lanes);
  }

  int64_t padded() const { return (plan_->n + lanes_of<T>() - 1) / lanes_of<T>() * lanes_of<T>(); }

  std::shared_ptr<const cpu::ColumnPlan<T>> plan_;
  bool inverse_;
};

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
