#include "bindings/lua/graph/guarded_runs.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "bindings/lua/graph/operands.h"
#include "bindings/lua/graph/prepared.h"
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/table_fields.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/owned.h"
#include "engine/core/generator.h"
#include "engine/graph/guarded.h"

namespace mt::lua {
namespace {

struct GuardsClass {
  using Pointer = std::unique_ptr<std::vector<Guard>>;
  static constexpr uint64_t magic = 0x6d74'4775'6172'6473;
  static constexpr auto metatable = "moontorch.guards", expected = "expected guards";
};

// check(guards, graph of the checks, inputs...) -> true and the outputs behind the values of the guards; or false, and nothing has changed
int check(lua_State* L) {
  State& state = upvalue_state(L);
  const std::vector<Guard>& guards = *check_owned<GuardsClass>(L, 1);
  const Executor& checks = *check_executor(L, 2);
  const Graph& graph = checks.graph();
  lua_remove(L, 1);
  const int given = lua_gettop(L) - 1, count = static_cast<int>(graph.outputs.size() - guards.size());
  luaL_checkstack(L, count + 10, "guards");
  lua_pushboolean(L, 1);
  const int first = lua_gettop(L) + 1;
  for (int i = 0; i < count; ++i) push_raw_tensor(L, state);
  bool holds = false;
  guarded(L, state, [&] {
    const std::vector<Value> inputs = read_inputs(L, state, graph, given);
    std::optional<Generators> before;
    if (std::ranges::any_of(graph.steps, draws)) before = state.generators;
    GraphResults results(checks);
    holds = hold(guards, checks, run_settings(state), inputs, results.tensors());
    if (!holds && before) state.generators = *before;
    for (int i = 0; holds && i < count; ++i)
      *test_tensor(L, first + i) = checks.output(guards.size() + static_cast<size_t>(i), inputs, results.tensors());
  });
  if (!holds) {
    lua_pushboolean(L, 0);
    return 1;
  }
  for (int i = 0; i < count; ++i) {
    set_class(L, state, first + i, *test_tensor(L, first + i));
    state.collector.note_allocation(L, *test_tensor(L, first + i));
  }
  return count + 1;
}

// guards(guards) -> a list of {origin =, sizes = whether only the sizes count, value =}
int list_guards(lua_State* L) {
  State& state = upvalue_state(L);
  const std::vector<Guard>& guards = *check_owned<GuardsClass>(L, 1);
  lua_createtable(L, static_cast<int>(guards.size()), 0);
  for (size_t i = 0; i < guards.size(); ++i) {
    lua_createtable(L, 0, 3);
    set_text(L, "origin", guards[i].origin);
    lua_pushboolean(L, guards[i].sizes);
    lua_setfield(L, -2, "sizes");
    Tensor& alias = push_tensor(L, state, guards[i].elements.dtype(), cpu_device);
    guarded(L, state, [&] { alias = clone(guards[i].elements); });
    lua_setfield(L, -2, "value");
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  return 1;
}

}  // namespace

std::vector<Guard>& push_guards(lua_State* L) {
  std::unique_ptr<std::vector<Guard>>& guards = push_owned<GuardsClass>(L);
  guards = std::make_unique<std::vector<Guard>>();
  return *guards;
}

void add_guarded_runs(lua_State* L, State& state) {
  push_owned_metatable<GuardsClass>(L);
  lua_pop(L, 1);
  add_function(L, state, "check", check);
  add_function(L, state, "guards", list_guards);
}

}  // namespace mt::lua
