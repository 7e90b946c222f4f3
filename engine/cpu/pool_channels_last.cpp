// Pooling of images with channels last. A window is reduced for neighbouring channels at once, four vectors of them in parallel if there
// are as many: each of its taps is a run of channels. Large windows that overlap compute the maxima of columns first. Threads divide the
// rows of the result; for the gradient of maxima, which may go to any element, they divide images and, if these are few, channels. Zen 5,
// one thread, float32: 3x3 maxima with stride 2 of 8 x 64 planes of 112 x 112 take 1.0 ms with their indices (channels first 1.5), the
// gradient 1.7 (2.1), means 0.7 (1.8), their gradient 0.8 (9).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/pool_channels_last.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times
#include <hwy/highway.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <type_traits>

#include "engine/core/parallel.h"
#include "engine/core/tensor.h"
#include "engine/cpu/pool_channels_last.h"

#include "engine/cpu/positions-inl.h"
#include "engine/cpu/row_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t grain_of_work = 16384;  // elements per thread
constexpr int side_by_side = 4;           // vectors

// Calls f(tag of vectors that fit into `channels`, 2 or more).
template <class T, class F> void with_channel_vectors(int64_t channels, F&& f) {
  if (channels < narrowest_row)
    f(hn::CappedTag<T, 2>());
  else
    with_row_vectors<T>(channels, f);
}

// Calls f(number of parallel vectors, as a constant; their first channel) for all channels. The last vector may repeat some.
template <class D, class F> HWY_INLINE void each_channel(D d, int64_t channels, F&& f) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + side_by_side * lanes <= channels; c += side_by_side * lanes) f(std::integral_constant<int, side_by_side>(), c);
  for (; c < channels; c += lanes) f(std::integral_constant<int, 1>(), std::min(c, channels - lanes));
}

// Loads a vector of elements, converted to wider ones or unchanged.
template <class D, class T> HWY_INLINE hn::Vec<D> load_as(D d, const T* from) {
  if constexpr (std::is_same_v<hn::TFromD<D>, T>)
    return hn::LoadU(d, from);
  else
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), from));
}
template <class D, class T> HWY_INLINE void store_from(D d, hn::Vec<D> v, T* to) {
  if constexpr (std::is_same_v<hn::TFromD<D>, T>)
    hn::StoreU(v, d, to);
  else
    hn::StoreU(hn::DemoteTo(hn::Rebind<T, D>(), v), hn::Rebind<T, D>(), to);
}

// The taps of a window inside the image: their number along each axis, and their distance in positions.
struct Taps {
  int64_t first;  // position in the plane
  int64_t slices, rows, columns;
  int64_t slice_step, row_step, column_step;

  bool empty() const { return slices <= 0 || rows <= 0 || columns <= 0; }

  // Calls f(position) for all, in row-major order.
  template <class F> HWY_INLINE void each(F&& f) const {
    int64_t slice = first;
    for (int64_t i = slices; i > 0; --i, slice += slice_step) {
      int64_t row = slice;
      for (int64_t j = rows; j > 0; --j, row += row_step) {
        int64_t place = row;
        for (int64_t k = columns; k > 0; --k, place += column_step) f(place);
      }
    }
  }
};

// A row of windows.
struct Row {
  const PoolShape& s;
  int64_t plane, slice, row;
  int64_t first;  // number of its first window among all
  int64_t line;   // position of column 0 on its first line
  Taps taps;      // of which columns are selected

  // The taps of a window.
  Taps window(int64_t i) const {
    const int64_t left = i * s.w.stride - s.w.pad;
    const PoolRange columns = s.w.taps(left);
    Taps chosen = taps;
    chosen.columns = columns.count();
    chosen.first = line + left + columns.first * s.w.dilation;
    return chosen;
  }

  // The taps on a column of the image.
  Taps column(int64_t i) const {
    Taps chosen = taps;
    chosen.columns = 1;
    chosen.first = line + i;
    return chosen;
  }
};

