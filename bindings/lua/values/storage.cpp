// Storages as Lua objects: torch.FloatStorage and the other types.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "bindings/lua/call/integer_arguments.h"
#include "bindings/lua/state/c_stack.h"
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/open.h"
#include "bindings/lua/state/outgoing_texts.h"
#include "bindings/lua/values/devices.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/numbers.h"
#include "bindings/lua/values/type_names.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

Storage& check_storage(lua_State* L, State& state, const char* op) {
  StoragePtr* s = test_storage(L, 1);
  if (s == nullptr) guarded(L, state, [&, actual = class_name(L, 1)] { fail(op, "self", actual, ", expected a storage"); });
  return *s->get();
}

// A storage over a part of the memory of another one.
Storage* view_of(const StoragePtr& whole, int64_t offset, int64_t size) {
  auto keep = std::make_unique<StoragePtr>(whole);
  const auto release = [](void* context) { delete static_cast<StoragePtr*>(context); };
  Storage* view = Storage::borrow(whole->dtype, whole->data + offset * size_of(whole->dtype), size, release, keep.get(), whole->device);
  keep.release();
  whole->resizable = false;  // the memory of a view must not move
  return view;
}

void fill_from_table(lua_State* L, const State& state, int index, const Storage& storage) {
  for (int64_t i = 0; i < storage.size; ++i) {
    lua_rawgeti(L, index, static_cast<int>(i + 1));
    Value value;
    ScalarValue room;
    if (!read_any_number(L, state, -1, value, room)) fail("storage", "table", "element at index ", i + 1, " is not a number");
    lua_pop(L, 1);
    dispatch<all_dtypes>(storage.dtype, [&]<class T>(std::type_identity<T>) { storage.elements<T>()[i] = value.as<T>(); });
  }
}

// The count or position at a stack index, or `otherwise` if it is left out.
int64_t whole_or(lua_State* L, const State& state, int index, const char* argument, int64_t otherwise) {
  if (lua_isnoneornil(L, index)) return otherwise;
  Value value;
  if (!read_number(L, state, index, value)) fail("storage", argument, luaL_typename(L, index), ", expected a number");
  make_whole(value, "storage", argument);
  return value.integer;
}

int construct(lua_State* L, State& state, DType dtype, DeviceId device) {
  Storage* made = nullptr;
  guarded_whole(L, state, {2, lua_gettop(L)}, [&] {
    if (const StoragePtr* whole = test_storage(L, 2)) {
      if (!same_class(dtype, device, (*whole)->dtype, (*whole)->device)) {
        std::string expected;
        append_type(expected, dtype, device_kind(device), "Storage");
        fail<Status::dtype>("storage", "storage", type_name(*whole->get()), ", expected ", expected);
      }
      const int64_t total = (*whole)->size;
      const int64_t first = whole_or(L, state, 3, "offset", 1);
      if (first < 1 || first > total + 1) fail<Status::range>("storage", "offset", "offset out of bounds: ", first, " of ", total);
      const int64_t offset = first - 1, size = whole_or(L, state, 4, "size", total - offset);
      if (size < 0 || size > total - offset) fail<Status::range>("storage", "size", "size out of bounds: ", size, " of ", total - offset);
      Tensor shown = whole_of(*whole);
      call_expose(state.hook, shown);
      made = view_of(*whole, offset, size);
    } else if (lua_istable(L, 2)) {
      if (is_class(L, 2)) fail("storage", "table", "a class, expected a list of numbers");
      if (has_only_fields(L, 2)) fail("storage", "table", "it has fields and no element 1, expected a list of numbers");
      StoragePtr storage = StoragePtr::adopt(Storage::create(dtype, static_cast<int64_t>(lua_objlen(L, 2))));
      fill_from_table(L, state, 2, *storage.get());
      if (device != cpu_device && storage->size > 0) storage = to_device(whole_of(storage), device).storage_ptr();
      storage->retain();
      made = storage.get();
    } else if (lua_isnoneornil(L, 2)) {
      made = Storage::create(dtype, 0, device);
    } else if (lua_isnumber(L, 2)) {
      const double n = lua_tonumber(L, 2);
      if (!(n >= 0 && n < 0x1p62)) fail<Status::range>("storage", "size", n, ", expected 0 or more");
      if (n != std::trunc(n)) refuse_fraction(n, "storage", "size");
      made = Storage::create(dtype, static_cast<int64_t>(n), device);
    } else {
      fail("storage", "arguments", luaL_typename(L, 2), ", expected a size, a table or a storage");
    }
  });
  push_storage(L, state, StoragePtr::adopt(made));
  if (made->resizable) state.collector.note_allocation(L, *made);  // a view allocates no memory
  return 1;
}

