#include "engine/ops/loss.h"

#include "engine/core/asynchronous.h"

namespace mt {

Places::Places(Sizes sizes) {
  if (sizes.empty()) classes = 0;
  const size_t class_dim = sizes.size() > 1 ? 1 : 0;
  for (size_t d = 0; d < sizes.size(); ++d) (d < class_dim ? outer : d > class_dim ? inner : classes) *= sizes[d];
}

namespace {

// Argument i, class numbers or a single one, as a tensor.
Tensor checked_classes(const Call& call, const Places& places, int i, int64_t ignore) {
  const Value& v = call.arg(i);
  const int64_t actual = v.is_tensor() ? v.tensor->numel() : 1;
  if (actual != places.count()) call.fail_at<Status::shape>(i, actual, " class numbers, expected ", places.count());
  const Tensor classes = v.is_tensor() ? contiguous(to_dtype(*v.tensor, DType::int64)) : one_element(v, DType::int64, call.device);
  expect_elements({{classes, 1, places.classes, ignore, false},
                   call.name(),
                   call.argument(i),
                   [](int64_t c, int64_t at, int64_t count) {
                     return concat(c, " at place ", at + 1, ", expected 1..", count, ": classes count from 1");
                   },
                   places.classes});
  return classes;
}

// Argument i, a weight for each class; an empty tensor if it is absent.
Tensor checked_weights(const Call& call, const Places& places, int i) {
  if (!call.has(i)) return {};
  const Tensor weights = contiguous(to_dtype(call.tensor(i), DType::float64));
  if (weights.numel() != places.classes)
    call.fail_at<Status::shape>(i, weights.numel(), " elements, expected one for each of ", places.classes, " classes");
  return weights;
}

}  // namespace

void plan_nll_loss(Call& call) {
  const DType dtype = float_for(call.tensor(0).dtype());
  const Places places(call.tensor(0).sizes());
  if (places.classes == 0) call.fail_at<Status::shape>(0, call.tensor(0).sizes(), ", expected log-probabilities of at least one class");
  const int64_t ignore = call.integer(4);
  const Tensor classes = checked_classes(call, places, 1, ignore), weights = checked_weights(call, places, 2);
  const Tensor logp = contiguous(to_dtype(call.tensor(0), dtype));
  const Tensor loss = call.output(0, dtype, Shape{1}), total = call.output(1, dtype, Shape{1});
  call.launch<NllLossPlan>(logp, loss, total, places, Targets{classes, weights, ignore}, call.boolean(3));
  call.finish(0, loss);
  call.finish(1, total);
}

void plan_nll_loss_grad(Call& call) {
  const DType dtype = float_for(call.tensor(0).dtype());
  checked_product(call.name(), call.sizes(1));
  const Places places(call.sizes(1));
  const int64_t ignore = call.integer(6);
  const Tensor classes = checked_classes(call, places, 2, ignore), weights = checked_weights(call, places, 4);
  for (const int i : {0, 3}) {
    if (call.tensor(i).numel() != 1) call.fail_at<Status::shape>(i, call.tensor(i).sizes(), ", expected one element");
  }
  const Tensor gradient = to_dtype(call.tensor(0), DType::float64), total = to_dtype(call.tensor(3), DType::float64);
  const Tensor out = call.output(0, dtype, call.sizes(1), {.dense = true});
  if (out.numel() > 0) {
    call.launch<NllLossGradPlan>(gradient, total, out, places, Targets{classes, weights, ignore}, call.boolean(5));
  }
  call.finish(0, out);
}

}  // namespace mt
