// Checks before a rule runs that the saved tensors of its node have not changed.
#include "bindings/lua/tape/backward_pass.h"
#include "bindings/lua/values/boxes.h"

namespace mt::lua {
namespace {

// The position, from 1, of the first tensor in a list whose version has changed; 0 if there is none.
int find_changed(lua_State* L, int list, int versions) {
  const int count = lua_istable(L, versions) ? static_cast<int>(lua_objlen(L, list)) : 0;
  int found = 0;
  for (int k = 1; found == 0 && k <= count; ++k) {
    lua_rawgeti(L, list, k);
    lua_rawgeti(L, versions, k);
    const Tensor* t = test_tensor(L, -2);
    if (t != nullptr && lua_type(L, -1) == LUA_TNUMBER && lua_tonumber(L, -1) != version_of(*t)) found = k;
    lua_pop(L, 2);
  }
  return found;
}

// Raises the error that an argument, counted from 1, or the result, 0, has changed.
[[noreturn]] void refuse_changed(lua_State* L, const Variant& variant, int node, int argument, int element) {
  if (argument == 0) {
    lua_pushliteral(L, "its result");
  } else {
    lua_rawgeti(L, LUA_REGISTRYINDEX, variant.rules);
    if (lua_istable(L, -1)) {
      lua_getfield(L, -1, "arguments");
      if (lua_istable(L, -1)) lua_rawgeti(L, -1, argument);
    }
    if (lua_type(L, -1) == LUA_TSTRING)
      lua_pushfstring(L, "argument %d '%s'", argument, lua_tostring(L, -1));
    else
      lua_pushfstring(L, "argument %d", argument);
  }
  if (element > 0) lua_pushfstring(L, "%s (element %d)", lua_tostring(L, -1), element);
  const char* what = lua_tostring(L, -1);
  lua_getfield(L, node, line_field);
  const char* hint = lua_isnil(L, -1) ? "; autograd.anomaly(true) tells the line that recorded it" : "";
  push_node_name(L, node);
  luaL_error(L, "%s: backward: %s, kept for the gradient, was changed in place or set to other memory since%s", lua_tostring(L, -1), what,
             hint);
  std::abort();
}

}  // namespace

void check_kept(lua_State* L, const Variant& variant, int node, int kept) {
  const auto look = [&](int argument, int at) {
    const Tensor* t = test_tensor(L, kept + argument);
    if (t == nullptr && !lua_istable(L, kept + argument)) return;
    lua_rawgeti(L, node, at);
    const bool single = lua_type(L, -1) == LUA_TNUMBER;
    const bool changed = t != nullptr && single && lua_tonumber(L, -1) != version_of(*t);
    const int element = t == nullptr ? find_changed(L, kept + argument, lua_gettop(L)) : 0;
    if (changed || element > 0) refuse_changed(L, variant, node, argument, element);
    lua_pop(L, 1);
  };
  if (variant.result != Keep::nothing) look(0, slot::result_version);
  for (int i = 0; i < variant.arity; ++i) {
    if (variant.arguments[i] == Keep::value) look(i + 1, slot::version(i));
  }
}

}  // namespace mt::lua