// newStorage(dtype, [n | table | storage [, offset [, size]]])
int new_storage(lua_State* L) {
  State& state = upvalue_state(L);
  return construct(L, state, dtype_argument(L, 1), cpu_device);
}

// newStorageOn(device, dtype, ...): the same on a device; for the name of a kind, on its current device
int new_storage_on(lua_State* L) {
  State& state = upvalue_state(L);
  const DeviceId device = device_argument(L, state, "storage");
  return construct(L, state, dtype_argument(L, 1), device);
}

// Lua code may call this directly: then the object is no longer a storage.
int storage_gc(lua_State* L) {
  if (StorageBox* box = test_box<StorageBox>(L, 1, storage_magic)) {
    box->storage = StoragePtr();
    box->magic = 0;
  }
  return 0;
}

int storage_size(lua_State* L) {
  lua_pushnumber(L, static_cast<double>(check_storage(L, upvalue_state(L), "size").size));
  return 1;
}

int storage_resize(lua_State* L) {
  State& state = upvalue_state(L);
  Storage& s = check_storage(L, state, "resize");
  const size_t before = s.capacity;
  guarded_whole(L, state, {2, 2}, [&] {
    if (!lua_isnumber(L, 2)) fail<Status::range>("resize", "size", luaL_typename(L, 2), ", expected 0 or more");
    const double n = lua_tonumber(L, 2);
    if (!(n >= 0 && n < 0x1p62)) fail<Status::range>("resize", "size", n, ", expected 0 or more");
    if (n != std::trunc(n)) refuse_fraction(n, "resize", "size");
    if (!s.resizable)
      fail("resize", "self", "Trying to resize storage that is not resizable: it is a view, has one, or holds memory that is not torch's");
    call_resize_storage(state.hook, *test_storage(L, 1), static_cast<int64_t>(n));
  });
  if (s.capacity > before) state.collector.note_allocation(L, s);
  lua_settop(L, 1);
  return 1;
}

int storage_copy(lua_State* L) {
  State& state = upvalue_state(L);
  Storage& to = check_storage(L, state, "copy");
  const StoragePtr* from = test_storage(L, 2);
  guarded(L, state, [&] {
    if (from == nullptr) fail("copy", "storage", luaL_typename(L, 2), ", expected a storage");
    if ((*from)->size != to.size) fail<Status::shape>("copy", "storage", "size mismatch: ", (*from)->size, " elements, expected ", to.size);
    Tensor target = whole_of(*test_storage(L, 1));
    call_copy(state.hook, target, whole_of(*from));
  });
  lua_settop(L, 1);
  return 1;
}

int storage_fill(lua_State* L) {
  State& state = upvalue_state(L);
  check_storage(L, state, "fill");
  Value value;
  ScalarValue room;
  guarded(L, state, [&] {
    if (!read_any_number(L, state, 2, value, room)) fail("fill", "value", luaL_typename(L, 2), ", expected a number");
    Tensor target = whole_of(*test_storage(L, 1));
    call_fill(state.hook, target, value);
  });
  lua_settop(L, 1);
  return 1;
}

int storage_to_table(lua_State* L) {
  State& state = upvalue_state(L);
  const Storage& s = check_storage(L, state, "totable");
  Tensor& t = push_tensor(L, state, s.dtype);
  if (s.size > 0) guarded(L, state, [&] { t = on_host(whole_of(*test_storage(L, 1))); });
  lua_createtable(L, static_cast<int>(std::min<int64_t>(s.size, INT32_MAX)), 0);
  for (int64_t i = 0; i < s.size; ++i) {
    push_element(L, state, t, i);
    lua_rawseti(L, -2, static_cast<int>(i + 1));
  }
  return 1;
}

// A storage over a text, with elements of one byte; the text must outlive it.
Storage* borrow_text(DType dtype, const char* text, size_t length) {
  return Storage::borrow(dtype, const_cast<char*>(text), static_cast<int64_t>(length), nullptr, nullptr);
}