// Calls f(row) for all rows of windows, in order on each thread; make() creates each thread's f.
template <class Make> void each_row(const PoolShape& s, Make&& make) {
  const int64_t slices = s.d.out, rows = s.h.out;
  parallel_for(s.planes * slices * rows, std::max<int64_t>(1, grain_of_work / (s.w.out * s.channels)), [&](int64_t begin, int64_t end) {
    auto f = make();
    for (int64_t i = begin; i < end; ++i) {
      const int64_t plane = i / rows / slices, k = i / rows % slices, r = i % rows;
      const int64_t front = k * s.d.stride - s.d.pad, top = r * s.h.stride - s.h.pad;
      const PoolRange down = s.d.taps(front), across = s.h.taps(top);
      const int64_t line = ((front + down.first * s.d.dilation) * s.h.size + top + across.first * s.h.dilation) * s.w.size;
      const Taps taps{0, down.count(), across.count(), 0, s.d.dilation * s.h.size * s.w.size, s.h.dilation * s.w.size, s.w.dilation};
      f(Row{s, plane, k, r, i * s.w.out, line, taps});
    }
  });
}

// The maxima so far of some vectors of channels, and their positions.
template <class D, int vectors> struct Largest {
  using DI = hn::RebindToSigned<D>;
  using T = hn::TFromD<D>;
  using I = hn::TFromD<DI>;
  hn::Vec<D> value[vectors];
  hn::Vec<DI> place[vectors];

  // Explicit, because GCC compiles an implicit constructor for the baseline instruction set, and can't inline ARM's vectors there.
  HWY_INLINE Largest() {}

  // The maxima of the taps; there is at least one.
  static HWY_INLINE Largest of(D d, const Taps& taps, int64_t channels, const T* x) {
    const DI di;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    Largest best;
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) {
      best.value[i] = hn::LoadU(d, x + taps.first * channels + i * lanes);
      best.place[i] = hn::Set(di, static_cast<I>(taps.first));
    }
    taps.each([&](int64_t place) HWY_ATTR {
      const T* const from = x + place * channels;
      const auto here = hn::Set(di, static_cast<I>(place));
#pragma GCC unroll 4
      for (int i = 0; i < vectors; ++i) {
        const auto v = hn::LoadU(d, from + i * lanes);
        const auto stays = hn::Or(hn::Le(v, best.value[i]), hn::IsNaN(best.value[i]));
        best.value[i] = hn::IfThenElse(stays, best.value[i], v);
        best.place[i] = hn::IfThenElse(hn::RebindMask(di, stays), best.place[i], here);
      }
    });
    return best;
  }

  static HWY_INLINE Largest load(D d, const T* values, const I* places) {
    Largest best;
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) {
      best.value[i] = hn::LoadU(d, values + i * hn::Lanes(d));
      best.place[i] = hn::LoadU(DI(), places + i * hn::Lanes(d));
    }
    return best;
  }

  // The maxima of both, whose positions may be in any order.
  HWY_INLINE void join(D d, const Largest& other) {
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) {
      const auto earlier = hn::RebindMask(d, hn::Lt(other.place[i], place[i]));
      const auto other_nan = hn::IsNaN(other.value[i]), nan = hn::IsNaN(value[i]);
      const auto alike = hn::Or(hn::Eq(other.value[i], value[i]), hn::And(other_nan, nan));
      const auto larger = hn::Or(hn::Gt(other.value[i], value[i]), hn::AndNot(nan, other_nan));
      const auto wins = hn::Or(larger, hn::And(alike, earlier));
      value[i] = hn::IfThenElse(wins, other.value[i], value[i]);
      place[i] = hn::IfThenElse(hn::RebindMask(DI(), wins), other.place[i], place[i]);
    }
  }

  HWY_INLINE void store(D d, T* values, I* places) const {
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) {
      hn::StoreU(value[i], d, values + i * hn::Lanes(d));
      hn::StoreU(place[i], DI(), places + i * hn::Lanes(d));
    }
  }

  HWY_INLINE void give(D d, T* y, int64_t* indices) const {
    const DI di;
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) {
      hn::StoreU(value[i], d, y + i * hn::Lanes(d));
      store_positions(di, hn::Add(place[i], hn::Set(di, I(1))), indices + i * hn::Lanes(d));
    }
  }
};

template <class T> void no_maxima(int64_t count, T* y, int64_t* indices) {
  std::fill_n(y, count, -std::numeric_limits<T>::infinity());
  std::fill_n(indices, count, 1);
}

