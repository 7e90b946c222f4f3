#include "engine/core/placing.h"

#include <unordered_map>

#include "engine/core/copy_plan.h"

namespace mt {
namespace {

using RunFn = decltype(Kernel::run);

std::unordered_map<RunFn, PlacingFn>& functions() {
  static std::unordered_map<RunFn, PlacingFn> all;
  return all;
}

}  // namespace

void add_placing(const Kernel& kernel, PlacingFn find) { functions()[kernel.run] = find; }

std::optional<Placing> placing_of(const Launch& launch) {
  if (launch.kernel().run == copy_kernel().run) {
    const auto& plan = *static_cast<const CopyPlan*>(launch.plan());
    return Placing{plan.src, plan.dst, true};
  }
  const auto found = functions().find(launch.kernel().run);
  return found != functions().end() ? found->second(launch) : std::nullopt;
}

}  // namespace mt
