// The plans of ops that copy, which need no kernel: devices copy.
#include "engine/core/arguments.h"
#include "engine/core/built.h"
#include "engine/core/image_layout.h"

#include "engine/ops/convert.h"

namespace mt {

void refuse_loss_of_parts(const Call& call, int i, DType to) {
  const DType from = call.tensor(i).dtype();
  if (complex_dtypes.contains(from) && !complex_dtypes.contains(to))
    call.fail_at<Status::dtype>(i, from, ", expected real numbers for ", to,
                                ": torch.real(x) has the real parts, torch.abs(x) the magnitudes");
}

namespace {

#include "engine/ops/convert-inl.h"

void copy_as(Call& call, DType dtype, DeviceId device) {
  const Tensor& x = call.tensor(0);
  if (!call.is_given(0)) {
    if (device == x.device()) return call.give(0, copy_alike(x, dtype));
    const Tensor there = empty_images(dtype, x.sizes(), layout_of(x), device);
    copy(there, x);
    return call.give(0, there);
  }
  if (device != call.result(0).device())
    call.fail_at(1, device_name(device), ", expected ", device_name(call.result(0).device()), ", where the result is");
  const Tensor out = call.output(0, dtype, x.sizes());
  if (x.numel() > 0) copy(out, x);
  call.finish(0, out);
}

void plan_clone(Call& call) { copy_as(call, call.tensor(0).dtype(), call.device); }

void plan_to(Call& call) {
  refuse_loss_of_parts(call, 0, call.arg(1).dtype);
  const DeviceId own = call.is_given(0) ? call.result(0).device() : call.device;
  copy_as(call, call.arg(1).dtype, place_of(call.arg(1), own));
}

constexpr Row rows[] = {{&Clone::decl, &plan_clone}, {&To::decl, &plan_to}};

}  // namespace

std::span<const Row> convert_rows() { return built_rows<rows>(); }

}  // namespace mt
