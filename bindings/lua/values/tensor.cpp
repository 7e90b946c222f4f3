// Constructors of tensors, and methods that query or rebind them: sizes, strides, storage, resize, set, element access by number.
#include <algorithm>
#include <cstring>

#include "bindings/lua/call/composed_call.h"
#include "bindings/lua/call/integer_arguments.h"
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/open.h"
#include "bindings/lua/tape/grad_mode.h"
#include "bindings/lua/values/defaults.h"
#include "bindings/lua/values/devices.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/numbers.h"
#include "bindings/lua/values/type_names.h"
#include "engine/core/image_layout.h"
#include "engine/graph/capture.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

// The tensor at a stack index: the object of a method at 1, or a further argument. Raises an error for other values.
Tensor& check_tensor(lua_State* L, State& state, int index, const char* op) {
  Tensor* t = test_tensor(L, index);
  if (t == nullptr) {
    guarded(L, state, [&, actual = class_name(L, index)] {
      if (index > 1) fail(op, "other", actual, ", expected a tensor");
      fail(op, "self", actual, ", expected a tensor (called with . instead of : ?)");
    });
  }
  return *t;
}

// Geometry from numbers or LongStorages, from stack index `at` on; raises C++ errors.
struct Geometry {
  int64_t sizes[max_dims], strides[max_dims];
  int32_t count = 0, stride_count = 0;
  Sizes size_span() const { return {sizes, static_cast<size_t>(count)}; }
};

void read_geometry(lua_State* L, const State& state, int at, const char* op, Geometry& g) {
  const int top = lua_gettop(L);
  if (at > top || lua_isnil(L, at)) return;
  const bool list = lua_istable(L, at) || test_storage(L, at) != nullptr || test_tensor(L, at) != nullptr;
  if (!read_sizes(L, state, at, top, op, "sizes", g.sizes, &g.count)) {
    fail<Status::range>(op, "sizes", luaL_typename(L, at), ", expected whole numbers or a LongStorage, at most ", max_dims);
  }
  if (const int next = at + g.count; !list && next <= top && !lua_isnil(L, next)) {
    fail<Status::range>(op, "sizes", luaL_typename(L, next), ", expected whole numbers, a table or a LongStorage");
  }
  if (list && at < top && !lua_isnil(L, at + 1)) {
    if (!read_sizes(L, state, at + 1, top, op, "strides", g.strides, &g.stride_count) || g.stride_count != g.count) {
      fail(op, "strides", "expected a LongStorage of as many numbers as there are sizes");
    }
  }
}

// The same after a storage and an offset, with alternating numbers: size, stride, size, stride, ...
void read_geometry_of_storage(lua_State* L, const State& state, int at, const char* op, Geometry& g) {
  const int top = lua_gettop(L);
  if (at > top || lua_type(L, at) != LUA_TNUMBER) {
    read_geometry(L, state, at, op, g);
    return;
  }
  for (int i = at; i <= top; i += 2) {
    Value size, stride;
    if (g.count == max_dims) fail<Status::range>(op, "sizes", "more than ", max_dims);
    if (!read_number(L, state, i, size)) fail(op, "sizes", luaL_typename(L, i), ", expected a number");
    if (i < top && !read_number(L, state, i + 1, stride)) fail(op, "strides", luaL_typename(L, i + 1), ", expected a number");
    make_whole(size, op, "sizes");
    if (i < top) make_whole(stride, op, "strides");
    g.sizes[g.count] = size.integer;
    g.strides[g.count++] = i < top ? stride.integer : -1;
  }
  g.stride_count = g.count;
}

// Reads a storage offset, which counts from 1 in Lua; returns it counted from 0, for bind_storage.
int64_t read_offset(lua_State* L, const State& state, int index, const char* op) {
  Value value;
  if (!read_number(L, state, index, value)) fail(op, "offset", luaL_typename(L, index), ", expected a number");
  make_whole(value, op, "offset");
  const int64_t offset = value.integer;
  if (offset < 1) fail<Status::range>(op, "offset", "invalid storage offset: ", offset, ", expected 1 or more");
  return offset - 1;
}

