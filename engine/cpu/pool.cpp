// Pooling. A row of windows is reduced a vector of neighbouring windows at a time (stride 1: plain loads; stride 2: loads that part even
// from odd columns), tap after tap in row-major order; windows that reach over an edge, and other strides, one at a time. Vectors are at
// most 8 wide: the planes of small networks have rows of 12 or 4 windows. Planes are shared out among threads. Zen 4, one thread: 2x2
// maxima of 128 x 32 planes of 24 x 24, FIGURE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/pool.cpp"
#include <hwy/foreach_target.h>  // must come before what is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "engine/core/parallel.h"
#include "engine/ops/pool.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

struct Range {
  int64_t first, last;  // [first, last)
  int64_t count() const { return last - first; }
};

// The taps of a window at `start` that fall on the image.
Range taps_inside(int64_t start, int64_t kernel, int64_t dilation, int64_t size) {
  const int64_t first = start >= 0 ? 0 : (-start + dilation - 1) / dilation;
  const int64_t last = start >= size ? 0 : (size - 1 - start) / dilation + 1;
  return {std::min(first, kernel), std::clamp(last, std::min(first, kernel), kernel)};
}

// The windows of a row whose taps are all inside.
Range whole_windows(const PoolShape& s) {
  const int64_t first = std::min((s.pad_w + s.stride_w - 1) / s.stride_w, s.out_w);
  const int64_t room = s.w - 1 - (s.kernel_w - 1) * s.dilation_w + s.pad_w;
  return {first, room < 0 ? first : std::clamp(room / s.stride_w + 1, first, s.out_w)};
}

// A row of windows in one plane.
template <class T> struct Row {
  const PoolShape& s;
  const T *plane, *end;  // end of all planes: vectors may read past a row, not past this
  int64_t top;           // row of the first tap, may be outside
  Range rows;            // taps inside

  const T* at(int64_t kernel_row, int64_t column) const { return plane + (top + kernel_row * s.dilation_h) * s.w + column; }
};

// Calls f(values of a tap at `lanes` neighbouring windows, kernel row, kernel column) for all taps in order.
template <int stride, class D, class T, class F> HWY_INLINE void each_tap(D d, const Row<T>& row, int64_t column, F&& f) {
  for (int64_t r = row.rows.first; r < row.rows.last; ++r) {
    if constexpr (stride == 1) {
      for (int64_t c = 0; c < row.s.kernel_w; ++c) f(hn::LoadU(d, row.at(r, column + c * row.s.dilation_w)), r, c);
    } else {
      for (int64_t c = 0; c < row.s.kernel_w; c += 2) {
        hn::Vec<D> even, odd;
        hn::LoadInterleaved2(d, row.at(r, column + c), even, odd);
        f(even, r, c);
        if (c + 1 < row.s.kernel_w) f(odd, r, c + 1);
      }
    }
  }
}

// Whether each_tap may load for `lanes` windows from this column on.
template <int stride, class T> HWY_INLINE bool loads_stay_inside(const Row<T>& row, int64_t column, int64_t lanes) {
  if constexpr (stride == 1)
    return true;
  else
    return row.at(row.rows.last - 1, column + (row.s.kernel_w - 1) / 2 * 2 + 2 * lanes) <= row.end;
}

