// Products of matrices that lie in the caches, with the first one in any layout: in the inner loop, rows of the second matrix meet single
// elements of the first one, so that neither is packed. Included once for each CPU instruction set, after first_lanes-inl.h; no include
// guard.

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {

// c = a b, or c += a b; a (rows, depth) has steps of elements between rows and between columns, b (depth, cols) and c between rows.
template <class T> struct SmallProduct {
  int64_t rows, cols, depth;
  const T* a;
  int64_t a_row, a_col;
  const T* b;
  int64_t b_row;
  T* c;
  int64_t c_row;
  bool adds = false;

  void run() const {
    constexpr int64_t width = 2 * static_cast<int64_t>(hn::MaxLanes(D()));
    for (int64_t col = 0; col < cols; col += width) {
      const int64_t some = cols - col;
      if (some >= width)
        columns<2, false>(col, width);
      else if (some > width / 2)
        columns<2, true>(col, some);
      else
        columns<1, true>(col, some);
    }
  }

 private:
  using V = Simd<T>;
  using D = typename V::D;
  static constexpr int tile_rows = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM ? 12 : 6;  // sums in 24 of 32 registers, or in 12 of 16

  template <int vectors, bool partial> MT_FN void columns(int64_t col, int64_t count) const {
    int64_t row = 0;
    for (; row + tile_rows <= rows; row += tile_rows) tile<tile_rows, vectors, partial>(row, col, count);
    rest<tile_rows - 1, vectors, partial>(row, col, count);
  }

  template <int n, int vectors, bool partial> MT_FN void rest(int64_t row, int64_t col, int64_t count) const {
    if constexpr (n > 0) {
      if (rows - row == n)
        tile<n, vectors, partial>(row, col, count);
      else
        rest<n - 1, vectors, partial>(row, col, count);
    }
  }

  template <int n, int vectors, bool partial> HWY_NOINLINE void tile(int64_t row, int64_t col, int64_t count) const {
    const D d;
    constexpr auto lanes = static_cast<int64_t>(hn::MaxLanes(d));
    const int64_t last = count - (vectors - 1) * lanes;  // elements of the last vector
    const T *x = a + row * a_row, *y = b + col;
    V sums[n][vectors];
#pragma GCC unroll 12
    for (int r = 0; r < n; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sums[r][v] = V(0);
    }
    for (int64_t k = 0; k < depth; ++k, x += a_col, y += b_row) {
      V row_of_b[vectors];
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        row_of_b[v] = partial && v + 1 == vectors ? load_some(y + v * lanes, last) : V(hn::LoadU(d, y + v * lanes));
      }
#pragma GCC unroll 12
      for (int r = 0; r < n; ++r) {
        const V element(x[r * a_row]);
#pragma GCC unroll 2
        for (int v = 0; v < vectors; ++v) sums[r][v] = V(hn::MulAdd(element.v, row_of_b[v].v, sums[r][v].v));
      }
    }
#pragma GCC unroll 12
    for (int r = 0; r < n; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        T* const to = c + (row + r) * c_row + col + v * lanes;
        const int64_t elements = partial && v + 1 == vectors ? last : lanes;
        store_some(adds ? load_some(to, elements) + sums[r][v] : sums[r][v], to, elements);
      }
    }
  }
};

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
