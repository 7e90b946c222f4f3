// Garbage collection in Lua for a device that is out of memory, or a state that has reached its limit: unreachable tensors hold most of
// their memory.
#pragma once

#include "bindings/lua/state/state.h"
#include "engine/core/budget.h"
#include "engine/core/collector.h"

namespace mt::lua {

// For its lifetime, devices and the state's budget can request a garbage collection in L from this thread.
class OffersGarbage {
 public:
  OffersGarbage(lua_State* L, State& state)
      : L_(L),
        collector_(state.collector),
        spending_(state.budget),
        offers_(state.budget.is_set() || devices_were_loaded.load(std::memory_order_relaxed)) {
    if (offers_) [[unlikely]]
      outer_ = set_collector({&collect, this});
  }
  ~OffersGarbage() {
    if (offers_) [[unlikely]]
      set_collector(outer_);
  }
  OffersGarbage(const OffersGarbage&) = delete;
  OffersGarbage& operator=(const OffersGarbage&) = delete;

 private:
  static bool collect(void* self) noexcept;

  lua_State* const L_;
  CollectorPacing& collector_;
  const Spending spending_;
  const bool offers_;
  Collector outer_;
};

}  // namespace mt::lua
