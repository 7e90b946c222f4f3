// The assignment of elements to threads, which is the same for all reductions.
#include "cuda/kernels/reduce.h"

namespace mt::cuda {
namespace {

constexpr int64_t least_columns = 8;

AnyLayout<1> reduced_layout(const ReducePlan& plan) {
  const Tensor& x = plan.x;
  AnyLayout<1> one;
  if (plan.args.count <= 1) return one;
  if (plan.dim >= 0) {
    one.add(plan.args.count, {x.stride(plan.dim) * size_of(x.dtype())});
    return one;
  }
  Geometry g(x.sizes());
  g.add(x);
  g.collapse(plan.in_order);
  return AnyLayout<1>(g);
}

}  // namespace

Tensor first_elements(const ReducePlan& plan) {
  Tensor first = plan.x;
  Shape sizes(first.sizes());
  sizes[plan.dim] = 1;
  first.set_geometry(first.offset(), sizes, Shape(plan.x.strides()));
  return first;
}

ReduceShape shape_of(const ReducePlan& plan, bool strictly_in_order) {
  const int64_t width = size_of(plan.x.dtype()), n = plan.args.count, results = plan.results[0].numel();
  const AnyLayout<1> reduced = reduced_layout(plan);
  const AnyLayout<1> kept = kept_layout<0>(plan);
  const bool contiguous = reduced.dims == 1 && reduced.strides[0][0] == width;
  const bool by_columns = !contiguous && kept.dims > 0 && kept.strides[0][0] == width && kept.sizes[0] >= least_columns;
  return {reduced, contiguous, strictly_in_order ? Work::undivided(n, results) : Work::of(n, results, by_columns)};
}

}  // namespace mt::cuda
