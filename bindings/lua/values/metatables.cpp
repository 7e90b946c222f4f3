#include "bindings/lua/values/metatables.h"

#include <string_view>
#include <utility>

namespace mt::lua {

// makeClasses(position of the dtype, kind of device or nil) -> the metatables of the tensors and storages, which Lua caches: a second call
// returns the same ones.
bool try_to_make_classes(lua_State* L, State& state, DType dtype, KindId kind) {
  if (lua_checkstack(L, 4) == 0) {
    lua_pushliteral(L, "stack overflow (a class of tensors)");
    return false;
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.metatables.make);
  lua_pushinteger(L, static_cast<lua_Integer>(dtype) + 1);
  const std::string_view name = kind_name(kind);
  if (kind == plain_kind)
    lua_pushnil(L);
  else
    lua_pushlstring(L, name.data(), name.size());
  if (lua_pcall(L, 2, 2, 0) != 0) return false;
  if (!lua_istable(L, -1) || !lua_istable(L, -2)) {
    lua_pushliteral(L, "setClasses: the function that creates the classes of tensors returned none");
    return false;
  }
  Metatables::Classes& classes = state.metatables.of(dtype, kind);
  if (classes.tensor != LUA_NOREF) {  // created by a nested call
    lua_pop(L, 2);
    return true;
  }
  classes.storage = luaL_ref(L, LUA_REGISTRYINDEX);
  classes.tensor = luaL_ref(L, LUA_REGISTRYINDEX);
  return true;
}

void make_classes(lua_State* L, State& state, DType dtype, KindId kind) {
  if (!try_to_make_classes(L, state, dtype, kind)) lua_error(L);
}

void push_storage(lua_State* L, State& state, StoragePtr storage) {
  const DType dtype = storage->dtype;
  const KindId kind = device_kind(storage->device);
  const Metatables::Classes& classes = state.metatables.of(dtype, kind);
  if (classes.storage == LUA_NOREF && !try_to_make_classes(L, state, dtype, kind)) {
    storage = StoragePtr();  // errors of Lua skip destructors
    lua_error(L);
  }
  ++state.metatables.pushed;
  auto* box = new (lua_newuserdata(L, sizeof(StorageBox))) StorageBox;
  box->storage = std::move(storage);
  lua_rawgeti(L, LUA_REGISTRYINDEX, classes.storage);
  lua_setmetatable(L, -2);
}

}  // namespace mt::lua
