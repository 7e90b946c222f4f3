// equal: compares blocks, and stops at the first that differs.
#include <algorithm>
#include <atomic>

#include "engine/core/registry.h"
#include "engine/cpu/iterator.h"
#include "engine/cpu/register.h"

namespace mt::cpu {
namespace {

#include "engine/ops/alike-inl.h"

constexpr int64_t block = 4096;

template <class T> bool same_elements(const T* x, const T* y, int64_t n) {
  using C = Compute<T>;
  using Flag = std::conditional_t<sizeof(C) == 8, uint64_t, std::conditional_t<sizeof(C) == 4, uint32_t, uint8_t>>;  // as wide, for vectors
  std::atomic<bool> differ = false;
  parallel_for(n, pointwise_grain, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end && !differ.load(std::memory_order_relaxed); at += block) {
      Flag differing = 0;
      for (int64_t i = at, stop = std::min(end, at + block); i < stop; ++i) differing |= static_cast<C>(x[i]) != static_cast<C>(y[i]);
      if (differing != 0) differ.store(true, std::memory_order_relaxed);
    }
  });
  return !differ;
}

void equal(Call& call) {
  const Tensor &a = call.tensor(0), &b = call.tensor(1);
  bool same = a.same_sizes(b) || (a.numel() == 0 && b.numel() == 0 && (a.dim() == 0 || b.dim() == 0));
  if (same && a.numel() > 0) {
    const DType dtype = promote(a.dtype(), b.dtype());
    const Tensor x = contiguous(to_dtype(a, dtype)), y = contiguous(to_dtype(b, dtype));
    same = dispatch(dtype, [&]<class T>(std::type_identity<T>) { return same_elements(x.data<T>(), y.data<T>(), x.numel()); });
  }
  const Tensor out = call.output(0, call.is_given(0) ? call.result(0).dtype() : DType::boolean, Shape{1});
  dispatch(out.dtype(), [&]<class T>(std::type_identity<T>) { *out.data<T>() = convert_element<T>(same); });
  call.as_number = true;
  call.finish(0, out);
}

constexpr Row rows[] = {{&Equal::decl, &equal}};

}  // namespace

std::span<const Row> alike_rows() { return rows; }

}  // namespace mt::cpu
