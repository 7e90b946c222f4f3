// The CPU's kernels of pooling, and those for images with channels first. For a row of windows, the columns of its lines are reduced first,
// and then the columns of a vector of neighbouring windows (stride 1: plain loads; stride 2: loads that separate even from odd columns);
// windows with other strides one at a time. After the last full vector of windows of a row, vectors of 8 and of 16 bytes follow: the planes
// of small networks have rows of 12 or 4. Threads divide the planes. Zen 4, one thread, float32: 2x2 maxima of 128 x 32 planes of 24 x 24
// take 1.02 ms, 3x3 ones with stride 2 of 8 x 64 planes of 112 x 112 take 2.3 ms (7.4 when all taps of a window were compared). With
// streaming stores, results took as long with one thread and longer with two. Means of 2 x 2 have separate loops: 32 x 64 planes of 32 x 32
// take 0.12 ms, window by window 0.4.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/pool.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/core/tensor.h"
#include "engine/ops/pool.h"

#include "engine/cpu/positions-inl.h"
#include "engine/cpu/row_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// A row of windows in one plane. Its lines are the rows of the image under its taps, from slices and rows of the kernel.
template <class T> struct Row {
  const PoolShape& s;
  const T* plane;
  const T* line;           // column 0 of the first line
  PoolRange slices, rows;  // of the kernel, inside the image
  int64_t slice_step, row_step;

  bool empty() const { return slices.count() <= 0 || rows.count() <= 0; }

  // Calls f(line) for all lines, in order.
  template <class F> HWY_INLINE void each_line(F&& f) const {
    const T* slice = line;
    for (int64_t k = slices.count(); k > 0; --k, slice += slice_step) {
      const T* row = slice;
      for (int64_t r = rows.count(); r > 0; --r, row += row_step) f(row);
    }
  }
};

template <class T> void max_one(const Row<T>& row, int64_t out, T* y, int64_t* indices) {
  const PoolAxis& axis = row.s.w;
  const int64_t column = out * axis.stride - axis.pad;
  const PoolRange columns = axis.taps(column);
  T best = -std::numeric_limits<T>::infinity();
  const T* where = columns.count() <= 0 || row.empty() ? row.plane : row.line + column + columns.first * axis.dilation;
  row.each_line([&](const T* line) {
    for (int64_t c = columns.first; c < columns.last; ++c) {
      const T* const p = line + column + c * axis.dilation;
      if (best == best && (*p > best || *p != *p)) best = *p, where = p;  // NaN stays
    }
  });
  y[out] = best;
  indices[out] = where - row.plane + 1;
}

template <class T> void sum_one(const Row<T>& row, int64_t out, int64_t divisor, T* y) {
  const int64_t column = out * row.s.w.stride - row.s.w.pad;
  const PoolRange columns = row.s.w.taps(column);
  double sum = 0;
  row.each_line([&](const T* line) {
    for (int64_t c = columns.first; c < columns.last; ++c) sum += static_cast<double>(line[column + c]);
  });
  y[out] = static_cast<T>(sum / static_cast<double>(divisor));
}

int64_t plane_grain(int64_t plane) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, plane)); }

// Calls f(row of windows, its slice, its number there, its first output) for every row of windows; make() creates each thread's f.
template <class T, class Make> void each_row(const PoolShape& s, const T* x, Make&& make) {
  const int64_t width = s.w.size, slice_size = s.h.size * width, plane_size = s.plane();
  const PoolAxis down = s.h;
  parallel_for(s.planes, plane_grain(plane_size), [&](int64_t begin, int64_t end) {
    auto f = make();
    Row<T> row{s, nullptr, nullptr, {}, {}, s.d.dilation * slice_size, down.dilation * width};
    for (int64_t plane = begin; plane < end; ++plane)
      for (int64_t k = 0; k < s.d.out; ++k) {
        const int64_t front = k * s.d.stride - s.d.pad, first = (plane * s.d.out + k) * down.out;
        row.plane = x + plane * plane_size;
        row.slices = s.d.taps(front);
        const T* const slice = row.plane + (front + row.slices.first * s.d.dilation) * slice_size;
        for (int64_t r = 0; r < down.out; ++r) {
          const int64_t top = r * down.stride - down.pad;
          row.rows = down.taps(top);
          row.line = slice + (top + row.rows.first * down.dilation) * width;
          f(row, k, r, (first + r) * s.w.out);
        }
      }
  });
}

