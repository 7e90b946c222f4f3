// The functions return nothing for arguments that they don't support; then the Lua callers fall back to ops, which raise errors for invalid
// arguments. Results reuse the tensors of an earlier pass if possible.
#include "bindings/lua/nn/split_concatenate.h"

#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/tape/native_tape.h"
#include "bindings/lua/values/metatables.h"
#include "engine/core/device.h"
#include "engine/core/image_layout.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

// Copies elements; returns false if the tensors don't have the same number of elements in the same order.
bool assign(OpHook* hook, Tensor& to, const Tensor& from) {
  if (from.numel() != to.numel() || is_turned(from, to)) return false;
  call_copy(hook, to, from);
  return true;
}

bool can_hold(const Tensor* held, const Tensor& like) {
  return held != nullptr && !held->tracked() && same_kind(*held, like) && layout_of(*held) == ImageLayout::channels_first;
}

// Replaces the value on top of the stack by a tensor like `like` with memory of its own. Reuses the tensor there if it is suitable, unless
// it is `unread`, which will be read later.
Tensor& kept_like(lua_State* L, State& state, const Tensor& like, const Tensor* unread) {
  Tensor* held = test_tensor(L, -1);
  if (held == unread || !can_hold(held, like)) {
    lua_pop(L, 1);
    held = &push_tensor(L, state, like.dtype(), like.device());
  }
  const bool exclusive = is_exclusive(*held);
  if (exclusive && held->same_sizes(like)) return *held;
  if (!exclusive) leave_ring(*held);
  guarded(L, state, [&] {
    if (exclusive)
      call_resize(state.hook, *held, like.sizes());
    else
      call_set(state.hook, *held, Tensor::empty(like.dtype(), like.sizes(), like.device()));
  });
  state.collector.note_allocation(L, *held);
  return *held;
}

// Replaces the value at a stack index by a new table, unless it is a plain table.
void be_table(lua_State* L, int index, int count) {
  if (lua_istable(L, index) && lua_getmetatable(L, index) == 0) return;
  lua_createtable(L, count, 0);
  lua_replace(L, index);
}

// Removes the elements after `count` from a list, and leaves it on top of the stack.
int cut_off(lua_State* L, int list, int count) {
  lua_settop(L, list);
  for (auto i = static_cast<int>(lua_objlen(L, list)); i > count; --i) {
    lua_pushnil(L);
    lua_rawseti(L, list, i);
  }
  return 1;
}

// The dimension with the number, from 1, at a stack index, counted from 0; -1 if x has no such dimension.
int dim_argument(lua_State* L, int index, const Tensor& x) {
  const double dim = lua_tonumber(L, index);
  return dim >= 1 && dim <= x.dim() ? static_cast<int>(dim) - 1 : -1;
}

// The result of f, or false if it throws.
template <class F> bool succeeds(F&& f) {
  try {
    return f();
  } catch (...) {
    return false;
  }
}

// joinInto(held, tensors, dim) -> the concatenated tensors, in `held` if possible; whether its sizes have changed
int join_into(lua_State* L) {
  State& state = upvalue_state(L);
  static const Op& cat = *Registry::instance().find("cat");
  lua_settop(L, 3);
  if (!lua_istable(L, 2)) return 0;
  const size_t count = lua_objlen(L, 2);
  lua_rawgeti(L, 2, 1);
  const Tensor* like = count > 0 ? test_tensor(L, -1) : nullptr;
  const int dim = like != nullptr && layout_of(*like) == ImageLayout::channels_first ? dim_argument(L, 3, *like) : -1;
  if (dim < 0) return 0;
  Tensor* held = test_tensor(L, 1);
  if (!can_hold(held, *like)) {
    held = &push_tensor(L, state, like->dtype(), like->device());
    lua_replace(L, 1);
  }
  state.tape.lists.clear();
  std::vector<Tensor*>* list = nullptr;
  guarded(L, state, [&] {
    list = &state.tape.lists.tensors();
    list->resize(count);
  });
  std::vector<Tensor*>& parts = *list;
  for (size_t i = 0; i < count; ++i) {
    lua_rawgeti(L, 2, static_cast<int>(i) + 1);
    parts[i] = test_tensor(L, -1);
    lua_pop(L, 1);
    if (parts[i] == nullptr) return 0;
  }
  bool same = false;
  const bool done = succeeds([&] {
    const Shape before(held->sizes());
    Value args[4];
    args[0].type = Value::Type::tensors;
    args[0].tensors = parts.data();
    args[0].count = static_cast<int32_t>(count);
    args[3] = Value(dim);
    Call call{cat, args, {&held, 1}, 1};
    call.hook = state.hook;
    run_op(call);
    same = std::ranges::equal(Sizes(before), held->sizes());
    return true;
  });
  if (!done) return 0;
  if (!same) state.collector.note_allocation(L, *held);
  lua_settop(L, 1);
  lua_pushboolean(L, !same);
  return 2;
}

