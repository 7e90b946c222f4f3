// Torch in a Lua state of the host: finds the Lua files, opens torch, and converts tensors between C and Lua.
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "bindings/lua/sessions/session.h"
#include "bindings/lua/state/modules.h"
#include "bindings/lua/values/metatables.h"
#include "engine/core/own_file.h"

extern "C" int luaopen_libmoontorch(lua_State* L);

namespace mt::lua {
namespace {

namespace fs = std::filesystem;

bool has_torch(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(folder / "torch" / "init.lua", failed);
}

// The folder of this library, or of the program that contains it.
fs::path library_folder() { return fs::path(own_file()).parent_path(); }

// The folder of the Lua files; empty if it is not known relative to the library.
fs::path find_folder(const char* given, const char* function) {
  if (given != nullptr) {
    if (!has_torch(given)) fail<Status::file>(function, "folder", given, ", expected one with torch/init.lua");
    return fs::absolute(given);
  }
  const fs::path own = library_folder();
  const fs::path places[] = {
      own / ".." / "share" / "moontorch" / "lua",          // cmake --install, lib or bin
      own / ".." / ".." / "share" / "moontorch" / "lua",   // lib/x86_64-linux-gnu
      own / ".." / ".." / ".." / "share" / "lua" / "5.1",  // a tree of luarocks: lib/lua/5.1
      own / ".." / ".." / ".." / "lua",                    // build/<preset>/lib
  };
  for (const fs::path& place : places) {
    if (!own.empty() && has_torch(place)) return place.lexically_normal();
  }
  return {};
}

// Prepends patterns to package.path or package.cpath, unless it contains them. The package table is on top of the stack.
void put_first(lua_State* L, const char* field, const char* patterns) {
  lua_getfield(L, -1, field);
  const char* before = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
  if (std::string_view(before).find(patterns) == std::string_view::npos) {
    lua_pushfstring(L, before[0] != '\0' ? "%s;%s" : "%s", patterns, before);
    lua_setfield(L, -3, field);
  }
  lua_pop(L, 1);
}

bool is_luajit(lua_State* L) {
  constexpr std::string_view test = "return jit ~= nil and jit.version_num >= 20100 and require 'ffi'.abi 'gc64'";
  const bool good =
      luaL_loadbuffer(L, test.data(), test.size(), "=moontorch") == 0 && lua_pcall(L, 0, 1, 0) == 0 && lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return good;
}

// The native modules are in the folder of the library.
void set_paths(lua_State* L, const char* lua_patterns, const char* library_pattern) {
  lua_getfield(L, LUA_GLOBALSINDEX, "package");
  luaL_checktype(L, -1, LUA_TTABLE);
  if (lua_patterns[0] != '\0') put_first(L, "path", lua_patterns);
  if (library_pattern[0] != '\0') put_first(L, "cpath", library_pattern);
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, luaopen_libmoontorch);
  lua_setfield(L, -2, "libmoontorch");
  lua_pop(L, 2);
}

// Pushes the folder of an absolute entry of package.path with Moontorch's files, or nil. Relative entries don't count.
void push_folder_on_path(lua_State* L) {
  constexpr std::string_view find = R"lua(
    for folder in package.path:gmatch '%f[^;%z](/[^;?]*)/%?%.lua' do
      local file = io.open(folder .. '/torch/modules.lua')
      if file then
        file:close()
        return folder
      end
    end)lua";
  if (luaL_loadbuffer(L, find.data(), find.size(), "=moontorch") != 0) lua_error(L);
  lua_call(L, 0, 1);
}

}  // namespace

State* find_state(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, opened_state_key);
  auto* const state = static_cast<State*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return state;
}

