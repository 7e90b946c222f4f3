// Hooks of user functions in a backward pass, and leaves, at which it ends.
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/outgoing_texts.h"
#include "bindings/lua/tape/backward_pass.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/type_names.h"
#include "engine/core/image_layout.h"
#include "engine/ops/accumulate.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

// Pushes "size 2 x 3" for a tensor at a stack index, or the type of any other value.
void push_described(lua_State* L, State& state, int index) {
  const Tensor* t = test_tensor(L, index);
  std::string text;
  guarded(L, state, [&] {
    if (t == nullptr) {
      text = luaL_typename(L, index);
      return;
    }
    text = "size ";
    for (int d = 0; d < t->dim(); ++d) text += (d > 0 ? " x " : "") + std::to_string(t->size(d));
  });
  state.texts.push(L, std::move(text));
}

}  // namespace

void run_hooks(lua_State* L, State& state, int node, int gradient) {
  lua_rawgeti(L, node, slot::hooks);
  const int hooks = lua_gettop(L);
  const int count = lua_istable(L, hooks) ? static_cast<int>(lua_objlen(L, hooks)) : 0;
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, hooks, i);
    lua_pushvalue(L, gradient);
    lua_call(L, 1, 1);
    if (!lua_isnil(L, -1)) {
      const Tensor *replaced = test_tensor(L, -1), *g = test_tensor(L, gradient);
      if (g != nullptr && (replaced == nullptr || !replaced->same_sizes(*g))) {
        push_described(L, state, hooks + 1);
        push_described(L, state, gradient);
        luaL_error(L, "registerHook: fn: it returned %s for a gradient of %s", lua_tostring(L, -2), lua_tostring(L, -1));
      }
      lua_pushvalue(L, -1);
      lua_replace(L, gradient);
    }
    lua_settop(L, hooks);
  }
  lua_settop(L, hooks - 1);
}

bool has_hooks(lua_State* L, int node) {
  lua_rawgeti(L, node, slot::hooks);
  const bool has = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return has;
}

void set_found(lua_State* L, int node, int gradient) {
  lua_pushvalue(L, node);
  lua_pushvalue(L, gradient);
  lua_rawset(L, wanted_at);
}