// Replaces negative strides by those of a contiguous tensor.
void fill_strides(Geometry& g) {
  if (g.stride_count == 0) {
    contiguous_strides(g.size_span(), g.strides);
    return;
  }
  for (int i = g.count - 1; i >= 0; --i) {
    if (g.strides[i] >= 0) continue;
    g.strides[i] = 1;
    if (i < g.count - 1 && __builtin_mul_overflow(g.strides[i + 1], std::max<int64_t>(g.sizes[i + 1], 1), &g.strides[i])) g.strides[i] = 0;
  }
}

[[noreturn]] void refuse_storage(std::string_view op, const Storage& actual, DType dtype, DeviceId device) {
  std::string expected;
  append_type(expected, dtype, device_kind(device), "Storage");
  fail<Status::dtype>(op, "storage", type_name(actual), ", expected ", expected);
}

// Rebinds t to a storage with this geometry; a storage that is too small grows, as in Torch7.
void bind_storage(OpHook* hook, Tensor& t, StoragePtr storage, int64_t offset, Geometry& g, const char* op) {
  if (storage && !same_class(t, *storage.get())) refuse_storage(op, *storage.get(), t.dtype(), t.device());
  fill_strides(g);
  const int64_t n = g.count == 0 ? 0 : checked_product(op, g.size_span());
  int64_t end = offset;
  if (n > 0) {
    for (int i = 0; i < g.count; ++i) {
      int64_t reach;
      if (g.strides[i] < 0 || __builtin_mul_overflow(g.sizes[i] - 1, g.strides[i], &reach) || __builtin_add_overflow(end, reach, &end)) {
        fail<Status::shape>(op, "strides", Sizes(g.strides, static_cast<size_t>(g.count)), " with sizes ", g.size_span(),
                            " don't fit in 64 bits");
      }
    }
    if (__builtin_add_overflow(end, 1, &end))
      fail<Status::shape>(op, "offset", offset, " and sizes ", g.size_span(), " don't fit in 64 bits");
    if (!storage) storage = StoragePtr::adopt(Storage::create(t.dtype(), end, t.device()));
    if (end > storage->size) call_resize_storage(hook, storage, end);
  }
  const Sizes strides(g.strides, static_cast<size_t>(g.count));
  if (storage.get() == t.storage())
    call_set(hook, t, t, offset, g.size_span(), strides);
  else
    call_set(hook, t, whole_of(storage), offset, g.size_span(), strides);
}

// The capacity of t's storage in bytes; note_growth counts an increase as an allocation.
size_t capacity_of(const Tensor& t) { return t.storage() == nullptr ? 0 : t.storage()->capacity; }

void note_growth(lua_State* L, State& state, const Tensor& t, size_t before) {
  if (capacity_of(t) > before) state.collector.note_allocation(L, *t.storage());
}

// ---- tables to tensors and back

void table_sizes(lua_State* L, int index, const char* op, Shape& shape) {
  luaL_checkstack(L, 4, "table is nested too deeply");
  const auto n = static_cast<int64_t>(lua_objlen(L, index));
  shape.push(n);
  lua_rawgeti(L, index, 1);
  if (lua_istable(L, -1)) table_sizes(L, lua_gettop(L), op, shape);
  lua_pop(L, 1);
}

void fill_from_table(lua_State* L, const State& state, int index, const Shape& shape, int level, const Tensor& t, int64_t& at) {
  if (static_cast<int64_t>(lua_objlen(L, index)) != shape[level])
    fail<Status::shape>("tensor", "table", "invalid tensor sizes: its rows have different lengths");
  for (int64_t i = 1; i <= shape[level]; ++i) {
    lua_rawgeti(L, index, static_cast<int>(i));
    if (level + 1 < shape.size()) {
      if (!lua_istable(L, -1)) fail<Status::shape>("tensor", "table", "invalid tensor sizes: its rows have different depths");
      fill_from_table(L, state, lua_gettop(L), shape, level + 1, t, at);
    } else {
      Value value;
      ScalarValue room;
      std::byte* to = t.storage()->data + at * size_of(t.dtype());
      if (lua_isboolean(L, -1) && t.dtype() == DType::boolean) {
        value.type = Value::Type::integer;
        value.integer = lua_toboolean(L, -1);
      } else if (!read_any_number(L, state, -1, value, room)) {
        const bool tensor = test_tensor(L, -1) != nullptr;
        fail("tensor", "table", "invalid element (not a number) at position ", i, ": ", tensor ? "tensor" : luaL_typename(L, -1),
             tensor ? "; torch.stack joins tensors" : "");
      }
      dispatch<all_dtypes>(t.dtype(), [&]<class T>(std::type_identity<T>) { *reinterpret_cast<T*>(to) = value.as<T>(); });
      ++at;
    }
    lua_pop(L, 1);
  }
}

