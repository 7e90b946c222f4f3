// A device that has no memory left, or a state that has reached its limit, has Lua's garbage collected, as most of it is tensors that
// nobody needs any more.
#pragma once

#include "bindings/lua/state/state.h"
#include "engine/core/collector.h"

namespace mt::lua {

// While it lives, this thread's devices, and what counts against the state's limit, may ask for a collection in L.
class OffersGarbage {
 public:
  OffersGarbage(lua_State* L, State& state)
      : L_(L),
        state_(state),
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
  State& state_;
  const Spending spending_;
  const bool offers_;
  Collector outer_;
};

}  // namespace mt::lua
