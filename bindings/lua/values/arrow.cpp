// The structures of https://arrow.apache.org/docs/format/CDataInterface.html: owners of foreign arrays, and structures over tensors. What
// columns mean is Lua's concern (lua/data/arrow).
#include "bindings/lua/values/arrow.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings/lua/state/guarded.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/owned.h"
#include "bindings/lua/values/type_names.h"
#include "engine/core/stay_loaded.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

struct ArrowSchema {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

// A structure that its release ends; a consumer may move it away first.
template <class T> struct Owned {
  T value{};
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned(Owned&& other) noexcept : value(other.value) { other.value.release = nullptr; }
  ~Owned() {
    if (value.release != nullptr) value.release(&value);
  }
};

// ---- structures over tensors

// A column as Lua describes it; a struct has children.
struct Description {
  std::string format, name;
  int64_t flags = 0, length = 0, nulls = 0;
  std::vector<Tensor> buffers;  // a tensor without storage stands for no buffer
  std::vector<Description> children;
  std::unique_ptr<Description> dictionary;
};

// What a structure points to. Its children end with it, unless a consumer has moved them.
template <class T> struct Parts {
  std::string format, name;     // of a schema
  std::vector<Tensor> tensors;  // of an array, which keep the memory of the buffers
  std::vector<const void*> buffers;
  std::vector<Owned<T>> children;
  std::vector<T*> pointers;
  std::unique_ptr<Owned<T>> dictionary;

  static void release(T* self) {
    delete static_cast<Parts*>(self->private_data);
    self->release = nullptr;
  }
};

void fill(ArrowSchema& schema, Parts<ArrowSchema>& parts, const Description& from) {
  parts.format = from.format;
  parts.name = from.name;
  schema.format = parts.format.c_str();
  schema.name = parts.name.c_str();
  schema.flags = from.flags;
}

void fill(ArrowArray& array, Parts<ArrowArray>& parts, const Description& from) {
  alignas(64) static const std::byte nothing[64] = {};  // the address of buffers without elements
  parts.tensors = from.buffers;
  for (const Tensor& t : parts.tensors) {
    const void* const data = t.numel() > 0 ? t.bytes() : nothing;
    parts.buffers.push_back(t.storage() != nullptr ? data : nullptr);
  }
  array.length = from.length;
  array.null_count = from.nulls;
  array.n_buffers = static_cast<int64_t>(parts.buffers.size());
  array.buffers = parts.buffers.data();
}

template <class T> Owned<T> built(const Description& from) {
  auto parts = std::make_unique<Parts<T>>();
  Owned<T> made;
  fill(made.value, *parts, from);
  for (const Description& child : from.children) parts->children.push_back(built<T>(child));
  for (Owned<T>& child : parts->children) parts->pointers.push_back(&child.value);
  if (from.dictionary) parts->dictionary = std::make_unique<Owned<T>>(built<T>(*from.dictionary));
  made.value.n_children = static_cast<int64_t>(parts->pointers.size());
  made.value.children = parts->pointers.data();
  made.value.dictionary = parts->dictionary ? &parts->dictionary->value : nullptr;
  made.value.private_data = parts.release();
  made.value.release = &Parts<T>::release;
  return made;
}

std::string text_at(lua_State* L, int i) {
  lua_rawgeti(L, -1, i);
  size_t length = 0;
  const char* const text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : "";
  std::string copy(text, length);
  lua_pop(L, 1);
  return copy;
}

int64_t number_at(lua_State* L, int i) {
  lua_rawgeti(L, -1, i);
  const double number = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
  lua_pop(L, 1);
  return element_from<int64_t>(number);
}

// Calls f for each element of the list that is field `field` of the table on top, with the element on top.
template <class F> void each_at(lua_State* L, int field, F&& f) {
  lua_rawgeti(L, -1, field);
  const auto count = lua_istable(L, -1) ? static_cast<int>(lua_objlen(L, -1)) : 0;
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, -1, i);
    f();
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

constexpr int most_levels = 8;

// The table on top: {format, name, flags, length, number of nulls, {buffer or false, ...}, {child, ...}, dictionary}.
Description read_description(lua_State* L, State& state, int level) {
  if (!lua_istable(L, -1) || level > most_levels || lua_checkstack(L, 8) == 0)
    fail("arrow", "column", "expected the description of a column");
  Description made;
  made.format = text_at(L, 1);
  made.name = text_at(L, 2);
  made.flags = number_at(L, 3);
  made.length = number_at(L, 4);
  made.nulls = number_at(L, 5);
  each_at(L, 6, [&] {
    Tensor* const t = test_tensor(L, -1);
    made.buffers.emplace_back();
    if (t == nullptr) return;
    if (!t->is_contiguous() || t->device() != cpu_device) fail("arrow", "buffer", "expected a contiguous tensor on the CPU");
    call_expose(state.hook, *t);
    if (t->storage() != nullptr) t->storage()->share_between_threads();
    const StoragePtr held = StoragePtr::adopt(t->storage() != nullptr ? t->storage()->lend() : Storage::create(t->dtype(), 0));
    held->share_between_threads();
    made.buffers.back().interpret_as(t->dtype());
    made.buffers.back().set_storage(held, t->offset(), t->sizes(), t->strides());
  });
  each_at(L, 7, [&] { made.children.push_back(read_description(L, state, level + 1)); });
  lua_rawgeti(L, -1, 8);
  if (lua_istable(L, -1)) made.dictionary = std::make_unique<Description>(read_description(L, state, level + 1));
  lua_pop(L, 1);
  return made;
}

struct Export {
  Owned<ArrowSchema> schema;
  Owned<ArrowArray> array;
};

struct ExportClass {
  using Pointer = std::unique_ptr<Export>;
  static constexpr uint64_t magic = 0x6d74'4172'726f'7765;
  static constexpr const char* metatable = "moontorch.arrow";
  static constexpr const char* expected = "expected a frame of data.arrow";
};

uintptr_t address_of(const void* structure) { return reinterpret_cast<uintptr_t>(structure); }
void push_address(lua_State* L, const void* structure) { lua_pushnumber(L, static_cast<lua_Number>(address_of(structure))); }

// export(description) -> userdata with the two structures
int export_columns(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  std::unique_ptr<Export>& made = push_owned<ExportClass>(L);
  lua_pushvalue(L, 1);
  guarded(L, state, [&] {
    state.compute_pending();
    const Description description = read_description(L, state, 1);
    made.reset(new Export{built<ArrowSchema>(description), built<ArrowArray>(description)});
    stay_loaded();
  });
  lua_pop(L, 1);
  return 1;
}

// addresses(userdata) -> the addresses of its schema and its array; those that a consumer has moved away are nil
int addresses(lua_State* L) {
  const Export& made = *check_owned<ExportClass>(L, 1);
  lua_settop(L, 0);
  made.schema.value.release != nullptr ? push_address(L, &made.schema.value) : lua_pushnil(L);
  made.array.value.release != nullptr ? push_address(L, &made.array.value) : lua_pushnil(L);
  return 2;
}

// A stream of one batch.
struct StreamParts {
  Description description;
  bool is_done = false;

