// x[key] and x[key] = value for keys that JIT-compiled code doesn't handle: views by number, ranges or a full index; masks and positions.
#include <algorithm>

#include "bindings/lua/call/integer_arguments.h"
#include "bindings/lua/state/c_stack.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/open.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/numbers.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

constexpr Reading key_only{2, 2};

// A checked entry of a key: a position, which removes its dimension from the view, or a range of a dimension.
struct Entry {
  enum class Type : uint8_t { position, range, whole };
  Type type;
  int64_t first, length, step;
};

// A key: entries for the first dimensions.
struct Key {
  int count = 0;
  Entry entries[max_dims];  // NOLINT: the first `count` are set
  bool names_element(const Tensor& t) const {
    return count == t.dim() && std::all_of(entries, entries + count, [](const Entry& e) { return e.type == Entry::Type::position; });
  }
};

// `refusal` is the message of Torch7.
int64_t position(const char* refusal, int64_t asked, int64_t size, int dim) {
  const int64_t i = asked < 0 ? asked + size : asked - 1;
  if (i < 0 || i >= size) fail<Status::range>("index", "key", refusal, ": ", asked, " for dimension ", Dim{dim}, " of size ", size);
  return i;
}

int64_t whole(Value& value) {
  if (value.type == Value::Type::number && !(value.number > -0x1p62 && value.number < 0x1p62))
    fail<Status::range>("index", "key", "out of range: ", value.number);
  make_whole(value, "index", "key");
  return value.integer;
}

int64_t whole_number(lua_State* L, const State& state, int index) {
  Value value;
  if (!read_number(L, state, index, value)) {
    if (const Tensor* given = test_tensor(L, index))
      fail<Status::dtype>("index", "key", given->dtype(), ", expected a number (x:index(dim, positions) and x[mask] take tensors)");
    fail("index", "key", luaL_typename(L, index), ", expected a number");
  }
  return whole(value);
}

// Reads an entry of x[{...}] on top of the stack: a number selects, {} is the whole dimension, {a} and {a, b} are ranges, and {a, b, step}
// is every step-th position of a range.
void read_entry(lua_State* L, const State& state, const Tensor& t, Key& key) {
  const int dim = key.count;
  if (dim >= t.dim()) fail("index", "key", "too many indices provided: ", dim + 1, " for ", dim, " dimensions");
  Entry& entry = key.entries[key.count++];
  const int64_t size = t.size(dim);
  if (!lua_istable(L, -1)) {
    entry = {Entry::Type::position, position("index out of bound", whole_number(L, state, -1), size, dim), 1, 1};
    return;
  }
  const int table = lua_gettop(L);
  const size_t count = lua_objlen(L, table);
  if (is_class(L, table) || (count == 0 && has_only_fields(L, table))) fail("index", "key", "fields, expected {first, last, step}");
  if (count > 3) fail<Status::range>("index", "key", "a range of ", count, " numbers, expected {first, last, step} at most");
  if (count == 0) {
    entry = {Entry::Type::whole, 0, size, 1};
    return;
  }
  lua_rawgeti(L, table, 1);
  const int64_t first = position("start index out of bound", whole_number(L, state, -1), size, dim);
  int64_t last = first, step = 1;
  if (count > 1) {
    lua_rawgeti(L, table, 2);
    last = position("end index out of bound", whole_number(L, state, -1), size, dim);
  }
  if (count > 2) {
    lua_rawgeti(L, table, 3);
    step = whole_number(L, state, -1);
    if (step < 1) fail<Status::range>("index", "key", "a step of ", step, ", expected 1 or more (x:flip(dim) turns an order around)");
  }
  lua_settop(L, table);
  if (last < first) fail<Status::range>("index", "key", "end index must be greater or equal to start index: ", first + 1, " to ", last + 1);
  entry = {Entry::Type::range, first, (last - first) / step + 1, step};
}

// Reads the key at stack index 2; returns false if it is no number, table or LongStorage.
bool read_key(lua_State* L, const State& state, const Tensor& t, Key& key) {
  key.count = 0;
  const int type = lua_type(L, 2);
  const StoragePtr* storage = test_storage(L, 2);
  if (type == LUA_TTABLE || storage != nullptr) {
    if (t.dim() == 0) fail<Status::shape>("index", "self", "an empty tensor can't be indexed");
    if (type == LUA_TTABLE && is_class(L, 2)) fail("index", "key", "a class, expected a table of numbers and ranges");
    if (storage != nullptr) {
      if ((*storage)->dtype != DType::int64) return false;
      if ((*storage)->size != t.dim()) fail("index", "key", "invalid size: ", (*storage)->size, " numbers for ", t.dim(), " dimensions");
      for (int64_t i = 0; i < (*storage)->size; ++i) {
        lua_pushnumber(L, static_cast<double>(read_element(*storage->get(), i).as<int64_t>()));
        read_entry(L, state, t, key);
        lua_pop(L, 1);
      }
      return true;
    }
    for (int i = 1;; ++i) {
      lua_rawgeti(L, 2, i);
      const bool end = lua_isnil(L, -1);
      if (!end) read_entry(L, state, t, key);
      lua_pop(L, 1);
      if (end) return true;
    }
  }
  Value value;
  if (!read_number(L, state, 2, value)) return false;
  if (t.dim() == 0) fail<Status::shape>("index", "self", "an empty tensor can't be indexed");
  key.entries[key.count++] = {Entry::Type::position, position("out of range", whole(value), t.size(0), 0), 1, 1};
  return true;
}

