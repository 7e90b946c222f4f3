#include "bindings/lua/state/state.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "bindings/lua/state/offers_garbage.h"
#include "engine/core/arguments.h"
#include "engine/core/interrupt.h"

namespace mt::lua {

// makeClasses(position of the dtype, kind of device or nil) -> the metatables of its tensors and storages there, which Lua keeps: asked
// twice it gives the same.
bool try_to_make_classes(lua_State* L, State& state, DType dtype, KindId kind) {
  if (lua_checkstack(L, 4) == 0) {
    lua_pushliteral(L, "stack overflow (a class of tensors)");
    return false;
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.make_classes);
  lua_pushinteger(L, static_cast<lua_Integer>(dtype) + 1);
  const std::string_view name = kind_name(kind);
  if (kind == plain_kind)
    lua_pushnil(L);
  else
    lua_pushlstring(L, name.data(), name.size());
  if (lua_pcall(L, 2, 2, 0) != 0) return false;
  if (!lua_istable(L, -1) || !lua_istable(L, -2)) {
    lua_pushliteral(L, "setClasses: the function that makes the classes of tensors gave none");
    return false;
  }
  State::Classes& classes = state.classes[kind][static_cast<int>(dtype)];
  if (classes.tensor != LUA_NOREF) {  // made meanwhile
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

std::string type_name(const Tensor& t) {
  std::string name;
  append_type(name, t.dtype(), device_kind(t.device()), "Tensor");
  return name;
}

std::string type_name(const Storage& s) {
  std::string name;
  append_type(name, s.dtype, device_kind(s.device), "Storage");
  return name;
}

void push_storage(lua_State* L, State& state, StoragePtr storage) {
  const DType dtype = storage->dtype;
  const KindId kind = device_kind(storage->device);
  if (state.classes[kind][static_cast<int>(dtype)].storage == LUA_NOREF && !try_to_make_classes(L, state, dtype, kind)) {
    storage = StoragePtr();  // an error goes past destructors
    lua_error(L);
  }
  ++state.userdata;
  auto* box = new (lua_newuserdata(L, sizeof(StorageBox))) StorageBox;
  box->storage = std::move(storage);
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.classes[kind][static_cast<int>(dtype)].storage);
  lua_setmetatable(L, -2);
}

void push_sizes(lua_State* L, State& state, Sizes sizes) {
  Storage* storage = nullptr;
  guarded(L, state, [&] { storage = Storage::create(DType::int64, static_cast<int64_t>(sizes.size())); });
  std::copy(sizes.begin(), sizes.end(), storage->elements<int64_t>());
  push_storage(L, state, StoragePtr::adopt(storage));
}

void push_integer(lua_State* L, const State& state, int64_t value) {
  constexpr int64_t exact = int64_t{1} << 53;
  if (value >= -exact && value <= exact) {
    lua_pushnumber(L, static_cast<double>(value));
    return;
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.box_integer);
  lua_pushnumber(L, static_cast<double>(value >> 32));
  lua_pushnumber(L, static_cast<double>(value & 0xffffffff));
  lua_call(L, 2, 1);
}

const Tensor& bring_to_host(lua_State* L, State& state, int index) {
  const Tensor* t = test_tensor(L, index);
  if (t->device() == cpu_device) return *t;
  Tensor& here = push_tensor(L, state, t->dtype());
  guarded(L, state, [&] { here = on_host(*t); });
  lua_replace(L, index);
  return here;
}

void push_element(lua_State* L, State& state, const Tensor& t, int64_t offset) {
  const std::byte* at = t.storage()->data + offset * size_of(t.dtype());
  ScalarValue element;
  if (t.device() != cpu_device) [[unlikely]] {
    guarded(L, state, [&] { element = read_element(t, offset); });
    at = element.bytes;
  }
  if (t.dtype() == DType::int64) {
    int64_t value;
    std::memcpy(&value, at, sizeof value);
    push_integer(L, state, value);
    return;
  }
  lua_pushnumber(L, dispatch(t.dtype(), [at]<class T>(std::type_identity<T>) {
                   return static_cast<double>(static_cast<Compute<T>>(*reinterpret_cast<const T*>(at)));
                 }));
}

// Lua runs finalisers as it allocates, and these may push texts of their own: each has its place.
void push_text(lua_State* L, State& state, std::string&& text) {
  const size_t place = state.texts.size();
  state.texts.push_back(std::move(text));
  lua_pushlstring(L, state.texts[place].data(), state.texts[place].size());
  state.texts.resize(place);
}

void keep_message(State& state) noexcept {
  state.status = Status::invalid;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    state.status = Status::memory;
    state.message = "out of memory";
  } catch (const Interrupted& e) {
    interrupt_reported();
    state.status = e.status();
    state.message = e.what();
  } catch (const Error& e) {
    state.status = e.status();
    state.message = e.what();
  } catch (const std::exception& e) {
    state.message = e.what();
  } catch (...) {
    state.message = "unknown error in the engine";
  }
}

void push_place(lua_State* L, const State& state) {
  const auto is_ours = [&](const void* upvalue) {
    return upvalue == &state || std::ranges::any_of(state.ops, [&](const BoundOp& op) { return &op == upvalue; });
  };
  int level = 1;
  lua_Debug ar;
  for (; lua_getstack(L, level, &ar) != 0; ++level) {
    lua_getinfo(L, "f", &ar);
    const bool has_upvalue = lua_iscfunction(L, -1) != 0 && lua_getupvalue(L, -1, 1) != nullptr;
    const bool passes_on = has_upvalue && is_ours(lua_touserdata(L, -1));
    lua_pop(L, has_upvalue ? 2 : 1);
    if (!passes_on) break;
  }
  luaL_where(L, level);
}

void raise_message(lua_State* L, State& state) {
  state.raised = state.message;
  push_text(L, state, std::move(state.message));
  push_place(L, state);
  lua_insert(L, -2);
  lua_concat(L, 2);
  lua_error(L);
  std::abort();  // lua_error does not return
}

namespace {

// Garbage that a collection is worth. It takes some 0.1 ms a megabyte of Lua's heap, and garbage that stays within the cache is cheaper to
// write over: with a small heap, x + y of 1e5 floats takes 21 us at 1 MB, 17 from 4 to 8, and at 10 17 to 45, as much of the cache's 32 MB
// as the machine's other guests leave.
constexpr int64_t mega = int64_t{1} << 20, least_debt = 5 * mega, most_debt = 64 * mega;
int64_t worth_collecting(lua_State* L) {
  const int64_t heap = int64_t{lua_gc(L, LUA_GCCOUNT, 0)} << 10;
  return std::min(most_debt, least_debt + 4 * heap);
}

// What the state's storages hold: beside what another state holds, its garbage would seem little.
int64_t live_bytes(const State& state) {
  return state.account != no_account ? state.charged - given_back(state.account) : memory_stats().live_bytes;
}

// One step without a limit goes through a whole cycle, where a full collection first sweeps all that lives once more: 49 us, not 99, with
// the library alone in the heap. A step that resumes a cycle spares what that cycle had marked before it died; then all is collected.
int collect_all(lua_State* L) {
  const State& state = *static_cast<State*>(lua_touserdata(L, 1));
  const int64_t before = live_bytes(state);
  lua_gc(L, LUA_GCSTEP, 0);
  if (before - live_bytes(state) < state.debt / 2) lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

// What finalisers allocate must not collect again: they would run inside each other, and all they hold would live at once. In one that
// Lua's own collector runs, which is stopped meanwhile, a collection would start it again, and compiled loops that reach it inside a
// finaliser never end (LuaJIT leaves and enters their code in turns).
bool may_collect(lua_State* L, const State& state) { return !state.collecting && lua_gc(L, LUA_GCISRUNNING, 0) != 0; }

// What a finaliser raised is on the stack where the status is not 0.
int run_collection(lua_State* L, State& state, lua_CFunction collection) {
  state.collecting = true;
  lua_pushcfunction(L, collection);
  lua_pushlightuserdata(L, &state);
  const int multiplier = lua_gc(L, LUA_GCSETSTEPMUL, 0);  // no limit
  const int status = lua_pcall(L, 1, 0, 0);
  lua_gc(L, LUA_GCSETSTEPMUL, multiplier);
  state.collecting = false;
  state.debt = 0;
  state.live_after_collection = live_bytes(state);
  return status;
}

void collect(lua_State* L, State& state) {
  if (!may_collect(L, state)) return;
  if (run_collection(L, state, collect_all) != 0) lua_error(L);  // a finaliser's
}

// Twice, as what a finaliser let go of is garbage of the next cycle.
int collect_what_can_be(lua_State* L) {
  lua_gc(L, LUA_GCCOLLECT, 0);
  lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

}  // namespace

void WithinLimit::enter(lua_State* L, State& state) { offer_ = new OffersGarbage(L, state); }
void WithinLimit::leave() { delete offer_; }

bool OffersGarbage::collect(void* self) noexcept {
  const auto& own = *static_cast<OffersGarbage*>(self);
  if (!may_collect(own.L_, own.state_) || lua_checkstack(own.L_, LUA_MINSTACK) == 0) return false;
  if (run_collection(own.L_, own.state_, collect_what_can_be) != 0) lua_pop(own.L_, 1);  // memory is what was asked for
  return true;
}

void note_allocation(lua_State* L, State& state, Storage& storage) {
  claim(state, storage);
  state.debt += static_cast<int64_t>(storage.capacity);
  state.since_graph += static_cast<int64_t>(storage.capacity);
  if (state.debt < least_debt || state.debt < state.live_after_collection / 2 || state.debt < worth_collecting(L)) return;
  collect(L, state);
}

void note_graph_freed(lua_State* L, State& state) {
  if (state.since_graph < least_debt || state.since_graph < worth_collecting(L)) return;
  state.since_graph = 0;
  const int64_t garbage = live_bytes(state) - state.live_without_graph;
  if (garbage < state.live_without_graph / 4) return;
  collect(L, state);
  state.live_without_graph = state.live_after_collection;
}

void note_allocation(lua_State* L, State& state, const Tensor& fresh) {
  // A view holds nothing of its own.
  Storage* storage = fresh.storage();
  if (storage != nullptr && storage->is_unique()) note_allocation(L, state, *storage);
}

bool read_number(lua_State* L, const State& state, int index, Value& value) {
  const int type = lua_type(L, index);
  if (type == LUA_TNUMBER || type == LUA_TSTRING) {
    if (type == LUA_TSTRING && !lua_isnumber(L, index)) return false;
    value.type = Value::Type::number;
    value.number = lua_tonumber(L, index);
    return true;
  }
  constexpr int cdata = 10;  // LuaJIT's type of FFI objects
  if (type != cdata) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.integer_kind);
  lua_pushvalue(L, index < 0 ? index - 1 : index);
  lua_call(L, 1, 1);
  const bool integer = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  if (!integer) return false;
  value.type = Value::Type::integer;
  std::memcpy(&value.integer, lua_topointer(L, index), sizeof value.integer);
  return true;
}

const char* class_name(lua_State* L, int index) {
  const char* name = luaL_typename(L, index);
  if (luaL_getmetafield(L, index, "__typename") == 0) return name;
  if (lua_type(L, -1) == LUA_TSTRING) name = lua_tostring(L, -1);  // the metatable keeps it
  lua_pop(L, 1);
  return name;
}

bool has_only_fields(lua_State* L, int index) {
  lua_rawgeti(L, index, 1);
  const bool listed = !lua_isnil(L, -1);  // else there is the nil to begin with
  if (listed || lua_next(L, index) == 0) {
    if (listed) lua_pop(L, 1);
    return false;
  }
  lua_pop(L, 2);
  return true;
}

std::string_view field_of(lua_State* L, int index) {
  if (index < 0) index += lua_gettop(L) + 1;
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    lua_pop(L, 1);
    size_t size = 0;
    const char* name = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &size) : nullptr;
    if (name == nullptr || std::string_view(name, size) == "n") continue;  // table.pack's
    lua_pop(L, 1);
    return {name, size};
  }
  return {};
}

