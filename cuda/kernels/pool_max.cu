// Maxima of windows, and their gradient. A plan of the gradient has no windows, only the position that each of them chose. For each slice,
// row and column of positions, a first kernel records the first and the last slice, row or column of windows that chose a position there.
// In a second kernel, each position adds the gradients of those windows between them that chose it, in order. So sums are the same in each
// run, and the same as on the CPU.
#include <limits>

#include "cuda/kernels/pool.h"
#include "cuda/kernels/register.h"
#include "cuda/scratch.h"

namespace mt::cuda {
namespace {

template <class T, class N, int width> struct MaxKernel {
  using Number = N;
  PoolPlanes<N> planes;
  PoolGrid<N> windows;
  const T* x;
  T* y;
  int64_t* indices;

  MT_DEVICE void run(N i) const {
    const PoolPlace<N> at = windows.find(i);
    const T* const from = x + planes.first_element(at, width);
    const Taps<N> taps = planes.taps(at);
    Pack<T, width> best;
    N where[width];
    for (int k = 0; k < width; ++k) {
      best.at[k] = -std::numeric_limits<T>::infinity();
      where[k] = taps.empty() ? 0 : taps.first;
    }
    taps.each([&](N place) {
      const auto elements = load_pack<width>(from + int64_t{place} * planes.channels);
      for (int k = 0; k < width; ++k) {
        const bool stays = elements.at[k] <= best.at[k] || best.at[k] != best.at[k];  // a NaN stays the maximum
        if (!stays) best.at[k] = elements.at[k], where[k] = place;
      }
    });
    store_pack(y + int64_t{i} * width, best);
    Pack<int64_t, width> counted_from_one;
    for (int k = 0; k < width; ++k) counted_from_one.at[k] = int64_t{where[k]} + 1;
    store_pack(indices + int64_t{i} * width, counted_from_one);
  }
};

template <class T> void max_as(const MaxPoolPlan& plan) {
  const T* const x = elements<T>(plan.x);
  T* const y = elements<T>(plan.y);
  int64_t* const indices = elements<int64_t>(plan.indices);
  constexpr int pack = pack_size<T>;
  const bool aligned = is_pack_aligned<pack>(x) && is_pack_aligned<pack>(y) && is_pack_aligned<pack>(indices);
  with_pool_types<T>(plan.shape, aligned, [&]<class N, int width>(N, std::integral_constant<int, width>) {
    launch_each_of(op_stream(), plan.y.numel() / width,
                   MaxKernel<T, N, width>{planes_of<N>(plan.shape), grid_of_windows<N>(plan.shape, width), x, y, indices});
  });
}

void run_max(const MaxPoolPlan& plan) { (plan.x.dtype() == DType::float32 ? max_as<float> : max_as<double>)(plan); }

// For each position along an axis: the first window that chose it, and the last one, negated, so that both are minima. For an axis with
// one position nothing is recorded: any window may have chosen it.
template <class N> struct Choosers {
  N *first, *last;
  N places, windows;

  MT_DEVICE void note(N place, N window) const {
    if (places == 1) return;
    // Most are recorded already: a volatile read, which sees the writes of other threads, is far cheaper than an atomic operation.
    if (window < *const_cast<const volatile N*>(first + place)) atomic_min(first + place, window);
    if (-window < *const_cast<const volatile N*>(last + place)) atomic_min(last + place, static_cast<N>(-window));
  }
  MT_DEVICE PoolRangeOf<N> at(N place) const {
    return places == 1 ? PoolRangeOf<N>{0, windows} : PoolRangeOf<N>{first[place], static_cast<N>(1 - last[place])};
  }
};

template <class N> struct NoteKernel {
  using Number = N;
  PoolGrid<N> windows, places;
  Choosers<N> d, h, w;
  N plane;
  const int64_t* indices;
  N* inside;  // set to 0 if an index is outside of the plane

  MT_DEVICE void run(N i) const {
    const int64_t chosen = indices[i] - 1;
    if (chosen < 0 || chosen >= plane) {
      atomic_min(inside, N(0));
      return;
    }
    const PoolPlace<N> at = windows.find(i);
    const auto place = static_cast<N>(chosen), row = place / places.w;
    d.note(row / places.h, at.d);
    h.note(row % places.h, at.h);
    w.note(place % places.w, at.w);
  }
};

template <class T, class N, int width> struct MaxGradKernel {
  using Number = N;
  PoolPlanes<N> planes;
  PoolGrid<N> places;
  Choosers<N> d, h, w;
  const T* g;
  const int64_t* indices;
  T* x_grad;

  MT_DEVICE void run(N i) const {
    const PoolPlace<N> at = places.find(i);
    const int64_t first = planes.first_result(at, width);
    const int64_t index = (int64_t{at.d} * planes.h.size + at.h) * planes.w.size + at.w + 1;
    const auto slices = d.at(at.d), rows = h.at(at.h), columns = w.at(at.w);
    Pack<T, width> sums = {};
    for (N k = slices.first; k < slices.last; ++k)
      for (N r = rows.first; r < rows.last; ++r)
        for (N c = columns.first; c < columns.last; ++c) {
          const N window = (k * planes.h.out + r) * planes.w.out + c;
          const int64_t from = first + int64_t{window} * planes.channels;
          const auto chosen = load_pack<width>(indices + from);
          for (int j = 0; j < width; ++j) {
            if (chosen.at[j] == index) sums.at[j] += g[from + j];
          }
        }
    store_pack(x_grad + int64_t{i} * width, sums);
  }
};

template <class T, class N, int width> void gather(const MaxPoolGradPlan& plan) {
  const PoolShape& s = plan.shape;
  const Stream stream = op_stream();
  const int64_t places = s.d.size + s.h.size + s.w.size;
  const Scratch<N> space(stream, 2 * places + 1);
  driver::set_bytes(stream, space.address(), 0x7f, static_cast<size_t>(2 * places + 1) * sizeof(N));  // more than any window
  N *next = space.data(), *const inside = next++;
  const auto choosers = [&](const PoolAxis& axis) {
    N *const first = next, *const last = next + axis.size;
    next = last + axis.size;
    return Choosers<N>{first, last, static_cast<N>(axis.size), static_cast<N>(axis.out)};
  };
  const Choosers<N> d = choosers(s.d), h = choosers(s.h), w = choosers(s.w);
  const int64_t* const indices = elements<int64_t>(plan.indices);
  launch_each_of(stream, plan.indices.numel(),
                 NoteKernel<N>{grid_of_windows<N>(s, 1), grid_of_places<N>(s, 1), d, h, w, static_cast<N>(s.plane()), indices, inside});
  launch_each_of(stream, plan.x_grad.numel() / width,
                 MaxGradKernel<T, N, width>{planes_of<N>(s), grid_of_places<N>(s, width), d, h, w, elements<T>(plan.g), indices,
                                            elements<T>(plan.x_grad)});
  if (!plan.outside.is_wanted()) return;
  N fine = 0;
  driver::copy_to_host(stream, &fine, space.address(), sizeof fine);
  if (fine == 0) *plan.outside = true;
}

template <class T> void max_grad_as(const MaxPoolGradPlan& plan) {
  constexpr int pack = pack_size<T>;
  const bool aligned = is_pack_aligned<pack>(elements<T>(plan.x_grad)) && is_pack_aligned<pack>(elements<int64_t>(plan.indices));
  with_pool_types<T>(plan.shape, aligned, [&]<class N, int width>(N, std::integral_constant<int, width>) { gather<T, N, width>(plan); });
}

void run_max_grad(const MaxPoolGradPlan& plan) {
  if (plan.g.numel() == 0)  // no windows: the kernels would divide by 0
    return driver::set_bytes(op_stream(), plan.x_grad.bytes(), 0, static_cast<size_t>(plan.x_grad.numel() * size_of(plan.x_grad.dtype())));
  (plan.g.dtype() == DType::float32 ? max_grad_as<float> : max_grad_as<double>)(plan);
}

}  // namespace

KernelRows pool_max_rows() {
  static constexpr KernelRow rows[] = {{"maxPool2d", kernel<&run_max>()},
                                       {"maxPool3d", kernel<&run_max>()},
                                       {"maxPool2d_grad", kernel<&run_max_grad>()},
                                       {"maxPool3d_grad", kernel<&run_max_grad>()}};
  return rows;
}

}  // namespace mt::cuda