// Not inlined, so that its loops can use all registers.
template <int vectors, class D, class T>
HWY_NOINLINE void max_of_window(D d, const Taps& taps, int64_t channels, const T* x, T* y, int64_t* indices) {
  Largest<D, vectors>::of(d, taps, channels, x).give(d, y, indices);
}

// Tap after tap.
template <class D, class T> void max_by_taps(D d, const PoolShape& s, const T* x, T* y, int64_t* indices) {
  const int64_t channels = s.channels, plane_size = s.plane() * channels;
  each_row(s, [&] {
    return [&](const Row& row) {
      for (int64_t i = 0; i < s.w.out; ++i) {
        const Taps taps = row.window(i);
        const int64_t to = (row.first + i) * channels;
        if (taps.empty())
          no_maxima(channels, y + to, indices + to);
        else
          each_channel(d, channels, [&](auto vectors, int64_t c) HWY_ATTR {
            max_of_window<decltype(vectors)::value>(d, taps, channels, x + row.plane * plane_size + c, y + to + c, indices + to + c);
          });
      }
    };
  });
}

// The maximum of each column on the lines of a row of windows first, then those of each window's columns: h + w steps, not h w.
template <class D, class T> void max_by_columns(D d, const PoolShape& s, const T* x, T* y, int64_t* indices) {
  using I = hwy::MakeSigned<T>;
  const int64_t channels = s.channels, plane_size = s.plane() * channels;
  const auto widest = side_by_side * static_cast<int64_t>(hn::Lanes(d));
  each_row(s, [&] {
    const Tensor values = Tensor::empty(dtype_of<T>, {s.w.size, widest}), places = Tensor::empty(dtype_of<I>, {s.w.size, widest});
    return [&, values, places](const Row& row) {
      T* const value = values.data<T>();
      I* const place = places.data<I>();
      each_channel(d, channels, [&](auto vectors, int64_t c) HWY_ATTR {
        using Best = Largest<D, decltype(vectors)::value>;
        const T* const from = x + row.plane * plane_size + c;
        for (int64_t i = 0; i < s.w.size && !row.column(i).empty(); ++i)
          Best::of(d, row.column(i), channels, from).store(d, value + i * widest, place + i * widest);
        for (int64_t i = 0; i < s.w.out; ++i) {
          const Taps taps = row.window(i);
          const int64_t to = (row.first + i) * channels + c;
          if (taps.empty()) {
            no_maxima(static_cast<int64_t>(hn::Lanes(d)) * vectors, y + to, indices + to);
            continue;
          }
          int64_t column = taps.first - row.line;
          Best best = Best::load(d, value + column * widest, place + column * widest);
          for (int64_t k = 1; k < taps.columns; ++k) {
            column += taps.column_step;
            best.join(d, Best::load(d, value + column * widest, place + column * widest));
          }
          best.give(d, y + to, indices + to);
        }
      });
    };
  });
}

template <class T> void max_as(const MaxPoolPlan& plan) {
  const PoolShape& s = plan.shape;
  const T* const x = plan.x.data<T>();
  T* const y = plan.y.data<T>();
  auto* const indices = plan.indices.data<int64_t>();
  const int64_t lines = s.d.kernel * s.h.kernel, by_taps = s.w.out * lines * s.w.kernel;
  const int64_t by_columns = s.w.size * lines + 2 * s.w.out * s.w.kernel;  // steps; joining two is about twice the work
  with_channel_vectors<T>(s.channels, [&](auto d) {
    if (3 * by_columns < 2 * by_taps)
      max_by_columns(d, s, x, y, indices);
    else
      max_by_taps(d, s, x, y, indices);
  });
}

