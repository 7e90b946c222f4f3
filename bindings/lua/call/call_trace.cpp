// Which ops a program runs: a hook that writes their names down.
#include "bindings/lua/call/call_trace.h"

namespace mt::lua {
namespace {

// traceOps(true) begins; traceOps(false) ends -> the names of the ops that have run since, in their order
int trace_ops(lua_State* L) {
  State& state = upvalue_state(L);
  const bool begin = lua_toboolean(L, 1) != 0;
  const auto trace = std::exchange(state.trace, nullptr);
  state.hook = nullptr;
  if (begin) {
    guarded(L, state, [&] { state.trace = std::make_shared<CallTrace>(); });
    state.hook = state.trace.get();
    return 0;
  }
  lua_newtable(L);
  for (size_t i = 0; trace != nullptr && i < trace->seen.size(); ++i) {
    lua_pushlstring(L, trace->seen[i].data(), trace->seen[i].size());
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  return 1;
}

}  // namespace

void CallTrace::run(Call& call) {
  seen.push_back(call.name());
  plan_op(call);
}

void open_call_trace(lua_State* L, State& state) { add_function(L, state, "traceOps", trace_ops); }

}  // namespace mt::lua
