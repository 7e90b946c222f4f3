#include "engine/ops/mask.h"

#include <algorithm>

#include "engine/core/asynchronous.h"
#include "engine/core/geometry.h"
#include "engine/ops/changed.h"

namespace mt {
namespace {

// A mask argument in the kernels' form, in memory that the result doesn't share.
Tensor checked_mask(const Call& call, int i, const Tensor& x) {
  const Tensor& given = call.tensor(i);
  if (given.dtype() != DType::uint8 && given.dtype() != DType::boolean)
    call.fail_at<Status::dtype>(i, given.dtype(), ", expected torch.ByteTensor");
  const auto checked = [&](Tensor mask) {
    if (call.is_given(0) && may_overlap(mask, call.result(0))) mask = clone(mask);
    if (mask.dtype() == DType::uint8) {
      expect_elements({{mask, 0, 1, 0, false}, call.name(), call.argument(i), [](int64_t, int64_t, int64_t) {
                         return std::string("Mask tensor can take 0 and 1 values only");
                       }});
    }
    if (mask.same_sizes(x)) return mask;
    Shape strides(x.sizes());
    contiguous_strides(x.sizes(), &strides[0]);
    mask.set_geometry(mask.offset(), x.sizes(), strides);
    return mask;
  };
  if (given.numel() == x.numel()) return checked(contiguous(given));
  const bool fits = given.dim() > 0 && given.dim() <= x.dim() &&
                    std::ranges::equal(Sizes(broadcast(call.name(), call.argument(i), x.sizes(), given.sizes())), x.sizes());
  if (!fits)
    call.fail_at<Status::shape>(i, given.sizes(), ", expected as many elements as ", x.sizes(), " has, or sizes that broadcast to it");
  return checked(contiguous(expand_to(given, x.sizes())));
}

Tensor ranking_memory(const Call& call, const Tensor& x) { return call.empty(DType::int64, Shape{Ranking::runs(x.numel())}); }

// Launches a plan twice: first its kernel counts the elements, which gives the sizes of the result, then it moves them.
template <class Plan, class SizesOf> void count_and_move(Call& call, Plan plan, DType dtype, SizesOf sizes_of) {
  if (plan.x.numel() > 0) call.launch(plan);
  const int64_t count = plan.ranking.count;
  const Tensor out = call.output(0, dtype, count > 0 ? Shape(sizes_of(count)) : Shape());
  plan.ranking.pass = MaskPass::move;
  plan.out = out;
  if (count > 0) call.launch(plan);
  call.finish(0, out);
}

}  // namespace

void plan_masked_select(Call& call) {
  const Tensor mask = checked_mask(call, 1, call.tensor(0)), x = contiguous(call.tensor(0));
  const Tensor before = ranking_memory(call, x);
  count_and_move(call, MaskedSelectPlan{x, mask, {MaskPass::count, before}}, x.dtype(), [](int64_t count) { return Shape{count}; });
}

void plan_masked_fill(Call& call) {
  const Tensor mask = checked_mask(call, 1, call.tensor(0)), out = changed(call);
  if (out.numel() > 0) call.launch<MaskedFillPlan>(out, mask, element_as(call.arg(2), out.dtype()));
  call.finish(0, out);
}

void plan_masked_copy(Call& call) {
  const Tensor &x = call.tensor(0), &given = call.tensor(2);
  const Tensor mask = checked_mask(call, 1, x);
  if (given.numel() < mask.numel()) {  // else there are enough for any mask
    const MaskedCopyPlan counting{mask};
    call.launch(counting);
    if (const int64_t ones = counting.ones; given.numel() < ones) {
      call.fail_at<Status::shape>(2, given.numel(), " elements, the mask has ", ones,
                                  " ones: Number of elements of src < number of ones in mask");
    }
  }
  const Tensor out = changed(call), source = contiguous(apart(given, out));
  if (mask.numel() > 0 && source.numel() > 0) {
    const Tensor dense = contiguous(out);
    call.launch<MaskedCopyPlan>(mask, dense, source);
    if (!out.is_contiguous()) copy(out, dense);
  }
  call.finish(0, out);
}

void plan_nonzero(Call& call) {
  const Tensor& given = call.tensor(0);
  const DType dtype = given.dtype();
  const Tensor x = contiguous(storage_dtypes.contains(dtype) ? to_dtype(given, arithmetic_dtype(dtype)) : given);
  const Tensor before = ranking_memory(call, x);
  count_and_move(call, NonzeroPlan{x, {MaskPass::count, before}}, DType::int64, [&](int64_t count) { return Shape{count, x.dim()}; });
}

}  // namespace mt