namespace {

// Converts the gradient at a place to the type of the leaf, which may differ if the graph mixes types.
void convert_gradient(lua_State* L, State& state, Pass& pass, const Tensor& x, int place) {
  push_gradient(L, state, pass, place);
  const int actual = lua_gettop(L);
  lua_getfield(L, helpers_at, "to");
  lua_pushvalue(L, actual);
  push_kind(L, x);
  lua_call(L, 2, 1);
  Tensor* g = test_tensor(L, -1);
  if (g == nullptr) luaL_error(L, meddled);
  if (pass.create) {
    lua_pushvalue(L, -1);
    lua_rawseti(L, tensors_at, place);
  } else {
    guarded(L, state, [&] { pass.gradient(place) = *g; });
    g->clear();
  }
  lua_settop(L, actual - 1);
}

void push_sizes_message(lua_State* L, State& state, const Tensor& g, const Tensor& x) {
  std::string text;
  guarded(L, state, [&] { text = concat("backward: a gradient of size ", g.sizes(), " reached a leaf of size ", x.sizes()); });
  state.texts.push(L, std::move(text));
}

void check_leaf_sizes(lua_State* L, State& state, const Tensor& g, const Tensor& x) {
  if (g.same_sizes(x)) return;
  push_sizes_message(L, state, g, x);
  lua_error(L);
}

// Adds the rows that nn.Embedding left at a leaf to its dense gradient, and removes them. The gradient is at a place, or at stack index
// `gradient` if that is not 0.
void absorb_rows(lua_State* L, State& state, Pass& pass, int node, int place, int gradient) {
  const int top = lua_gettop(L);
  lua_getfield(L, node, rows_field);
  if (lua_isnil(L, -1)) return lua_settop(L, top);
  lua_getfield(L, helpers_at, "withRows");
  lua_insert(L, -2);
  if (gradient != 0)
    lua_pushvalue(L, gradient);
  else
    push_gradient(L, state, pass, place);
  lua_call(L, 2, 1);
  const Tensor* sum = test_tensor(L, -1);
  if (sum == nullptr) luaL_error(L, meddled);
  if (gradient != 0)
    lua_replace(L, gradient);
  else
    guarded(L, state, [&] { pass.gradient(place) = *sum; });
  lua_pushnil(L);
  lua_setfield(L, node, rows_field);
  lua_settop(L, top);
}

// Adds the gradient of a recorded pass, at a stack index, to that of a leaf.
void accumulate_recorded(lua_State* L, State& state, int node, int gradient) {
  ++state.tape.gradient_epoch;
  lua_rawgeti(L, node, slot::leaf_gradient);
  if (test_tensor(L, -1) != nullptr) {
    lua_getfield(L, helpers_at, "add");
    lua_insert(L, -2);
    lua_pushvalue(L, gradient);
    lua_call(L, 2, 1);
  } else {
    lua_pushvalue(L, gradient);
  }
  lua_pushvalue(L, -1);
  lua_rawseti(L, node, slot::leaf_gradient);
  lua_getfield(L, node, sink_field);
  if (lua_isnil(L, -1)) return;
  lua_getfield(L, helpers_at, "show");  // copies the recorded gradient to the program's tensor
  lua_insert(L, -2);
  lua_pushvalue(L, -3);
  lua_call(L, 2, 0);
}

// Accumulates the gradient into the leaf. Users modify it in place, so it must be dense, and its memory must not be shared.
void accumulate(lua_State* L, State& state, Pass& pass, int node, int place) {
  const Tensor& g = pass.gradient(place);
  lua_getfield(L, node, sink_field);
  const bool sinks = test_tensor(L, -1) != nullptr;
  if (sinks) {  // it replaces a gradient that a recorded pass stored; show() has copied that one to it
    ++state.tape.gradient_epoch;
    lua_pushvalue(L, -1);
    lua_rawseti(L, node, slot::leaf_gradient);
  }
  lua_rawgeti(L, node, slot::leaf_gradient);
  Tensor* held = test_tensor(L, -1);
  if (held != nullptr && (sinks || lies_without_gaps(*held))) {
    guarded(L, state, [&] { add_scaled(state.hook, *held, g); });
    return;
  }
  guarded(L, state, [&] {
    if (held != nullptr)
      pass.gradient(place) = sum_of(state.hook, *held, g);
    else if (!is_exclusive(g))
      call_clone(state.hook, Tensor(g), pass.gradient(place));
  });
  ++state.tape.gradient_epoch;
  Tensor& fresh = push_tensor(L, state, g.dtype(), g.device());
  fresh = std::move(pass.gradient(place));
  state.collector.note_allocation(L, fresh);
  lua_rawseti(L, node, slot::leaf_gradient);
}

}  // namespace

void finish_leaf(lua_State* L, State& state, Pass& pass, int place) {
  const int node = take_node(L, place);
  if (pass.selective && !is_wanted(L, node)) return leave_place(L, pass, place);
  const Variant* variant = variant_of(L, node);
  lua_rawgeti(L, node, slot::leaf_tensor);
  const Tensor* x = test_tensor(L, -1);
  if (variant == nullptr || variant->of != Variant::Of::leaf || x == nullptr) luaL_error(L, meddled);
  const auto actual = [&]() -> const Tensor* {
    if (!pass.create) return &pass.gradient(place);
    lua_rawgeti(L, tensors_at, place);
    return test_tensor(L, -1);
  };
  const Tensor* g = actual();
  if (g == nullptr) luaL_error(L, meddled);
  if (!same_kind(*g, *x)) convert_gradient(L, state, pass, *x, place);
  const bool hooks = has_hooks(L, node) && !pass.partial;
  int gradient = 0;
  if (hooks || pass.selective || pass.create) {
    push_gradient(L, state, pass, place);
    gradient = lua_gettop(L);
    if (hooks) {
      run_hooks(L, state, node, gradient);
      const Tensor* seen = test_tensor(L, gradient);
      if (!pass.create && seen != nullptr) guarded(L, state, [&] { pass.gradient(place) = *seen; });
    }
  }
  if (pass.selective) {
    set_found(L, node, gradient);
  } else {
    g = pass.create ? test_tensor(L, gradient) : &pass.gradient(place);
    if (g == nullptr) luaL_error(L, meddled);
    check_leaf_sizes(L, state, *g, *x);
    absorb_rows(L, state, pass, node, place, pass.create ? gradient : 0);
    if (pass.create)
      accumulate_recorded(L, state, node, gradient);
    else
      accumulate(L, state, pass, node, place);
  }
  leave_place(L, pass, place);
}

}  // namespace mt::lua
