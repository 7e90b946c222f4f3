#include "engine/ops/softmax.h"

#include <algorithm>
#include <limits>

#include "engine/cpu/slices.h"

namespace mt {
namespace {

// The argument as contiguous float or double: 16-bit floats are computed as float.
Tensor prepared(const Tensor& x, DType dtype) { return contiguous(to_dtype(x, dtype == DType::float64 ? DType::float64 : DType::float32)); }

void run_slices(Call& call, int tensors, bool reduces) {
  const Tensor& x = call.tensor(0);
  DType dtype = x.dtype();
  if (tensors == 2) {
    if (!std::ranges::equal(x.sizes(), call.tensor(1).sizes()))
      call.fail_at(1, call.tensor(1).sizes(), " came, ", x.sizes(), " was expected");
    dtype = promote(dtype, call.tensor(1).dtype());
  }
  dtype = float_for(dtype);
  if (x.dim() == 0) {
    call.finish(0, call.output(0, dtype, x.sizes()));
    return;
  }
  const int dim = call.dim(tensors, x.dim());
  Shape sizes(x.sizes());
  if (reduces) sizes[dim] = 1;
  const Tensor out = call.output(0, dtype, sizes);
  const Tensor a = prepared(x, dtype), b = tensors == 2 ? prepared(call.tensor(1), dtype) : Tensor();
  const Tensor computed = out.dtype() == a.dtype() && out.is_contiguous() ? out : Tensor::empty(a.dtype(), sizes);
  if (a.numel() == 0) {  // what remains of it is logsumexp's of nothing
    constexpr double log_of_0 = -std::numeric_limits<double>::infinity();
    if (computed.dtype() == DType::float64)
      std::fill_n(computed.data<double>(), computed.numel(), log_of_0);
    else
      std::fill_n(computed.data<float>(), computed.numel(), static_cast<float>(log_of_0));
  } else {
    const auto& kernels = *static_cast<const SliceKernels*>(call.op.kernel.data);
    const bool is_double = a.dtype() == DType::float64;
    const SliceKernel& kernel = is_double ? kernels.float64 : kernels.float32;
    const int64_t width = is_double ? 8 : 4;
    const Slices s(a, dim);
    const std::byte *pa = a.bytes(), *pb = b.bytes();
    std::byte* po = computed.bytes();
    const auto at = [&](const std::byte* p, int64_t i) { return p == nullptr ? p : p + i * width; };
    s.run([&](int64_t first,
              int64_t m) { kernel.rows(at(pa, first * s.n), at(pb, first * s.n), po + first * (reduces ? 1 : s.n) * width, s.n, m); },
          [&](int64_t i, int64_t m) {
            const int64_t to = reduces ? i / (s.n * s.inner) * s.inner + i % s.inner : i;
            kernel.columns(at(pa, i), at(pb, i), po + to * width, s.n, m, s.inner);
          },
          8192);
  }
  if (computed.storage() != out.storage()) copy(out, computed);
  call.finish(0, out);
}

}  // namespace

void run_softmax(Call& call) { run_slices(call, call.op.decl->signature.params[1].takes(kind_tensor) ? 2 : 1, false); }

void run_logsumexp(Call& call) { run_slices(call, 1, true); }

}  // namespace mt
