#include "engine/ops/scan.h"

#include "engine/ops/slices.h"

namespace mt {

void run_scan(Call& call) {
  const Tensor& given = call.tensor(0);
  const DType dtype = given.dtype();
  const ScanKernel& kernel = static_cast<const ScanKernels*>(call.op.kernels)->kernels[static_cast<int>(dtype)];
  if (kernel.rows == nullptr) call.fail_at(0, dtype, " came, a tensor of numbers was expected");
  if (given.dim() == 0) {
    call.finish(0, call.output(0, dtype, given.sizes()));
    return;
  }
  const int dim = call.dim(1, given.dim());
  const Tensor x = contiguous(given);
  Tensor out = call.output(0, dtype, x.sizes());
  if (!out.is_contiguous()) out = Tensor::empty(dtype, x.sizes());
  if (x.numel() > 0) {
    const Slices slices(x, dim);
    const int64_t width = size_of(dtype);
    const std::byte* from = x.bytes();
    std::byte* to = out.bytes();
    slices.run([&](int64_t first, int64_t m) { kernel.rows(from + first * slices.n * width, to + first * slices.n * width, slices.n, m); },
               [&](int64_t at, int64_t m) { kernel.columns(from + at * width, to + at * width, slices.n, m, slices.inner * width); });
  }
  call.finish(0, out);
}

}  // namespace mt
