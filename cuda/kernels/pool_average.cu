// Means of windows, and their gradient: each position adds its shares of the windows that cover it, in order.
#include "cuda/kernels/pool.h"
#include "cuda/kernels/register.h"

namespace mt::cuda {
namespace {

// Sums have type S.
template <class T, class S, class N, int width> struct AverageKernel {
  using Number = N;
  PoolPlanes<N> planes;
  PoolGrid<N> windows;
  bool count_pad;
  const T* x;
  T* y;

  MT_DEVICE void run(N i) const {
    const PoolPlace<N> at = windows.find(i);
    const T* const from = x + planes.first_element(at, width);
    S sums[width] = {};
    planes.taps(at).each([&](N place) {
      const auto elements = load_pack<width>(from + int64_t{place} * planes.channels);
      for (int k = 0; k < width; ++k) sums[k] += static_cast<S>(elements.at[k]);
    });
    const auto count =
        static_cast<S>(planes.d.counted(at.d, count_pad) * planes.h.counted(at.h, count_pad) * planes.w.counted(at.w, count_pad));
    Pack<T, width> result;
    for (int k = 0; k < width; ++k) result.at[k] = static_cast<T>(sums[k] / count);
    store_pack(y + int64_t{i} * width, result);
  }
};

template <class T, class N, int width> struct AverageGradKernel {
  using Number = N;
  PoolPlanes<N> planes;
  PoolGrid<N> places;
  bool count_pad;
  const T* g;
  T* x_grad;

  MT_DEVICE void run(N i) const {
    const PoolPlace<N> at = places.find(i);
    const T* const from = g + planes.first_result(at, width);
    const auto slices = planes.d.windows_over(at.d), rows = planes.h.windows_over(at.h), columns = planes.w.windows_over(at.w);
    Pack<T, width> sums = {};
    for (N d = slices.first; d < slices.last; ++d)
      for (N h = rows.first; h < rows.last; ++h) {
        const N lines = planes.d.counted(d, count_pad) * planes.h.counted(h, count_pad);
        for (N w = columns.first; w < columns.last; ++w) {
          const N window = (d * planes.h.out + h) * planes.w.out + w;
          const auto elements = load_pack<width>(from + int64_t{window} * planes.channels);
          const auto count = static_cast<T>(lines * planes.w.counted(w, count_pad));
          for (int k = 0; k < width; ++k) sums.at[k] += elements.at[k] / count;
        }
      }
    store_pack(x_grad + int64_t{i} * width, sums);
  }
};

template <class T, class S> void average_as(const AvgPoolPlan& plan) {
  const T* const x = elements<T>(plan.x);
  T* const y = elements<T>(plan.y);
  const bool aligned = is_pack_aligned<pack_size<T>>(x) && is_pack_aligned<pack_size<T>>(y);
  with_pool_types<T>(plan.shape, aligned, [&]<class N, int width>(N, std::integral_constant<int, width>) {
    launch_each_of(op_stream(), plan.y.numel() / width,
                   AverageKernel<T, S, N, width>{planes_of<N>(plan.shape), grid_of_windows<N>(plan.shape, width), plan.count_pad, x, y});
  });
}

void run_average(const AvgPoolPlan& plan) {
  constexpr int64_t large = 64;  // elements: sums of larger windows are in double
  const PoolShape& s = plan.shape;
  if (plan.x.dtype() == DType::float64) return average_as<double, double>(plan);
  (s.d.kernel * s.h.kernel * s.w.kernel <= large ? average_as<float, float> : average_as<float, double>)(plan);
}

template <class T> void average_grad_as(const AvgPoolGradPlan& plan) {
  const T* const g = elements<T>(plan.g);
  T* const x_grad = elements<T>(plan.x_grad);
  const bool aligned = is_pack_aligned<pack_size<T>>(g) && is_pack_aligned<pack_size<T>>(x_grad);
  with_pool_types<T>(plan.shape, aligned, [&]<class N, int width>(N, std::integral_constant<int, width>) {
    launch_each_of(
        op_stream(), plan.x_grad.numel() / width,
        AverageGradKernel<T, N, width>{planes_of<N>(plan.shape), grid_of_places<N>(plan.shape, width), plan.count_pad, g, x_grad});
  });
}

void run_average_grad(const AvgPoolGradPlan& plan) {
  (plan.g.dtype() == DType::float32 ? average_grad_as<float> : average_grad_as<double>)(plan);
}

}  // namespace

KernelRows pool_average_rows() {
  static constexpr KernelRow rows[] = {{"avgPool2d", kernel<&run_average>()},
                                       {"avgPool3d", kernel<&run_average>()},
                                       {"avgPool2d_grad", kernel<&run_average_grad>()},
                                       {"avgPool3d_grad", kernel<&run_average_grad>()}};
  return rows;
}

}  // namespace mt::cuda