// The maximum of each column on the lines of a row of windows, and its position; the maximum of a window is that of its columns. So a
// window of h x w taps needs h + w steps instead of h w. Of equal values the first in the plane wins. Columns of padding have the least
// value and no position.
template <class T> class ColumnMaxima {
  using I = hwy::MakeSigned<T>;

 public:
  explicit ColumnMaxima(const PoolAxis& axis) : axis_(axis) {
    constexpr int64_t slack = 2 * HWY_MAX_BYTES / sizeof(T);  // for vectors that extend past the last window
    const int64_t reach = (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
    const int64_t count = std::max(axis.pad + axis.size, reach) + slack;
    buffers_[0] = Tensor::empty(dtype_of<T>, {count});
    buffers_[1] = Tensor::empty(dtype_of<I>, {count});
    values_ = buffers_[0].data<T>();
    places_ = buffers_[1].data<I>();
    std::fill_n(values_, count, -std::numeric_limits<T>::infinity());
    std::fill_n(places_, count, nowhere);
  }

  // Computes the maxima of a row's windows. Returns false, with nothing done, if there is NaN.
  bool run(const Row<T>& row, T* y, int64_t* indices) const {
    const hn::ScalableTag<T> full;
    const hn::CappedTag<T, 8> wide;
    const hn::CappedTag<T, 16 / sizeof(T)> narrow;
    const bool plain = axis_.size >= static_cast<int64_t>(hn::Lanes(full))     ? reduce(full, row)
                       : axis_.size >= static_cast<int64_t>(hn::Lanes(narrow)) ? reduce(narrow, row)
                                                                               : reduce(hn::CappedTag<T, 1>(), row);
    if (!plain) return false;
    int64_t out = 0;
    if (axis_.stride == 1) {
      out = take<1>(full, out, y, indices);
      out = take<1>(wide, out, y, indices);
      out = take<1>(narrow, out, y, indices);
    } else if (axis_.stride == 2 && axis_.dilation == 1) {
      out = take<2>(full, out, y, indices);
      out = take<2>(wide, out, y, indices);
      out = take<2>(narrow, out, y, indices);
    }
    for (; out < axis_.out; ++out) take_one(out, y, indices);
    return true;
  }

 private:
  static constexpr I nowhere = std::numeric_limits<I>::max();

  template <class D> bool reduce(D d, const Row<T>& row) const {
    const hn::RebindToSigned<D> di;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto steps = hn::Iota(di, 0);
    auto nan = hn::FirstN(d, 0);
    for (int64_t done = 0; done < axis_.size; done += lanes) {
      const int64_t c = std::min(done, axis_.size - lanes);  // the last vector may repeat columns
      auto best = hn::Set(d, -std::numeric_limits<T>::infinity());
      auto where = hn::Add(steps, hn::Set(di, static_cast<I>(row.line + c - row.plane)));
      row.each_line([&](const T* line) HWY_ATTR {
        const auto v = hn::LoadU(d, line + c);
        const auto wins = hn::Gt(v, best);
        nan = hn::Or(nan, hn::IsNaN(v));
        best = hn::IfThenElse(wins, v, best);
        where = hn::IfThenElse(hn::RebindMask(di, wins), hn::Add(steps, hn::Set(di, static_cast<I>(line + c - row.plane))), where);
      });
      hn::StoreU(best, d, values_ + axis_.pad + c);
      hn::StoreU(where, di, places_ + axis_.pad + c);
    }
    return hn::AllFalse(d, nan);
  }

  template <int stride, class D> int64_t take(D d, int64_t out, T* y, int64_t* indices) const {
    const hn::RebindToSigned<D> di;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const int64_t kernel = axis_.kernel, dilation = axis_.dilation;
    for (; out + lanes <= axis_.out; out += lanes) {
      const T* const v = values_ + stride * out;
      const I* const p = places_ + stride * out;
      auto best = hn::Set(d, -std::numeric_limits<T>::infinity());
      auto where = hn::Set(di, nowhere);
      const auto offer = [&](auto value, auto place) HWY_ATTR {
        const auto first = hn::And(hn::Eq(value, best), hn::RebindMask(d, hn::Lt(place, where)));
        const auto wins = hn::Or(hn::Gt(value, best), first);
        best = hn::IfThenElse(wins, value, best);
        where = hn::IfThenElse(hn::RebindMask(di, wins), place, where);
      };
      if constexpr (stride == 1) {
        for (int64_t c = 0; c < kernel; ++c) offer(hn::LoadU(d, v + c * dilation), hn::LoadU(di, p + c * dilation));
      } else {
        for (int64_t c = 0; c < kernel; c += 2) {
          hn::Vec<D> even, odd;
          hn::Vec<decltype(di)> even_place, odd_place;
          hn::LoadInterleaved2(d, v + c, even, odd);
          hn::LoadInterleaved2(di, p + c, even_place, odd_place);
          offer(even, even_place);
          if (c + 1 < kernel) offer(odd, odd_place);
        }
      }
      hn::StoreU(best, d, y + out);
      where = hn::IfThenZeroElse(hn::Eq(where, hn::Set(di, nowhere)), where);  // all padding
      store_positions(di, hn::Add(where, hn::Set(di, I(1))), indices + out);
    }
    return out;
  }

  void take_one(int64_t out, T* y, int64_t* indices) const {
    T best = -std::numeric_limits<T>::infinity();
    I where = nowhere;
    for (int64_t c = 0; c < axis_.kernel; ++c) {
      const int64_t at = out * axis_.stride + c * axis_.dilation;
      if (values_[at] > best || (values_[at] == best && places_[at] < where)) best = values_[at], where = places_[at];
    }
    y[out] = best;
    indices[out] = where == nowhere ? 1 : static_cast<int64_t>(where) + 1;
  }

  const PoolAxis axis_;
  Tensor buffers_[2];
  T* values_;
  I* places_;
};

template <class T> void max_as(const MaxPoolPlan& plan) {
  const PoolShape& s = plan.shape;
  const T* const x = plan.x.data<T>();
  T* const y = plan.y.data<T>();
  auto* const indices = plan.indices.data<int64_t>();
  const bool vectors = s.plane() < std::numeric_limits<int32_t>::max();  // positions are counted in lanes as wide as the elements
  each_row(s, x, [&] {
    return [columns = ColumnMaxima<T>(s.w), y, indices, vectors](const Row<T>& row, int64_t, int64_t, int64_t first) {
      if (vectors && !row.empty() && columns.run(row, y + first, indices + first)) return;
      for (int64_t i = 0; i < row.s.w.out; ++i) max_one(row, i, y + first, indices + first);
    };
  });
}

// Whether windows of 2 x 2 are adjacent from the first row and column to the last, all inside the image.
bool is_halving(const PoolShape& s) {
  const auto halves = [](const PoolAxis& axis) {
    return axis.kernel == 2 && axis.stride == 2 && axis.pad == 0 && axis.out == axis.size / 2;
  };
  return s.d.size == 1 && s.d.out == 1 && s.d.kernel == 1 && halves(s.h) && halves(s.w) && s.w.out >= narrowest_row;
}

// Average pooling for such shapes: adds rows first, then columns.
template <class T> void halve(const PoolShape& s, const T* x, T* y) {
  with_row_vectors<T>(s.w.out, [&](auto d) {
    parallel_for(s.planes, plane_grain(s.plane()), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin * s.h.out; row < end * s.h.out; ++row) {
        const T* const upper = x + (row / s.h.out * s.h.size + row % s.h.out * 2) * s.w.size;
        const T* const lower = upper + s.w.size;
        each_row_vector(d, s.w.out, [&](int64_t out, int64_t) HWY_ATTR {
          const auto sum_at = [&](int64_t at) HWY_ATTR { return hn::Add(hn::LoadU(d, upper + at), hn::LoadU(d, lower + at)); };
          const auto left = sum_at(2 * out), right = sum_at(2 * out + static_cast<int64_t>(hn::Lanes(d)));
          const auto sum = hn::Add(hn::ConcatEven(d, right, left), hn::ConcatOdd(d, right, left));
          hn::StoreU(hn::Mul(sum, hn::Set(d, T(0.25))), d, y + row * s.w.out + out);
        });
      }
    });
  });
}

