#include "engine/ops/changed.h"

#include "engine/core/fresh_memory.h"
#include "engine/core/recorder.h"

namespace mt {
namespace {

// Whether the out argument is argument 0 itself.
bool in_place(const Call& call) {
  if (!call.is_given(0)) return false;
  const Tensor &x = call.tensor(0), &out = call.result(0);
  return &out == &x || (out.storage() == x.storage() && out.same_geometry(x));
}

}  // namespace

Tensor replaced(const Call& call) {
  const Tensor& x = call.tensor(0);
  return in_place(call) ? call.result(0) : call.output(0, x.dtype(), x.sizes());
}

Tensor changed(const Call& call) {
  if (in_place(call)) return call.result(0);
  const Tensor& x = call.tensor(0);
  Tensor out = call.output(0, x.dtype(), x.sizes());
  if (x.numel() > 0) copy(out, x);
  return out;
}

Tensor apart(const Tensor& source, const Tensor& out) {
  Tensor converted = to_dtype(source, out.dtype());
  if (may_overlap(converted, out)) return clone(converted);
  return converted;
}

Tensor zero_output(const Call& call, DType dtype, Sizes sizes, ImageLayout layout) {
  Tensor out = call.output(0, dtype, sizes, {.layout = layout});
  const size_t bytes = static_cast<size_t>(out.numel() * size_of(dtype));
  const bool is_new = !call.is_given(0) && out.device() == cpu_device && out.storage() != nullptr;
  const bool is_zero = is_new && !is_recording() && holds_zeros(out.storage()->data, bytes);  // a recorded program runs again
  if (!is_zero) fill(out, ScalarValue{});
  return out;
}

}  // namespace mt