// Sets `view` to every step-th slice of a range.
void call_stepped(OpHook* hook, const Tensor& x, int dim, const Entry& range, Tensor& view) {
  Shape sizes(x.sizes()), strides(x.strides());
  sizes[dim] = range.length;
  if (range.length > 1) strides[dim] *= range.step;  // for a range of one slice the stride is unused, and might overflow
  call_as_strided(hook, x, sizes, strides, x.offset() + range.first * x.stride(dim), view);
}

// Creates the view of t for a key, with one op per entry. `view` receives the result of the last op. Returns the indexed tensor: `view`, or
// t if the key selects everything. It has one element if all entries are positions.
Tensor& call_view(OpHook* hook, Tensor& t, const Key& key, Tensor& view) {
  auto left = std::count_if(key.entries, key.entries + key.count, [](const Entry& e) { return e.type != Entry::Type::whole; });
  Tensor* from = &t;
  Tensor between[2];
  int dim = 0, turn = 0;
  for (int i = 0; i < key.count; ++i) {
    const Entry& entry = key.entries[i];
    if (entry.type == Entry::Type::whole) {
      ++dim;
      continue;
    }
    Tensor& to = --left == 0 ? view : between[turn ^= 1];
    if (entry.type == Entry::Type::position)
      call_select(hook, *from, dim, entry.first, to);
    else if (entry.step == 1)
      call_narrow(hook, *from, dim++, entry.first, entry.length, to);
    else
      call_stepped(hook, *from, dim++, entry, to);
    from = &to;
  }
  return from == &t ? t : view;
}

enum class KeyType { place, mask, slices, positions, lists };

// Whether the key at stack index 2 is a table with a tensor among its entries for dimensions.
bool has_tensor(lua_State* L) {
  if (!lua_istable(L, 2)) return false;
  for (int i = 1; i <= max_dims; ++i) {
    lua_rawgeti(L, 2, i);
    const bool end = lua_isnil(L, -1), found = lua_isuserdata(L, -1) && test_tensor(L, -1) != nullptr;
    lua_pop(L, 1);
    if (end || found) return found;
  }
  return false;
}

// The type of the key at stack index 2: a tensor of bytes or booleans is a mask, for elements if it has as many as t, else for slices. A
// tensor of int64 has positions of slices. A table may have such tensors for its dimensions.
KeyType type_of_key(lua_State* L, State& state, const Tensor& t) {
  const Tensor* key = test_tensor(L, 2);
  if (key == nullptr) return has_tensor(L) ? KeyType::lists : KeyType::place;
  if (key->dtype() == DType::uint8 || key->dtype() == DType::boolean) return key->numel() == t.numel() ? KeyType::mask : KeyType::slices;
  if (key->dtype() == DType::int64) return KeyType::positions;
  guarded(L, state, [&] {
    fail<Status::dtype>("index", "key", key->dtype(), ", expected a mask (ByteTensor, BoolTensor) or positions (LongTensor): x:long()");
  });
  return KeyType::place;
}

// Calls t:name(...) with the n values on top of the stack as arguments, and replaces them by the result.
void call_method(lua_State* L, const char* name, int n) {
  check_c_stack(L);
  lua_getfield(L, 1, name);
  lua_insert(L, -1 - n);
  lua_pushvalue(L, 1);
  lua_insert(L, -1 - n);
  lua_call(L, n + 1, 1);
}

// Pushes slice t[i] of a tensor with two or more dimensions, where i is the number at stack index 2.
void push_slice(lua_State* L, State& state, Tensor& t) {
  Tensor& slice = push_tensor(L, state, t.dtype(), t.device());
  join(slice, t);
  const double asked = lua_tonumber(L, 2);
  if (state.hook == nullptr && t.dim() <= inline_dims && asked >= 1 && asked <= static_cast<double>(t.size(0))) [[likely]] {
    const auto i = static_cast<int64_t>(asked);
    if (static_cast<double>(i) == asked) return slice.become_slice(t, i - 1);
  }
  guarded_whole(L, state, key_only, [&] {
    Value key(lua_tonumber(L, 2));
    call_select(state.hook, t, 0, position("out of range", whole(key), t.size(0), 0), slice);
  });
}

