// Sums of products of two vectors, in two launches: sums per block, then their sum. The elements of a block depend on their number alone.
#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/scratch.h"
#include "cuda/value.h"
#include "engine/ops/matmul.h"

namespace mt::cuda {
namespace {

template <class T> using DotSum =
    std::conditional_t<std::is_integral_v<T>, uint64_t, std::conditional_t<is_complex<T>, Complex<double>, double>>;

struct Sum {
  template <class S> MT_DEVICE S operator()(S a, S b) const { return a + b; }
};

// The sum over all threads of a block.
template <class S> MT_DEVICE S block_sum(Thread& t, S sum) {
  if constexpr (is_complex<S>) {
    using Part = typename S::value_type;
    const Shared<Part> scratch = t.shared<Part>(warp_size);
    const Part re = block_reduce(t, sum.re, Part(0), Sum(), scratch), im = block_reduce(t, sum.im, Part(0), Sum(), scratch);
    return {re, im};
  } else {
    return block_reduce(t, sum, S(0), Sum(), t.template shared<S>(warp_size));
  }
}

// Each block computes the sum of its share.
template <class T> struct DotKernel {
  const T *x, *y;
  int64_t x_stride, y_stride, n;
  DotSum<T>* sums;
  MT_DEVICE void operator()(Thread& t) const {
    DotSum<T> sum = 0;
    for (int64_t i = t.global_index(); i < n; i += t.global_threads())
      sum = sum + static_cast<DotSum<T>>(widen(x[i * x_stride])) * static_cast<DotSum<T>>(widen(y[i * y_stride]));
    sum = block_sum(t, sum);
    if (t.index() == 0) sums[t.block()] = sum;
  }
};

template <class T> struct DotEndKernel {
  const DotSum<T>* sums;
  int64_t n;
  T* out;
  MT_DEVICE void operator()(Thread& t) const {
    DotSum<T> sum = 0;
    for (int64_t i = t.index(); i < n; i += t.threads()) sum = sum + sums[i];
    sum = block_sum(t, sum);
    if (t.index() == 0) *out = narrow<T>(sum);
  }
};

void run_dot(const DotPlan& plan) {
  const Stream stream = op_stream();
  const int64_t n = plan.x.numel(), share = 16 * block_threads, blocks = std::clamp<int64_t>((n + share - 1) / share, 1, 1024);
  const auto stride = [](const Tensor& t) { return t.dim() == 1 ? t.stride(0) : 1; };
  dispatch<any_number_dtypes>(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    constexpr size_t shared_bytes = warp_size * sizeof(DotSum<T>);
    const Scratch<DotSum<T>> sums(stream, blocks);
    launch(stream, blocks, block_threads, shared_bytes,
           DotKernel<T>{elements<T>(plan.x), elements<T>(plan.y), stride(plan.x), stride(plan.y), n, sums.data()});
    launch(stream, 1, block_threads, shared_bytes, DotEndKernel<T>{sums.data(), blocks, elements<T>(plan.out)});
  });
}

}  // namespace

KernelRows dot_rows() {
  static constexpr KernelRow rows[] = {{"dot", kernel<&run_dot>()}};
  return rows;
}

}  // namespace mt::cuda
