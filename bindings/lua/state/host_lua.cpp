#include "bindings/lua/state/host_lua.h"

#include <dlfcn.h>

#include <mutex>

#include "engine/core/system_libraries.h"

namespace mt::lua {

// Addresses from the dynamic linker; null if the process has no Lua.
#define MT_DEFINE(name) constinit decltype(&::name) name = &::name;
MT_LUA_FUNCTIONS(MT_DEFINE)
#undef MT_DEFINE

namespace {

bool is_there() {
  bool all = true;
#define MT_LOOK(name) all = all && name != nullptr;
  MT_LUA_FUNCTIONS(MT_LOOK)
#undef MT_LOOK
  return all;
}

// Sets all functions from a library, or none.
bool take_from(void* library) {
#define MT_FIND(name) \
  if (dlsym(library, #name) == nullptr) return false;
  MT_LUA_FUNCTIONS(MT_FIND)
#undef MT_FIND
#define MT_TAKE(name) name = reinterpret_cast<decltype(name)>(dlsym(library, #name));
  MT_LUA_FUNCTIONS(MT_TAKE)
#undef MT_TAKE
  return true;
}

// Later callers use the result of the first one.
template <class F> bool found_once(F&& find) {
  static std::mutex lock;
  const std::lock_guard locked(lock);
  return is_there() || take_from(RTLD_DEFAULT) || find();
}

}  // namespace

bool find_lua_of(const void* caller) {
  return found_once([caller] {
    Dl_info of;
    if (dladdr(caller, &of) == 0) return false;
    void* const library = dlopen(of.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    return library != nullptr && take_from(library);
  });
}

bool open_luajit() {
  return found_once([] {
    // Global, because libraries that Lua loads search there. Never unloaded: its states may outlive their session.
    void* const library = open_library(system_library("luajit"), RTLD_NOW | RTLD_GLOBAL);
    return library != nullptr && take_from(library);
  });
}

}  // namespace mt::lua