// Tells a hook that captures which element the program reads.
void note_element(lua_State* L, State& state, const Tensor& t, const Key& key) {
  if (state.hook == nullptr) [[likely]]
    return;
  if (!state.hook->captures()) return note_read(L, state, t);
  guarded(L, state, [&] {
    Tensor element = t;
    for (int i = 0; i < key.count; ++i) {
      Tensor part;
      call_narrow(state.hook, element, i, key.entries[i].first, 1, part);
      element = part;
    }
    call_read(state.hook, element);
  });
}

// index(t, key) -> number, view, or nil for a key that is no index
int index(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor* t = test_tensor(L, 1);
  if (t == nullptr) return 0;
  lua_settop(L, 2);
  if (lua_type(L, 2) == LUA_TNUMBER && t->dim() > 1) {
    push_slice(L, state, *t);
    return 1;
  }
  const KeyType type = type_of_key(L, state, *t);
  if (type == KeyType::mask || type == KeyType::slices || type == KeyType::lists) {
    lua_pushvalue(L, 2);
    call_method(L, type == KeyType::mask ? "maskedSelect" : type == KeyType::slices ? "_maskedSlices" : "_indexLists", 1);
    return 1;
  }
  if (type == KeyType::positions) {
    lua_pushinteger(L, 1);
    lua_pushvalue(L, 2);
    call_method(L, "index", 2);
    return 1;
  }
  Key key;
  bool found = false;
  guarded_whole(L, state, key_only, [&] { found = read_key(L, state, *t, key); });
  if (!found) return 0;
  if (key.names_element(*t)) {
    int64_t at = t->offset();
    for (int i = 0; i < key.count; ++i) at += key.entries[i].first * t->stride(i);
    note_element(L, state, *t, key);
    push_element(L, state, *t, at);
    return 1;
  }
  Tensor& result = push_tensor(L, state, t->dtype(), t->device());
  guarded(L, state, [&] {
    if (&call_view(state.hook, *t, key, result) == t) call_set(state.hook, result, *t);
  });
  join(result, *t);
  return 1;
}

// Whether sizes broadcast to others by NumPy's rule, with as many dimensions or more.
bool broadcasts_to(Sizes from, Sizes to) {
  if (from.empty() || from.size() > to.size()) return false;
  const Sizes last = to.last(from.size());
  return std::ranges::equal(from, last, [](int64_t size, int64_t wanted) { return size == wanted || size == 1; });
}

// newindex(t, key, value)
int new_index(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor* t = test_tensor(L, 1);
  if (t == nullptr) return 0;
  lua_settop(L, 3);
  const KeyType type = type_of_key(L, state, *t);
  if (type == KeyType::lists) {
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 3);
    call_method(L, "_setIndexLists", 2);
    return 0;
  }
  if (type != KeyType::place) {
    const bool tensor = test_tensor(L, 3) != nullptr, mask = type != KeyType::positions;
    if (!mask) lua_pushinteger(L, 1);
    lua_pushvalue(L, 2);
    if (lua_isboolean(L, 3) && t->dtype() == DType::boolean)
      lua_pushinteger(L, lua_toboolean(L, 3));
    else
      lua_pushvalue(L, 3);
    const char* method = tensor ? (mask ? "maskedCopy" : "indexCopy") : (mask ? "maskedFill" : "indexFill");
    if (type == KeyType::slices) method = "_setMaskedSlices";
    call_method(L, method, mask ? 2 : 3);
    return 0;
  }
  bool found = false;
  guarded_whole(L, state, key_only, [&] {
    Key key;
    found = read_key(L, state, *t, key);
    if (!found) return;
    lua_settop(L, 3);
    Tensor view;
    Tensor& target = call_view(state.hook, *t, key, view);
    Value value;
    ScalarValue room;
    if (const Tensor* source = test_tensor(L, 3)) {
      if (source->numel() != target.numel() && !broadcasts_to(source->sizes(), target.sizes())) {
        fail<Status::shape>("index", "value", source->sizes(), ", expected ", target.numel(), " elements for ", target.sizes());
      }
      call_copy(state.hook, target, *source);
    } else if ((lua_isboolean(L, 3) && t->dtype() == DType::boolean) || read_any_number(L, state, 3, value, room)) {
      if (lua_isboolean(L, 3)) {
        value.type = Value::Type::integer;
        value.integer = lua_toboolean(L, 3);
      }
      call_fill(state.hook, target, value);
    } else {
      const char* hint = lua_istable(L, 3) ? ": torch.Tensor(table) makes one" : lua_isboolean(L, 3) ? ": 1 or 0 stands for it" : "";
      fail("index", "value", luaL_typename(L, 3), ", expected a number or a tensor", hint);
    }
  });
  if (!found) {
    guarded(L, state, [&, actual = class_name(L, 2)] {
      fail<Status::dtype>("index", "key", actual, ": the class ", t->dtype(), " cannot be indexed by it");
    });
  }
  return 0;
}

}  // namespace

void open_indexing(lua_State* L, State& state) {
  add_function(L, state, "index", index);
  add_function(L, state, "newIndex", new_index);
}

}  // namespace mt::lua
