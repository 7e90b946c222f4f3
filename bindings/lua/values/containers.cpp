// The functions for lua/tds: constructors, conversion of elements, and the operations of hashes, vectors and counters.
#include "bindings/lua/values/containers.h"

#include <cmath>
#include <limits>

#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/outgoing_texts.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/numbers.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

const char classes_key = 0;  // its address is the registry key of the classes, in the order of Container::Kind

// The container of this kind at a stack index; raises an error for other values.
template <class T> T& check(lua_State* L, State& state, int index, Container::Kind kind, const char* name) {
  Container* c = test_container(L, index);
  if (c == nullptr || c->kind() != kind) {
    guarded(L, state, [&] { fail(name, "self", luaL_typename(L, index), ", expected a ", name); });
  }
  return *static_cast<T*>(c);
}
Hash& check_hash(lua_State* L, State& state) { return check<Hash>(L, state, 1, Container::Kind::hash, "tds.Hash"); }
Vec& check_vec(lua_State* L, State& state) { return check<Vec>(L, state, 1, Container::Kind::vec, "tds.Vec"); }
AtomicCounter& check_counter(lua_State* L, State& state) {
  return check<AtomicCounter>(L, state, 1, Container::Kind::counter, "tds.AtomicCounter");
}

Element whole(int64_t i) {
  constexpr int64_t exact = int64_t{1} << 53;
  if (i >= -exact && i <= exact) return static_cast<double>(i);
  return i;
}

// Raises C++ errors. A tensor is stored with its present sizes, and shares its elements.
Element read_element(lua_State* L, const State& state, int index, const char* name) {
  switch (lua_type(L, index)) {
    case LUA_TNONE:
    case LUA_TNIL:
      return {};
    case LUA_TBOOLEAN:
      return lua_toboolean(L, index) != 0;
    case LUA_TNUMBER:
      return lua_tonumber(L, index) + 0.0;  // -0 and 0 are the same key
    case LUA_TSTRING: {
      size_t length = 0;
      const char* text = lua_tolstring(L, index, &length);
      return std::string(text, length);
    }
    case LUA_TUSERDATA:
      state.compute_pending();
      if (const Tensor* t = test_tensor(L, index)) {
        auto held = std::make_shared<Tensor>(*t);
        held->set_tracked(false);
        return TensorHandle(std::move(held));
      }
      if (const StoragePtr* s = test_storage(L, index)) return *s;
      if (Container* c = test_container(L, index)) return ContainerPtr::share(c);
      break;
    default:
      if (Value value; read_number(L, state, index, value)) return whole(value.as_int());
  }
  fail(name, "value", luaL_typename(L, index), ", expected a number, boolean, string, tensor, storage, tds container or nil");
}

void push(lua_State* L, State& state, Element element) {
  // If Lua runs out of memory, destructors in this frame don't run: so the string is moved to the state first.
  if (auto* text = std::get_if<std::string>(&element)) {
    state.texts.push(L, std::move(*text));
  } else if (const auto* number = std::get_if<double>(&element)) {
    lua_pushnumber(L, *number);
  } else if (const auto* integer = std::get_if<int64_t>(&element)) {
    push_integer(L, state, *integer);
  } else if (const auto* boolean = std::get_if<bool>(&element)) {
    lua_pushboolean(L, *boolean);
  } else if (const auto* tensor = std::get_if<TensorHandle>(&element)) {
    const TensorHandle& held = *tensor;
    Tensor& alias = push_tensor(L, state, held->dtype(), held->device());
    guarded(L, state, [&] { call_set(state.hook, alias, *held); });
  } else if (auto* storage = std::get_if<StoragePtr>(&element)) {
    push_storage(L, state, std::move(*storage));
  } else if (auto* container = std::get_if<ContainerPtr>(&element)) {
    push_container(L, std::move(*container));
  } else {
    lua_pushnil(L);
  }
}

