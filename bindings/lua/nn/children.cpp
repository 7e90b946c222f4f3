// Calls of a container's children, whose errors get the position in the network as a prefix: the loops of nn.Sequential, and single calls.
#include "bindings/lua/state/c_stack.h"
#include "bindings/lua/state/state.h"
#include "bindings/lua/tape/native_tape.h"

namespace mt::lua {
namespace {

// Upvalues after the state: describe(message) adds a traceback; failed(container, module, index, message, input) raises the error; then
// names of fields and methods.
enum Upvalue { describe_upvalue = 2, failed_upvalue, modules_name, update_output_name, output_name, grad_input_name };

void push_upvalue(lua_State* L, int upvalue) { lua_pushvalue(L, lua_upvalueindex(upvalue)); }

// Calls a method of child number `index`. The child and the name of the method are at stack indices. Replaces the arguments, the `count`
// values on top of the stack, of which the first is the input, by one result.
void call_child(lua_State* L, int container, int child, int index, int method, int count) {
  const int first = lua_gettop(L) - count + 1;
  luaL_checkstack(L, count + 8, "too many arguments");
  push_upvalue(L, describe_upvalue);
  lua_insert(L, first);  // then the method, the child and its arguments
  lua_pushvalue(L, method);
  lua_gettable(L, child);
  lua_insert(L, first + 1);
  lua_pushvalue(L, child);
  lua_insert(L, first + 2);
  lua_pushvalue(L, first + 3);  // the input, for an error
  lua_insert(L, first);
  const int status = lua_pcall(L, count + 1, 1, first + 1);
  if (status != 0) {
    push_upvalue(L, failed_upvalue);
    lua_pushvalue(L, container);
    lua_pushvalue(L, child);
    lua_pushinteger(L, index);
    lua_pushvalue(L, first + 2);
    lua_pushvalue(L, first);
    lua_call(L, 5, 0);
  }
  lua_replace(L, first);
  lua_settop(L, first);
}

int push_modules(lua_State* L, int container) {
  luaL_checktype(L, container, LUA_TTABLE);
  push_upvalue(L, modules_name);
  lua_gettable(L, container);
  luaL_checktype(L, -1, LUA_TTABLE);
  return lua_gettop(L);
}

// forwardRow(container, input) calls the children in order, each with the output of the previous one -> the last output
int forward_row(lua_State* L) {
  check_c_stack(L);
  lua_settop(L, 2);
  const int modules = push_modules(L, 1);
  push_upvalue(L, update_output_name);
  const int method = lua_gettop(L), count = static_cast<int>(lua_objlen(L, modules));
  lua_pushvalue(L, 2);
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, modules, i);
    lua_insert(L, method + 1);
    call_child(L, 1, method + 1, i, method, 1);
    lua_remove(L, method + 1);
  }
  return 1;
}

// backwardRow(container, method, keep, input, gradOutput, factor) calls the children from the last to the first, each with its input and
// the gradInput of its successor. With `keep`, the result of each call becomes the field gradInput of the child -> the gradInput of the
// first one
int backward_row(lua_State* L) {
  enum { container_at = 1, method_at, keep_at, input_at, gradient_at, factor_at, modules_at, child_at };
  check_c_stack(L);
  lua_settop(L, factor_at);
  push_modules(L, container_at);
  for (auto i = static_cast<int>(lua_objlen(L, modules_at)); i >= 1; --i) {
    lua_rawgeti(L, modules_at, i);
    if (i > 1) {
      lua_rawgeti(L, modules_at, i - 1);
      push_upvalue(L, output_name);
      lua_gettable(L, -2);
      lua_remove(L, -2);
    } else {
      lua_pushvalue(L, input_at);
    }
    lua_pushvalue(L, gradient_at);
    lua_pushvalue(L, factor_at);
    call_child(L, container_at, child_at, i, method_at, 3);
    if (lua_toboolean(L, keep_at) != 0) {
      push_upvalue(L, grad_input_name);
      lua_insert(L, -2);
      lua_settable(L, child_at);
    }
    lua_settop(L, child_at);
    push_upvalue(L, grad_input_name);
    lua_gettable(L, child_at);
    lua_replace(L, gradient_at);
    lua_settop(L, modules_at);
  }
  lua_pushvalue(L, gradient_at);
  return 1;
}

// callChild(container, module, index, method, arguments...) -> the first result
int call_one(lua_State* L) {
  constexpr int arguments_at = 5;
  check_c_stack(L);
  if (lua_gettop(L) < arguments_at) lua_settop(L, arguments_at);
  luaL_checkany(L, 2);
  call_child(L, 1, 2, static_cast<int>(luaL_checkinteger(L, 3)), 4, lua_gettop(L) - arguments_at + 1);
  return 1;
}

// childCalls(describe, failed) -> forwardRow, backwardRow, callChild
int child_calls(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  for (const lua_CFunction function : {forward_row, backward_row, call_one}) {
    lua_pushlightuserdata(L, &upvalue_state(L));
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    for (const char* name : {"modules", "updateOutput", "output", "gradInput"}) lua_pushstring(L, name);
    lua_pushcclosure(L, function, grad_input_name);
  }
  return 3;
}

}  // namespace

void open_children(lua_State* L, State& state) { add_function(L, state, "childCalls", child_calls); }

}  // namespace mt::lua