State& open_in(lua_State* L, const char* folder, const char* function) {
  const std::string lua_folder = find_folder(folder, function), libraries = library_folder();
  const std::string patterns = lua_folder.empty() ? "" : lua_folder + "/?.lua;" + lua_folder + "/?/init.lua";
  const std::string library_pattern = libraries.empty() ? "" : libraries + "/?.so";
  bool fits = false, found = true;
  State* state = nullptr;
  protect(L, nullptr, [&](lua_State* inner) {
    fits = is_luajit(inner);
    if (!fits) return;
    lua_getfield(inner, LUA_REGISTRYINDEX, "_LOADED");
    lua_getfield(inner, -1, "torch");
    if (lua_isnil(inner, -1)) {
      set_paths(inner, patterns.c_str(), library_pattern.c_str());
      if (lua_folder.empty())
        push_folder_on_path(inner);
      else
        lua_pushstring(inner, lua_folder.c_str());
      found = lua_isstring(inner, -1) != 0;
      if (!found) return;
      open_modules(inner, lua_tostring(inner, -1));
      push_module(inner, "torch");
    }
    state = find_state(inner);
  });
  if (!fits) fail<Status::unsupported>(function, "lua", "expected a state of LuaJIT 2.1 with GC64, with its standard libraries open");
  if (!found) {
    fail<Status::file>(function, "folder", "torch/init.lua was found neither next to ", libraries,
                       " nor in an absolute entry of package.path");
  }
  if (state == nullptr) fail(function, "lua", "it has a torch that is not of this library");
  return *state;
}

void push_shared(lua_State* L, State& state, const Tensor& t) {
  push_tensor(L, state, t.dtype(), t.device()) = t;
  if (t.storage() != nullptr) t.storage()->share_between_threads();
}

}  // namespace mt::lua

using mt::Status;
using mt::capi::guard;
using mt::capi::take;

mt_status mt_lua_open(lua_State* L, const char* folder) {
  const void* const caller = __builtin_return_address(0);
  return guard([&] {
    take(L, "mt_lua_open", "L");
    if (!mt::lua::find_lua_of(caller))
      mt::fail<Status::unsupported>("mt_lua_open", "L", "this process has no LuaJIT whose functions can be found");
    mt::lua::open_in(L, folder, "mt_lua_open");
  });
}

namespace {

// Moontorch's state in L, which must have been opened.
mt::lua::State& opened(lua_State* L, const char* function) {
  take(L, function, "L");
  mt::lua::State* state = nullptr;
  if (mt::lua::find_lua_of(nullptr)) mt::lua::protect(L, nullptr, [&](lua_State* inner) { state = mt::lua::find_state(inner); });
  if (state == nullptr) mt::fail(function, "L", "torch is not open there: mt_lua_open opens it");
  return *state;
}

}  // namespace

mt_status mt_lua_push_tensor(lua_State* L, const mt_tensor* x) {
  return guard([&] {
    constexpr const char* name = "mt_lua_push_tensor";
    mt::lua::State& state = opened(L, name);
    const mt::Tensor& t = take(x, name, "x").tensor;
    int reference = LUA_NOREF;
    mt::lua::protect(L, &state, [&](lua_State* inner) {
      mt::lua::push_shared(inner, state, t);
      reference = mt::lua::luaL_ref(inner, LUA_REGISTRYINDEX);
    });
    mt::lua::lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
    mt::lua::luaL_unref(L, LUA_REGISTRYINDEX, reference);
  });
}

mt_status mt_lua_to_tensor(lua_State* L, int32_t index, mt_tensor** out) {
  return guard([&] {
    constexpr const char* name = "mt_lua_to_tensor";
    mt::lua::State& state = opened(L, name);
    take(out, name, "out");
    const mt::Tensor* t = mt::lua::test_tensor(L, index);
    if (t == nullptr) mt::fail(name, "index", "there is no tensor at ", index);
    state.compute_pending();
    mt::Tensor shared = *t;
    shared.set_tracked(false);
    if (shared.storage() != nullptr) shared.storage()->share_between_threads();
    *out = mt::capi::give(std::move(shared));
  });
}
