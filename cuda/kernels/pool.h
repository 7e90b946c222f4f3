// Shared code of the pooling kernels: the positions in a plane that a window covers, and shapes with integers of a kernel's type. A thread
// computes one window, or one position, for `width` contiguous channels; threads are numbered in the order of the elements in memory.
#pragma once

#include "cuda/launch.h"
#include "cuda/step.h"
#include "engine/ops/pool.h"

namespace mt::cuda {

// The taps of a window that are inside the image: their numbers and their distances along each axis.
template <class N> struct Taps {
  N first;  // position in the plane
  N slices, rows, columns;
  N slice_step, row_step, column_step;

  MT_DEVICE bool empty() const { return slices <= 0 || rows <= 0 || columns <= 0; }

  // Calls f(position) for each tap, in row-major order.
  template <class F> MT_DEVICE void each(F f) const {
    for (N i = 0, slice = first; i < slices; ++i, slice += slice_step)
      for (N j = 0, row = slice; j < rows; ++j, row += row_step)
        for (N k = 0, place = row; k < columns; ++k, place += column_step) f(place);
  }
};

// The coordinates of a thread's elements: the plane, a position or window in it, and the pack of channels.
template <class N> struct PoolPlace { N plane, d, h, w, pack; };

template <class N> struct PoolGrid {
  Step<N> packs, w, h, d;  // sizes

  MT_DEVICE PoolPlace<N> find(N i) const {
    PoolPlace<N> at;
    at.pack = i % packs, i = i / packs;
    at.w = i % w, i = i / w;
    at.h = i % h, i = i / h;
    at.d = i % d, at.plane = i / d;
    return at;
  }
};

// A PoolShape with integers of type N, for kernels.
template <class N> struct PoolPlanes {
  using Axis = PoolAxisOf<N, Step<N>>;
  Axis d, h, w;
  N channels, places, windows;  // of a plane

  MT_DEVICE Taps<N> taps(const PoolPlace<N>& window) const {
    const N front = window.d * d.stride - d.pad, top = window.h * h.stride - h.pad, left = window.w * w.stride - w.pad;
    const auto slices = d.taps(front), rows = h.taps(top), columns = w.taps(left);
    const N first =
        ((front + slices.first * d.dilation) * h.size + top + rows.first * h.dilation) * w.size + left + columns.first * w.dilation;
    return {first, slices.count(), rows.count(), columns.count(), d.dilation * h.size * w.size, h.dilation * w.size, w.dilation};
  }
  MT_DEVICE int64_t first_element(const PoolPlace<N>& window, int width) const {  // of x, in the plane and channels of the window
    return int64_t{window.plane} * places * channels + window.pack * width;
  }
  MT_DEVICE int64_t first_result(const PoolPlace<N>& place, int width) const {  // the same for y
    return int64_t{place.plane} * windows * channels + place.pack * width;
  }
};

template <class N> typename PoolPlanes<N>::Axis axis_of(const PoolAxis& a) {
  return {static_cast<N>(a.size), static_cast<N>(a.out), static_cast<N>(a.kernel), a.stride, static_cast<N>(a.pad), a.dilation};
}
template <class N> PoolPlanes<N> planes_of(const PoolShape& s) {
  return {axis_of<N>(s.d),           axis_of<N>(s.h),
          axis_of<N>(s.w),           static_cast<N>(s.channels),
          static_cast<N>(s.plane()), static_cast<N>(s.windows())};
}
template <class N> PoolGrid<N> grid_of_windows(const PoolShape& s, int width) { return {s.channels / width, s.w.out, s.h.out, s.d.out}; }
template <class N> PoolGrid<N> grid_of_places(const PoolShape& s, int width) { return {s.channels / width, s.w.size, s.h.size, s.d.size}; }

// Whether all indices that kernels compute for the shape fit into 32 bits.
inline bool is_narrow(const PoolShape& s) {
  double reach = 1, volume = 1;  // numbers of positions, including those of windows beyond the edges
  for (const PoolAxis* const a : {&s.d, &s.h, &s.w}) {
    reach *= static_cast<double>(a->size + 2 * a->pad + a->stride + a->kernel * a->dilation);
    volume *= static_cast<double>(a->kernel);
  }
  const double planes = static_cast<double>(s.planes * s.channels);
  constexpr auto limit = static_cast<double>(least_wide);
  return reach < limit && volume < limit && planes * static_cast<double>(std::max(s.plane(), s.windows())) < limit;
}

// Calls f(value of the index type, number of channels per thread as a constant).
template <class T, class F> void with_pool_types(const PoolShape& s, bool packs_are_aligned, F f) {
  if (!is_narrow(s)) return f(int64_t{}, std::integral_constant<int, 1>());
  if (packs_are_aligned && s.channels % pack_size<T> == 0) return f(int32_t{}, std::integral_constant<int, pack_size<T>>());
  f(int32_t{}, std::integral_constant<int, 1>());
}

// A kernel that calls run(i) for each i in 0..count - 1.
template <class K> struct EachOf {
  K kernel;
  int64_t count;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < count; i += t.global_threads()) kernel.run(static_cast<typename K::Number>(i));
  }
};
template <class K> void launch_each_of(Stream stream, int64_t count, const K& kernel) {
  launch_each(stream, count, EachOf<K>{kernel, count});
}

}  // namespace mt::cuda
