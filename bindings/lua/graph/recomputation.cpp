#include "bindings/lua/graph/recomputation.h"

#include <memory>

#include "bindings/lua/graph/control_flow.h"
#include "bindings/lua/graph/graphs.h"
#include "bindings/lua/graph/prepared.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "engine/passes/passes.h"

namespace mt::lua {
namespace {

// peakMemory(graph) -> bytes
int graph_peak(lua_State* L) {
  State& state = upvalue_state(L);
  const Graph& graph = check_executor(L, 1)->graph();
  int64_t bytes = 0;
  guarded(L, state, [&] { bytes = peak_memory(graph); });
  lua_pushnumber(L, static_cast<double>(bytes));
  return 1;
}

// recompute(graph, bytes) -> a graph
int recompute_graph(lua_State* L) {
  State& state = upvalue_state(L);
  const Graph& graph = check_executor(L, 1)->graph();
  const auto bytes = static_cast<int64_t>(luaL_checknumber(L, 2));
  std::shared_ptr<const Executor>& executor = push_new_executor(L);
  guarded(L, state, [&] { executor = std::make_shared<const Executor>(recompute(graph, bytes)); });
  return 1;
}

}  // namespace

void add_recomputation(lua_State* L, State& state) {
  add_function(L, state, "peakMemory", graph_peak);
  add_function(L, state, "recompute", recompute_graph);
}

}  // namespace mt::lua