// Refuses fields that are options in other libraries; programs may have other fields in a list of numbers.
void refuse_options(lua_State* L, int index) {
  for (const char* name : {"dtype", "device", "requires_grad", "requiresGrad"}) {
    lua_pushstring(L, name);
    lua_rawget(L, index);
    const bool absent = lua_isnil(L, -1);
    lua_pop(L, 1);
    if (!absent) fail("tensor", "table", "the field ", name, ", expected numbers alone; torch.tensor({1, 2}, 'float') has a type");
  }
}

Tensor tensor_from_table(lua_State* L, const State& state, int index, DType dtype) {
  refuse_options(L, index);
  if (lua_objlen(L, index) == 0) {
    if (is_class(L, index)) fail("tensor", "table", "a class, expected a list of numbers or of lists");
    if (has_only_fields(L, index)) fail("tensor", "table", "it has fields and no element 1, expected a list of numbers or of lists");
    return Tensor(dtype);
  }
  Shape shape;
  table_sizes(L, index, "tensor", shape);
  for (int d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) fail("tensor", "table", "invalid tensor sizes: dimension ", Dim{d}, " is empty");
  }
  Tensor t = Tensor::empty(dtype, shape);
  int64_t at = 0;
  fill_from_table(L, state, index, shape, 0, t, at);
  return t;
}

void push_table(lua_State* L, State& state, const Tensor& t, int dim, int64_t offset) {
  luaL_checkstack(L, 4, "tensor has too many dimensions");
  lua_createtable(L, static_cast<int>(std::min<int64_t>(t.size(dim), INT32_MAX)), 0);
  for (int64_t i = 0; i < t.size(dim); ++i) {
    const int64_t at = offset + i * t.stride(dim);
    if (dim + 1 < t.dim())
      push_table(L, state, t, dim + 1, at);
    else
      push_element(L, state, t, at);
    lua_rawseti(L, -2, static_cast<int>(i + 1));
  }
}

// The capture that runs, or null.
Capture* capture_of(const State& state) {
  return state.hook != nullptr && state.hook->captures() ? dynamic_cast<Capture*>(state.hook) : nullptr;
}

// ---- functions of the library's table

// Constructs a tensor from the arguments from stack index 2 on. New memory is on `device`.
int construct(lua_State* L, State& state, DType dtype, DeviceId device) {
  const int top = lua_gettop(L);
  const Tensor* shown = test_tensor(L, 2);
  if (shown != nullptr && shown->tracked() && state.grad_mode.enabled && shown->dtype() == dtype && shown->dim() > 0) {
    // A recorded view: a plain alias would lose the gradient.
    lua_getfield(L, 2, "narrow");
    lua_pushvalue(L, 2);
    lua_pushinteger(L, 1);
    lua_pushinteger(L, 1);
    lua_pushnumber(L, static_cast<double>(shown->size(0)));
    lua_call(L, 4, 1);
    return 1;
  }
  Tensor& t = push_tensor(L, state, dtype, device);
  lua_insert(L, 1);  // the result, then the argument with the dtype, then the others from index 3 on
  if (top < 2 || lua_isnil(L, 3)) {
    lua_settop(L, 1);
    return 1;
  }
  guarded_whole(L, state, {3, lua_gettop(L)}, [&] {
    if (Tensor* other = test_tensor(L, 3)) {
      if (!same_class(*other, t)) fail<Status::dtype>("tensor", "tensor", type_name(*other), ", expected ", type_name(t));
      t.set_type(other->dtype(), other->device());
      call_set(state.hook, t, *other);
      join(t, *other);
    } else if (StoragePtr* storage = test_storage(L, 3); storage != nullptr && same_class(t, *storage->get())) {
      Geometry g;
      int64_t offset = 0;
      if (top >= 3) offset = read_offset(L, state, 4, "tensor");
      if (top >= 4) {
        read_geometry_of_storage(L, state, 5, "tensor", g);
      } else if (top == 2) {
        g.count = 1;
        g.sizes[0] = (*storage)->size;
      }
      bind_storage(state.hook, t, *storage, offset, g, "tensor");
    } else if (storage != nullptr && (*storage)->dtype != DType::int64) {
      std::string own;
      append_type(own, dtype, device_kind(device), "Storage");
      fail<Status::dtype>("tensor", "storage", type_name(*storage->get()), ", expecting number or ", type_name(t), " or ", own);
    } else if (lua_istable(L, 3)) {
      if (const int second = lua_type(L, 4); second == LUA_TSTRING || second == LUA_TTABLE) {
        fail("tensor", "arguments", "a table and a ", luaL_typename(L, 4),
             ", expected a table alone; torch.tensor({1, 2}, 'float') has a type");
      }
      t = to_device(tensor_from_table(L, state, 3, dtype), device);
      if (Capture* const capture = capture_of(state)) capture->note_literal(t);
    } else {
      Geometry g;
      read_geometry(L, state, 3, "tensor", g);
      if (g.count == 0 && test_storage(L, 3) == nullptr)
        fail("tensor", "sizes", luaL_typename(L, 3), ", expected numbers, a table, a tensor or a storage");
      if (g.stride_count > 0)
        bind_storage(state.hook, t, StoragePtr(), 0, g, "tensor");
      else
        t.resize("tensor", g.size_span());
      if (Capture* const capture = capture_of(state)) capture->note_created(t);
    }
  });
  state.collector.note_allocation(L, t);
  lua_settop(L, 1);
  return 1;
}