// string() returns the bytes; string(text) sets the storage to these bytes.
int storage_string(lua_State* L) {
  State& state = upvalue_state(L);
  Storage& s = check_storage(L, state, "string");
  size_t length = 0;
  const char* text = lua_tolstring(L, 2, &length);
  guarded(L, state, [&] {
    if (text == nullptr && !lua_isnoneornil(L, 2)) fail("string", "text", luaL_typename(L, 2), ", expected a string");
    if (size_of(s.dtype) != 1) fail("string", "self", "torch.", info(s.dtype).torch, "Storage, expected a CharStorage or ByteStorage");
    if (text == nullptr) return;
    call_resize_storage(state.hook, *test_storage(L, 1), static_cast<int64_t>(length));
    Tensor target = whole_of(*test_storage(L, 1));
    call_copy(state.hook, target, whole_of(StoragePtr::adopt(borrow_text(s.dtype, text, length))));
  });
  if (text != nullptr) {
    lua_settop(L, 1);
    return 1;
  }
  std::string bytes;  // a copy: a finaliser that runs when Lua creates the string may resize the storage
  guarded(L, state, [&] {
    bytes.resize(static_cast<size_t>(s.size));
    device(s.device).read(bytes.data(), s.data, bytes.size());
  });
  state.texts.push(L, std::move(bytes));
  return 1;
}

// lend(tensor or storage) -> a copy over the same memory, which keeps its address and size for the lifetime of the copy, even if the
// original is resized or freed. For pointers that are used while Lua code may run, which can happen at each allocation in Lua.
int lend(lua_State* L) {
  check_lua_stack(L);  // for functions of apply and map, which may call apply again
  State& state = upvalue_state(L);
  Storage* lent = nullptr;
  if (const StoragePtr* storage = test_storage(L, 1)) {
    guarded(L, state, [&] {
      Tensor shown = whole_of(*storage);
      call_expose(state.hook, shown);
      lent = (*storage)->lend();
    });
    push_storage(L, state, StoragePtr::adopt(lent));
    return 1;
  }
  luaL_argcheck(L, test_tensor(L, 1) != nullptr, 1, "expected a tensor or a storage");
  Tensor& made = push_tensor(L, state, test_tensor(L, 1)->dtype(), test_tensor(L, 1)->device());
  Tensor& t = *test_tensor(L, 1);
  guarded(L, state, [&] {
    call_expose(state.hook, t);
    if (t.storage() != nullptr) lent = t.storage()->lend();
    made.set_storage(StoragePtr::adopt(lent), t.offset(), t.sizes(), t.strides());
    made.interpret_as(t.dtype());
  });
  return 1;
}

// expose(tensor or storage) tells the state's hook that a pointer to its elements exists
int expose(lua_State* L) {
  State& state = upvalue_state(L);
  guarded(L, state, [&] {
    if (const StoragePtr* storage = test_storage(L, 1)) {
      Tensor shown = whole_of(*storage);
      call_expose(state.hook, shown);
    } else if (Tensor* t = test_tensor(L, 1)) {
      call_expose(state.hook, *t);
    }
  });
  return 0;
}

// holdsChannelsLast(storage[, true]) -> whether the storage has images that are channels last on purpose. With true, sets this, for a
// storage that was loaded from a file.
int holds_channels_last(lua_State* L) {
  Storage& s = check_storage(L, upvalue_state(L), "holdsChannelsLast");
  if (lua_toboolean(L, 2) != 0) s.channels_last = true;
  lua_pushboolean(L, s.channels_last);
  return 1;
}

int is_storage(lua_State* L) {
  lua_pushboolean(L, test_storage(L, 1) != nullptr);
  return 1;
}

}  // namespace

void open_storages(lua_State* L, State& state) {
  add_function(L, state, "newStorage", new_storage);
  add_function(L, state, "newStorageOn", new_storage_on);
  add_function(L, state, "isStorage", is_storage);
  add_function(L, state, "holdsChannelsLast", holds_channels_last);
  add_function(L, state, "releaseStorage", storage_gc);
  add_function(L, state, "lend", lend);
  add_function(L, state, "expose", expose);
  lua_newtable(L);
  const luaL_Reg methods[] = {{"size", storage_size}, {"resize", storage_resize},    {"copy", storage_copy},
                              {"fill", storage_fill}, {"totable", storage_to_table}, {"string", storage_string}};
  for (const luaL_Reg& m : methods) add_function(L, state, m.name, m.func);
  lua_setfield(L, -2, "storageMethods");
}

}  // namespace mt::lua