// An integer position, counted from 1; 0 for other values.
int64_t position(lua_State* L, int index) {
  const double i = lua_tonumber(L, index);
  return i >= 1 && i < 0x1p53 && i == std::floor(i) ? static_cast<int64_t>(i) : 0;
}

int new_hash(lua_State* L) {
  Container* made = nullptr;
  guarded(L, upvalue_state(L), [&] { made = new Hash; });
  push_container(L, ContainerPtr::adopt(made));
  return 1;
}

int new_vec(lua_State* L) {
  Container* made = nullptr;
  guarded(L, upvalue_state(L), [&] { made = new Vec; });
  push_container(L, ContainerPtr::adopt(made));
  return 1;
}

int new_counter(lua_State* L) {
  const auto value = static_cast<int64_t>(luaL_optnumber(L, 1, 0));
  Container* made = nullptr;
  guarded(L, upvalue_state(L), [&] { made = new AtomicCounter(value); });
  push_container(L, ContainerPtr::adopt(made));
  return 1;
}

int container_gc(lua_State* L) {
  if (auto* box = test_box<ContainerBox>(L, 1, container_magic)) box->container = ContainerPtr();
  return 0;
}

int hash_get(lua_State* L) {
  State& state = upvalue_state(L);
  const Hash& hash = check_hash(L, state);
  Element found;
  guarded(L, state, [&] { found = hash.get(read_element(L, state, 2, "tds.Hash")); });
  push(L, state, std::move(found));
  return 1;
}

int hash_set(lua_State* L) {
  State& state = upvalue_state(L);
  Hash& hash = check_hash(L, state);
  guarded(L, state, [&] { hash.set(read_element(L, state, 2, "tds.Hash"), read_element(L, state, 3, "tds.Hash")); });
  return 0;
}

int hash_size(lua_State* L) {
  lua_pushnumber(L, static_cast<double>(check_hash(L, upvalue_state(L)).size()));
  return 1;
}

// hashNext(hash, cursor) -> next cursor, key, value; nothing at the end. The first cursor is 0.
int hash_next(lua_State* L) {
  State& state = upvalue_state(L);
  const Hash& hash = check_hash(L, state);
  const double from = luaL_checknumber(L, 2);
  size_t cursor = from >= 0 && from < 0x1p32 ? static_cast<size_t>(from) : std::numeric_limits<size_t>::max();  // a hash has fewer entries
  Element key, value;
  bool found = false;
  guarded(L, state, [&] { found = hash.next(cursor, key, value); });
  if (!found) return 0;
  lua_pushnumber(L, static_cast<double>(cursor));
  push(L, state, std::move(key));
  push(L, state, std::move(value));
  return 3;
}

int vec_get(lua_State* L) {
  State& state = upvalue_state(L);
  const Vec& vec = check_vec(L, state);
  Element found;
  guarded(L, state, [&] { found = vec.get(position(L, 2) - 1); });
  push(L, state, std::move(found));
  return 1;
}

int vec_set(lua_State* L) {
  State& state = upvalue_state(L);
  Vec& vec = check_vec(L, state);
  guarded(L, state, [&] {
    const int64_t i = position(L, 2);
    if (i == 0) fail("tds.Vec", "index", "expected a position, 1 or more");
    vec.set(i - 1, read_element(L, state, 3, "tds.Vec"));
  });
  return 0;
}

int vec_size(lua_State* L) {
  lua_pushnumber(L, static_cast<double>(check_vec(L, upvalue_state(L)).size()));
  return 1;
}

// vecInsert(vec, [position,] value)
int vec_insert(lua_State* L) {
  State& state = upvalue_state(L);
  Vec& vec = check_vec(L, state);
  const bool placed = lua_gettop(L) >= 3;
  guarded(L, state, [&] { vec.insert(placed ? position(L, 2) - 1 : vec.size(), read_element(L, state, placed ? 3 : 2, "tds.Vec")); });
  return 0;
}