// newTensor(dtype, ...) implements torch.<dtype>Tensor(...); dtype counts from 0. It is on the CPU if the default device has other types.
int new_tensor(lua_State* L) {
  State& state = upvalue_state(L);
  const bool plain = device_kind(state.defaults.device) == plain_kind;
  return construct(L, state, dtype_argument(L, 1), plain ? state.defaults.device : cpu_device);
}

// newTensorOn(device, dtype, ...): the same on a device; for the name of a kind, on its current device. Views stay on their device.
int new_tensor_on(lua_State* L) {
  State& state = upvalue_state(L);
  const DeviceId device = device_argument(L, state, "tensor");
  return construct(L, state, dtype_argument(L, 1), device);
}

// newTensorAs(x, ...): the same with the dtype and on the device of x
int new_tensor_as(lua_State* L) {
  State& state = upvalue_state(L);
  const Tensor& like = check_tensor(L, state, 1, "new");
  return construct(L, state, like.dtype(), like.device());
}

// The finaliser of tensors. Lua code may call it with any value, and twice.
int tensor_gc(lua_State* L) {
  const void* data = lua_touserdata(L, 1);
  if (data == nullptr || lua_objlen(L, 1) < sizeof(TensorBox)) return 0;
  auto* box = static_cast<TensorBox*>(const_cast<void*>(data));
  if (box->magic != tensor_magic) return 0;
  box->tensor.clear();
  leave_ring(box->tensor);
  return 0;
}

// dtypeOf(tensor or storage) -> its dtype, as in the name torch.<dtype>Tensor
int dtype_of(lua_State* L) {
  const Tensor* t = test_tensor(L, 1);
  const StoragePtr* s = test_storage(L, 1);
  luaL_argcheck(L, t != nullptr || s != nullptr, 1, "expected a tensor or a storage");
  const std::string_view name = info(t != nullptr ? t->dtype() : (*s)->dtype).torch;
  lua_pushlstring(L, name.data(), name.size());
  return 1;
}

// narrowTypeOf(x) -> the dtype of a tensor of 16-bit floats, as in the name torch.<dtype>Tensor; nothing for other values
int narrow_type_of(lua_State* L) {
  const Tensor* t = test_tensor(L, 1);
  if (t == nullptr || !is_float(t->dtype()) || info(t->dtype()).size != 2) return 0;
  const std::string_view name = info(t->dtype()).torch;
  lua_pushlstring(L, name.data(), name.size());
  return 1;
}

// floatBits(x) -> the bits per element of a tensor of floats; 0 for other tensors, nothing for other values
int float_bits(lua_State* L) {
  const Tensor* t = test_tensor(L, 1);
  if (t == nullptr) return 0;
  lua_pushinteger(L, is_float(t->dtype()) ? static_cast<lua_Integer>(8 * info(t->dtype()).size) : 0);
  return 1;
}

