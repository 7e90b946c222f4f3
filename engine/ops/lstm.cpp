#include "engine/ops/lstm.h"

#include <algorithm>

#include "engine/ops/images.h"

namespace mt {
namespace {

// The sizes of the gates (steps, batch, 4 size) determine all others.
LstmSequence sequence_of(const Call& call, int gates, int reverse) {
  const Tensor& t = call.tensor(gates);
  if (t.dim() != 3 || t.size(0) == 0 || t.size(2) % 4 != 0)
    call.fail_at<Status::shape>(gates, t.sizes(), ", expected (steps, batch, 4 size) with at least one step");
  return {t.size(0), t.size(1), t.size(2) / 4, call.boolean(reverse)};
}

// An argument of these sizes in the dtype of the computation; empty if it was left out.
Tensor sized(const Call& call, int arg, DType dtype, const Shape& sizes) {
  if (call.has(arg) && !std::ranges::equal(call.tensor(arg).sizes(), Sizes(sizes)))
    call.fail_at<Status::shape>(arg, call.tensor(arg).sizes(), ", expected ", sizes);
  return dense_argument(call, arg, dtype);
}

}  // namespace

void plan_lstm_layer(Call& call) {
  const LstmSequence s = sequence_of(call, 0, 4);
  const DType dtype = call.tensor(0).dtype(), inner = image_dtype(call, 0, dtype);
  const Shape states{s.batch, s.size};
  const Tensor x = dense_argument(call, 0, inner), h0 = sized(call, 1, inner, states), c0 = sized(call, 2, inner, states),
               weight = sized(call, 3, inner, {4 * s.size, s.size});
  const bool keeps = call.boolean(5);
  const int64_t kept = keeps ? s.steps : 1;
  const OutputOptions options{.dense = true, .computed_in = inner};
  const Tensor y = call.output(0, dtype, Shape{s.steps, s.batch, s.size}, options),
               c = call.output(1, dtype, Shape{kept, s.batch, s.size}, options),
               gates = call.output(2, dtype, Shape{kept, s.batch, 4 * s.size}, options);
  if (y.numel() > 0) call.launch<LstmLayerPlan>(s, keeps, x, h0, c0, weight, y, c, gates);
  call.finish(0, y);
  call.finish(1, c);
  call.finish(2, gates);
}

void plan_lstm_layer_grad(Call& call) {
  const LstmSequence s = sequence_of(call, 3, 7);
  const DType dtype = call.tensor(3).dtype(), inner = image_dtype(call, 3, dtype);
  const Shape states{s.batch, s.size}, all_states{s.steps, s.batch, s.size};
  const Tensor gy = sized(call, 0, inner, all_states), gh = sized(call, 1, inner, states), gc = sized(call, 2, inner, states),
               gates = dense_argument(call, 3, inner), c0 = sized(call, 4, inner, states), c = sized(call, 5, inner, all_states),
               weight = sized(call, 6, inner, {4 * s.size, s.size});
  const OutputOptions options{.dense = true, .computed_in = inner};
  const Tensor gx = call.output(0, dtype, gates.sizes(), options), gh0 = call.output(1, dtype, states, options),
               gc0 = call.output(2, dtype, states, options);
  if (gx.numel() > 0) call.launch<LstmLayerGradPlan>(s, gy, gh, gc, gates, c0, c, weight, gx, gh0, gc0);
  call.finish(0, gx);
  call.finish(1, gh0);
  call.finish(2, gc0);
}

}  // namespace mt
