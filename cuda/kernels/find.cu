#include "cuda/kernels/find.h"

#include "cuda/launch.h"
#include "cuda/layout.h"
#include "cuda/scratch.h"
#include "cuda/value.h"

namespace mt::cuda {
namespace {

constexpr int64_t most_positions = 0x7f7f7f7f7f7f7f7f;  // greater than all positions

template <class T> struct FindKernel {
  Layout<1, int64_t> layout;
  const std::byte* from;
  int64_t n, low, high, besides;
  bool inside;
  int64_t* first;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      int64_t offsets[1];
      layout.find(i, offsets);
      const auto value = static_cast<int64_t>(*reinterpret_cast<const T*>(from + offsets[0]));
      const bool is_inside = value >= low && value <= high;
      if (inside ? is_inside : !is_inside && value != besides) atomic_min(first, i);
    }
  }
};

}  // namespace

int64_t find_element(const FindPlan& plan) {
  const int64_t n = plan.t.numel();
  if (n == 0 || is_float(plan.t.dtype())) return not_found;
  const Stream stream = stream_of(plan.t);
  const Scratch<int64_t> first(stream, 1);
  driver::set_bytes(stream, first.address(), 0x7f, sizeof(int64_t));
  Geometry g(plan.t.sizes());
  g.add(plan.t);
  g.collapse(true);
  dispatch<integer_dtypes | boolean_dtype>(plan.t.dtype(), [&]<class T>(std::type_identity<T>) {
      using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
      launch_each(
          stream, n,
          FindKernel<Stored>{Layout<1, int64_t>(g), reachable(g.data(0)), n, plan.low, plan.high, plan.besides, plan.inside, first.data()});
    });
  int64_t found = 0;
  driver::copy_to_host(stream, &found, first.address(), sizeof found);
  return found == most_positions ? not_found : found;
}

}  // namespace mt::cuda