int is_tensor(lua_State* L) {
  lua_pushboolean(L, test_tensor(L, 1) != nullptr);
  return 1;
}

// ---- methods

int tensor_dim(lua_State* L) {
  lua_pushinteger(L, check_tensor(L, upvalue_state(L), 1, "dim").dim());
  return 1;
}

int tensor_numel(lua_State* L) {
  lua_pushnumber(L, static_cast<double>(check_tensor(L, upvalue_state(L), 1, "nElement").numel()));
  return 1;
}

int push_size_or_stride(lua_State* L, const char* op, bool strides) {
  State& state = upvalue_state(L);
  const Tensor& t = check_tensor(L, state, 1, op);
  if (lua_gettop(L) < 2 || lua_isnil(L, 2)) {
    push_sizes(L, state, strides ? t.strides() : t.sizes());
    return 1;
  }
  Value value;
  int64_t d = -1;
  guarded_whole(L, state, {2, 2}, [&] {
    if (!read_number(L, state, 2, value)) fail(op, "dim", luaL_typename(L, 2), ", expected a dimension");
    make_whole(value, op, "dim");
    d = value.integer < 0 ? value.integer + t.dim() : value.integer - 1;
    if (d < 0 || d >= t.dim()) fail<Status::range>(op, "dim", "dimension ", value.integer, " out of range of ", t.dim(), "D tensor");
  });
  lua_pushnumber(L, static_cast<double>(strides ? t.stride(static_cast<int>(d)) : t.size(static_cast<int>(d))));
  return 1;
}

int tensor_size(lua_State* L) { return push_size_or_stride(L, "size", false); }
int tensor_stride(lua_State* L) { return push_size_or_stride(L, "stride", true); }

int tensor_is_contiguous(lua_State* L) {
  lua_pushboolean(L, check_tensor(L, upvalue_state(L), 1, "isContiguous").is_contiguous());
  return 1;
}

int tensor_is_channels_last(lua_State* L) {
  lua_pushboolean(L, layout_of(check_tensor(L, upvalue_state(L), 1, "isChannelsLast")) == ImageLayout::channels_last);
  return 1;
}

int tensor_is_same_size_as(lua_State* L) {
  State& state = upvalue_state(L);
  lua_pushboolean(L,
                  std::ranges::equal(check_tensor(L, state, 1, "isSameSizeAs").sizes(), check_tensor(L, state, 2, "isSameSizeAs").sizes()));
  return 1;
}

int tensor_is_set_to(lua_State* L) {
  State& state = upvalue_state(L);
  const Tensor &a = check_tensor(L, state, 1, "isSetTo"), &b = check_tensor(L, state, 2, "isSetTo");
  lua_pushboolean(L, a.storage() != nullptr && a.storage() == b.storage() && a.same_geometry(b));
  return 1;
}

int tensor_storage(lua_State* L) {
  State& state = upvalue_state(L);
  const Tensor& t = check_tensor(L, state, 1, "storage");
  if (t.storage() == nullptr)
    lua_pushnil(L);
  else
    push_storage(L, state, t.storage_ptr());
  return 1;
}

int tensor_storage_offset(lua_State* L) {
  lua_pushnumber(L, static_cast<double>(check_tensor(L, upvalue_state(L), 1, "storageOffset").offset() + 1));
  return 1;
}

int tensor_resize(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor& t = check_tensor(L, state, 1, "resize");
  const size_t before = capacity_of(t);
  guarded_whole(L, state, {2, lua_gettop(L)}, [&] {
    Geometry g;
    read_geometry(L, state, 2, "resize", g);
    if (g.stride_count > 0)
      bind_storage(state.hook, t, t.storage_ptr(), t.offset(), g, "resize");
    else
      call_resize(state.hook, t, g.size_span());
  });
  note_growth(L, state, t, before);
  lua_settop(L, 1);
  return 1;
}

int tensor_resize_as(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor& t = check_tensor(L, state, 1, "resizeAs");
  const Tensor& other = check_tensor(L, state, 2, "resizeAs");
  const size_t before = capacity_of(t);
  guarded(L, state, [&] { call_resize(state.hook, t, other.sizes()); });
  note_growth(L, state, t, before);
  lua_settop(L, 1);
  return 1;
}

