#include "bindings/lua/profile/observation.h"

#include <limits>
#include <memory>
#include <optional>

#include "bindings/lua/call/call_trace.h"
#include "bindings/lua/graph/lazy_mode.h"
#include "bindings/lua/profile/fault_finder.h"
#include "bindings/lua/profile/profiler.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/table_fields.h"
#include "bindings/lua/values/owned.h"

namespace mt::lua {
namespace {

// Exists until the state is closed, because a capture may hold the address of its hook.
struct Observation {
  explicit Observation(State& observed) : state(observed) {}
  ~Observation() {
    if (state.hook == &faults || state.hook == &profiler) state.hook = nullptr;
  }
  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;

  State& state;
  Places places;
  FaultFinder faults{places};
  Profiler profiler{places};
  OpHook* outer = nullptr;           // the hook before: that of lazy ops
  std::optional<Spending> spending;  // while a profile watches memory
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
  guarded(L, state, [&] { made = std::make_unique<Observation>(state); });
  lua_setfield(L, LUA_REGISTRYINDEX, key);
  return *made;
}

// Makes `hook` that of the state. While ops are lazy, it takes their place: ops run at once.
void begin(lua_State* L, State& state, Observation& observation, OpHook& hook, int folder, bool lines) {
  if (state.hook != nullptr && !has_lazy_ops(state)) {
    luaL_error(L, "%s: %s of this state is running, expected none", lua_tostring(L, folder + 1),
               observing(state.hook) != nullptr ? "a profile or a search for NaNs" : "a capture or a trace");
  }
  guarded(L, state, [&] {
    state.compute_pending();
    observation.places.begin(L, state, text_at(L, folder), lines);
  });
  observation.outer = state.hook;
  set_hook(L, state, &hook);
}

void end(lua_State* L, State& state, Observation& observation, const OpHook& hook) {
  if (state.hook == &hook) set_hook(L, state, observation.outer);
  observation.places.end(L);
}

// findFaults(infinities, folder of Moontorch's files, caller for messages): from now on, the first op with a fault raises an error
int find_faults(lua_State* L) {
  State& state = upvalue_state(L);
  Observation& observation = observation_of(L, state);
  begin(L, state, observation, observation.faults, 2, true);
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

// While a profile watches memory, all new storages of the thread count at once, as in a state with a limit, but without one.
constexpr int64_t watched_limit = std::numeric_limits<int64_t>::max();

// beginProfile({lines =, stacks =, shapes =, memory =, synchronize = booleans}, folder of Moontorch's files, caller for messages)
int begin_profile(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  Observation& observation = observation_of(L, state);
  const Profiler::Options options{flag_field(L, 1, "stacks"), flag_field(L, 1, "shapes"), flag_field(L, 1, "memory"),
                                  flag_field(L, 1, "synchronize")};
  begin(L, state, observation, observation.profiler, 2, flag_field(L, 1, "lines"));
  if (options.memory) {
    if (!state.budget.is_set()) state.budget.limit = watched_limit;
    observation.spending.emplace(state.budget);
  }
  guarded(L, state, [&] { observation.profiler.begin(options); });
  return 0;
}

// setProfile(on): pauses the profile, or resumes it
int set_profile(lua_State* L) {
  State& state = upvalue_state(L);
  Profiler& profiler = observation_of(L, state).profiler;
  guarded(L, state, [&] { lua_toboolean(L, 1) != 0 ? profiler.resume() : profiler.pause(); });
  return 0;
}

// clearProfile() forgets what was measured
int clear_profile(lua_State* L) {
  observation_of(L, upvalue_state(L)).profiler.clear();
  return 0;
}

// endProfile()
int end_profile(lua_State* L) {
  State& state = upvalue_state(L);
  Observation& observation = observation_of(L, state);
  observation.profiler.end();
  end(L, state, observation, observation.profiler);
  observation.spending.reset();
  if (state.budget.limit == watched_limit) state.budget.limit = 0;
  return 0;
}

// beginRegion(name) -> the event, for endRegion
int begin_region(lua_State* L) {
  State& state = upvalue_state(L);
  Profiler& profiler = observation_of(L, state).profiler;
  size_t length = 0;
  const char* const name = luaL_checklstring(L, 1, &length);
  int event = -1;
  guarded(L, state, [&] {
    if (profiler.is_on()) event = profiler.begin_region({name, length});
  });
  lua_pushinteger(L, event);
  return 1;
}

// endRegion(event)
int end_region(lua_State* L) {
  observation_of(L, upvalue_state(L)).profiler.end_event(static_cast<int>(luaL_checkinteger(L, 1)));
  return 0;
}

// Sets a field of the table on top of the stack to a list: a number for each element.
template <class List, class F> void set_column(lua_State* L, const char* name, const List& list, F&& number) {
  lua_createtable(L, static_cast<int>(list.size()), 0);
  for (size_t i = 0; i < list.size(); ++i) {
    lua_pushnumber(L, static_cast<lua_Number>(number(list[i])));
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  lua_setfield(L, -2, name);
}

// profileColumns() -> what was measured: lists by field of the events, of `slices` and of `memory`, and lists of frames, `stacks`; `texts`
// has the numbers' texts. Events count from 1; 0: none.
int profile_columns(lua_State* L) {
  const Observation& observation = observation_of(L, upvalue_state(L));
  const Profiler& profiler = observation.profiler;
  const auto& events = profiler.events();
  using Event = Profiler::Event;
  luaL_checkstack(L, 10, "profile");
  lua_createtable(L, 0, 20);
  set_column(L, "kind", events, [](const Event& e) { return e.kind; });
  set_column(L, "backward", events, [](const Event& e) { return e.backward; });
  set_column(L, "name", events, [](const Event& e) { return e.name; });
  set_column(L, "parent", events, [](const Event& e) { return e.parent + 1; });
  set_column(L, "line", events, [](const Event& e) { return e.line; });
  set_column(L, "module", events, [](const Event& e) { return e.module; });
  set_column(L, "shapes", events, [](const Event& e) { return e.shapes; });
  set_column(L, "stack", events, [](const Event& e) { return e.stack; });
  set_column(L, "start", events, [](const Event& e) { return e.start; });
  set_column(L, "finish", events, [now = profiler.now()](const Event& e) { return e.end != 0 ? e.end : now; });
  set_column(L, "bytes", events, [](const Event& e) { return e.bytes; });
  using Slice = Profiler::Slice;
  lua_createtable(L, 0, 4);
  set_column(L, "event", profiler.slices(), [](const Slice& s) { return s.event + 1; });
  set_column(L, "thread", profiler.slices(), [](const Slice& s) { return s.thread; });
  set_column(L, "start", profiler.slices(), [](const Slice& s) { return s.start; });
  set_column(L, "finish", profiler.slices(), [](const Slice& s) { return s.end; });
  lua_setfield(L, -2, "slices");
  using MemoryEvent = Profiler::MemoryEvent;
  lua_createtable(L, 0, 6);
  set_column(L, "time", profiler.memory(), [](const MemoryEvent& m) { return m.time; });
  set_column(L, "bytes", profiler.memory(), [](const MemoryEvent& m) { return m.bytes; });
  set_column(L, "line", profiler.memory(), [](const MemoryEvent& m) { return m.line; });
  set_column(L, "module", profiler.memory(), [](const MemoryEvent& m) { return m.module; });
  lua_setfield(L, -2, "memory");
  lua_createtable(L, static_cast<int>(profiler.stacks().size()), 0);
  for (size_t i = 0; i < profiler.stacks().size(); ++i) {
    const std::vector<int>& frames = profiler.stacks()[i];
    lua_createtable(L, static_cast<int>(frames.size()), 0);
    for (size_t k = 0; k < frames.size(); ++k) {
      lua_pushinteger(L, frames[k]);
      lua_rawseti(L, -2, static_cast<int>(k) + 1);
    }
    lua_rawseti(L, -2, static_cast<int>(i));
  }
  lua_setfield(L, -2, "stacks");
  lua_createtable(L, observation.places.texts.count(), 0);
  for (int i = 0; i < observation.places.texts.count(); ++i) {
    const std::string& text = observation.places.texts.text(i);
    lua_pushlstring(L, text.data(), text.size());
    lua_rawseti(L, -2, i);
  }
  lua_setfield(L, -2, "texts");
  lua_pushnumber(L, static_cast<lua_Number>(profiler.measured()));
  lua_setfield(L, -2, "measured");
  lua_pushinteger(L, profiler.thread());
  lua_setfield(L, -2, "thread");
  lua_pushnumber(L, static_cast<lua_Number>(profiler.origin()));
  lua_setfield(L, -2, "origin");
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
  add_function(L, state, "beginProfile", begin_profile);
  add_function(L, state, "setProfile", set_profile);
  add_function(L, state, "clearProfile", clear_profile);
  add_function(L, state, "endProfile", end_profile);
  add_function(L, state, "beginRegion", begin_region);
  add_function(L, state, "endRegion", end_region);
  add_function(L, state, "profileColumns", profile_columns);
  add_function(L, state, "enterModule", enter_module);
  add_function(L, state, "leaveModule", leave_module);
  return 1;
}

}  // namespace

void open_observation(lua_State* L, State& state) { add_function(L, state, "observation", push_functions); }

}  // namespace mt::lua
