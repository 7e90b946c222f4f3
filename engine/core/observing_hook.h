// Hooks that only observe ops: profiles, and the search for NaNs.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// Writes to single elements need not be ops for such a hook, and a capture may replace it while the capture runs.
class ObservingHook : public OpHook {
 public:
  // What native code computes that doesn't call run_op: an op onto a sum, or several ops, such as a fused loop.
  enum class Unit { op, several };
  // Runs such code, `unit(data)`, which returns false if it couldn't compute for these operands, and then has done nothing. Returns false,
  // and runs nothing, if the hook needs each op.
  virtual bool run_unit(Unit kind, std::string_view name, bool (*unit)(void* data), void* data) {
    (void)kind, (void)name, (void)unit, (void)data;
    return false;
  }
  template <class F> bool run_unit(Unit kind, std::string_view name, const F& f) {
    return run_unit(
        kind, name, [](void* data) { return (*static_cast<const F*>(data))(); }, const_cast<F*>(&f));
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