// cutInto(held, tensors, g, dim) -> a table of copies of consecutive parts of g along dim, with the lengths of the tensors; zeros for
// tensors that are not of floats. Parts of images that are channels last have the same layout.
int cut_into(lua_State* L) {
  State& state = upvalue_state(L);
  lua_settop(L, 4);
  Tensor* g = test_tensor(L, 3);
  const int dim = g != nullptr && lua_istable(L, 2) ? dim_argument(L, 4, *g) : -1;
  if (dim < 0) return 0;
  const auto count = static_cast<int>(lua_objlen(L, 2));
  int64_t total = 0;
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, 2, i);
    const Tensor* x = test_tensor(L, -1);
    lua_pop(L, 1);
    if (x == nullptr || x->dim() != g->dim()) return 0;
    total += x->size(dim);
  }
  if (total != g->size(dim)) return 0;
  be_table(L, 1, count);
  int64_t first = 0;
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, 2, i);
    const Tensor* x = test_tensor(L, -1);
    const int64_t length = x->size(dim);
    lua_rawgeti(L, 1, i);
    if (layout_of(*g) == ImageLayout::channels_last && same_kind(*x, *g)) {
      lua_pop(L, 1);
      Tensor& images = push_tensor(L, state, x->dtype(), x->device());
      guarded(L, state, [&] {
        Tensor part;
        call_narrow(state.hook, *g, dim, first, length, part);
        call_channels_last(state.hook, part, images);
      });
      state.collector.note_allocation(L, images);
    } else {
      Tensor& held = kept_like(L, state, *x, g);
      const bool done = succeeds([&] {
        if (!is_float(x->dtype())) {
          call_zero(state.hook, held);
          return true;
        }
        Tensor part;
        call_narrow(state.hook, *g, dim, first, length, part);
        return assign(state.hook, held, part);
      });
      if (!done) return 0;
    }
    lua_rawseti(L, 1, i);
    lua_pop(L, 1);
    first += length;
  }
  return cut_off(L, 1, count);
}

// slices(x, dim) -> a table of views, without the dimension
int slices(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor* x = test_tensor(L, 1);
  const int dim = x != nullptr && x->dim() > 1 ? dim_argument(L, 2, *x) : -1;
  if (dim < 0) return 0;
  const auto count = static_cast<int>(x->size(dim));
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; ++i) {
    Tensor& view = push_tensor(L, state, x->dtype(), x->device());
    guarded(L, state, [&] { call_select(state.hook, *x, dim, i, view); });
    if (x->storage() != nullptr) join(view, *x);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

// stackInto(held, x, dim, tensors) -> a tensor like x, whose slices along dim are the tensors; zeros if a tensor is nil
int stack_into(lua_State* L) {
  State& state = upvalue_state(L);
  lua_settop(L, 4);
  Tensor* x = test_tensor(L, 2);
  const int dim = x != nullptr && x->dim() > 1 && lua_istable(L, 4) ? dim_argument(L, 3, *x) : -1;
  if (dim < 0) return 0;
  lua_pushvalue(L, 1);
  Tensor& held = kept_like(L, state, *x, nullptr);
  const bool floats = is_float(x->dtype());
  for (int64_t i = 0; i < x->size(dim); ++i) {
    lua_rawgeti(L, 4, static_cast<int>(i) + 1);
    Tensor* part = test_tensor(L, -1);
    if (part == nullptr && !lua_isnil(L, -1)) return 0;
    const bool done = succeeds([&] {
      Tensor slice;
      call_select(state.hook, held, dim, i, slice);
      if (part != nullptr && floats) return assign(state.hook, slice, *part);
      call_zero(state.hook, slice);
      return true;
    });
    if (!done) return 0;
    lua_pop(L, 1);
  }
  return 1;
}

}  // namespace

Tensor in_sizes_of(OpHook* hook, const Tensor& x, const Tensor& like) {
  Tensor dense, sized;
  call_contiguous(hook, x, dense);
  call_view(hook, dense, like.sizes(), sized);
  return sized;
}

bool is_turned(const Tensor& a, const Tensor& b) {
  if (a.same_sizes(b)) return false;
  int64_t sizes[2][max_dims];
  int count[2] = {0, 0};
  for (int k = 0; k < 2; ++k) {
    for (const int64_t size : (k == 0 ? a : b).sizes()) {
      if (size != 1) sizes[k][count[k]++] = size;
    }
  }
  if (count[0] != count[1] || std::equal(sizes[0], sizes[0] + count[0], sizes[1])) return false;
  return std::is_permutation(sizes[0], sizes[0] + count[0], sizes[1]);
}

void open_pieces(lua_State* L, State& state) {
  add_function(L, state, "joinInto", join_into);
  add_function(L, state, "cutInto", cut_into);
  add_function(L, state, "slices", slices);
  add_function(L, state, "stackInto", stack_into);
}

}  // namespace mt::lua