template <class T> void max_grad_as(const MaxPoolGradPlan& plan) {
  const PoolShape& s = plan.shape;
  const T* const g = plan.g.data<T>();
  const auto* const indices = plan.indices.data<int64_t>();
  T* const x_grad = plan.x_grad.data<T>();
  constexpr int64_t line = 64 / sizeof(T);  // elements of a cache line, which threads do not share
  const int64_t channels = s.channels, plane = s.plane(), windows = s.windows();
  const int64_t parts = std::clamp<int64_t>(num_threads() / s.planes, 1, channels / line + 1), width = (channels - 1) / parts + 1;
  const int64_t ahead = grain_of_work / 4 / channels + 1;
  std::atomic<bool> inside{true};
  parallel_for(s.planes * parts, 1, [&](int64_t begin, int64_t end) {
    bool fine = true;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t p = i / parts, first = std::min(i % parts * width, channels), last = std::min(first + width, channels);
      T* const to = x_grad + p * plane * channels;
      int64_t zeros = 0;  // positions that have been zeroed: just ahead of the additions, while they are in a near cache
      const auto zero_up_to = [&](int64_t place) {
        for (; zeros < place; ++zeros) std::fill(to + zeros * channels + first, to + zeros * channels + last, T(0));
      };
      for (int64_t w = p * windows; w < (p + 1) * windows; ++w)
        for (int64_t c = first; c < last; ++c) {
          const int64_t at = indices[w * channels + c] - 1;
          if (at < 0 || at >= zeros) {
            if (at < 0 || at >= plane) {
              fine = false;
              continue;
            }
            zero_up_to(std::min(at + ahead, plane));
          }
          to[at * channels + c] += g[w * channels + c];
        }
      zero_up_to(plane);
    }
    if (!fine) inside = false;
  });
  if (!inside) *plan.outside = true;
}

template <int vectors, class D, class T>
HWY_NOINLINE void mean_of(D d, const Taps& taps, int64_t channels, const T* x, int64_t divisor, T* y) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<D> sum[vectors];
#pragma GCC unroll 4
  for (int i = 0; i < vectors; ++i) sum[i] = hn::Zero(d);
  taps.each([&](int64_t place) HWY_ATTR {
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) sum[i] = hn::Add(sum[i], load_as(d, x + place * channels + i * lanes));
  });
  const auto by = hn::Set(d, static_cast<hn::TFromD<D>>(divisor));
#pragma GCC unroll 4
  for (int i = 0; i < vectors; ++i) store_from(d, hn::Div(sum[i], by), y + i * lanes);
}

// Sums are of type S.
template <class S, class T> void average_in(const PoolShape& s, bool count_pad, const T* x, T* y) {
  const int64_t channels = s.channels, plane_size = s.plane() * channels;
  with_channel_vectors<S>(channels, [&](auto d) {
    each_row(s, [&] {
      return [&](const Row& row) {
        const int64_t lines = s.d.counted(row.slice, count_pad) * s.h.counted(row.row, count_pad);
        for (int64_t i = 0; i < s.w.out; ++i) {
          const Taps taps = row.window(i);
          const int64_t to = (row.first + i) * channels, divisor = lines * s.w.counted(i, count_pad);
          each_channel(d, channels, [&](auto vectors, int64_t c) HWY_ATTR {
            mean_of<decltype(vectors)::value>(d, taps, channels, x + row.plane * plane_size + c, divisor, y + to + c);
          });
        }
      };
    });
  });
}

template <class T> void average_as(const AvgPoolPlan& plan) {
  const PoolShape& s = plan.shape;
  const bool count_pad = plan.count_pad;
  const T* const x = plan.x.data<T>();
  T* const y = plan.y.data<T>();
  constexpr int64_t large = 64;  // elements: larger windows are summed in double
  if (s.d.kernel * s.h.kernel * s.w.kernel <= large)
    average_in<T>(s, count_pad, x, y);
  else
    average_in<double>(s, count_pad, x, y);
}

// Along one axis: the windows over each position, and the reciprocal of each window's divisor.
class Overlap {
 public:
  Overlap(const PoolAxis& axis, bool count_pad)
      : tables_{Tensor::empty(DType::int64, {axis.size}), Tensor::empty(DType::int64, {axis.size}),
                Tensor::empty(DType::float64, {axis.out})},
        first_(tables_[0].data<int64_t>()),
        last_(tables_[1].data<int64_t>()),
        shares_(tables_[2].data<double>()) {
    for (int64_t i = 0; i < axis.size; ++i) {
      const PoolRange windows = axis.windows_over(i);
      first_[i] = windows.first;
      last_[i] = windows.last;
    }
    for (int64_t i = 0; i < axis.out; ++i) shares_[i] = 1 / static_cast<double>(axis.counted(i, count_pad));
  }
  PoolRange windows(int64_t place) const { return {first_[place], last_[place]}; }
  double share(int64_t window) const { return shares_[window]; }

