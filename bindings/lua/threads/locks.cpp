// Mutexes and conditions as Lua objects.
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/threads/objects.h"
#include "bindings/lua/threads/wait.h"
#include "bindings/lua/values/boxes.h"

namespace mt::lua {
namespace {

template <class T> T& check(lua_State* L, int index, Shared::Kind kind, const char* name) {
  auto* box = test_box<SharedBox>(L, index, shared_magic);
  const bool right = box != nullptr && box->object != nullptr && box->object->kind == kind;
  if (!right) luaL_error(L, "%s: self: %s, expected a %s", name, class_name(L, index), name);
  return *static_cast<T*>(box->object.get());
}
Mutex& check_mutex(lua_State* L, int index) { return check<Mutex>(L, index, Shared::Kind::mutex, "threads.Mutex"); }
Condition& check_condition(lua_State* L, int index) { return check<Condition>(L, index, Shared::Kind::condition, "threads.Condition"); }

template <class T> int new_object(lua_State* L) { return push_new<T>(L, "threads"); }

// open(id, kind) -> the object with this number and kind, or nothing
int open_by_id(lua_State* L) {
  const lua_Number id = luaL_checknumber(L, 1);
  const auto kind = static_cast<Shared::Kind>(luaL_checkinteger(L, 2));
  SharedPtr* found = nullptr;
  if (id >= 1 && id < 0x1p53) found = new (std::nothrow) SharedPtr(find_shared(static_cast<uint64_t>(id)));
  const bool right = found != nullptr && *found != nullptr && (*found)->kind == kind;
  if (right) push_shared(L, upvalue_context(L), *found);
  delete found;
  return right ? 1 : 0;
}

int id(lua_State* L) {
  auto* box = test_box<SharedBox>(L, 1, shared_magic);
  luaL_argcheck(L, box != nullptr && box->object != nullptr, 1, "expected a mutex, condition, queue or table");
  lua_pushnumber(L, static_cast<lua_Number>(box->object->id));
  return 1;
}

// The released handle is unusable afterwards; other holders keep the object.
int free_object(lua_State* L) {
  if (auto* box = test_box<SharedBox>(L, 1, shared_magic)) box->object.reset();
  return 0;
}

int lock(lua_State* L) {
  const Mutex::Locked locked = check_mutex(L, 1).lock(StatePatience(L));
  if (locked == Mutex::Locked::already) return luaL_error(L, "threads.Mutex: lock: this thread has locked it already");
  if (locked == Mutex::Locked::given_up) raise_interrupted(L);
  return 0;
}

int unlock(lua_State* L) {
  if (!check_mutex(L, 1).unlock()) return luaL_error(L, "threads.Mutex: unlock: this thread has not locked it");
  return 0;
}

int wait(lua_State* L) {
  Condition& condition = check_condition(L, 1);
  const Condition::Waited waited = condition.wait(check_mutex(L, 2), StatePatience(L));
  if (waited == Condition::Waited::not_locked) return luaL_error(L, "threads.Condition: wait: mutex: this thread has not locked it");
  if (waited == Condition::Waited::given_up) raise_interrupted(L);
  return 0;
}

int signal(lua_State* L) {
  check_condition(L, 1).signal();
  return 0;
}

// setClasses(mutex, condition, queue, table): sets the metatables
int set_classes(lua_State* L) {
  for (int i = 1; i <= 4; ++i) luaL_checktype(L, i, LUA_TTABLE);
  lua_rawgeti(L, LUA_REGISTRYINDEX, upvalue_context(L).shared_metatables);
  for (int i = 1; i <= 4; ++i) {
    lua_pushvalue(L, i);
    lua_rawseti(L, -2, i);
  }
  return 0;
}

}  // namespace

void push_shared(lua_State* L, Context& context, const SharedPtr& object) {
  auto* box = new (lua_newuserdata(L, sizeof(SharedBox))) SharedBox;
  lua_rawgeti(L, LUA_REGISTRYINDEX, context.shared_metatables);
  lua_rawgeti(L, -1, static_cast<int>(object->kind) + 1);
  lua_setmetatable(L, -3);
  lua_pop(L, 1);
  box->object = object;  // set last: from here on the finaliser releases it
}

void open_locks(lua_State* L, Context& context) {
  const luaL_Reg functions[] = {{"newMutex", new_object<Mutex>},
                                {"newCondition", new_object<Condition>},
                                {"open", open_by_id},
                                {"id", id},
                                {"free", free_object},
                                {"lock", lock},
                                {"unlock", unlock},
                                {"wait", wait},
                                {"signal", signal},
                                {"setClasses", set_classes}};
  for (const luaL_Reg& f : functions) add_function(L, context, f.name, f.func);
}

}  // namespace mt::lua
