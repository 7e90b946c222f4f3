#include "engine/ops/fused_launch.h"

#include <algorithm>

#include "engine/core/device.h"
#include "engine/core/fused_device.h"
#include "engine/core/recorder.h"

namespace mt {
namespace {

bool is_dense(const Tensor& t, const Tensor& result) { return t.is_contiguous() && t.same_sizes(result); }

void run_launch(const FusedLaunch& launch) { fused_device(launch.device)->run(launch); }

}  // namespace

FusedOperands::FusedOperands(int outputs, std::span<const Tensor* const> all, std::span<const ScalarValue> values)
    : tensors(static_cast<int>(all.size())), number_count(static_cast<int>(values.size())), n(all[0]->numel()) {
  std::copy(values.begin(), values.end(), numbers);
  bool dense = true;
  for (int i = 0; dense && i < tensors; ++i) {
    const Tensor& t = *all[static_cast<size_t>(i)];
    const bool one = i >= outputs && t.numel() == 1;
    dense = one || is_dense(t, *all[0]);
    addresses.set(i, t);
    strides[i] = one ? 0 : size_of(t.dtype());
  }
  if (dense) return;
  geometry = Geometry(all[0]->sizes());
  for (const Tensor* const t : all) geometry.add(*t);
  geometry.collapse();
}

bool launch_fused(const FusedLaunch& launch) {
  FusedDevice* const able = fused_device(launch.device);
  if (able == nullptr || !able->prepare(launch)) return false;
  static constexpr Kernel kernel = mt::kernel<&run_launch>();
  const PlanRef plan{plan_type<FusedLaunch>, &launch};
  if (is_recording()) {
    const RecordedStep step("fused", launch.device, kernel, plan);
    device(launch.device).launch("fused", kernel, plan);
  } else {
    device(launch.device).launch("fused", kernel, plan);
  }
  return true;
}

}  // namespace mt
