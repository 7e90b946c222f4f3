// Packing: launches of prepared runs get kernels that read constant operands, such as weights, in another layout.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/core/mutex.h"
#include "engine/core/recording.h"

namespace mt {

// Packed operands, which the prepared runs of a graph share.
class PackedOperands {
 public:
  // Returns the object that was created for the key, or creates it.
  std::shared_ptr<const void> find(const std::string& key, const std::function<std::shared_ptr<const void>()>& make);
  template <class T, class F> std::shared_ptr<const T> find(const std::string& key, F&& make) {
    return std::static_pointer_cast<const T>(find(key, std::function<std::shared_ptr<const void>()>(std::forward<F>(make))));
  }

 private:
  ThreadMutex mutex_;
  std::map<std::string, std::shared_ptr<const void>> made_;
};

// Where packing functions look.
struct PackingContext {
  std::unordered_set<const Storage*> constants;  // whose elements stay as they are
  std::unordered_set<const Storage*> kept;       // inputs and outputs, which others read and write
  PackedOperands& packed;

  std::unordered_map<const Storage*, int> uses = {};  // by launches

  // The number of launches that use a storage; more if others read it.
  int uses_of(const Storage* storage) const {
    const auto found = uses.find(storage);
    return (found != uses.end() ? found->second : 0) + (kept.count(storage) != 0 ? 1 : 0);
  }
  bool is_constant(const Tensor& t) const { return constants.count(t.storage()) != 0; }
};

struct PackedLaunch {
  Launch launch;
  std::vector<StoragePtr> storages;  // scratch memory among its operands
};

// Returns a launch that computes the same as one of a kernel, up to rounding, or nothing.
using PackFn = std::optional<PackedLaunch> (*)(const Launch& launch, const PackingContext& context);

// Sets the packing function of launches with the kernel's function, at start-up.
void add_packing(const Kernel& kernel, PackFn pack);

// Replaces the launches for which there is a packed form.
void pack(LaunchList& list, PackingContext& context);

}  // namespace mt
