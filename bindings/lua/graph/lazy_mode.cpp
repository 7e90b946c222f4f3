#include "bindings/lua/graph/lazy_mode.h"

#include <memory>
#include <string>
#include <unordered_set>

#include "bindings/lua/call/call_trace.h"
#include "bindings/lua/graph/running_line.h"
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/table_fields.h"
#include "bindings/lua/values/owned.h"
#include "engine/graph/lazy.h"

namespace mt::lua {
namespace {

// The lazy calls of a Lua state, with the plans of sequences that have run. The coroutine that began the mode is in the environment of the
// userdata, where the collector finds it.
struct LazyMode {
  explicit LazyMode(std::string folder) : home(std::move(folder)), calls([this] { return running(); }) {}
  LazyCalls::Line running() {
    const RunningLine line = running_line(L, home);
    if (line.number == 0) return {};
    return {&*files.insert(line.file).first, line.number};
  }

  lua_State* L = nullptr;  // the coroutine that began the mode
  const std::string home;  // the folder of Moontorch's Lua files
  std::unordered_set<std::string> files;
  LazyCalls calls;
};

struct LazyModeClass {
  using Pointer = std::unique_ptr<LazyMode>;
  static constexpr uint64_t magic = 0x6d74'4c61'7a79'4d6f;
  static constexpr auto metatable = "moontorch.lazyMode", expected = "expected a lazy mode";
};

constexpr auto key = "moontorch.lazy";  // in the registry: the userdata

// The mode of the state, or null if it was never on.
LazyMode* find_mode(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, key);
  std::unique_ptr<LazyMode>* const mode = test_owned<LazyModeClass>(L, -1);
  lua_pop(L, 1);
  return mode != nullptr ? mode->get() : nullptr;
}

LazyMode& make_mode(lua_State* L, State& state, int folder) {
  push_owned_metatable<LazyModeClass>(L);
  lua_pop(L, 1);
  std::unique_ptr<LazyMode>& mode = push_owned<LazyModeClass>(L);
  guarded(L, state, [&] { mode = std::make_unique<LazyMode>(text_at(L, folder)); });
  lua_setfield(L, LUA_REGISTRYINDEX, key);
  return *mode;
}

void begin(lua_State* L, State& state, LazyMode& mode) {
  mode.L = L;
  lua_getfield(L, LUA_REGISTRYINDEX, key);
  lua_createtable(L, 1, 0);
  lua_pushthread(L);
  lua_rawseti(L, -2, 1);
  lua_setfenv(L, -2);
  lua_pop(L, 1);
  set_hook(L, state, &mode.calls);
}

// lazyMode([on], folder of Moontorch's files) -> whether ops were lazy. While a capture or a trace is running, they don't become lazy.
int lazy_mode(lua_State* L) {
  State& state = upvalue_state(L);
  LazyMode* mode = find_mode(L);
  const bool was_on = mode != nullptr && state.hook == &mode->calls;
  if (!lua_isnoneornil(L, 1)) {
    const bool on = lua_toboolean(L, 1) != 0;
    if (on && state.hook == nullptr) {
      if (mode == nullptr) mode = &make_mode(L, state, 2);
      begin(L, state, *mode);
    } else if (!on && was_on) {
      set_hook(L, state, nullptr);
      state.collector.collect_for(L, mode->calls.pending_bytes());
      guarded(L, state, [&] { mode->calls.end_scope(); });
      state.collector.note_bytes(L, mode->calls.take_new_bytes());
    }
  }
  lua_pushboolean(L, was_on);
  return 1;
}

// computePending() computes the pending results of the state.
int compute_pending(lua_State* L) {
  State& state = upvalue_state(L);
  guarded(L, state, [&] { state.compute_pending(); });
  return 0;
}

// lazyCounts() -> the calls whose results are pending, and the sequences of calls that are remembered
int lazy_counts(lua_State* L) {
  const LazyMode* const mode = find_mode(L);
  lua_pushinteger(L, mode != nullptr ? static_cast<lua_Integer>(mode->calls.calls()) : 0);
  lua_pushinteger(L, mode != nullptr ? static_cast<lua_Integer>(mode->calls.plans()) : 0);
  return 2;
}

}  // namespace

bool has_lazy_ops(const State& state) { return dynamic_cast<const LazyCalls*>(state.hook) != nullptr; }

void add_lazy_mode(lua_State* L, State& state) {
  add_function(L, state, "lazyMode", lazy_mode);
  add_function(L, state, "computePending", compute_pending);
  add_function(L, state, "lazyCounts", lazy_counts);
}

}  // namespace mt::lua
