// x[key] and x[key] = value for keys that compiled loops do not handle: views by number, by ranges, by a full index; masks and positions.
#include <algorithm>

#include "bindings/lua/call/integer_arguments.h"
#include "bindings/lua/state/c_stack.h"
#include "engine/core/geometry.h"

namespace mt::lua {
namespace {

constexpr Reading key_only{2, 2};

struct View {
  Shape sizes, strides;
  int64_t offset;
};

// `refusal` is what Torch7 says.
int64_t position(const char* refusal, int64_t asked, int64_t size, int dim) {
  const int64_t i = asked < 0 ? asked + size : asked - 1;
  if (i < 0 || i >= size) fail<Status::range>("index", "key", refusal, ": ", asked, " came for dimension ", Dim{dim}, " of size ", size);
  return i;
}

int64_t whole(Value& value) {
  if (value.type == Value::Type::number && !(value.number > -0x1p62 && value.number < 0x1p62))
    fail<Status::range>("index", "key", "out of range: ", value.number, " came");
  make_whole(value, "index", "key");
  return value.integer;
}

int64_t whole_number(lua_State* L, const State& state, int index) {
  Value value;
  if (!read_number(L, state, index, value)) {
    if (const Tensor* given = test_tensor(L, index))
      fail<Status::dtype>("index", "key", given->dtype(),
                          " came, a number was expected (x:index(dim, positions) and x[mask] take tensors)");
    fail("index", "key", luaL_typename(L, index), " came, a number was expected");
  }
  return whole(value);
}

// One entry of x[{...}], on top of the stack: a number selects, {} takes all, {a} and {a, b} a range, {a, b, step} every step-th of it.
void apply_entry(lua_State* L, const State& state, View& view, int& dim, int source_dim) {
  if (dim >= view.sizes.size()) fail("index", "key", "too many indices provided: ", source_dim + 1, " for ", source_dim, " dimensions");
  const int64_t size = view.sizes[dim];
  if (!lua_istable(L, -1)) {
    const int64_t i = position("index out of bound", whole_number(L, state, -1), size, source_dim);
    view.offset += i * view.strides[dim];
    view.sizes.erase(dim);
    view.strides.erase(dim);
    return;
  }
  const int entry = lua_gettop(L);
  const size_t count = lua_objlen(L, entry);
  if (is_class(L, entry) || (count == 0 && has_only_fields(L, entry)))
    fail("index", "key", "fields came where {first, last, step} was expected");
  if (count > 3) fail<Status::range>("index", "key", "a range of ", count, " numbers came, {first, last, step} at most was expected");
  if (count > 0) {
    lua_rawgeti(L, entry, 1);
    const int64_t first = position("start index out of bound", whole_number(L, state, -1), size, source_dim);
    int64_t last = first, step = 1;
    if (count > 1) {
      lua_rawgeti(L, entry, 2);
      last = position("end index out of bound", whole_number(L, state, -1), size, source_dim);
    }
    if (count > 2) {
      lua_rawgeti(L, entry, 3);
      step = whole_number(L, state, -1);
      if (step < 1)
        fail<Status::range>("index", "key", "a step of ", step, " came, 1 or more was expected (x:flip(dim) turns an order around)");
    }
    lua_settop(L, entry);
    if (last < first)
      fail<Status::range>("index", "key", "end index must be greater or equal to start index: ", first + 1, " to ", last + 1, " came");
    view.offset += first * view.strides[dim];
    view.sizes[dim] = (last - first) / step + 1;
    if (view.sizes[dim] > 1) view.strides[dim] *= step;  // a longer step would name nothing, and might overflow
  }
  ++dim;
}

// The view that the key at stack index 2 names, or false when it is no number, table or LongStorage.
bool resolve(lua_State* L, const State& state, const Tensor& t, View& view) {
  view = {Shape(t.sizes()), Shape(t.strides()), t.offset()};
  const int type = lua_type(L, 2);
  if (type == LUA_TTABLE || test_storage(L, 2) != nullptr) {
    if (t.dim() == 0) fail<Status::shape>("index", "self", "an empty tensor can't be indexed");
    if (type == LUA_TTABLE && is_class(L, 2)) fail("index", "key", "a class came, a table of numbers and ranges was expected");
    int dim = 0, source_dim = 0;
    if (const StoragePtr* storage = test_storage(L, 2)) {
      if ((*storage)->dtype != DType::int64) return false;
      if ((*storage)->size != t.dim())
        fail("index", "key", "invalid size: ", (*storage)->size, " numbers came for ", t.dim(), " dimensions");
      for (int64_t i = 0; i < (*storage)->size; ++i) {
        lua_pushnumber(L, static_cast<double>(read_element(*storage->get(), i).as<int64_t>()));
        apply_entry(L, state, view, dim, source_dim++);
        lua_pop(L, 1);
      }
      return true;
    }
    for (int i = 1;; ++i) {
      lua_rawgeti(L, 2, i);
      const bool end = lua_isnil(L, -1);
      if (!end) apply_entry(L, state, view, dim, source_dim++);
      lua_pop(L, 1);
      if (end) return true;
    }
  }
  Value value;
  if (!read_number(L, state, 2, value)) return false;
  if (t.dim() == 0) fail<Status::shape>("index", "self", "an empty tensor can't be indexed");
  const int64_t i = position("out of range", whole(value), t.size(0), 0);
  view.offset += i * view.strides[0];
  view.sizes.erase(0);
  view.strides.erase(0);
  return true;
}

enum class Key { place, mask, slices, positions };

// What the key at stack index 2 is: a tensor of bytes or booleans is a mask, of t's elements where it has as many, else of slices; one of
// longs the positions of slices.
Key kind_of_key(lua_State* L, State& state, const Tensor& t) {
  const Tensor* key = test_tensor(L, 2);
  if (key == nullptr) return Key::place;
  if (key->dtype() == DType::uint8 || key->dtype() == DType::boolean) return key->numel() == t.numel() ? Key::mask : Key::slices;
  if (key->dtype() == DType::int64) return Key::positions;
  guarded(L, state, [&] {
    fail<Status::dtype>("index", "key", key->dtype(),
                        " came, a mask (ByteTensor, BoolTensor) or positions (LongTensor) were expected: x:long()");
  });
  return Key::place;
}

// t:name(...) with the n values on top of the stack as arguments; the result is left there.
void call_method(lua_State* L, const char* name, int n) {
  check_c_stack(L);
  lua_getfield(L, 1, name);
  lua_insert(L, -1 - n);
  lua_pushvalue(L, 1);
  lua_insert(L, -1 - n);
  lua_call(L, n + 1, 1);
}

// Pushes slice t[i] of a tensor of two dimensions or more, i being the number that came as the key.
void push_slice(lua_State* L, State& state, Tensor& t) {
  Tensor& slice = push_tensor(L, state, t.dtype(), t.device());
  guarded_whole(L, state, key_only, [&] {
    Value key(lua_tonumber(L, 2));
    const auto rest = static_cast<size_t>(t.dim()) - 1;
    const int64_t i = position("out of range", whole(key), t.size(0), 0);
    slice.set_storage(t.storage_ptr(), t.offset() + i * t.stride(0), t.sizes().last(rest), t.strides().last(rest));
  });
  join(slice, t);
}

// index(t, key) -> number, view, or nil for a key that names nothing
int index(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor* t = test_tensor(L, 1);
  if (t == nullptr) return 0;
  lua_settop(L, 2);
  if (lua_type(L, 2) == LUA_TNUMBER && t->dim() > 1) {
    push_slice(L, state, *t);
    return 1;
  }
  const Key kind = kind_of_key(L, state, *t);
  if (kind == Key::mask || kind == Key::slices) {
    lua_pushvalue(L, 2);
    call_method(L, kind == Key::mask ? "maskedSelect" : "_maskedSlices", 1);
    return 1;
  }
  if (kind == Key::positions) {
    lua_pushinteger(L, 1);
    lua_pushvalue(L, 2);
    call_method(L, "index", 2);
    return 1;
  }
  View view;
  bool found = false;
  guarded_whole(L, state, key_only, [&] { found = resolve(L, state, *t, view); });
  if (!found) return 0;
  if (view.sizes.size() == 0) {
    push_element(L, state, *t, view.offset);
    return 1;
  }
  Tensor& result = push_tensor(L, state, t->dtype(), t->device());
  guarded(L, state, [&] { result.set_storage(t->storage_ptr(), view.offset, view.sizes, view.strides); });
  join(result, *t);
  return 1;
}

// Whether NumPy's rule repeats a tensor of some sizes to others, which have as many dimensions or more.
bool broadcasts_to(Sizes from, Sizes to) {
  if (from.empty() || from.size() > to.size()) return false;
  const Sizes last = to.last(from.size());
  return std::ranges::equal(from, last, [](int64_t size, int64_t wanted) { return size == wanted || size == 1; });
}

// newindex(t, key, value)
int new_index(lua_State* L) {
  State& state = upvalue_state(L);
  const Tensor* t = test_tensor(L, 1);
  if (t == nullptr) return 0;
  lua_settop(L, 3);
  const Key kind = kind_of_key(L, state, *t);
  if (kind != Key::place) {
    const bool tensor = test_tensor(L, 3) != nullptr, mask = kind != Key::positions;
    if (!mask) lua_pushinteger(L, 1);
    lua_pushvalue(L, 2);
    if (lua_isboolean(L, 3) && t->dtype() == DType::boolean)
      lua_pushinteger(L, lua_toboolean(L, 3));
    else
      lua_pushvalue(L, 3);
    const char* method = tensor ? (mask ? "maskedCopy" : "indexCopy") : (mask ? "maskedFill" : "indexFill");
    if (kind == Key::slices) method = "_setMaskedSlices";
    call_method(L, method, mask ? 2 : 3);
    return 0;
  }
  bool found = false;
  guarded_whole(L, state, key_only, [&] {
    View view;
    found = resolve(L, state, *t, view);
    if (!found) return;
    lua_settop(L, 3);
    const bool single = view.sizes.size() == 0;
    if (single) {
      view.sizes.push(1);
      view.strides.push(1);
    }
    Tensor target(t->dtype(), t->device());
    target.set_storage(t->storage_ptr(), view.offset, view.sizes, view.strides);
    Tensor source;
    Value value;
    if (const Tensor* given = test_tensor(L, 3)) {
      const bool paired = given->numel() == target.numel();
      if (!paired && !broadcasts_to(given->sizes(), target.sizes())) {
        fail<Status::shape>("index", "value", given->sizes(), " came, ", target.numel(), " elements were expected for ", target.sizes());
      }
      source = may_overlap(*given, target) ? clone(*given) : *given;
      if (!paired) source = expand_to(source, target.sizes());
    } else if ((lua_isboolean(L, 3) && t->dtype() == DType::boolean) || read_number(L, state, 3, value)) {
      if (lua_isboolean(L, 3)) {
        value.type = Value::Type::integer;
        value.integer = lua_toboolean(L, 3);
      }
      fill(target, element_as(value, t->dtype()));
      target.touch();
      return;
    } else {
      const char* hint = lua_istable(L, 3) ? ": torch.Tensor(table) makes one" : lua_isboolean(L, 3) ? ": 1 or 0 stands for it" : "";
      fail("index", "value", luaL_typename(L, 3), " came, a number or a tensor was expected", hint);
    }
    if (target.numel() > 0) copy(target, source);
    target.touch();
  });
  if (!found) {
    guarded(L, state, [&, came = class_name(L, 2)] {
      fail<Status::dtype>("index", "key", came, " came: the class ", t->dtype(), " cannot be indexed by it");
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