// The sum of each column on the lines of a row of windows; the sum of a window is that of its columns. Columns of padding are zero, so
// windows that extend over an edge need no other loop: 3x3 means of planes of 14 x 14 with a border take half of the time.
template <class T> class ColumnSums {
 public:
  ColumnSums(const PoolAxis& axis, bool count_pad) : axis_(axis) {
    constexpr int64_t slack = 2 * HWY_MAX_BYTES / sizeof(T);  // for vectors that extend past the last window
    const int64_t count = std::max(axis.pad + axis.size, (axis.out - 1) * axis.stride + axis.kernel) + slack;
    buffers_[0] = Tensor::empty(dtype_of<T>, {count});
    buffers_[1] = Tensor::empty(dtype_of<T>, {axis.out});
    sums_ = buffers_[0].data<T>();
    counts_ = buffers_[1].data<T>();
    std::fill_n(sums_, count, T(0));
    for (int64_t i = 0; i < axis.out; ++i) counts_[i] = static_cast<T>(axis.counted(i, count_pad));
  }

  // Computes the means of a row's windows, which divide by `lines` times the columns that count.
  void run(const Row<T>& row, int64_t lines, T* y) const {
    const hn::ScalableTag<T> full;
    const hn::CappedTag<T, 8> wide;
    const hn::CappedTag<T, 16 / sizeof(T)> narrow;
    if (axis_.size >= static_cast<int64_t>(hn::Lanes(full)))
      add_lines(full, row);
    else if (axis_.size >= static_cast<int64_t>(hn::Lanes(narrow)))
      add_lines(narrow, row);
    else
      add_lines(hn::CappedTag<T, 1>(), row);
    const auto factor = static_cast<T>(lines);
    int64_t out = 0;
    if (axis_.stride == 1) {
      out = take<1>(full, out, factor, y);
      out = take<1>(wide, out, factor, y);
      out = take<1>(narrow, out, factor, y);
    } else if (axis_.stride == 2) {
      out = take<2>(full, out, factor, y);
      out = take<2>(wide, out, factor, y);
      out = take<2>(narrow, out, factor, y);
    }
    for (; out < axis_.out; ++out) {
      T sum = 0;
      for (int64_t c = 0; c < axis_.kernel; ++c) sum += sums_[out * axis_.stride + c];
      y[out] = sum / (counts_[out] * factor);
    }
  }

 private:
  template <class D> void add_lines(D d, const Row<T>& row) const {
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    for (int64_t done = 0; done < axis_.size; done += lanes) {
      const int64_t c = std::min(done, axis_.size - lanes);  // the last vector may repeat columns
      auto sum = hn::Zero(d);
      if (!row.empty()) row.each_line([&](const T* line) HWY_ATTR { sum = hn::Add(sum, hn::LoadU(d, line + c)); });
      hn::StoreU(sum, d, sums_ + axis_.pad + c);
    }
  }

  template <int stride, class D> int64_t take(D d, int64_t out, T factor, T* y) const {
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    for (; out + lanes <= axis_.out; out += lanes) {
      const T* const from = sums_ + stride * out;
      auto sum = hn::Zero(d);
      for (int64_t c = 0; c < axis_.kernel; c += stride) {
        if constexpr (stride == 1) {
          sum = hn::Add(sum, hn::LoadU(d, from + c));
        } else {
          hn::Vec<D> even, odd;
          hn::LoadInterleaved2(d, from + c, even, odd);
          sum = hn::Add(sum, even);
          if (c + 1 < axis_.kernel) sum = hn::Add(sum, odd);
        }
      }
      hn::StoreU(hn::Div(sum, hn::Mul(hn::LoadU(d, counts_ + out), hn::Set(d, factor))), d, y + out);
    }
    return out;
  }

  const PoolAxis axis_;
  Tensor buffers_[2];
  T *sums_, *counts_;
};

