#include "engine/core/packing.h"

#include <unordered_map>

namespace mt {
namespace {

using RunFn = decltype(Kernel::run);

std::unordered_map<RunFn, PackFn>& packings() {
  static std::unordered_map<RunFn, PackFn> all;
  return all;
}

}  // namespace

std::shared_ptr<const void> PackedOperands::find(const std::string& key, const std::function<std::shared_ptr<const void>()>& make) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const void>& known = made_[key];
  if (known == nullptr) known = make();
  return known;
}

void add_packing(const Kernel& kernel, PackFn pack) { packings()[kernel.run] = pack; }

void pack(LaunchList& list, PackingContext& context) {
  for (const Launch& launch : list.launches) {
    std::unordered_set<const Storage*> used;
    launch.each_storage([&](const Storage* storage) { used.insert(storage); });
    for (const Storage* const storage : used) ++context.uses[storage];
  }
  for (Launch& launch : list.launches) {
    const auto found = packings().find(launch.kernel().run);
    if (found == packings().end()) continue;
    std::optional<PackedLaunch> packed = found->second(launch, context);
    if (!packed) continue;
    launch = std::move(packed->launch);
    for (StoragePtr& storage : packed->storages) list.storages.push_back(std::move(storage));
  }
}

}  // namespace mt
