#include "bindings/lua/sessions/session.h"

#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>

#include "bindings/lua/state/errors.h"
#include "bindings/lua/state/heap_limit.h"
#include "bindings/lua/state/modules.h"
#include "engine/capi/handle.h"
#include "engine/core/budget.h"
#include "engine/core/generator.h"

namespace mt::lua {
namespace {

// Identifies a thread by the address of a thread_local variable.
uintptr_t this_thread() {
  static thread_local char own;
  return reinterpret_cast<uintptr_t>(&own);
}

// An object in the registry of the state, whose finaliser tells the session that the state closes.
int state_goes(lua_State* L) {
  auto& session = *static_cast<mt_session**>(lua_touserdata(L, 1));
  if (session == nullptr) return 0;
  session->lua.store(nullptr);
  release(std::exchange(session, nullptr));
  return 0;
}

void watch(lua_State* L, mt_session* session) {
  auto& watched = *static_cast<mt_session**>(lua_newuserdata(L, sizeof(mt_session*)));
  watched = nullptr;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, state_goes);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  luaL_ref(L, LUA_REGISTRYINDEX);
  session->references.fetch_add(1);
  watched = session;
}

// A Lua error as a C caller sees it.
struct Told {
  Status status = Status::lua;
  std::string message;
};

// Runs in protected mode: shortens the message to one sentence (lua/torch/check/sentence.lua).
int shorten(lua_State* L) {
  auto& told = *static_cast<Told*>(lua_touserdata(L, 1));
  push_module(L, "torch.check.sentence");
  lua_pushlstring(L, told.message.data(), told.message.size());
  lua_call(L, 1, 2);
  size_t length = 0;
  const char* const text = lua_tolstring(L, -2, &length);
  if (text == nullptr) return 0;
  if (told.status == Status::lua && lua_toboolean(L, -1) != 0) told.status = Status::invalid;
  told.message.assign(text, length);
  return 0;
}

// The kind of an error is that of the last raised or noted error if the message contains its sentence; otherwise `invalid` if the message
// has the form of a check's.
Told told(lua_State* L, std::string message, int lua_status, const State* state) {
  if (lua_status == LUA_ERRMEM) return {Status::memory, std::move(message)};
  const bool is_known = state != nullptr && state->errors.raised_in(message);
  const bool lacks_memory =
      !is_known && message.find("not enough memory") != std::string::npos;  // Lua's message, which a module raised again
  Told told{is_known ? state->errors.status : lacks_memory ? Status::memory : Status::lua, std::move(message)};
  told.message.reserve(2 * told.message.size());                               // reserved, so that nothing is thrown in protected code
  if (state != nullptr && lua_cpcall(L, &shorten, &told) != 0) lua_pop(L, 1);  // out of memory: keeps the message
  return told;
}

int collect_all_garbage(lua_State* L) {
  lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

lua_State* new_lua() {
  if (!open_luajit())
    fail<Status::unsupported>("mt_session_create", "lua", "no LuaJIT was found: neither in this process nor as libluajit-5.1.so.2");
  lua_State* const L = luaL_newstate();
  if (L == nullptr) raise(Status::memory, "out of memory: a Lua state was asked for");
  return L;
}

}  // namespace

void release(mt_session* session) {
  if (session->references.fetch_sub(1) == 1) delete session;
}

void run_protected(lua_State* L, const State* state, lua_CFunction function, void* body) {
  const int status = lua_cpcall(L, function, body);
  if (status == 0) return;
  size_t length = 0;
  const bool is_text = lua_type(L, -1) == LUA_TSTRING;
  const char* const text = is_text ? lua_tolstring(L, -1, &length) : nullptr;
  const std::string message = is_text ? std::string(text, length) : concat("an error object, a ", lua_typename(L, lua_type(L, -1)));
  lua_pop(L, 1);
  if (status == LUA_ERRMEM) lua_cpcall(L, &collect_all_garbage, nullptr);  // LuaJIT doesn't collect before it raises this error
  Told error = told(L, message, status, state);
  raise(error.status, std::move(error.message));
}

Inside::Inside(const mt_session* session, const char* function)
    : session_(const_cast<mt_session&>(capi::take(session, function, "session"))) {
  uintptr_t nobody = 0;
  const uintptr_t self = this_thread();
  if (session_.thread.load() != self && !session_.thread.compare_exchange_strong(nobody, self)) {
    fail(function, "session", "another thread is inside: one at a time may be");
  }
  lua_ = session_.lua.load();
  if (lua_ == nullptr) {
    if (session_.depth == 0) session_.thread.store(0);
    fail(function, "session", "it is closed");
  }
  ++session_.depth;
  const std::lock_guard lock(session_.dropped_lock);
  for (const int reference : session_.dropped) luaL_unref(lua_, LUA_REGISTRYINDEX, reference);
  session_.dropped.clear();
}

Inside::~Inside() {
  if (--session_.depth == 0) session_.thread.store(0);
}

}  // namespace mt::lua