  static StreamParts& of(ArrowArrayStream* self) { return *static_cast<StreamParts*>(self->private_data); }
  template <class T> static int fill(const Description& from, T* out) noexcept {
    try {
      Owned<T> made = built<T>(from);
      *out = std::exchange(made.value, T{});
      return 0;
    } catch (...) {
      return ENOMEM;
    }
  }
  static int schema(ArrowArrayStream* self, ArrowSchema* out) { return fill(of(self).description, out); }
  static int next(ArrowArrayStream* self, ArrowArray* out) {
    StreamParts& parts = of(self);
    if (parts.is_done) {
      *out = ArrowArray{};
      return 0;
    }
    const int code = fill(parts.description, out);
    parts.is_done = code == 0;
    return code;
  }
  static const char* error(ArrowArrayStream*) { return nullptr; }
  static void release(ArrowArrayStream* self) {
    delete &of(self);
    self->release = nullptr;
  }
};

struct StreamClass {
  using Pointer = std::unique_ptr<Owned<ArrowArrayStream>>;
  static constexpr uint64_t magic = 0x6d74'4172'726f'7773;
  static constexpr const char* metatable = "moontorch.arrow_stream";
  static constexpr const char* expected = "expected a stream of data.arrow";
};

// exportStream(description) -> userdata with a stream
int export_stream(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  std::unique_ptr<Owned<ArrowArrayStream>>& made = push_owned<StreamClass>(L);
  lua_pushvalue(L, 1);
  guarded(L, state, [&] {
    state.compute_pending();
    auto parts = std::make_unique<StreamParts>();
    parts->description = read_description(L, state, 1);
    made = std::make_unique<Owned<ArrowArrayStream>>();
    made->value = {&StreamParts::schema, &StreamParts::next, &StreamParts::error, &StreamParts::release, parts.release()};
    stay_loaded();
  });
  lua_pop(L, 1);
  return 1;
}

// streamAddress(userdata) -> the address of its stream, nil if a consumer has moved it away
int stream_address(lua_State* L) {
  const Owned<ArrowArrayStream>& made = *check_owned<StreamClass>(L, 1);
  made.value.release != nullptr ? push_address(L, &made.value) : lua_pushnil(L);
  return 1;
}

// ---- structures of other libraries

struct ArrayClass {
  using Pointer = std::shared_ptr<Owned<ArrowArray>>;
  static constexpr uint64_t magic = 0x6d74'4172'726f'7761;
  static constexpr const char* metatable = "moontorch.arrow_array";
  static constexpr const char* expected = "expected an array of data.arrow";
};

template <class T> T* structure_argument(lua_State* L, int index) {
  const lua_Number address = luaL_checknumber(L, index);
  luaL_argcheck(L, address > 0 && address < 0x1p63, index, "expected an address");
  return reinterpret_cast<T*>(static_cast<uintptr_t>(address));
}

// take(address of an ArrowArray) -> userdata that the array was moved to, its address; nil if it was released
int take_array(lua_State* L) {
  State& state = upvalue_state(L);
  auto* const source = structure_argument<ArrowArray>(L, 1);
  if (source->release == nullptr) return 0;
  std::shared_ptr<Owned<ArrowArray>>& owner = push_owned<ArrayClass>(L);
  guarded(L, state, [&] {
    owner = std::make_shared<Owned<ArrowArray>>();
    owner->value = std::exchange(*source, ArrowArray{});
  });
  push_address(L, &owner->value);
  return 2;
}

// storage(array, dtype, n, address) -> storage over its memory, which keeps the array; dtype counts from 0
int storage_in(lua_State* L) {
  State& state = upvalue_state(L);
  const std::shared_ptr<Owned<ArrowArray>>& owner = check_owned<ArrayClass>(L, 1);
  const DType dtype = dtype_argument(L, 2);
  const lua_Number n = luaL_checknumber(L, 3);
  luaL_argcheck(L, n >= 0 && n < 0x1p53, 3, "expected a number of elements");
  auto* const data = structure_argument<std::byte>(L, 4);
  luaL_argcheck(L, address_of(data) % static_cast<uintptr_t>(size_of(dtype)) == 0, 4, "expected the address of an element");
  Storage* made = nullptr;
  guarded(L, state, [&] {
    auto keep = std::make_unique<std::shared_ptr<Owned<ArrowArray>>>(owner);
    const auto release = [](void* context) { delete static_cast<std::shared_ptr<Owned<ArrowArray>>*>(context); };
    made = Storage::borrow(dtype, data, static_cast<int64_t>(n), release, keep.get());
    keep.release();
  });
  push_storage(L, state, StoragePtr::adopt(made));
  return 1;
}

// release('schema' | 'array' | 'stream', address) releases a structure, unless it was released
int release_structure(lua_State* L) {
  constexpr const char* kinds[] = {"schema", "array", "stream", nullptr};
  const int kind = luaL_checkoption(L, 1, nullptr, kinds);
  const auto release = [](auto* structure) {
    if (structure->release != nullptr) structure->release(structure);
  };
  if (kind == 0) release(structure_argument<ArrowSchema>(L, 2));
  if (kind == 1) release(structure_argument<ArrowArray>(L, 2));
  if (kind == 2) release(structure_argument<ArrowArrayStream>(L, 2));
  return 0;
}

// next(address of a stream, 'schema' | 'array', address of a structure that it fills) -> nothing, or the stream's error
int next_structure(lua_State* L) {
  auto* const stream = structure_argument<ArrowArrayStream>(L, 1);
  constexpr const char* kinds[] = {"schema", "array", nullptr};
  const bool is_schema = luaL_checkoption(L, 2, nullptr, kinds) == 0;
  const bool is_there = stream->release != nullptr && stream->get_schema != nullptr && stream->get_next != nullptr;
  if (!is_there) {
    lua_pushliteral(L, "a stream that was released");
    return 1;
  }
  const int code = is_schema ? stream->get_schema(stream, structure_argument<ArrowSchema>(L, 3))
                             : stream->get_next(stream, structure_argument<ArrowArray>(L, 3));
  if (code == 0) return 0;
  const char* const words = stream->get_last_error != nullptr ? stream->get_last_error(stream) : nullptr;
  lua_pushstring(L, words != nullptr ? words : std::strerror(code));
  return 1;
}

}  // namespace

void open_arrow(lua_State* L, State& state) {
  lua_newtable(L);
  push_owned_metatable<ExportClass>(L);
  lua_setfield(L, -2, "metatable");
  push_owned_metatable<StreamClass>(L);
  lua_setfield(L, -2, "streamMetatable");
  push_owned_metatable<ArrayClass>(L);
  lua_pop(L, 1);
  add_function(L, state, "export", export_columns);
  add_function(L, state, "addresses", addresses);
  add_function(L, state, "exportStream", export_stream);
  add_function(L, state, "streamAddress", stream_address);
  add_function(L, state, "take", take_array);
  add_function(L, state, "storage", storage_in);
  add_function(L, state, "release", release_structure);
  add_function(L, state, "next", next_structure);
  lua_setfield(L, -2, "arrow");
}

}  // namespace mt::lua
