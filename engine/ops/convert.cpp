#include "engine/core/image_layout.h"
#include "engine/ops/register.h"

namespace mt {
namespace {

#include "engine/ops/convert-inl.h"

void copy_as(Call& call, DType dtype) {
  const Tensor& x = call.tensor(0);
  if (!call.is_given(0)) return call.give(0, copy_alike(x, dtype));
  const Tensor out = call.output(0, dtype, x.sizes());
  if (x.numel() > 0) copy(out, x);
  call.finish(0, out);
}

constexpr Row rows[] = {{&Clone::decl, [](Call& call) { copy_as(call, call.tensor(0).dtype()); }},
                        {&To::decl, [](Call& call) { copy_as(call, call.arg(1).dtype); }}};

}  // namespace

std::span<const Row> convert_rows() { return rows; }

}  // namespace mt