// Maxima of whole windows from `out` on, as many as fit into vectors; returns the first that is left.
template <int stride, class D, class T> int64_t max_vectors(D d, const Row<T>& row, int64_t out, int64_t last, T* y, int64_t* indices) {
  const hn::RebindToSigned<D> di;
  using I = hn::TFromD<decltype(di)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto steps = hn::Mul(hn::Iota(di, 0), hn::Set(di, static_cast<I>(stride)));
  for (; out + lanes <= last; out += lanes) {
    const int64_t column = out * stride - row.s.pad_w;
    if (!loads_stay_inside<stride>(row, column, lanes)) break;
    auto best = hn::Set(d, -std::numeric_limits<T>::infinity());
    auto where = hn::Set(di, static_cast<I>((row.top + row.rows.first * row.s.dilation_h) * row.s.w + column));
    each_tap<stride>(d, row, column, [&](auto v, int64_t r, int64_t c) HWY_ATTR {
      const auto wins = hn::Or(hn::Gt(v, best), hn::AndNot(hn::IsNaN(best), hn::IsNaN(v)));
      best = hn::IfThenElse(wins, v, best);
      const auto here = hn::Set(di, static_cast<I>((row.top + r * row.s.dilation_h) * row.s.w + column + c * row.s.dilation_w));
      where = hn::IfThenElse(hn::RebindMask(di, wins), here, where);
    });
    hn::StoreU(best, d, y + out);
    HWY_ALIGN I found[HWY_MAX_BYTES / sizeof(I)];
    hn::Store(hn::Add(where, steps), di, found);
    for (int64_t i = 0; i < lanes; ++i) indices[out + i] = static_cast<int64_t>(found[i]) + 1;
  }
  return out;
}

template <class T> void max_one(const Row<T>& row, int64_t out, T* y, int64_t* indices) {
  const int64_t column = out * row.s.stride_w - row.s.pad_w;
  const Range columns = taps_inside(column, row.s.kernel_w, row.s.dilation_w, row.s.w);
  T best = -std::numeric_limits<T>::infinity();
  const T* where =
      columns.count() > 0 && row.rows.count() > 0 ? row.at(row.rows.first, column + columns.first * row.s.dilation_w) : row.plane;
  for (int64_t r = row.rows.first; r < row.rows.last; ++r)
    for (int64_t c = columns.first; c < columns.last; ++c) {
      const T* const p = row.at(r, column + c * row.s.dilation_w);
      if (*p > best || *p != *p) best = *p, where = p;
      if (best != best) r = row.rows.last, c = columns.last;  // NaN stays
    }
  y[out] = best;
  indices[out] = where - row.plane + 1;
}

// How many elements the mean of a window is taken over.
struct Divisor {
  const PoolShape& s;
  bool count_pad;

  int64_t along(int64_t start, int64_t kernel, int64_t size, int64_t pad) const {
    const int64_t end = std::min(start + kernel, size + pad);
    return count_pad ? end - start : std::min(end, size) - std::max<int64_t>(start, 0);
  }
  int64_t down(int64_t out_row) const { return along(out_row * s.stride_h - s.pad_h, s.kernel_h, s.h, s.pad_h); }
  int64_t across(int64_t out) const { return along(out * s.stride_w - s.pad_w, s.kernel_w, s.w, s.pad_w); }
};

template <int stride, class D, class T> int64_t sum_vectors(D d, const Row<T>& row, int64_t out, int64_t last, T divisor, T* y) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; out + lanes <= last; out += lanes) {
    const int64_t column = out * stride - row.s.pad_w;
    if (!loads_stay_inside<stride>(row, column, lanes)) break;
    auto sum = hn::Zero(d);
    each_tap<stride>(d, row, column, [&](auto v, int64_t, int64_t) HWY_ATTR { sum = hn::Add(sum, v); });
    hn::StoreU(hn::Div(sum, hn::Set(d, divisor)), d, y + out);
  }
  return out;
}

template <class T> void sum_one(const Row<T>& row, int64_t out, int64_t divisor, T* y) {
  const int64_t column = out * row.s.stride_w - row.s.pad_w;
  const Range columns = taps_inside(column, row.s.kernel_w, 1, row.s.w);
  double sum = 0;
  for (int64_t r = row.rows.first; r < row.rows.last; ++r)
    for (int64_t c = columns.first; c < columns.last; ++c) sum += static_cast<double>(*row.at(r, column + c));
  y[out] = static_cast<T>(sum / static_cast<double>(divisor));
}

