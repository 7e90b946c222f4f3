// The last block to finish knows the first position: no block waits for another.
#include "cuda/kernels/check.h"

#include "cuda/launch.h"
#include "cuda/layout.h"
#include "cuda/value.h"

namespace mt::cuda {
namespace {

struct Least {
  MT_DEVICE int64_t operator()(int64_t a, int64_t b) const { return a < b ? a : b; }
};

template <class T> struct CheckKernel {
  Layout<1, int64_t> layout;
  const std::byte* from;
  int64_t n, low, high, besides;
  CheckArea *area, *first_area;
  FailedCheck* out;
  uint32_t check;
  bool inside;

  MT_DEVICE int64_t value(int64_t i) const {
    int64_t offsets[1];
    layout.find(i, offsets);
    return static_cast<int64_t>(*reinterpret_cast<const T*>(from + offsets[0]));
  }
  MT_DEVICE bool is_met(int64_t x) const {
    const bool is_inside = x >= low && x <= high;
    return inside ? is_inside : !is_inside && x != besides;
  }
  MT_DEVICE void operator()(Thread& t) const {
    int64_t first = CheckArea::none;
    for (int64_t i = t.global_index(); i < n && first == CheckArea::none; i += t.global_threads()) {
      if (is_met(value(i))) first = i;
    }
    first = block_reduce(t, first, CheckArea::none, Least(), t.shared<int64_t>(warp_size));
    if (t.index() != 0) return;
    if (first != CheckArea::none) atomic_min(&area->first, first);
    t.fence();
    if (int64_t{atomic_add(&area->blocks_done, 1u)} + 1 == t.blocks()) note();
  }
  MT_DEVICE void note() const {
    const int64_t first = atomic_min(&area->first, CheckArea::none);
    area->first = CheckArea::none;
    area->blocks_done = 0;
    if (first == CheckArea::none || atomic_swap_if(&first_area->taken, 0u, 1u) != 0) return;
    out->check = check;
    out->position = first;
    out->value = value(first);
    out->failed = 1;
  }
};

}  // namespace

void launch_check(const FindPlan& plan, Stream stream, CheckArea* area, CheckArea* first_area, FailedCheck* out, uint32_t check) {
  const int64_t n = plan.t.numel();
  Geometry g(plan.t.sizes());
  g.add(plan.t);
  g.collapse(true);
  dispatch<integer_dtypes | boolean_dtype>(plan.t.dtype(), [&]<class T>(std::type_identity<T>) {
      using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
      launch(stream, blocks_for(stream, n), block_threads, warp_size * sizeof(int64_t),
             CheckKernel<Stored>{Layout<1, int64_t>(g), reachable(g.data(0)), n, plan.low, plan.high, plan.besides, driver::reachable(area),
                                 driver::reachable(first_area), out, check, plan.inside});
    });
}

}  // namespace mt::cuda