template <class T> void average_as(const AvgPoolPlan& plan) {
  const PoolShape& s = plan.shape;
  const bool count_pad = plan.count_pad;
  const T* const x = plan.x.data<T>();
  T* const y = plan.y.data<T>();
  if (is_halving(s)) return halve(s, x, y);
  constexpr int64_t large = 64;  // elements: larger windows are summed in double
  const auto lines_of = [&](int64_t k, int64_t r) { return s.d.counted(k, count_pad) * s.h.counted(r, count_pad); };
  if (s.d.kernel * s.h.kernel * s.w.kernel > large)
    return each_row(s, x, [&] {
      return [&](const Row<T>& row, int64_t k, int64_t r, int64_t first) {
        for (int64_t out = 0; out < s.w.out; ++out) sum_one(row, out, lines_of(k, r) * s.w.counted(out, count_pad), y + first);
      };
    });
  each_row(s, x, [&] {
    return [&, columns = ColumnSums<T>(s.w, count_pad)](const Row<T>& row, int64_t k, int64_t r, int64_t first) {
      columns.run(row, lines_of(k, r), y + first);
    };
  });
}

// The gradient of halve: a quarter to each of four elements; the last row and column of odd sizes get none.
template <class T> void halve_grad(const PoolShape& s, const T* g, T* x_grad) {
  const int64_t height = s.h.size, width = s.w.size;
  with_row_vectors<T>(s.w.out, [&](auto d) {
    parallel_for(s.planes, plane_grain(s.plane()), [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) {
        const T* from = g + plane * s.windows();
        T* const to = x_grad + plane * height * width;
        for (int64_t row = 0; row + 1 < height; row += 2, from += s.w.out) {
          T *const upper = to + row * width, *const lower = upper + width;
          each_row_vector(d, s.w.out, [&](int64_t out, int64_t) HWY_ATTR {
            const auto share = hn::Mul(hn::LoadU(d, from + out), hn::Set(d, T(0.25)));
            hn::StoreInterleaved2(share, share, d, upper + 2 * out);
            hn::StoreInterleaved2(share, share, d, lower + 2 * out);
          });
          if (width % 2 != 0) upper[width - 1] = lower[width - 1] = T(0);
        }
        if (height % 2 != 0) std::fill_n(to + (height - 1) * width, width, T(0));
      }
    });
  });
}

