// Hooks that only observe ops: profiles, and the search for NaNs.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Writes to single elements need not be ops for such a hook, and a capture may replace it while the capture runs.
class ObservingHook : public OpHook {
 public:
  // Runs native code that computes several ops at once, such as a fused loop, by `unit(data)`. Returns false, and runs nothing, if the hook
  // needs each op.
  virtual bool run_unit(std::string_view name, void (*unit)(void* data), void* data) {
    (void)name, (void)unit, (void)data;
    return false;
  }
  template <class F> bool run_unit(std::string_view name, const F& f) {
    return run_unit(
        name, [](void* data) { (*static_cast<const F*>(data))(); }, const_cast<F*>(&f));
  }
  // A run of a graph begins, and ends: with `outputs`, or by an error. Runs can be nested.
  virtual void begin_graph() {}
  virtual void end_graph(std::span<const Tensor* const> outputs) { (void)outputs; }
  virtual void fail_graph() {}

 protected:
  ~ObservingHook() = default;
};

inline ObservingHook* observing(OpHook* hook) { return dynamic_cast<ObservingHook*>(hook); }

}  // namespace mt
