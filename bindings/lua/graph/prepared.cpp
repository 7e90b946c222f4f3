#include "bindings/lua/graph/prepared.h"

#include <memory>
#include <vector>

#include "bindings/lua/graph/operands.h"
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/owned.h"
#include "engine/core/observing_hook.h"
#include "engine/graph/prepared.h"
#include "engine/passes/passes.h"

namespace mt::lua {
namespace {

struct PreparedClass {
  using Pointer = std::unique_ptr<Prepared>;
  static constexpr uint64_t magic = 0x6d74'5072'6570'6172;
  static constexpr auto metatable = "moontorch.prepared", expected = "expected a prepared run";
};

Prepared& check_prepared(lua_State* L, int index) { return *check_owned<PreparedClass>(L, index); }

// prepare(graph, inputs...) -> a prepared run
int prepare(lua_State* L) {
  State& state = upvalue_state(L);
  const std::shared_ptr<const Executor>& executor = check_executor(L, 1);
  const int given = lua_gettop(L) - 1;
  std::unique_ptr<Prepared>& prepared = push_owned<PreparedClass>(L);
  guarded(L, state, [&] {
    state.compute_pending();
    const std::vector<Value> inputs = read_inputs(L, state, executor->graph(), given);
    RunSettings settings = run_settings(state);
    settings.hook = nullptr;
    auto form = std::make_shared<const Executor>(for_inference(executor->graph(), inputs));
    prepared = std::make_unique<Prepared>(std::move(form), inputs, settings);
  });
  return 1;
}

// place(prepared, number) -> an input, place(prepared, -number) -> an output: aliases of their memory
int push_place(lua_State* L) {
  State& state = upvalue_state(L);
  const Prepared& prepared = check_prepared(L, 1);
  const auto number = static_cast<int>(luaL_checkinteger(L, 2));
  const size_t count = number > 0 ? prepared.graph().inputs.size() : prepared.graph().outputs.size();
  const auto i = static_cast<size_t>(std::abs(number)) - 1;
  if (i >= count) return luaL_argerror(L, 2, "expected an input or an output");
  const Tensor& t = number > 0 ? prepared.input(i) : prepared.output(i);
  Tensor& alias = push_tensor(L, state, t.dtype(), t.device());
  guarded(L, state, [&] {
    if (Storage* const storage = t.storage()) storage->share_between_threads();
    alias = t;
  });
  return 1;
}

// Runs the graph op by op, for a hook that sees no launches.
void show_steps(lua_State* L, State& state, const Prepared& prepared, int given) {
  const std::vector<Value> inputs = read_inputs(L, state, prepared.graph(), given);
  GraphResults results(*prepared.executor());
  prepared.executor()->run(run_settings(state), inputs, results.tensors());
}

// run(prepared, inputs...): the outputs are in their places
int run_prepared(lua_State* L) {
  State& state = upvalue_state(L);
  Prepared& prepared = check_prepared(L, 1);
  const int given = lua_gettop(L) - 1;
  guarded(L, state, [&] {
    constexpr int most = 64;
    const Tensor* inputs[most];
    if (state.hook != nullptr && state.hook->captures())
      fail<Status::unsupported>("prepare", "run", "a prepared run inside a capture, expected ops");
    state.compute_pending();
    if (given > most) fail("prepare", "run", given, " inputs, expected at most ", most);
    for (int i = 0; i < given; ++i) {
      inputs[i] = test_tensor(L, i + 2);
      if (inputs[i] == nullptr) fail("prepare", "run", luaL_typename(L, i + 2), ", expected tensors");
    }
    const auto run = [&] {
      prepared.run({inputs, static_cast<size_t>(given)});
      return true;
    };
    if (ObservingHook* const hook = state.hook != nullptr ? observing(state.hook) : nullptr) {
      if (hook->run_unit(ObservingHook::Unit::several, "prepared run", run)) return;
      show_steps(L, state, prepared, given);
    }
    run();
  });
  return 0;
}

// preparedGraph(prepared) -> its graph
int prepared_graph(lua_State* L) {
  push_executor(L, check_prepared(L, 1).executor());
  return 1;
}

// info(prepared) -> {inputs =, outputs =, launches =, bytes =, neededBytes = numbers}
int prepared_info(lua_State* L) {
  const Prepared& prepared = check_prepared(L, 1);
  lua_createtable(L, 0, 5);
  const auto set = [L](const char* name, auto number) {
    lua_pushnumber(L, static_cast<lua_Number>(number));
    lua_setfield(L, -2, name);
  };
  set("inputs", prepared.graph().inputs.size());
  set("outputs", prepared.graph().outputs.size());
  set("launches", prepared.launches());
  set("bytes", prepared.bytes());
  set("neededBytes", prepared.needed_bytes());
  return 1;
}

// profile(prepared) -> lists of ops and of seconds, by launch
int profile_prepared(lua_State* L) {
  State& state = upvalue_state(L);
  Prepared& prepared = check_prepared(L, 1);
  lua_createtable(L, static_cast<int>(prepared.launches()), 0);
  lua_createtable(L, static_cast<int>(prepared.launches()), 0);
  guarded(L, state, [&] {
    int i = 0;
    for (const auto& [op, seconds] : prepared.profile()) {
      lua_pushlstring(L, op.data(), op.size());
      lua_rawseti(L, -3, ++i);
      lua_pushnumber(L, seconds);
      lua_rawseti(L, -2, i);
    }
  });
  return 2;
}

}  // namespace

void add_prepared_runs(lua_State* L, State& state) {
  push_owned_metatable<PreparedClass>(L);
  lua_pop(L, 1);
  add_function(L, state, "prepare", prepare);
  add_function(L, state, "place", push_place);
  add_function(L, state, "runPrepared", run_prepared);
  add_function(L, state, "preparedInfo", prepared_info);
  add_function(L, state, "preparedGraph", prepared_graph);
  add_function(L, state, "profile", profile_prepared);
}

}  // namespace mt::lua
