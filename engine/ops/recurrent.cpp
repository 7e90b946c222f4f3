// Shapes, dtypes and results of recurrent cells.
#include "engine/ops/recurrent.h"

#include "engine/ops/images.h"

namespace mt {
#include "engine/ops/recurrent-inl.h"

namespace {

const RecurrentKernels& kernels(const Call& call) { return *static_cast<const RecurrentKernels*>(call.op.kernel.data); }

struct CellShape {
  int64_t batch, size;
};

// The state's sizes tell all others.
CellShape cell_shape(const Call& call, int state) {
  const Tensor& t = call.tensor(state);
  if (t.dim() != 2) call.fail_at(state, t.sizes(), " came, (batch, size) was expected");
  return {t.size(0), t.size(1)};
}

// Argument `arg`, (batch, parts * size), in the dtype that computes; empty where it was left out.
Tensor gate_argument(const Call& call, int arg, DType dtype, const CellShape& s, int64_t parts) {
  if (!call.has(arg)) return Tensor();
  const Tensor& t = call.tensor(arg);
  if (t.dim() != 2 || t.size(0) != s.batch || t.size(1) != parts * s.size)
    call.fail_at(arg, t.sizes(), " came, ", Shape{s.batch, parts * s.size}, " was expected");
  return dense_argument(call, arg, dtype);
}

const std::byte* bytes_or_null(const Tensor& t) { return t.storage() == nullptr ? nullptr : t.bytes(); }

}  // namespace

void LstmCell::plan(Call& call) {
  const CellShape s = cell_shape(call, 1);
  const DType dtype = call.tensor(0).dtype(), inner = image_dtype(call, 0, dtype);
  const Tensor x = gate_argument(call, 0, inner, s, 4), c0 = gate_argument(call, 1, inner, s, 1);
  const Shape state{s.batch, s.size};
  const ImageResult h(call, 0, dtype, inner, state), c(call, 1, dtype, inner, state), gates(call, 2, dtype, inner, x.sizes());
  if (c0.numel() > 0) kernels(call).lstm(inner, {s.batch, s.size, x.bytes(), c0.bytes(), h.bytes(), c.bytes(), gates.bytes()});
  h.done();
  c.done();
  gates.done();
}

void LstmCellGrad::plan(Call& call) {
  const CellShape s = cell_shape(call, 3);
  const DType dtype = call.tensor(2).dtype(), inner = image_dtype(call, 2, dtype);
  const Tensor gh = gate_argument(call, 0, inner, s, 1), gc = gate_argument(call, 1, inner, s, 1),
               gates = gate_argument(call, 2, inner, s, 4), c0 = gate_argument(call, 3, inner, s, 1),
               c = gate_argument(call, 4, inner, s, 1);
  const ImageResult gx(call, 0, dtype, inner, gates.sizes()), gc0(call, 1, dtype, inner, c0.sizes());
  if (c0.numel() > 0)
    kernels(call).lstm_grad(
        inner, {s.batch, s.size, bytes_or_null(gh), bytes_or_null(gc), gates.bytes(), c0.bytes(), c.bytes(), gx.bytes(), gc0.bytes()});
  gx.done();
  gc0.done();
}

void GruCell::plan(Call& call) {
  const CellShape s = cell_shape(call, 2);
  const DType dtype = call.tensor(0).dtype(), inner = image_dtype(call, 0, dtype);
  const Tensor x = gate_argument(call, 0, inner, s, 3), y = gate_argument(call, 1, inner, s, 3), h0 = gate_argument(call, 2, inner, s, 1);
  const ImageResult h(call, 0, dtype, inner, h0.sizes()), gates(call, 1, dtype, inner, x.sizes());
  if (h0.numel() > 0) kernels(call).gru(inner, {s.batch, s.size, x.bytes(), y.bytes(), h0.bytes(), h.bytes(), gates.bytes()});
  h.done();
  gates.done();
}

void GruCellGrad::plan(Call& call) {
  const CellShape s = cell_shape(call, 3);
  const DType dtype = call.tensor(1).dtype(), inner = image_dtype(call, 1, dtype);
  const Tensor g = gate_argument(call, 0, inner, s, 1), gates = gate_argument(call, 1, inner, s, 3),
               y = gate_argument(call, 2, inner, s, 3), h0 = gate_argument(call, 3, inner, s, 1);
  const ImageResult gx(call, 0, dtype, inner, gates.sizes()), gy(call, 1, dtype, inner, gates.sizes()),
      gh0(call, 2, dtype, inner, h0.sizes());
  if (h0.numel() > 0)
    kernels(call).gru_grad(inner, {s.batch, s.size, g.bytes(), gates.bytes(), y.bytes(), h0.bytes(), gx.bytes(), gy.bytes(), gh0.bytes()});
  gx.done();
  gy.done();
  gh0.done();
}

}  // namespace mt
