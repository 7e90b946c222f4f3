// Operations on nested tables of tensors, the inputs and outputs of modules: copy, add and zero, into tensors of an earlier pass if
// possible.
#include <algorithm>

#include "bindings/lua/state/c_stack.h"
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/tape/native_tape.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/type_names.h"
#include "engine/core/device.h"
#include "engine/core/image_layout.h"
#include "engine/ops/accumulate.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

enum class Work { copy, add, zero };

constexpr int deepest = 100;

bool is_plain_table(lua_State* L, int index) {
  if (!lua_istable(L, index)) return false;
  if (lua_getmetatable(L, index) == 0) return true;
  lua_pop(L, 1);
  return false;
}

constexpr int first_unread = 3;  // arguments from here on: (tables of) tensors that will be read later, and must not be written to

// Whether an object is the value at a stack index, or inside of it. Returns true after `looks` steps, because tables may have cycles.
bool holds(lua_State* L, int index, const void* object, int& looks) {
  if (lua_topointer(L, index) == object || --looks <= 0) return true;
  if (!is_plain_table(L, index)) return false;
  luaL_checkstack(L, 4, "nested tables");
  for (lua_pushnil(L); lua_next(L, index) != 0;) {
    const bool found = holds(L, lua_gettop(L), object, looks);
    lua_pop(L, found ? 2 : 1);
    if (found) return true;
  }
  return false;
}
bool is_unread(lua_State* L, int last_argument, int index) {
  int looks = 200;
  for (int i = first_unread; i <= last_argument; ++i) {
    if (holds(L, i, lua_topointer(L, index), looks)) return true;
  }
  return false;
}

// Whether a tensor of an earlier pass can be overwritten: its memory is not shared, and neither tensor is channels last.
bool is_reusable(const Tensor* held, const Tensor& like) {
  return held != nullptr && held != &like && !held->tracked() && same_kind(*held, like) && held->same_sizes(like) && is_exclusive(*held) &&
         layout_of(*held) == ImageLayout::channels_first && layout_of(like) == ImageLayout::channels_first;
}

// A new tensor with the result for `value`: a copy, or zeros.
Tensor made_of(OpHook* hook, Work work, const Tensor& value) {
  Tensor made;
  if (work == Work::zero) {
    made = Tensor::empty(value.dtype(), value.sizes(), value.device());
    call_zero(hook, made);
  } else {
    call_clone(hook, value, made);
  }
  return made;
}

// Pushes the tensor with the result for `value`, in the tensor at `held_at` if possible.
void push_worked(lua_State* L, State& state, Work work, int held_at, const Tensor& value, int last_argument) {
  Tensor* held = test_tensor(L, held_at);
  if (held != nullptr && is_unread(L, last_argument, held_at)) held = nullptr;
  if (work == Work::add && held != nullptr) {
    guarded(L, state, [&] { add_scaled(state.hook, *held, value); });
    lua_pushvalue(L, held_at);
    return;
  }
  if (is_reusable(held, value)) {
    guarded(L, state, [&] {
      if (work == Work::zero)
        call_zero(state.hook, *held);
      else
        call_copy(state.hook, *held, value);
    });
    lua_pushvalue(L, held_at);
    return;
  }
  const bool serves = held != nullptr && held != &value && !held->tracked() && same_class(*held, value);
  Tensor& target = serves ? *held : push_tensor(L, state, value.dtype(), value.device());
  if (serves) lua_pushvalue(L, held_at);
  if (serves) leave_ring(target);
  guarded(L, state, [&] { call_set(state.hook, target, made_of(state.hook, work, value)); });
  state.collector.note_allocation(L, target);
}

// Pushes the result for the value at a stack index, reusing the held value if possible. A sum skips entries that one of both lacks.
void push_result(lua_State* L, State& state, Work work, int held, int value, int last_argument, int depth) {
  if (const Tensor* t = test_tensor(L, value)) {
    if (work == Work::add && is_plain_table(L, held)) luaL_error(L, "currentGradInput is not a table!");
    return push_worked(L, state, work, held, *t, last_argument);
  }
  if (!is_plain_table(L, value)) {
    lua_pushvalue(L, work == Work::add && lua_isnil(L, value) ? held : value);
    return;
  }
  if (depth > deepest) luaL_error(L, "nested: tables of tensors inside each other to a depth of %d", deepest);
  check_c_stack(L);
  luaL_checkstack(L, 12, "nested tables");
  const bool known = is_plain_table(L, held) && lua_rawequal(L, held, value) == 0 && !is_unread(L, last_argument, held);
  if (work == Work::add && !known && !lua_isnil(L, held)) luaL_error(L, "currentGradInput is not a table!");
  if (work == Work::add && known && lua_objlen(L, held) != lua_objlen(L, value)) luaL_error(L, "table size mismatch");
  if (known)
    lua_pushvalue(L, held);
  else
    lua_newtable(L);
  const int result = lua_gettop(L);
  if (known && work != Work::add) {
    for (lua_pushnil(L); lua_next(L, result) != 0;) {  // remove keys that `value` doesn't have
      lua_pop(L, 1);
      lua_pushvalue(L, -1);
      lua_rawget(L, value);
      const bool gone = lua_isnil(L, -1);
      lua_pop(L, 1);
      if (!gone) continue;
      lua_pushvalue(L, -1);
      lua_pushnil(L);
      lua_rawset(L, result);
    }
  }
  for (lua_pushnil(L); lua_next(L, value) != 0;) {
    const int key = lua_gettop(L) - 1, element = key + 1;
    lua_pushvalue(L, key);
    lua_rawget(L, result);
    push_result(L, state, work, element + 1, element, last_argument, depth + 1);
    lua_pushvalue(L, key);
    lua_insert(L, -2);
    lua_rawset(L, result);
    lua_settop(L, key);
  }
}

template <Work work> int worked(lua_State* L) {
  const int last_argument = std::max(lua_gettop(L), 2);
  lua_settop(L, last_argument);
  push_result(L, upvalue_state(L), work, 1, 2, last_argument, 0);
  return 1;
}

}  // namespace

void open_nested(lua_State* L, State& state) {
  add_function(L, state, "nestedCopy", worked<Work::copy>);   // (held, value, unread...) -> a copy of value, in `held` if possible
  add_function(L, state, "nestedAdd", worked<Work::add>);     // (held, value) -> their sum, in `held`
  add_function(L, state, "nestedZeros", worked<Work::zero>);  // (held, value, unread...) -> zeros like value, in `held` if possible
}

}  // namespace mt::lua