// Adds shares[out] to the taps of each window of a row on one line of the image.
template <class T> void spread(const PoolAxis& axis, const T* HWY_RESTRICT shares, T* HWY_RESTRICT line) {
  const PoolRange whole = axis.whole_windows();
  const auto one = [&](int64_t out) {
    const int64_t column = out * axis.stride - axis.pad;
    const PoolRange columns = axis.taps(column);
    for (int64_t c = columns.first; c < columns.last; ++c) line[column + c] += shares[out];
  };
  int64_t out = 0;
  for (; out < whole.first; ++out) one(out);
  if (axis.stride == 1) {
    for (int64_t c = 0; c < axis.kernel; ++c)
      for (int64_t i = whole.first; i < whole.last; ++i) line[i - axis.pad + c] += shares[i];
    out = whole.last;
  } else if (axis.stride == 2 && axis.kernel == 2) {
    const hn::CappedTag<T, 8> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    for (; out + lanes <= whole.last; out += lanes) {
      T* const to = line + 2 * out - axis.pad;
      const auto share = hn::LoadU(d, shares + out);
      hn::Vec<decltype(d)> even, odd;
      hn::LoadInterleaved2(d, to, even, odd);
      hn::StoreInterleaved2(hn::Add(even, share), hn::Add(odd, share), d, to);
    }
  }
  for (; out < axis.out; ++out) one(out);
}

template <class T> void average_grad_as(const AvgPoolGradPlan& plan) {
  const PoolShape& s = plan.shape;
  const bool count_pad = plan.count_pad;
  const T* const g = plan.g.data<T>();
  T* const x_grad = plan.x_grad.data<T>();
  if (is_halving(s)) return halve_grad(s, g, x_grad);
  const int64_t plane_size = s.plane(), width = s.w.size;
  parallel_for(s.planes, plane_grain(plane_size), [&](int64_t begin, int64_t end) {
    const Tensor buffer = Tensor::empty(dtype_of<T>, {s.w.out});
    T* const shares = buffer.data<T>();
    const T* from = g + begin * s.windows();
    for (T* plane = x_grad + begin * plane_size; plane != x_grad + end * plane_size; plane += plane_size) {
      std::fill_n(plane, plane_size, T(0));
      for (int64_t k = 0; k < s.d.out; ++k)
        for (int64_t r = 0; r < s.h.out; ++r, from += s.w.out) {
          const int64_t front = k * s.d.stride - s.d.pad, top = r * s.h.stride - s.h.pad;
          const int64_t lines = s.d.counted(k, count_pad) * s.h.counted(r, count_pad);
          for (int64_t out = 0; out < s.w.out; ++out) shares[out] = from[out] / static_cast<T>(lines * s.w.counted(out, count_pad));
          const PoolRange slices = s.d.taps(front), rows = s.h.taps(top);
          for (int64_t i = slices.first; i < slices.last; ++i)
            for (int64_t j = rows.first; j < rows.last; ++j) spread(s.w, shares, plane + ((front + i) * s.h.size + top + j) * width);
        }
    }
  });
}