 private:
  Tensor tables_[3];
  int64_t *first_, *last_;
  double* shares_;
};

// Sums the shares of each element of x_grad in the windows over it.
template <class T> void average_grad_as(const AvgPoolGradPlan& plan) {
  const PoolShape& s = plan.shape;
  const bool count_pad = plan.count_pad;
  const T* const g = plan.g.data<T>();
  T* const x_grad = plan.x_grad.data<T>();
  const Overlap of_slices(s.d, count_pad), of_rows(s.h, count_pad), of_columns(s.w, count_pad);
  const int64_t channels = s.channels, slices = s.d.size, rows = s.h.size, width = s.w.size;
  with_channel_vectors<T>(channels, [&](auto d) {
    parallel_for(s.planes * slices * rows, std::max<int64_t>(1, grain_of_work / (width * channels)), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const PoolRange down = of_slices.windows(i / rows % slices), across = of_rows.windows(i % rows);
        const T* const from = g + i / rows / slices * s.windows() * channels;
        for (int64_t at = 0; at < width; ++at) {
          const PoolRange along = of_columns.windows(at);
          each_channel(d, channels, [&](auto vectors, int64_t channel) HWY_ATTR {
            constexpr int count = decltype(vectors)::value;
            const auto lanes = static_cast<int64_t>(hn::Lanes(d));
            hn::Vec<decltype(d)> sum[count];
#pragma GCC unroll 4
            for (int v = 0; v < count; ++v) sum[v] = hn::Zero(d);
            for (int64_t k = down.first; k < down.last; ++k)
              for (int64_t r = across.first; r < across.last; ++r) {
                const T* const line = from + (k * s.h.out + r) * s.w.out * channels + channel;
                const double share = of_slices.share(k) * of_rows.share(r);
                for (int64_t c = along.first; c < along.last; ++c) {
                  const auto by = hn::Set(d, static_cast<T>(share * of_columns.share(c)));
#pragma GCC unroll 4
                  for (int v = 0; v < count; ++v) sum[v] = hn::MulAdd(hn::LoadU(d, line + c * channels + v * lanes), by, sum[v]);
                }
              }
            T* const to = x_grad + (i * width + at) * channels + channel;
#pragma GCC unroll 4
            for (int v = 0; v < count; ++v) hn::StoreU(sum[v], d, to + v * lanes);
          });
        }
      }
    });
  });
}

void max_pool_last(const MaxPoolPlan& plan) { (plan.x.dtype() == DType::float32 ? max_as<float> : max_as<double>)(plan); }
void max_pool_grad_last(const MaxPoolGradPlan& plan) {
  (plan.g.dtype() == DType::float32 ? max_grad_as<float> : max_grad_as<double>)(plan);
}
void avg_pool_last(const AvgPoolPlan& plan) { (plan.x.dtype() == DType::float32 ? average_as<float> : average_as<double>)(plan); }
void avg_pool_grad_last(const AvgPoolGradPlan& plan) {
  (plan.g.dtype() == DType::float32 ? average_grad_as<float> : average_grad_as<double>)(plan);
}

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mt {

HWY_EXPORT(max_pool_last);
HWY_EXPORT(max_pool_grad_last);
HWY_EXPORT(avg_pool_last);
HWY_EXPORT(avg_pool_grad_last);

namespace cpu {

void max_pool_channels_last(const MaxPoolPlan& plan) { HWY_DYNAMIC_DISPATCH(max_pool_last)(plan); }
void max_pool_grad_channels_last(const MaxPoolGradPlan& plan) { HWY_DYNAMIC_DISPATCH(max_pool_grad_last)(plan); }
void avg_pool_channels_last(const AvgPoolPlan& plan) { HWY_DYNAMIC_DISPATCH(avg_pool_last)(plan); }
void avg_pool_grad_channels_last(const AvgPoolGradPlan& plan) { HWY_DYNAMIC_DISPATCH(avg_pool_grad_last)(plan); }

}  // namespace cpu
}  // namespace mt
#endif
