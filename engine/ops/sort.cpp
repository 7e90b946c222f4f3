#include "engine/ops/sort.h"

#include "engine/cpu/slices.h"

namespace mt {
namespace {

// Calls each(kernel, x, values, indices, n, stride) for every slice of the first argument; `kept` elements of each go to the results, which
// are as far apart as the slice's own. check(n) comes before anything is made.
template <class Check, class Each> void for_slices(Call& call, int dim_argument, Check check, Each each) {
  const Tensor& given = call.tensor(0);
  const DType dtype = given.dtype();
  const SortKernel& kernel = static_cast<const SortKernels*>(call.op.kernel.data)->kernels[static_cast<int>(dtype)];
  if (kernel.sort == nullptr) call.fail_at(0, dtype, " came, a tensor of numbers was expected");
  const int dim = call.dim(dim_argument, given.dim());
  const int64_t kept = check(given.size(dim));
  Shape sizes(given.sizes());
  sizes[dim] = kept;
  const Tensor values = call.output(0, dtype, sizes), indices = call.output(1, DType::int64, sizes);
  const Tensor v = values.is_contiguous() ? values : Tensor::empty(dtype, sizes),
               i = indices.is_contiguous() ? indices : Tensor::empty(DType::int64, sizes);
  if (v.numel() > 0) {
    const Tensor x = contiguous(given);
    const Slices s(x, dim);
    const int64_t width = size_of(dtype);
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t slice = begin; slice < end; ++slice) {
        const int64_t block = slice / s.inner, column = slice % s.inner, to = block * kept * s.inner + column;
        each(kernel, x.bytes() + (block * s.n * s.inner + column) * width, v.bytes() + to * width, i.data<int64_t>() + to, s.n, s.inner);
      }
    };
    // A single slice may use several threads itself.
    if (s.count() == 1)
      run(0, 1);
    else
      parallel_for(s.count(), std::max<int64_t>(1, 4096 / s.n), run);
  }
  if (v.storage() != values.storage()) copy(values, v);
  if (i.storage() != indices.storage()) copy(indices, i);
  call.finish(0, values);
  call.finish(1, indices);
}

void check_some(const Call& call, int64_t n) {
  if (n == 0) call.fail_at(0, call.tensor(0).sizes(), " came, at least one element along the dimension was expected");
}

}  // namespace

void run_sort(Call& call) {
  if (call.tensor(0).dim() == 0) {
    call.finish(0, call.output(0, call.tensor(0).dtype(), {}));
    call.finish(1, call.output(1, DType::int64, {}));
    return;
  }
  const bool descending = call.boolean(2);
  for_slices(
      call, 1, [](int64_t n) { return n; },
      [&](const SortKernel& kernel, const std::byte* x, std::byte* values, int64_t* indices, int64_t n, int64_t stride) {
        kernel.sort(x, n, stride, descending, values, indices);
      });
}

void run_topk(Call& call) {
  const int64_t k = call.integer(1);
  const bool largest = call.boolean(3);
  for_slices(
      call, 2,
      [&](int64_t n) {
        if (k < 0 || k > n) call.fail_at(1, k, " not in range for dimension: 0..", n, " was expected");
        return k;
      },
      [&](const SortKernel& kernel, const std::byte* x, std::byte* values, int64_t* indices, int64_t n, int64_t stride) {
        kernel.top(x, n, stride, largest, k, values, indices);
      });
}

void run_kthvalue(Call& call) {
  const bool median = call.args.size() == 2;
  int64_t k = median ? 0 : call.integer(1);
  for_slices(
      call, median ? 1 : 2,
      [&](int64_t n) {
        check_some(call, n);
        if (median)
          k = (n + 1) / 2;
        else if (k < 1 || k > n)
          call.fail_at(1, k, " selected index out of range 1..", n);
        return 1;
      },
      [&](const SortKernel& kernel, const std::byte* x, std::byte* values, int64_t* indices, int64_t n, int64_t stride) {
        kernel.kth(x, n, stride, k - 1, values, indices);
      });
}

void run_mode(Call& call) {
  for_slices(
      call, 1,
      [&](int64_t n) {
        check_some(call, n);
        return 1;
      },
      [&](const SortKernel& kernel, const std::byte* x, std::byte* values, int64_t* indices, int64_t n, int64_t stride) {
        kernel.mode(x, n, stride, values, indices);
      });
}

}  // namespace mt
