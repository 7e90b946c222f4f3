// Kernels of engine/ops/rearrange.h: one launch each.
#include "engine/ops/rearrange.h"

#include "cuda/kernels/copy.h"
#include "cuda/kernels/lines.h"
#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/layout.h"

namespace mt::cuda {
namespace {

template <class W, class Index> struct Triangle {
  W* out;
  Index n, rows, columns;
  int64_t k;
  bool lower;
  MT_DEVICE void operator()(Thread& t) const {
    for (Index i = static_cast<Index>(t.global_index()); i < n; i += static_cast<Index>(t.global_threads())) {
      const Index line = i / columns;
      const int64_t place = static_cast<int64_t>(i - line * columns) - static_cast<int64_t>(line % rows);
      if (lower ? place > k : place < k) out[i] = W(0);
    }
  }
};

void run_triangle(const TrianglePlan& plan) {
  const Tensor& out = plan.out;
  by_width(out.dtype(), [&]<class W>(W) {
    count_by_index(out.numel(), [&]<class Index>(Index n) {
      launch_each(op_stream(), out.numel(),
                  Triangle<W, Index>{elements<W>(out), n, static_cast<Index>(out.size(out.dim() - 2)),
                                     static_cast<Index>(out.size(out.dim() - 1)), plan.k, plan.lower});
    });
  });
}

void run_flip(const FlipPlan& plan) { copy_elements(plan.out, plan.x); }

template <class W, class Index> struct Roll {
  Layout<3, Index> layout;  // of out; of x, with stride 0 along the dimension; of the position along it
  std::byte* out;
  const std::byte* x;
  int64_t slices, shift, step;
  Index n;
  MT_DEVICE void operator()(Thread& t) const {
    for (Index i = static_cast<Index>(t.global_index()); i < n; i += static_cast<Index>(t.global_threads())) {
      int64_t at[3];
      layout.find(i, at);
      const int64_t place = at[2] / static_cast<int64_t>(sizeof(W)), from = place < shift ? place - shift + slices : place - shift;
      *reinterpret_cast<W*>(out + at[0]) = *reinterpret_cast<const W*>(x + at[1] + from * step);
    }
  }
};

void run_roll(const RollPlan& plan) {
  const Tensor &x = plan.x, &out = plan.out;
  Geometry g(out.sizes());
  g.add(out);
  g.add(line_starts(x, x.sizes(), plan.dim));
  g.add(steps_along(x, x.sizes(), plan.dim));
  g.collapse();
  by_width(x.dtype(), [&]<class W>(W) {
    count_by_index(g.numel(), [&]<class Index>(Index n) {
      launch_each(op_stream(), g.numel(),
                  Roll<W, Index>{Layout<3, Index>(g), reachable(g.data(0)), reachable(g.data(1)), x.size(plan.dim), plan.shift,
                                 x.stride(plan.dim) * static_cast<int64_t>(sizeof(W)), n});
    });
  });
}

}  // namespace

KernelRows rearrange_rows() {
  static constexpr KernelRow rows[] = {
      {"tril", kernel<&run_triangle>()}, {"triu", kernel<&run_triangle>()}, {"flip", kernel<&run_flip>()}, {"roll", kernel<&run_roll>()}};
  return rows;
}

}  // namespace mt::cuda