// vecRemove(vec [, position]) -> the removed element
int vec_remove(lua_State* L) {
  State& state = upvalue_state(L);
  Vec& vec = check_vec(L, state);
  Element old;
  guarded(L, state, [&] { old = vec.remove((lua_isnoneornil(L, 2) ? vec.size() : position(L, 2)) - 1); });
  push(L, state, std::move(old));
  return 1;
}

int vec_resize(lua_State* L) {
  State& state = upvalue_state(L);
  Vec& vec = check_vec(L, state);
  const double size = luaL_checknumber(L, 2);
  guarded(L, state, [&] {
    if (!(size >= 0 && size < 0x1p53)) fail<Status::range>("tds.Vec", "resize", size, ", expected 0 or more");
    vec.resize(static_cast<int64_t>(size));
  });
  return 0;
}

int vec_sort(lua_State* L) {
  State& state = upvalue_state(L);
  Vec& vec = check_vec(L, state);
  guarded(L, state, [&] { vec.sort(); });
  return 0;
}

int counter_get(lua_State* L) {
  State& state = upvalue_state(L);
  push_integer(L, state, check_counter(L, state).get());
  return 1;
}

int counter_set(lua_State* L) {
  check_counter(L, upvalue_state(L)).set(static_cast<int64_t>(luaL_checknumber(L, 2)));
  return 0;
}

int counter_add(lua_State* L) {
  State& state = upvalue_state(L);
  push_integer(L, state, check_counter(L, state).add(static_cast<int64_t>(luaL_optnumber(L, 2, 1))));
  return 1;
}

int container_pointer(lua_State* L) {
  lua_pushnumber(L, static_cast<double>(reinterpret_cast<uintptr_t>(test_container(L, 1))));
  return 1;
}

// setClasses(hash, vec, counter) sets the metatables
int set_classes(lua_State* L) {
  for (int i = 1; i <= 3; ++i) luaL_checktype(L, i, LUA_TTABLE);
  lua_createtable(L, 3, 0);
  for (int i = 1; i <= 3; ++i) {
    lua_pushvalue(L, i);
    lua_rawseti(L, -2, i);
  }
  lua_pushlightuserdata(L, const_cast<char*>(&classes_key));
  lua_insert(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
  return 0;
}

}  // namespace

void push_container(lua_State* L, ContainerPtr container) {
  const int kind = static_cast<int>(container->kind());
  auto* box = new (lua_newuserdata(L, sizeof(ContainerBox))) ContainerBox;
  box->container = std::move(container);
  lua_pushlightuserdata(L, const_cast<char*>(&classes_key));
  lua_rawget(L, LUA_REGISTRYINDEX);
  if (!lua_istable(L, -1)) {
    box->container = ContainerPtr();
    luaL_error(L, "tds: its classes are not known before require 'tds'");
  }
  lua_rawgeti(L, -1, kind + 1);
  lua_setmetatable(L, -3);
  lua_pop(L, 1);
}

void open_containers(lua_State* L, State& state) {
  lua_newtable(L);
  const luaL_Reg functions[] = {
      {"newHash", new_hash},       {"newVec", new_vec},         {"newCounter", new_counter},    {"release", container_gc},
      {"hashGet", hash_get},       {"hashSet", hash_set},       {"hashSize", hash_size},        {"hashNext", hash_next},
      {"vecGet", vec_get},         {"vecSet", vec_set},         {"vecSize", vec_size},          {"vecInsert", vec_insert},
      {"vecRemove", vec_remove},   {"vecResize", vec_resize},   {"vecSort", vec_sort},          {"counterGet", counter_get},
      {"counterSet", counter_set}, {"counterAdd", counter_add}, {"pointer", container_pointer}, {"setClasses", set_classes}};
  for (const luaL_Reg& f : functions) add_function(L, state, f.name, f.func);
  lua_setfield(L, -2, "containers");
}

}  // namespace mt::lua
