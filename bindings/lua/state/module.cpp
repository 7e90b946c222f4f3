// luaopen_libmoontorch: creates the State, and the table from which lua/torch builds the public module.
#include <dlfcn.h>

#include <climits>
#include <cstdio>
#include <exception>
#include <memory>
#include <span>
#include <utility>

#include "bindings/lua/call/autocast.h"
#include "bindings/lua/call/call_trace.h"
#include "bindings/lua/call/extension.h"
#include "bindings/lua/call/integer_arguments.h"
#include "bindings/lua/graph/graphs.h"
#include "bindings/lua/nn/split_concatenate.h"
#include "bindings/lua/profile/observation.h"
#include "bindings/lua/state/errors.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/heap_limit.h"
#include "bindings/lua/state/held_interrupts.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/open.h"
#include "bindings/lua/state/suitable_lua.h"
#include "bindings/lua/text/delimited.h"
#include "bindings/lua/threads/module.h"
#include "bindings/lua/values/arrow.h"
#include "bindings/lua/values/blob.h"
#include "bindings/lua/values/containers.h"
#include "bindings/lua/values/defaults.h"
#include "bindings/lua/values/dlpack.h"
#include "bindings/lua/values/element_loops.h"
#include "bindings/lua/values/ffi_functions.h"
#include "bindings/lua/values/handles.h"
#include "bindings/lua/values/mapping.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/numbers.h"
#include "bindings/lua/values/shared_memory.h"
#include "bindings/lua/values/type_names.h"
#include "engine/core/crc32c.h"
#include "engine/core/decl_names.h"
#include "engine/core/device.h"
#include "engine/core/host_hooks.h"
#include "engine/core/interrupt.h"
#include "engine/core/own_file.h"
#include "engine/core/parallel.h"
#include "engine/core/system_libraries.h"
#include "engine/core/temporary_folder.h"
#include "engine/cpu/dnnl.h"
#include "engine/cpu/target.h"
#include "engine/cpu/vendor_blas.h"
#include "moontorch/moontorch.h"

