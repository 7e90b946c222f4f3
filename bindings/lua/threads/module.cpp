#include "bindings/lua/threads/module.h"

#include <utility>

#include "bindings/lua/state/modules.h"
#include "bindings/lua/state/suitable_lua.h"
#include "bindings/lua/threads/objects.h"
#include "bindings/lua/threads/pool.h"
#include "bindings/lua/threads/worker.h"

extern "C" int luaopen_libmoontorch(lua_State* L);
extern "C" __attribute__((visibility("default"))) int luaopen_libmoontorch_threads(lua_State* L);

namespace mt::lua {
namespace {

const char state_key = 0, context_key = 0;  // their addresses are registry keys

// Lives as long as the binding's state: finalisers that run later may use it.
thread_local std::unique_ptr<Context> last_closed;

int context_gc(lua_State* L) {
  last_closed.reset(std::exchange(*static_cast<Context**>(lua_touserdata(L, 1)), nullptr));
  return 0;
}

Context* find_context(lua_State* L) {
  lua_pushlightuserdata(L, const_cast<char*>(&context_key));
  lua_rawget(L, LUA_REGISTRYINDEX);
  auto* context = static_cast<Context*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return context;
}

int new_table_reference(lua_State* L, const char* mode) {
  lua_newtable(L);
  if (mode != nullptr) {
    lua_createtable(L, 0, 1);
    lua_pushstring(L, mode);
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
  }
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

Context& make_context(lua_State* L) {
  auto& owner = *static_cast<Context**>(lua_newuserdata(L, sizeof(Context*)));
  owner = nullptr;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, context_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  luaL_ref(L, LUA_REGISTRYINDEX);
  owner = new (std::nothrow) Context;
  if (owner == nullptr) luaL_error(L, "threads: out of memory");
  Context& context = *owner;
  lua_pushlightuserdata(L, const_cast<char*>(&context_key));
  lua_pushlightuserdata(L, &context);
  lua_rawset(L, LUA_REGISTRYINDEX);
  context.factories = new_table_reference(L, nullptr);
  context.classes = new_table_reference(L, nullptr);
  context.writes_itself = new_table_reference(L, "k");
  context.field_names = new_table_reference(L, "k");
  context.reference_metatable = new_table_reference(L, nullptr);
  context.shared_metatables = new_table_reference(L, nullptr);
  open_writer(L, context);
  return context;
}

}  // namespace

State* torch_state(lua_State* L) {
  lua_pushlightuserdata(L, const_cast<char*>(&state_key));
  lua_rawget(L, LUA_REGISTRYINDEX);
  auto* state = static_cast<State*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return state;
}

State& need_torch(lua_State* L) {
  if (State* state = torch_state(L); state != nullptr) return *state;
  push_module(L, "torch");
  lua_pop(L, 1);
  State* state = torch_state(L);
  if (state == nullptr) luaL_error(L, "threads: torch could not be loaded in this thread");
  return *state;
}

void open_threads(lua_State* L, State& state) {
  lua_pushlightuserdata(L, const_cast<char*>(&state_key));
  lua_pushlightuserdata(L, &state);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

Context& context_of(lua_State* L) {
  Context* context = find_context(L);
  return context != nullptr ? *context : make_context(L);
}

void open_in_worker(lua_State* L) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, luaopen_libmoontorch);
  lua_setfield(L, -2, "libmoontorch");
  lua_pushcfunction(L, luaopen_libmoontorch_threads);
  lua_setfield(L, -2, "libmoontorch.threads");
  lua_pop(L, 2);
}

namespace {

int open_module(lua_State* L) {
  Context& context = context_of(L);
  stay_loaded();
  lua_newtable(L);
  open_pools(L, context);
  open_locks(L, context);
  open_queues(L, context);
  open_tables(L, context);
  open_values(L, context);
  open_processes(L, context);
  return 1;
}

}  // namespace
}  // namespace mt::lua

// The entry point for `require 'libmoontorch.threads'`.
extern "C" int luaopen_libmoontorch_threads(lua_State* L) {
  return mt::lua::need_suitable_lua(L, __builtin_return_address(0)) ? mt::lua::open_module(L) : 0;
}