bool is_class(lua_State* L, int index) {
  if (lua_getmetatable(L, index) == 0) return false;
  lua_rawgeti(L, -1, 1);  // set by lua/torch/class.lua; no name, as to push one may run finalisers
  const bool marked = !lua_isnil(L, -1);
  lua_pop(L, 2);
  return marked;
}

bool read_sizes(lua_State* L, const State& state, int index, int last, std::string_view op, std::string_view argument, int64_t* sizes,
                int32_t* count) {
  int32_t n = 0;
  const auto take = [&](int64_t size) {
    if (n == max_dims) return false;
    sizes[n++] = size;
    return true;
  };
  Value value;
  const auto whole = [&] {
    if (value.type == Value::Type::integer) return value.integer;
    if (value.number != std::trunc(value.number)) refuse_fraction(value.number, op, argument);
    // What is too large for 64 bits must not come out as the least number of them.
    return value.number >= 0x1p63 ? INT64_MAX : value.as_int();
  };
  if (const StoragePtr* storage = test_storage(L, index)) {
    if ((*storage)->dtype != DType::int64) return false;
    for (int64_t i = 0; i < (*storage)->size; ++i) {
      if (!take(read_element(*storage->get(), i).as<int64_t>())) return false;
    }
  } else if (const Tensor* t = test_tensor(L, index)) {
    if (t->dtype() != DType::int64 || t->dim() > 1) return false;
    if (t->numel() > max_dims) return false;
    for (int64_t i = 0; i < t->numel(); ++i) {
      if (!take(read_element(*t, t->offset() + i * t->stride(0)).as<int64_t>())) return false;
    }
  } else if (lua_istable(L, index)) {
    if (has_only_fields(L, index) || is_class(L, index)) return false;
    for (int i = 1;; ++i) {
      lua_rawgeti(L, index, i);
      const bool end = lua_isnil(L, -1), good = !end && read_number(L, state, -1, value) && take(whole());
      lua_pop(L, 1);
      if (end) break;
      if (!good) return false;
    }
    if (const std::string_view field = field_of(L, index); !field.empty()) {
      refuse_argument(op, argument, concat("a table with the field ", field), "whole numbers alone",
                      field == "dtype" ? "; a type is an argument of its own: {2, 3}, 'float'" : "");
    }
  } else {
    for (; index <= last && read_number(L, state, index, value); ++index) {
      if (!take(whole())) return false;
    }
  }
  *count = n;
  return true;
}

void set_text(lua_State* L, const char* field, std::string_view text) {
  lua_pushlstring(L, text.data(), text.size());
  lua_setfield(L, -2, field);
}

void add_function(lua_State* L, State& state, const char* name, lua_CFunction f) {
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, f, 1);
  lua_setfield(L, -2, name);
}

}  // namespace mt::lua
