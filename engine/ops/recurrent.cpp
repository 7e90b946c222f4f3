#include "engine/ops/recurrent.h"

#include "engine/ops/images.h"

namespace mt {
namespace {

struct CellShape {
  int64_t batch, size;
};

// The sizes of the state determine all others.
CellShape cell_shape(const Call& call, int state) {
  const Tensor& t = call.tensor(state);
  if (t.dim() != 2) call.fail_at<Status::shape>(state, t.sizes(), ", expected (batch, size)");
  return {t.size(0), t.size(1)};
}

// Argument `arg`, (batch, parts * size), in the dtype of the computation; empty if it was left out.
Tensor gate_argument(const Call& call, int arg, DType dtype, const CellShape& s, int64_t parts) {
  if (!call.has(arg)) return Tensor();
  const Tensor& t = call.tensor(arg);
  if (t.dim() != 2 || t.size(0) != s.batch || t.size(1) != parts * s.size)
    call.fail_at<Status::shape>(arg, t.sizes(), ", expected ", Shape{s.batch, parts * s.size});
  return dense_argument(call, arg, dtype);
}

Tensor output(const Call& call, int result, DType dtype, DType inner, Sizes sizes) {
  return call.output(result, dtype, sizes, {.dense = true, .computed_in = inner});
}

}  // namespace

void plan_lstm(Call& call) {
  const CellShape s = cell_shape(call, 1);
  const DType dtype = call.tensor(0).dtype(), inner = image_dtype(call, 0, dtype);
  const Tensor x = gate_argument(call, 0, inner, s, 4), c0 = gate_argument(call, 1, inner, s, 1);
  const Tensor h = output(call, 0, dtype, inner, c0.sizes()), c = output(call, 1, dtype, inner, c0.sizes()),
               gates = output(call, 2, dtype, inner, x.sizes());
  if (c0.numel() > 0) call.launch<LstmPlan>(s.batch, s.size, x, c0, h, c, gates);
  call.finish(0, h);
  call.finish(1, c);
  call.finish(2, gates);
}

void plan_lstm_grad(Call& call) {
  const CellShape s = cell_shape(call, 3);
  const DType dtype = call.tensor(2).dtype(), inner = image_dtype(call, 2, dtype);
  const Tensor gh = gate_argument(call, 0, inner, s, 1), gc = gate_argument(call, 1, inner, s, 1),
               gates = gate_argument(call, 2, inner, s, 4), c0 = gate_argument(call, 3, inner, s, 1),
               c = gate_argument(call, 4, inner, s, 1);
  const Tensor gx = output(call, 0, dtype, inner, gates.sizes()), gc0 = output(call, 1, dtype, inner, c0.sizes());
  if (c0.numel() > 0) call.launch<LstmGradPlan>(s.batch, s.size, gh, gc, gates, c0, c, gx, gc0);
  call.finish(0, gx);
  call.finish(1, gc0);
}

void plan_gru(Call& call) {
  const CellShape s = cell_shape(call, 2);
  const DType dtype = call.tensor(0).dtype(), inner = image_dtype(call, 0, dtype);
  const Tensor x = gate_argument(call, 0, inner, s, 3), y = gate_argument(call, 1, inner, s, 3), h0 = gate_argument(call, 2, inner, s, 1);
  const Tensor h = output(call, 0, dtype, inner, h0.sizes()), gates = output(call, 1, dtype, inner, x.sizes());
  if (h0.numel() > 0) call.launch<GruPlan>(s.batch, s.size, x, y, h0, h, gates);
  call.finish(0, h);
  call.finish(1, gates);
}

void plan_gru_grad(Call& call) {
  const CellShape s = cell_shape(call, 3);
  const DType dtype = call.tensor(1).dtype(), inner = image_dtype(call, 1, dtype);
  const Tensor g = gate_argument(call, 0, inner, s, 1), gates = gate_argument(call, 1, inner, s, 3),
               y = gate_argument(call, 2, inner, s, 3), h0 = gate_argument(call, 3, inner, s, 1);
  const Tensor gx = output(call, 0, dtype, inner, gates.sizes()), gy = output(call, 1, dtype, inner, gates.sizes()),
               gh0 = output(call, 2, dtype, inner, h0.sizes());
  if (h0.numel() > 0) call.launch<GruGradPlan>(s.batch, s.size, g, gates, y, h0, gx, gy, gh0);
  call.finish(0, gx);
  call.finish(1, gy);
  call.finish(2, gh0);
}

}  // namespace mt