template <class T> void max_grad_as(const MaxPoolGradPlan& plan) {
  const PoolShape& s = plan.shape;
  const T* const g = plan.g.data<T>();
  const auto* const indices = plan.indices.data<int64_t>();
  T* const x_grad = plan.x_grad.data<T>();
  const int64_t plane = s.plane(), windows = s.windows();
  std::atomic<bool> inside{true};
  parallel_for(s.planes, plane_grain(plane), [=, &inside](int64_t begin, int64_t end) {
    bool fine = true;
    for (int64_t p = begin; p < end; ++p) {
      T* const to = x_grad + p * plane;
      std::fill_n(to, plane, T(0));  // one plane at a time, so that it is in the cache when its gradients are added
      const T* const from = g + p * windows;
      const int64_t* const index = indices + p * windows;
      for (int64_t i = 0; i < windows; ++i) {
        const int64_t at = index[i] - 1;
        if (static_cast<uint64_t>(at) < static_cast<uint64_t>(plane))
          to[at] += from[i];
        else
          fine = false;
      }
    }
    if (!fine) inside = false;
  });
  if (!inside) *plan.outside = true;
}

void max_pool(const MaxPoolPlan& plan) { (plan.x.dtype() == DType::float32 ? max_as<float> : max_as<double>)(plan); }
void max_pool_grad(const MaxPoolGradPlan& plan) { (plan.g.dtype() == DType::float32 ? max_grad_as<float> : max_grad_as<double>)(plan); }
void avg_pool(const AvgPoolPlan& plan) { (plan.x.dtype() == DType::float32 ? average_as<float> : average_as<double>)(plan); }
void avg_pool_grad(const AvgPoolGradPlan& plan) {
  (plan.g.dtype() == DType::float32 ? average_grad_as<float> : average_grad_as<double>)(plan);
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/pool_channels_last.h"
#include "engine/cpu/pool_values.h"
#include "engine/cpu/register.h"
#include "engine/ops/images.h"

namespace mt {
#include "engine/ops/pool-inl.h"

HWY_EXPORT(max_pool);
HWY_EXPORT(max_pool_grad);
HWY_EXPORT(avg_pool);
HWY_EXPORT(avg_pool_grad);

namespace cpu {
namespace {

// A single channel has the same memory in both layouts.
bool has_channels_last(const PoolShape& s) { return s.channels != 1; }

void run_max_pool(const MaxPoolPlan& plan) {
  has_channels_last(plan.shape) ? max_pool_channels_last(plan) : HWY_DYNAMIC_DISPATCH(max_pool)(plan);
}
void run_max_pool_grad(const MaxPoolGradPlan& plan) {
  has_channels_last(plan.shape) ? max_pool_grad_channels_last(plan) : HWY_DYNAMIC_DISPATCH(max_pool_grad)(plan);
}
void run_avg_pool(const AvgPoolPlan& plan) {
  has_channels_last(plan.shape) ? avg_pool_channels_last(plan) : HWY_DYNAMIC_DISPATCH(avg_pool)(plan);
}
void run_avg_pool_grad(const AvgPoolGradPlan& plan) {
  has_channels_last(plan.shape) ? avg_pool_grad_channels_last(plan) : HWY_DYNAMIC_DISPATCH(avg_pool_grad)(plan);
}

constexpr Row rows[] = {{&MaxPool2d::decl, &plan_in<plan_max_pool, 2>, kernel<&run_max_pool>()},
                        {&MaxPool2dGrad::decl, &plan_in<plan_max_pool_grad, 2>, kernel<&run_max_pool_grad>()},
                        {&AvgPool2d::decl, &plan_in<plan_avg_pool, 2>, kernel<&run_avg_pool>()},
                        {&AvgPool2dGrad::decl, &plan_in<plan_avg_pool_grad, 2>, kernel<&run_avg_pool_grad>()},
                        {&MaxPool3d::decl, &plan_in<plan_max_pool, 3>, kernel<&run_max_pool>()},
                        {&MaxPool3dGrad::decl, &plan_in<plan_max_pool_grad, 3>, kernel<&run_max_pool_grad>()},
                        {&AvgPool3d::decl, &plan_in<plan_avg_pool, 3>, kernel<&run_avg_pool>()},
                        {&AvgPool3dGrad::decl, &plan_in<plan_avg_pool_grad, 3>, kernel<&run_avg_pool_grad>()}};

}  // namespace

std::span<const Row> pool_rows() {
  static const bool packs = (add_pool_packing(kernel<&run_max_pool>(), kernel<&run_avg_pool>()), true);
  static_cast<void>(packs);
  return built_rows<rows>();
}

}  // namespace cpu
}  // namespace mt
#endif
