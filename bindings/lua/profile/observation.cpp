#include "bindings/lua/profile/observation.h"

#include <memory>

#include "bindings/lua/call/call_trace.h"
#include "bindings/lua/graph/lazy_mode.h"
#include "bindings/lua/profile/fault_finder.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/table_fields.h"
#include "bindings/lua/values/owned.h"

namespace mt::lua {
namespace {

// Exists until the state is closed, because a capture may hold the address of its hook.
struct Observation {
  Places places;
  FaultFinder faults{places};
  OpHook* outer = nullptr;  // the hook before: that of lazy ops
};

struct ObservationClass {
  using Pointer = std::unique_ptr<Observation>;
  static constexpr uint64_t magic = 0x6d74'4f62'7365'7276;
  static constexpr auto metatable = "moontorch.observation", expected = "expected an observation";
};

Observation& observation_of(lua_State* L, State& state) {
  constexpr auto key = "moontorch.observed";
  lua_getfield(L, LUA_REGISTRYINDEX, key);
  if (auto* const found = test_owned<ObservationClass>(L, -1)) {
    lua_pop(L, 1);
    return **found;
  }
  lua_pop(L, 1);
  push_owned_metatable<ObservationClass>(L);
  lua_pop(L, 1);
  std::unique_ptr<Observation>& made = push_owned<ObservationClass>(L);
  guarded(L, state, [&] { made = std::make_unique<Observation>(); });
  lua_setfield(L, LUA_REGISTRYINDEX, key);
  return *made;
}

// Makes `hook` that of the state. While ops are lazy, it takes their place: ops run at once.
void begin(lua_State* L, State& state, Observation& observation, OpHook& hook, int folder) {
  if (state.hook != nullptr && !has_lazy_ops(state)) {
    luaL_error(L, "%s of this state is running, expected none",
               observing(state.hook) != nullptr ? "a profile or a search for NaNs" : "a capture or a trace");
  }
  guarded(L, state, [&] {
    state.compute_pending();
    observation.places.begin(L, state, text_at(L, folder));
  });
  observation.outer = state.hook;
  set_hook(L, state, &hook);
}

void end(lua_State* L, State& state, Observation& observation, const OpHook& hook) {
  if (state.hook == &hook) set_hook(L, state, observation.outer);
  observation.places.end(L);
}

// findFaults(infinities, folder of Moontorch's files): from now on, the first op with a fault raises an error
int find_faults(lua_State* L) {
  State& state = upvalue_state(L);
  Observation& observation = observation_of(L, state);
  begin(L, state, observation, observation.faults, 2);
  observation.faults.begin(lua_toboolean(L, 1) != 0);
  return 0;
}

void set_number(lua_State* L, const char* field, int number) {
  if (number == 0) return;
  lua_pushinteger(L, number);
  lua_setfield(L, -2, field);
}

void push_fault(lua_State* L, const Texts& texts, const Fault& fault) {
  const Signature& signature = fault.op->signature;
  const Place& place = fault.place;
  lua_createtable(L, 0, 12);
  set_text(L, "op", fault.op->name);
  set_text(L, "kind", fault.kind == Nonfinite::nan ? "nan" : "inf");
  set_text(L, "result", fault.result);
  if (fault.inherited >= 0) set_text(L, "argument", signature.params[fault.inherited].name);
  set_text(L, "line", texts.text(place.line));
  set_number(L, "module", place.module);
  lua_pushboolean(L, place.backward);
  lua_setfield(L, -2, "backward");
  if (place.forward != nullptr) {
    set_text(L, "forwardOp", place.forward->name);
    set_text(L, "forwardLine", texts.text(place.forward_line));
    set_number(L, "forwardModule", place.forward_module);
  }
  lua_createtable(L, static_cast<int>(fault.stack.size()), 0);
  for (size_t i = 0; i < fault.stack.size(); ++i) {
    const std::string& frame = texts.text(fault.stack[fault.stack.size() - 1 - i]);
    lua_pushlstring(L, frame.data(), frame.size());
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  lua_setfield(L, -2, "stack");
}

// endFaults() -> the fault that was found, or nil
int end_faults(lua_State* L) {
  State& state = upvalue_state(L);
  Observation& observation = observation_of(L, state);
  observation.faults.end();
  end(L, state, observation, observation.faults);
  if (!observation.faults.fault()) return 0;
  push_fault(L, observation.places.texts, *observation.faults.fault());
  return 1;
}

// enterModule(number, backward) -> for leaveModule
int enter_module(lua_State* L) {
  State& state = upvalue_state(L);
  Observation& observation = observation_of(L, state);
  const auto module = static_cast<int>(luaL_checkinteger(L, 1));
  const bool backward = lua_toboolean(L, 2) != 0;
  size_t count = 0;
  guarded(L, state, [&] { count = observation.places.enter(module, backward); });
  lua_pushinteger(L, static_cast<lua_Integer>(count));
  return 1;
}

// leaveModule(what enterModule returned)
int leave_module(lua_State* L) {
  Observation& observation = observation_of(L, upvalue_state(L));
  observation.places.leave(static_cast<size_t>(std::max<lua_Integer>(0, luaL_checkinteger(L, 1))));
  return 0;
}

// observation() -> a table of the functions above
int push_functions(lua_State* L) {
  State& state = upvalue_state(L);
  lua_newtable(L);
  add_function(L, state, "findFaults", find_faults);
  add_function(L, state, "endFaults", end_faults);
  add_function(L, state, "enterModule", enter_module);
  add_function(L, state, "leaveModule", leave_module);
  return 1;
}

}  // namespace

void open_observation(lua_State* L, State& state) { add_function(L, state, "observation", push_functions); }

}  // namespace mt::lua
