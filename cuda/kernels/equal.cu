// Whether two tensors are equal: threads that find a difference set a flag.
#include "engine/ops/equal.h"

#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/value.h"

namespace mt::cuda {

#include "engine/ops/equal-inl.h"

template <class T> struct EqualKernel {
  static constexpr int width = pack_size<T>;
  const T *x, *y;
  int64_t n;
  bool packed;
  uint8_t* same;

  MT_DEVICE void operator()(Thread& t) const {
    const int64_t packs = packed ? n / width : 0;
    bool differ = false;
    for (int64_t i = t.global_index(); i < packs; i += t.global_threads()) {
      const Pack<T, width> a = load_pack<width>(x + i * width), b = load_pack<width>(y + i * width);
      for (int k = 0; k < width; ++k) differ |= widen(a.at[k]) != widen(b.at[k]);
    }
    for (int64_t i = packs * width + t.global_index(); i < n; i += t.global_threads()) differ |= widen(x[i]) != widen(y[i]);
    if (differ) *same = 0;
  }
};

void run_equal(const EqualPlan& plan) {
  const Stream stream = op_stream();
  driver::set_bytes(stream, plan.same.bytes(), 1, 1);
  const auto run = [&]<class T>(T) {
    EqualKernel<T> kernel{elements<T>(plan.x), elements<T>(plan.y), plan.x.numel(), false, elements<uint8_t>(plan.same)};
    kernel.packed = is_pack_aligned<kernel.width>(kernel.x) && is_pack_aligned<kernel.width>(kernel.y);
    launch_each(stream, kernel.packed ? kernel.n / kernel.width + kernel.n % kernel.width : kernel.n, kernel);
  };
  dispatch<arithmetic_dtypes>(plan.x.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>)
      by_width<ordered_dtypes>(plan.x.dtype(), run);
    else
      run(T());
  });
}

KernelRows equal_rows() {
  static constexpr KernelRow rows[] = {{Equal::decl.name, kernel<&run_equal>()}};
  return rows;
}

}  // namespace mt::cuda
