#include "bindings/lua/state/state.h"

#include "bindings/lua/call/autocast.h"
#include "bindings/lua/call/bound_op.h"
#include "bindings/lua/call/call_trace.h"
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/errors.h"
#include "bindings/lua/state/heap_limit.h"
#include "bindings/lua/state/memory_account.h"
#include "bindings/lua/state/outgoing_texts.h"
#include "bindings/lua/tape/grad_mode.h"
#include "bindings/lua/tape/native_tape.h"
#include "bindings/lua/values/defaults.h"
#include "bindings/lua/values/devices.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/numbers.h"
#include "engine/core/budget.h"
#include "engine/core/generator.h"
#include "engine/core/registry.h"

namespace mt::lua {

struct State::Parts {
  explicit Parts(uint64_t seed) : generators(seed) {}

  Defaults defaults;
  Generators generators;
  GradMode grad_mode;
  NativeTape tape;
  Autocast autocast;
  BoundOps ops;
  CallTrace trace;
  Metatables metatables;
  NumberFunctions numbers;
  DeviceLoader device_loader;
  MemoryAccount account;
  Budget budget = account.budget();
  HeapLimit heap_limit;
  CollectorPacing collector{account};
  Errors errors;
  OutgoingTexts texts;
};

State::State(uint64_t seed)
    : parts_(std::make_unique<Parts>(seed)),
      defaults(parts_->defaults),
      generators(parts_->generators),
      grad_mode(parts_->grad_mode),
      tape(parts_->tape),
      autocast(parts_->autocast),
      ops(parts_->ops),
      trace(parts_->trace),
      metatables(parts_->metatables),
      numbers(parts_->numbers),
      device_loader(parts_->device_loader),
      account(parts_->account),
      budget(parts_->budget),
      heap_limit(parts_->heap_limit),
      collector(parts_->collector),
      errors(parts_->errors),
      texts(parts_->texts) {}

State::~State() = default;

void State::compute_pending() const {
  if (hook != nullptr) hook->compute_pending();
}

void add_function(lua_State* L, State& state, const char* name, lua_CFunction f) {
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, f, 1);
  lua_setfield(L, -2, name);
}

}  // namespace mt::lua
