#include "engine/ops/rearrange.h"

#include <algorithm>

#include "engine/ops/view.h"

namespace mt {
namespace {

void keep_triangle(Call& call, bool lower) {
  const Tensor& x = call.tensor(0);
  if (x.dim() < 2) call.fail_at<Status::shape>(0, x.sizes(), ", expected a matrix");
  const Tensor out = call.output(0, x.dtype(), x.sizes(), {.dense = true});
  if (x.numel() > 0) {
    copy(out, x);
    // A k far outside has no further effect, and must not overflow.
    const int64_t k = std::clamp(call.integer(1), -x.size(x.dim() - 2), x.size(x.dim() - 1));
    call.launch<TrianglePlan>(out, k, lower);
  }
  call.finish(0, out);
}

}  // namespace

void plan_tril(Call& call) { keep_triangle(call, true); }
void plan_triu(Call& call) { keep_triangle(call, false); }

namespace {

// x reversed along each dimension whose bit is set: a view with negative strides, which is never returned.
Tensor reversed(Tensor x, uint64_t dims) {
  int64_t offset = x.offset();
  Shape strides(x.strides());
  for (int d = 0; d < x.dim(); ++d) {
    if ((dims >> d & 1) == 0) continue;
    offset += (x.size(d) - 1) * x.stride(d);
    strides[d] = -x.stride(d);
  }
  x.set_geometry(offset, Shape(x.sizes()), strides);
  return x;
}

}  // namespace

void plan_flip(Call& call) {
  const Tensor& x = call.tensor(0);
  uint64_t turned = call.has(1) ? 0 : ~uint64_t{0};
  static_assert(max_dims <= 64);
  for (const int64_t dim : call.has(1) ? call.sizes(1) : Sizes()) {
    const int64_t d = dim < 0 ? dim + x.dim() : dim;
    if (d < 0 || d >= x.dim()) call.fail_at<Status::range>(1, "dimension ", Counted{dim}, " out of range 1..", x.dim());
    const uint64_t bit = uint64_t{1} << d;
    if ((turned & bit) != 0) call.fail_at<Status::range>(1, "dimension ", Counted{dim}, " twice, expected once");
    turned |= bit;
  }
  const Tensor out = call.output(0, x.dtype(), x.sizes());
  if (x.numel() > 0) call.launch<FlipPlan>(reversed(x, turned), out);
  call.finish(0, out);
}

void plan_roll(Call& call) {
  const Tensor& given = call.tensor(0);
  const bool along = call.has(2);
  const int dim = along ? call.dim(2, given.dim()) : 0;
  const Tensor out = call.output(0, given.dtype(), given.sizes(), {.dense = !along});
  if (given.numel() > 0) {
    const int64_t n = along ? given.size(dim) : given.numel(), shift = (call.integer(1) % n + n) % n;
    if (along || (given.dim() == 1 && given.is_contiguous()))
      call.launch<RollPlan>(given, out, dim, shift);
    else
      call.launch<RollPlan>(flat(contiguous(given)), flat(out), 0, shift);
  }
  call.finish(0, out);
}

}  // namespace mt
