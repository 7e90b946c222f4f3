#include "bindings/lua/state/offers_garbage.h"

#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"

namespace mt::lua {

bool OffersGarbage::collect(void* self) noexcept {
  const auto& own = *static_cast<OffersGarbage*>(self);
  return own.collector_.collect_everything(own.L_);
}

void WithinLimit::enter(lua_State* L, State& state) { offer_ = new OffersGarbage(L, state); }
void WithinLimit::leave() { delete offer_; }

}  // namespace mt::lua