// Calls vectors(d, stride constant, first, last) -> first that is left, wide then narrow, and one(out) for the windows that are left.
template <class T, class Vectors, class One> HWY_INLINE void run_row(const PoolShape& s, const Range& whole, Vectors&& vectors, One&& one) {
  constexpr size_t wide = 8, narrow = 16 / sizeof(T);
  const hn::CappedTag<T, wide> d_wide;
  const hn::CappedTag<T, narrow> d_narrow;
  int64_t out = 0;
  for (; out < whole.first; ++out) one(out);
  if (s.stride_w == 1) {
    out = vectors(d_wide, std::integral_constant<int, 1>(), out, whole.last);
    out = vectors(d_narrow, std::integral_constant<int, 1>(), out, whole.last);
  } else if (s.stride_w == 2 && s.dilation_w == 1) {
    out = vectors(d_wide, std::integral_constant<int, 2>(), out, whole.last);
    out = vectors(d_narrow, std::integral_constant<int, 2>(), out, whole.last);
  }
  for (; out < s.out_w; ++out) one(out);
}

int64_t plane_grain(const PoolShape& s) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, s.h * s.w)); }

// Calls f(row of windows, its number, its first output) for every row of windows.
template <class T, class F> void each_row(const PoolShape& s, const T* x, F&& f) {
  parallel_for(s.planes, plane_grain(s), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane)
      for (int64_t r = 0; r < s.out_h; ++r) {
        const int64_t top = r * s.stride_h - s.pad_h;
        const Row<T> row{s, x + plane * s.h * s.w, x + s.planes * s.h * s.w, top, taps_inside(top, s.kernel_h, s.dilation_h, s.h)};
        f(row, r, (plane * s.out_h + r) * s.out_w);
      }
  });
}

template <class T> void max_as(const PoolShape& s, const T* x, T* y, int64_t* indices) {
  const Range whole = whole_windows(s);
  each_row(s, x, [&](const Row<T>& row, int64_t, int64_t first) {
    T* const to = y + first;
    int64_t* const where = indices + first;
    // Positions are counted in lanes as wide as the elements.
    const bool vectors = row.rows.count() > 0 && s.h * s.w < std::numeric_limits<int32_t>::max();
    const Range vectorised = vectors ? whole : Range{s.out_w, s.out_w};
    run_row<T>(
        s, vectorised,
        [&](auto d, auto stride, int64_t out, int64_t last) { return max_vectors<decltype(stride)::value>(d, row, out, last, to, where); },
        [&](int64_t out) { max_one(row, out, to, where); });
  });
}

template <class T> void average_as(const PoolShape& s, bool count_pad, const T* x, T* y) {
  constexpr int64_t large = 64;  // elements: larger windows are summed in double
  const Range whole = s.kernel_h * s.kernel_w <= large ? whole_windows(s) : Range{s.out_w, s.out_w};
  const Divisor divisor{s, count_pad};
  each_row(s, x, [&](const Row<T>& row, int64_t r, int64_t first) {
    T* const to = y + first;
    const int64_t down = divisor.down(r);
    run_row<T>(
        s, whole,
        [&](auto d, auto stride, int64_t out, int64_t last) {
          return sum_vectors<decltype(stride)::value>(d, row, out, last, static_cast<T>(down * s.kernel_w), to);
        },
        [&](int64_t out) { sum_one(row, out, down * divisor.across(out), to); });
  });
}

