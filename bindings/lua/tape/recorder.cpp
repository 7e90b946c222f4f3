// The recorder's functions for Lua: recording calls from Lua code, creating nodes, and setting the Lua functions that the tape calls.
#include "bindings/lua/state/state.h"
#include "bindings/lua/tape/grad_mode.h"
#include "bindings/lua/tape/recorded.h"

namespace mt::lua {
namespace {

// record(op, count, results..., arguments...) records a call of an op from declareOp or the registry
int record_from_lua(lua_State* L) {
  State& state = upvalue_state(L);
  OpRule& named = rule_at(L, state, 1);
  const double results = luaL_checknumber(L, 2);
  const int top = lua_gettop(L);
  luaL_argcheck(L, results >= 1 && results <= Signature::max_results && results <= top - 2, 2, "expected the number of results");
  Recorded call;
  call.results = static_cast<int>(results);
  call.count = top - 2 - call.results;
  luaL_argcheck(L, call.count <= Signature::max_params, top, "too many arguments");
  if (state.tape.variant == LUA_NOREF) return luaL_error(L, "record: there is no tape");
  for (int r = 0; r < call.results; ++r) {
    call.result_at[r] = 3 + r;
    call.result[r] = test_tensor(L, 3 + r);
    luaL_argcheck(L, call.result[r] != nullptr, 3 + r, "expected a tensor");
  }
  for (int i = 0; i < call.count; ++i) {
    const int at = call.at[i] = 3 + call.results + i;
    adopt(L, state, at);
    if (lua_istable(L, at)) each_tensor(L, at, [&](int, Tensor&, int index) { adopt(L, state, index); });
    call.tensors[i] = test_tensor(L, at);
  }
  OpRule* rule = named.known || named.op == nullptr ? &named : rule_of(L, state, *named.op);
  if (rule == nullptr) return luaL_error(L, "record: the tape has no rule for it");
  luaL_checkstack(L, 3 * Signature::max_params + 8, "too many arguments");
  record(L, state, *rule, call, 0, 0);
  return 0;
}

// anyTracked(...) -> whether an argument is a tracked tensor, or a list with one
int any_tracked_of(lua_State* L) {
  const int top = lua_gettop(L);
  bool found = false;
  for (int i = 1; !found && i <= top; ++i) {
    const Tensor* t = test_tensor(L, i);
    found = t != nullptr && t->tracked();
    if (lua_istable(L, i)) each_tensor(L, i, [&](int, Tensor& element, int) { found = found || element.tracked(); });
  }
  lua_pushboolean(L, found);
  return 1;
}

// new(op, edge, value, edge, value, ...) -> a node with these edges, which are nodes or nil, and these saved values
int new_node(lua_State* L) {
  State& state = upvalue_state(L);
  OpRule& rule = rule_at(L, state, 1);
  const int count = lua_gettop(L) / 2;  // of pairs of edge and value
  luaL_argcheck(L, count <= Signature::max_params, 2, "too many edges");
  if (!rule.known) return luaL_argerror(L, 1, "expected a declared op");
  lua_settop(L, 1 + 2 * count);
  luaL_checkstack(L, 8, "too many edges");
  uint32_t mask = 0;
  for (int i = 0; i < count; ++i) {
    if (lua_isnil(L, 2 + 2 * i)) continue;
    luaL_argcheck(L, is_node(L, 2 + 2 * i), 2 + 2 * i, "expected a node");
    mask |= uint32_t{1} << i;
  }
  const Variant& variant = variant_for(L, state, rule, mask);
  const int node = push_blank(L, variant, variant.last_slot);
  for (int i = 0; i < count; ++i) {
    lua_pushvalue(L, 2 + 2 * i);
    lua_rawseti(L, node, slot::edge(i));
    if (i >= variant.arity || variant.arguments[i] == Keep::nothing) continue;
    lua_pushvalue(L, 3 + 2 * i);
    if (keep_value(L, state, variant.arguments[i], test_tensor(L, -1))) lua_rawseti(L, node, slot::version(i));
    lua_rawseti(L, node, slot::value(i));
  }
  number_node(L, state, node);
  return 1;
}

// ofFunction(name, backward, edges, count) -> the node of a call of a program's function with `count` arguments. backward(gradient) returns
// their gradients; edges[i] is the node of argument i, or nil.
int new_function_node(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, 1, LUA_TSTRING);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  luaL_checktype(L, 3, LUA_TTABLE);
  const double given = luaL_checknumber(L, 4);
  luaL_argcheck(L, given >= 0 && given <= most_node_arguments, 4, "expected a number of arguments");
  const int count = static_cast<int>(given);
  lua_settop(L, 4);
  const int node = push_blank(L, *state.tape.function, slot::result_version);
  lua_pushvalue(L, 1);
  lua_setfield(L, node, name_field);
  lua_pushvalue(L, 4);
  lua_setfield(L, node, arity_field);
  lua_pushvalue(L, 2);
  lua_rawseti(L, node, slot::result);
  for (int i = 0; i < count; ++i) {
    lua_rawgeti(L, 3, i + 1);
    if (is_node(L, -1))
      lua_rawseti(L, node, slot::edge(i));
    else
      lua_pop(L, 1);
  }
  number_node(L, state, node);
  return 1;
}

// hang(node, results, count) attaches a node to its result; each of several results has a separate node, whose input is the op's. Ignores
// values that are not float tensors.
int hang_on_results(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_argcheck(L, is_node(L, 1), 1, "expected a node");
  luaL_checktype(L, 2, LUA_TTABLE);
  const double count = luaL_checknumber(L, 3);
  for (int r = 1; r <= count; ++r) {
    lua_settop(L, 3);
    lua_rawgeti(L, 2, r);
    Tensor* t = test_tensor(L, 4);
    if (t == nullptr || !is_inexact(t->dtype())) continue;
    if (count > 1) {
      attach_one(L, state, 1, r, *t, 4, 0, 0);
    } else {
      lua_pushvalue(L, 1);
      hang_node(L, *t, 4);
    }
  }
  return 0;
}

// setRecorder(table) sets the functions and ops that the tape calls, by name; see native_tape.h
int set_recorder(lua_State* L) {
  State& state = upvalue_state(L);
  NativeTape& tape = state.tape;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  const struct {
    const char* name;
    int& reference;
  } functions[] = {{"variant", tape.variant},   {"refresh", tape.refresh}, {"before", tape.before}, {"rebase", tape.rebase},
                   {"describe", tape.describe}, {"follow", tape.follow},   {"conj", tape.conj}};
  const struct {
    const char* name;
    OpRule*& rule;
  } ops[] = {{"broadcast", tape.broadcast}, {"conversion", tape.conversion}, {"overwriting", tape.overwriting}};
  for (const auto& each : functions) {
    lua_getfield(L, 1, each.name);
    luaL_argcheck(L, lua_isfunction(L, -1), 1, each.name);
  }
  for (const auto& each : ops) {
    lua_getfield(L, 1, each.name);
    rule_at(L, state, lua_gettop(L));
  }
  lua_settop(L, 1);
  for (const auto& each : functions) {
    lua_getfield(L, 1, each.name);
    keep_reference(L, -1, each.reference);
  }
  for (const auto& each : ops) {
    lua_getfield(L, 1, each.name);
    each.rule = &rule_at(L, state, lua_gettop(L));
  }
  state.grad_mode.has_tape = true;
  return 0;
}

int set_function(lua_State* L, int& reference) {
  lua_settop(L, 1);
  if (!lua_isnil(L, 1)) luaL_checktype(L, 1, LUA_TFUNCTION);
  keep_reference(L, 1, reference);
  return 0;
}

// setListener(f or nil): f(op, count, results..., arguments...) is called for each recorded call
int set_listener(lua_State* L) { return set_function(L, upvalue_state(L).tape.listener); }

// setWatcher(f): f(node, name, line, rule, ...) calls the rule of a node with a program line
int set_watcher(lua_State* L) { return set_function(L, upvalue_state(L).tape.watcher); }

int last_node_number(lua_State* L) {
  lua_pushnumber(L, upvalue_state(L).tape.last_number);
  return 1;
}

}  // namespace

void open_recording(lua_State* L, State& state) {
  add_function(L, state, "setRecorder", set_recorder);
  add_function(L, state, "setListener", set_listener);
  add_function(L, state, "setWatcher", set_watcher);
  add_function(L, state, "record", record_from_lua);
}

void add_node_makers(lua_State* L, State& state) {
  add_function(L, state, "new", new_node);
  add_function(L, state, "ofFunction", new_function_node);
  add_function(L, state, "hang", hang_on_results);
  add_function(L, state, "lastNumber", last_node_number);
  add_function(L, state, "anyTracked", any_tracked_of);
}

}  // namespace mt::lua