using mt::fail;
using mt::Status;
using mt::capi::guard;
using mt::capi::take;
using mt::lua::Inside;
using mt::lua::protect;
using mt::lua::State;

mt_status mt_session_create(const mt_session_options* options, mt_session** out) {
  const void* const caller = __builtin_return_address(0);
  return guard([&] {
    constexpr const char* name = "mt_session_create";
    take(out, name, "out");
    static const mt_session_options usual = {sizeof(mt_session_options), nullptr, nullptr, 0, 0};
    const mt_session_options& asked = options != nullptr ? *options : usual;
    if (asked.size < sizeof(mt_session_options)) fail(name, "size", asked.size, ", expected ", sizeof(mt_session_options));
    auto* const session = new mt_session;
    session->owns_lua = asked.lua == nullptr;
    lua_State* L = asked.lua;
    try {
      if (L == nullptr)
        L = mt::lua::new_lua();
      else if (!mt::lua::find_lua_of(caller))
        fail<Status::unsupported>(name, "lua", "this process has no LuaJIT whose functions can be found");
      if (session->owns_lua) protect(L, nullptr, [](lua_State* inner) { mt::lua::luaL_openlibs(inner); });
      session->state = &mt::lua::open_in(L, asked.folder, name);
      if (asked.tensor_bytes != 0 || asked.heap_bytes != 0)
        mt::lua::set_memory_limits(L, *session->state, asked.tensor_bytes, asked.heap_bytes);
      protect(L, session->state, [&](lua_State* inner) { mt::lua::watch(inner, session); });
    } catch (...) {
      if (session->owns_lua && L != nullptr) mt::lua::lua_close(L);
      mt::lua::release(session);
      throw;
    }
    session->lua.store(L);
    *out = session;
  });
}

mt_status mt_session_close(mt_session* session) {
  if (session == nullptr) return MT_OK;
  return guard([&] {
    if (session->thread.load() != 0) fail("mt_session_close", "session", "a call of it is under way");
    lua_State* const L = session->lua.exchange(nullptr);
    if (L != nullptr && session->owns_lua) mt::lua::lua_close(L);
    mt::lua::release(session);
  });
}

lua_State* mt_session_lua(const mt_session* session) { return session != nullptr ? session->lua.load() : nullptr; }

mt_status mt_session_limit(mt_session* session, int64_t tensor_bytes, int64_t heap_bytes) {
  return guard([&] {
    constexpr const char* name = "mt_session_limit";
    const Inside inside(session, name);
    if (tensor_bytes < 0) fail<Status::range>(name, "tensor_bytes", tensor_bytes, ", expected 0 or more");
    if (heap_bytes < 0) fail<Status::range>(name, "heap_bytes", heap_bytes, ", expected 0 or more");
    mt::lua::set_memory_limits(inside.lua(), inside.state(), tensor_bytes, heap_bytes);
  });
}

mt_status mt_session_bytes(mt_session* session, int64_t* tensor_bytes, int64_t* heap_bytes) {
  return guard([&] {
    const Inside inside(session, "mt_session_bytes");
    if (tensor_bytes != nullptr) *tensor_bytes = inside.state().budget.live();
    if (heap_bytes != nullptr) *heap_bytes = mt::lua::heap_bytes(inside.lua());
  });
}

mt_status mt_session_collect(mt_session* session) {
  return guard([&] {
    const Inside inside(session, "mt_session_collect");
    protect(inside.lua(), &inside.state(), [](lua_State* L) {
      mt::lua::lua_gc(L, LUA_GCCOLLECT, 0);
      mt::lua::lua_gc(L, LUA_GCCOLLECT, 0);  // frees objects that finalisers released
    });
  });
}

mt_status mt_session_seed(mt_session* session, uint64_t seed) {
  return guard([&] { Inside(session, "mt_session_seed").state().generators.manual_seed(seed); });
}