template <class T> void average_grad_as(const PoolShape& s, bool count_pad, const T* g, T* x_grad) {
  const Divisor divisor{s, count_pad};
  parallel_for(s.planes, plane_grain(s), [&](int64_t begin, int64_t end) {
    std::fill(x_grad + begin * s.h * s.w, x_grad + end * s.h * s.w, T(0));
    for (int64_t plane = begin; plane < end; ++plane)
      for (int64_t r = 0; r < s.out_h; ++r) {
        const int64_t top = r * s.stride_h - s.pad_h, down = divisor.down(r);
        const Range rows = taps_inside(top, s.kernel_h, 1, s.h);
        const T* const from = g + (plane * s.out_h + r) * s.out_w;
        for (int64_t out = 0; out < s.out_w; ++out) {
          const int64_t column = out * s.stride_w - s.pad_w;
          const Range columns = taps_inside(column, s.kernel_w, 1, s.w);
          const T share = from[out] / static_cast<T>(down * divisor.across(out));
          for (int64_t k = rows.first; k < rows.last; ++k) {
            T* const to = x_grad + (plane * s.h + top + k) * s.w + column;
            for (int64_t c = columns.first; c < columns.last; ++c) to[c] += share;
          }
        }
      }
  });
}

void max(DType dtype, const PoolShape& s, const std::byte* x, std::byte* y, int64_t* indices) {
  if (dtype == DType::float32)
    max_as(s, reinterpret_cast<const float*>(x), reinterpret_cast<float*>(y), indices);
  else
    max_as(s, reinterpret_cast<const double*>(x), reinterpret_cast<double*>(y), indices);
}

void average(DType dtype, const PoolShape& s, bool count_pad, const std::byte* x, std::byte* y) {
  if (dtype == DType::float32)
    average_as(s, count_pad, reinterpret_cast<const float*>(x), reinterpret_cast<float*>(y));
  else
    average_as(s, count_pad, reinterpret_cast<const double*>(x), reinterpret_cast<double*>(y));
}

void average_grad(DType dtype, const PoolShape& s, bool count_pad, const std::byte* g, std::byte* x_grad) {
  if (dtype == DType::float32)
    average_grad_as(s, count_pad, reinterpret_cast<const float*>(g), reinterpret_cast<float*>(x_grad));
  else
    average_grad_as(s, count_pad, reinterpret_cast<const double*>(g), reinterpret_cast<double*>(x_grad));
}

template <class T> bool max_grad_as(int64_t planes, int64_t plane, int64_t windows, const T* g, const int64_t* indices, T* x_grad) {
  std::atomic<bool> inside{true};
  parallel_for(planes, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, plane)), [&](int64_t begin, int64_t end) {
    std::fill(x_grad + begin * plane, x_grad + end * plane, T(0));
    bool fine = true;
    for (int64_t p = begin; p < end; ++p) {
      T* const to = x_grad + p * plane;
      for (int64_t i = p * windows; i < (p + 1) * windows; ++i) {
        const int64_t at = indices[i] - 1;
        if (at >= 0 && at < plane)
          to[at] += g[i];
        else
          fine = false;
      }
    }
    if (!fine) inside = false;
  });
  return inside;
}

bool max_grad(DType dtype, int64_t planes, int64_t plane, int64_t windows, const std::byte* g, const int64_t* indices, std::byte* x_grad) {
  if (dtype == DType::float32)
    return max_grad_as(planes, plane, windows, reinterpret_cast<const float*>(g), indices, reinterpret_cast<float*>(x_grad));
  return max_grad_as(planes, plane, windows, reinterpret_cast<const double*>(g), indices, reinterpret_cast<double*>(x_grad));
}

}  // namespace

const PoolKernels* pool_kernels() {
  static constexpr PoolKernels kernels{&max, &max_grad, &average, &average_grad};
  return &kernels;
}

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
#include "engine/ops/pool-inl.h"

HWY_EXPORT(pool_kernels);

namespace cpu {
namespace {

template <class... Ops> std::span<const Row> rows(List<Ops...>) {
  static const PoolKernels* const kernels = HWY_DYNAMIC_DISPATCH(pool_kernels)();
  static const Row table[] = {{&Ops::decl, &Ops::run, kernels}...};
  return table;
}

}  // namespace

std::span<const Row> pool_rows() { return rows(PoolOps()); }

}  // namespace cpu
}  // namespace mt
#endif
