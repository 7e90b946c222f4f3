// The kernel of the cross product.
#include "engine/ops/cross.h"

#include "cuda/complex_value.h"
#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/layout.h"

namespace mt::cuda {
namespace {

// One thread per product, of vectors with stride `step`.
template <class T, class Index> struct CrossKernel {
  const T *a, *b;
  T* out;
  Index products, step;

  // a[i] b[j] - a[j] b[i]; the result is rounded to 16-bit floats once.
  MT_DEVICE static T minor(T ai, T bj, T aj, T bi) {
    using V = Value<Compute<T>>;
    return narrow<T>((V(widen(ai)) * V(widen(bj)) - V(widen(aj)) * V(widen(bi))).v);
  }
  MT_DEVICE void operator()(Thread& t) const {
    for (Index i = static_cast<Index>(t.global_index()); i < products; i += static_cast<Index>(t.global_threads())) {
      const Index block = i / step, at = block * 3 * step + (i - block * step);
      const T *u = a + at, *v = b + at;
      T* const w = out + at;
      const T u0 = u[0], u1 = u[step], u2 = u[2 * step], v0 = v[0], v1 = v[step], v2 = v[2 * step];
      w[0] = minor(u1, v2, u2, v1);
      w[step] = minor(u2, v0, u0, v2);
      w[2 * step] = minor(u0, v1, u1, v0);
    }
  }
};

void run_cross(const CrossPlan& plan) {
  int64_t step = 1;
  for (int d = plan.dim + 1; d < plan.out.dim(); ++d) step *= plan.out.size(d);
  const int64_t products = plan.out.numel() / 3;
  dispatch<any_number_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    count_by_index(plan.out.numel(), [&]<class Index>(Index) {
      launch_each(op_stream(), products,
                  CrossKernel<T, Index>{elements<T>(plan.a), elements<T>(plan.b), elements<T>(plan.out), static_cast<Index>(products),
                                        static_cast<Index>(step)});
    });
  });
}

}  // namespace

KernelRows cross_rows() {
  static constexpr KernelRow rows[] = {{"cross", kernel<&run_cross>()}};
  return rows;
}

}  // namespace mt::cuda