namespace mt::lua {
namespace {

// setClasses(makeClasses, generatorMetatable, boxInteger, boxComplex, kindOfNumber)
int set_classes(lua_State* L) {
  State& state = upvalue_state(L);
  lua_settop(L, 5);
  luaL_checktype(L, 2, LUA_TTABLE);
  for (const int function : {1, 3, 4, 5}) luaL_checktype(L, function, LUA_TFUNCTION);
  state.numbers.kind = luaL_ref(L, LUA_REGISTRYINDEX);
  state.numbers.box_complex = luaL_ref(L, LUA_REGISTRYINDEX);
  state.numbers.box_integer = luaL_ref(L, LUA_REGISTRYINDEX);
  state.metatables.generator = luaL_ref(L, LUA_REGISTRYINDEX);
  state.metatables.make = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

// noteError(kind, sentence, [before]) sets the status, for callers in C, of the error that Lua code will raise. Without a kind, the status
// of the last noted error remains if `before`, by default the sentence, contains its sentence; otherwise it becomes `invalid`.
int note_error(lua_State* L) {
  static const char* const kinds[] = {"ok",       "invalid",     "range", "dtype", "memory", "unsupported",
                                      "internal", "interrupted", "shape", "file",  "lua",    nullptr};  // in the order of Status
  State& state = upvalue_state(L);
  const int kind = lua_isnoneornil(L, 1) ? 0 : luaL_checkoption(L, 1, nullptr, kinds);
  lua_settop(L, 3);
  const char* const sentence = luaL_checklstring(L, 2, nullptr);
  const char* const before = lua_isnil(L, 3) ? sentence : luaL_checklstring(L, 3, nullptr);
  guarded(L, state, [&] {
    const bool is_known = state.errors.raised_in(before);
    if (kind != 0 || !is_known) state.errors.status = kind != 0 ? static_cast<Status>(kind) : Status::invalid;
    state.errors.raised = sentence;
  });
  return 0;
}

// defaultDType([dtype]) -> the default dtype, after setting it; both count from 0
int default_dtype(lua_State* L) {
  State& state = upvalue_state(L);
  if (!lua_isnoneornil(L, 1)) state.defaults.dtype = dtype_argument(L, 1);
  lua_pushinteger(L, static_cast<lua_Integer>(state.defaults.dtype));
  return 1;
}

int set_threads(lua_State* L) {
  const lua_Number n = lua_tonumber(L, 1);  // 0 for other values
  guarded(L, upvalue_state(L), [&] {
    if (!lua_isnumber(L, 1)) fail("setnumthreads", "n", luaL_typename(L, 1), ", expected a number");
    if (!(n >= 1 && n < 1025)) fail<Status::range>("setnumthreads", "n", n, ", expected 1..1024");
  });
  set_own_threads(static_cast<int>(n));
  return 0;
}

int get_threads(lua_State* L) {
  lua_pushinteger(L, num_threads());
  return 1;
}

// memory() -> {live = bytes, cached = bytes, blocks = n, userdata = n}
int memory(lua_State* L) {
  const MemoryStats stats = memory_stats();
  lua_createtable(L, 0, 4);
  lua_pushnumber(L, static_cast<double>(stats.live_bytes));
  lua_setfield(L, -2, "live");
  lua_pushnumber(L, static_cast<double>(stats.cached_bytes));
  lua_setfield(L, -2, "cached");
  lua_pushnumber(L, static_cast<double>(stats.live_blocks));
  lua_setfield(L, -2, "blocks");
  lua_pushnumber(L, static_cast<double>(upvalue_state(L).metatables.pushed));
  lua_setfield(L, -2, "userdata");
  return 1;
}

int empty_cache(lua_State*) {
  trim_devices();
  return 0;
}

// log(text[, is_error]) writes a line to the host's log, or to stderr
int write_log(lua_State* L) {
  log(lua_toboolean(L, 2) != 0 ? LogLevel::error : LogLevel::warning, luaL_checkstring(L, 1));
  return 0;
}

int fail_after(lua_State* L) {
  fail_allocations_after(static_cast<int64_t>(luaL_checknumber(L, 1)));
  return 0;
}

// cpuTarget() -> the instruction set that kernels use: "avx3", "avx2", "sse4"
int cpu_target(lua_State* L) {
  const std::string_view name = cpu::target_name();
  lua_pushlstring(L, name.data(), name.size());
  return 1;
}

// libraries() -> the file of the BLAS in use, the name of its kernels, the version of oneDNN (nil if there is none). Loads them.
int libraries(lua_State* L) {
  cpu::BlasIdentity blas;
  char dnnl[32] = "";
  guarded(L, upvalue_state(L), [&] {
    blas = cpu::blas_identity();
    std::snprintf(dnnl, sizeof dnnl, "%s", cpu::dnnl_version().c_str());
  });
  lua_pushstring(L, blas.path);
  lua_pushstring(L, blas.kernels);
  lua_pushstring(L, dnnl[0] != '\0' ? dnnl : nullptr);
  return 3;
}

// systemLibrary(name) -> the sonames, packages and purpose of a library that is loaded at run time; without a name, the names of all.
int system_library_row(lua_State* L) {
  const auto push = [L](std::string_view text) { lua_pushlstring(L, text.data(), text.size()); };
  if (lua_isnoneornil(L, 1)) {
    lua_newtable(L);
    int count = 0;
    for (const SystemLibrary& row : system_libraries) {
      push(row.name);
      lua_rawseti(L, -2, ++count);
    }
    return 1;
  }
  const std::string_view name = luaL_checkstring(L, 1);
  for (const SystemLibrary& row : system_libraries) {
    if (row.name != name) continue;
    push(row.sonames);
    push(row.packages);
    push(row.serves);
    return 3;
  }
  return 0;
}

// temporaryName([ending [, kept]]) -> an unused path; its file is removed when the process exits, unless it is kept
int new_temporary_name(lua_State* L) {
  const char* const ending = luaL_optstring(L, 1, "");
  const Temporary lifetime = lua_toboolean(L, 2) != 0 ? Temporary::kept : Temporary::until_exit;
  char name[PATH_MAX] = "";
  guarded(L, upvalue_state(L), [&] { std::snprintf(name, sizeof name, "%s", temporary_name(lifetime, ending).c_str()); });
  lua_pushstring(L, name);
  return 1;
}

// crc32c(text[, before]) -> the checksum CRC-32C of bytes that follow others, whose checksum is `before`
int checksum(lua_State* L) {
  size_t size = 0;
  const char* const text = luaL_checklstring(L, 1, &size);
  const auto before = static_cast<uint32_t>(luaL_optnumber(L, 2, 0));
  lua_pushnumber(L, crc32c(std::as_bytes(std::span(text, size)), before));
  return 1;
}

// Functions for signal handlers of the host, as plain pointers: ask_interrupt, and whether code generated by a library runs.
void open_interrupt(lua_State* L) {
  const auto add = [L](const char* name, auto* function) {
    lua_pushlightuserdata(L, reinterpret_cast<void*>(function));
    lua_setfield(L, -2, name);
  };
  add(
      "askInterrupt", +[](int asked) { return ask_interrupt(asked); });
  add(
      "runsGeneratedCode", +[]() -> int { return GeneratedCode::runs() ? 1 : 0; });
}

// When Lua closes a state, other finalisers may run after that of the State and use tensors: so the State exists until this thread closes
// another state or ends.
thread_local std::unique_ptr<State> last_closed;

int state_gc(lua_State* L) {
  State* const state = *static_cast<State**>(lua_touserdata(L, 1));
  if (state != nullptr) state->heap_limit.set(L, 0);  // Lua must free its heap by its original allocator
  last_closed.reset(std::exchange(*static_cast<State**>(lua_touserdata(L, 1)), nullptr));
  return 0;
}

}  // namespace

// Prevents unloading of the library: Lua would unload it between finalisers, some of which run later.
void stay_loaded() {
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(&stay_loaded), &self) != 0) dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

int open(lua_State* L) {
  auto& made = *static_cast<State**>(lua_newuserdata(L, sizeof(State*)));
  made = nullptr;
  char reason[200] = "", file[PATH_MAX] = "";
  try {
    std::snprintf(file, sizeof file, "%s", own_file().c_str());
    Registry::instance();
    made = new State(Generator::random_seed());
  } catch (const std::exception& e) {
    std::snprintf(reason, sizeof reason, "%s", e.what());
  }
  if (reason[0] != '\0') return luaL_error(L, "libmoontorch: the engine could not be started: %s", reason);
  State& state = *made;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, state_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_pushlightuserdata(L, &state);
  lua_setfield(L, LUA_REGISTRYINDEX, opened_state_key);
  luaL_ref(L, LUA_REGISTRYINDEX);  // exists as long as the Lua state, even if the library is required a second time
  stay_loaded();

  lua_newtable(L);
  open_calls(L, state);
  open_operators(L, state);
  open_declare(L, state);
  open_extension(L, state);
  open_tensors(L, state);
  open_storages(L, state);
  open_mappings(L, state);
  open_blobs(L, state);
  open_dlpack(L, state);
  open_arrow(L, state);
  open_shared_memory(L, state);
  open_element_loops(L, state);
  open_element_converters(L, state);
  open_number_draws(L, state);
  open_indexing(L, state);
  open_random(L, state);
  open_whole(L, state);
  open_devices(L, state);
  open_call_trace(L, state);
#ifndef MT_WITHOUT_PROFILES
  open_observation(L, state);
#endif
  open_tape(L, state);
  open_graphs(L, state);
  open_autocast(L, state);
  open_memory_limit(L, state);
  open_tensor_lists(L, state);
  open_containers(L, state);
  open_handles(L, state);
  open_pieces(L, state);
  open_threads(L, state);
  open_delimited(L, state);
  add_function(L, state, "setClasses", set_classes);
  add_function(L, state, "defaultDType", default_dtype);
  add_function(L, state, "setThreads", set_threads);
  add_function(L, state, "getThreads", get_threads);
  add_function(L, state, "memory", memory);
  add_function(L, state, "emptyCache", empty_cache);
  add_function(L, state, "failAllocationsAfter", fail_after);
  add_function(L, state, "cpuTarget", cpu_target);
  add_function(L, state, "libraries", libraries);
  add_function(L, state, "systemLibrary", system_library_row);
  add_function(L, state, "log", write_log);
  add_function(L, state, "noteError", note_error);
  add_function(L, state, "temporaryName", new_temporary_name);
  add_function(L, state, "crc32c", checksum);
  open_held_interrupts(L, state);
  open_interrupt(L);
  lua_pushlightuserdata(L, reinterpret_cast<void*>(+[](int which) { return read_clock(static_cast<ClockKind>(which)); }));
  lua_setfield(L, -2, "readClock");
  lua_createtable(L, dtype_count, 0);
  for (int d = 0; d < dtype_count; ++d) {
    lua_createtable(L, 0, 4);
    set_text(L, "name", dtype_infos[d].name);
    set_text(L, "torch", dtype_infos[d].torch);
    set_text(L, "kind", number_kind_names[static_cast<size_t>(dtype_infos[d].kind)]);
    lua_pushinteger(L, dtype_infos[d].size);
    lua_setfield(L, -2, "size");
    if (dtype_infos[d].use == DTypeUse::storage) {
      lua_pushboolean(L, 1);
      lua_setfield(L, -2, "storage");
    }
    lua_rawseti(L, -2, d + 1);
  }
  lua_setfield(L, -2, "dtypes");
  set_text(L, "version", mt_version());
  set_text(L, "file", file);
  return 1;
}

}  // namespace mt::lua

// The entry point for `require 'libmoontorch'`.
extern "C" __attribute__((visibility("default"))) int luaopen_libmoontorch(lua_State* L) {
  return mt::lua::need_suitable_lua(L, __builtin_return_address(0)) ? mt::lua::open(L) : 0;
}
