// The gradients of a list of parameters, for optimisers: read, and removed, by one call for all.
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/tape/recording.h"
#include "bindings/lua/tape/variant.h"
#include "bindings/lua/values/tensor_list.h"

namespace mt::lua {
namespace {

constexpr int parameters_slot = 0;  // of a gradient list's environment: that of the parameters' list

// Empties a list of gradients, whose environment is at stack index `environment`.
void forget(lua_State* L, TensorList& gradients, int environment, size_t count) {
  gradients.count = 0;
  for (size_t i = 1; i <= count; ++i) {
    gradients.tensors()[i - 1] = nullptr;
    lua_pushnil(L);
    lua_rawseti(L, environment, static_cast<int>(i));
  }
}

// gradientList(parameters) -> an empty list for the gradients of a result of tensorList
int gradient_list(lua_State* L) {
  const TensorList& parameters = check_tensor_list(L, 1);
  lua_settop(L, 1);
  push_tensor_list(L, parameters.count);
  lua_getfenv(L, 2);
  lua_getfenv(L, 1);
  lua_rawseti(L, 3, parameters_slot);
  lua_settop(L, 2);
  return 1;
}

// Pushes the node of the tensor at a stack index; returns false if it has none.
bool push_node_of(lua_State* L, State& state, int index) {
  const Tensor* t = test_tensor(L, index);
  if (t == nullptr || !t->tracked()) return false;
  if (box_of(const_cast<Tensor&>(*t)).awaits_node) adopt(L, state, index);
  if (!t->tracked()) return false;
  lua_getfenv(L, index);
  return true;
}

// readGradients(list) -> whether all parameters have a gradient; then the list has these, else it is empty. Does nothing if no gradient has
// been set since the last call.
int read_gradients(lua_State* L) {
  State& state = upvalue_state(L);
  TensorList& list = check_tensor_list(L, 1);
  const size_t count = capacity_of(L, 1);
  if (list.count == count && count > 0 && list.at_epoch == state.tape.gradient_epoch) {
    lua_pushboolean(L, true);
    return 1;
  }
  lua_settop(L, 1);
  luaL_checkstack(L, 8, "gradients");
  lua_getfenv(L, 1);
  lua_rawgeti(L, 2, parameters_slot);
  luaL_argcheck(L, lua_istable(L, 3), 1, "expected a result of gradientList");
  constexpr int environment = 2, parameters = 3, parameter = 4;
  list.count = 0;
  bool all = true;
  for (size_t i = 0; i < count && all; ++i) {
    lua_rawgeti(L, parameters, static_cast<int>(i) + 1);
    Tensor* gradient = nullptr;
    if (push_node_of(L, state, parameter)) {
      push_gradient(L, parameter + 1);
      gradient = test_tensor(L, -1);
    }
    all = gradient != nullptr;
    if (all && list.tensors()[i] != gradient) {
      lua_rawseti(L, environment, static_cast<int>(i) + 1);
      list.tensors()[i] = gradient;
    }
    lua_settop(L, parameters);
  }
  if (all)
    list.count = static_cast<uint32_t>(count);
  else
    forget(L, list, environment, count);
  list.at_epoch = state.tape.gradient_epoch;
  lua_pushboolean(L, all);
  return 1;
}

// forgetGradients(list) empties the list, so that it keeps no memory
int forget_gradients(lua_State* L) {
  TensorList& list = check_tensor_list(L, 1);
  lua_settop(L, 1);
  lua_getfenv(L, 1);
  forget(L, list, 2, capacity_of(L, 1));
  return 0;
}

// removeGradients(parameters, first) removes the gradients of a table of leaves from position `first` on -> the position of the first value
// that is no leaf, or whose gradients accumulate in a tensor of the program or are rows; nothing after the last
int remove_gradients(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  const int first = static_cast<int>(luaL_checkinteger(L, 2)), count = static_cast<int>(lua_objlen(L, 1));
  lua_settop(L, 1);
  luaL_checkstack(L, 8, "gradients");
  lua_pushstring(L, sink_field);
  lua_pushstring(L, rows_field);
  constexpr int sink_key = 2, rows_key = 3, parameter = 4, node = 5;
  ++state.tape.gradient_epoch;
  for (int i = first; i <= count; ++i) {
    lua_rawgeti(L, 1, i);
    const Tensor* t = test_tensor(L, parameter);
    if (t != nullptr && !t->tracked()) {
      lua_settop(L, rows_key);
      continue;
    }
    bool is_plain_leaf = false;
    if (push_node_of(L, state, parameter)) {
      lua_rawgeti(L, node, slot::number);  // 0 for a leaf
      lua_pushvalue(L, sink_key);
      lua_rawget(L, node);
      lua_pushvalue(L, rows_key);
      lua_rawget(L, node);
      is_plain_leaf = lua_isnil(L, -1) && lua_isnil(L, -2) && lua_type(L, node + 1) == LUA_TNUMBER && lua_tonumber(L, node + 1) == 0;
    }
    if (!is_plain_leaf) {
      lua_pushinteger(L, i);
      return 1;
    }
    lua_pushnil(L);
    lua_rawseti(L, node, slot::leaf_gradient);
    lua_settop(L, rows_key);
  }
  return 0;
}

}  // namespace

void open_gradient_lists(lua_State* L, State& state) {
  add_function(L, state, "gradientList", gradient_list);
  add_function(L, state, "readGradients", read_gradients);
  add_function(L, state, "forgetGradients", forget_gradients);
  add_function(L, state, "removeGradients", remove_gradients);
}

}  // namespace mt::lua