// set(), set(tensor), set(storage [, offset [, sizes [, strides]]]) and set(storage, offset, size, stride, size, stride, ...)
int tensor_set(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor& t = check_tensor(L, state, 1, "set");
  const int top = lua_gettop(L);
  guarded_whole(L, state, {3, top}, [&] {
    if (top < 2 || lua_isnil(L, 2)) {
      call_set(state.hook, t, Tensor(t.dtype(), t.device()));
      return;
    }
    if (Tensor* other = test_tensor(L, 2)) {
      if (!same_class(*other, t)) fail<Status::dtype>("set", "tensor", type_name(*other), ", expected ", type_name(t));
      call_set(state.hook, t, *other);
      join(t, *other);
      return;
    }
    StoragePtr* storage = test_storage(L, 2);
    if (storage == nullptr) fail("set", "storage", luaL_typename(L, 2), ", expected a tensor or a storage");
    Geometry g;
    int64_t offset = 0;
    if (top == 2) {
      g.count = 1;
      g.sizes[0] = (*storage)->size;
    } else {
      offset = read_offset(L, state, 3, "set");
      read_geometry_of_storage(L, state, 4, "set", g);
    }
    bind_storage(state.hook, t, *storage, offset, g, "set");
  });
  lua_settop(L, 1);
  return 1;
}

int tensor_to_table(lua_State* L) {
  State& state = upvalue_state(L);
  if (check_tensor(L, state, 1, "totable").numel() == 0) {
    lua_newtable(L);
    return 1;
  }
  note_read(L, state, check_tensor(L, state, 1, "totable"));
  const Tensor& t = bring_to_host(L, state, 1);
  push_table(L, state, t, 0, t.offset());
  return 1;
}

int tensor_item(lua_State* L) {
  State& state = upvalue_state(L);
  const Tensor& t = check_tensor(L, state, 1, "item");
  if (t.numel() != 1) guarded(L, state, [&] { fail<Status::shape>("item", "self", t.sizes(), ", expected one element"); });
  note_read(L, state, t);
  push_element(L, state, t, t.offset());
  return 1;
}

int tensor_pointer(lua_State* L) {
  const Tensor* t = test_tensor(L, 1);
  const StoragePtr* s = test_storage(L, 1);
  lua_pushnumber(L, static_cast<double>(reinterpret_cast<uintptr_t>(t != nullptr   ? static_cast<const void*>(t)
                                                                    : s != nullptr ? s->get()
                                                                                   : lua_topointer(L, 1))));
  return 1;
}

}  // namespace

void open_tensors(lua_State* L, State& state) {
  add_function(L, state, "newTensor", new_tensor);
  add_function(L, state, "newTensorOn", new_tensor_on);
  add_function(L, state, "newTensorAs", new_tensor_as);
  add_function(L, state, "dtypeOf", dtype_of);
  add_function(L, state, "narrowTypeOf", narrow_type_of);
  add_function(L, state, "floatBits", float_bits);
  add_function(L, state, "isTensor", is_tensor);
  add_function(L, state, "setOtherForms", set_other_forms);
  add_function(L, state, "pointer", tensor_pointer);
  add_function(L, state, "releaseTensor", tensor_gc);
  lua_getfield(L, -1, "methods");
  const luaL_Reg methods[] = {{"dim", tensor_dim},
                              {"nDimension", tensor_dim},
                              {"nElement", tensor_numel},
                              {"numel", tensor_numel},
                              {"size", tensor_size},
                              {"stride", tensor_stride},
                              {"isContiguous", tensor_is_contiguous},
                              {"isChannelsLast", tensor_is_channels_last},
                              {"isSameSizeAs", tensor_is_same_size_as},
                              {"isSetTo", tensor_is_set_to},
                              {"storage", tensor_storage},
                              {"storageOffset", tensor_storage_offset},
                              {"resize", tensor_resize},
                              {"resizeAs", tensor_resize_as},
                              {"set", tensor_set},
                              {"totable", tensor_to_table},
                              {"item", tensor_item}};
  for (const luaL_Reg& m : methods) add_function(L, state, m.name, m.func);
  lua_pop(L, 1);
}

}  // namespace mt::lua
