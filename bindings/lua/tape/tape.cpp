// Functions for the tape in Lua: hooks, the grad mode, and nodes, which are the environment tables of tensors.
#include <algorithm>

#include "bindings/lua/nn/split_concatenate.h"
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/open.h"
#include "bindings/lua/tape/grad_mode.h"
#include "bindings/lua/tape/recording.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/type_names.h"
#include "engine/core/image_layout.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

Tensor& tensor_argument(lua_State* L) {
  Tensor* t = test_tensor(L, 1);
  if (t == nullptr) luaL_argerror(L, 1, "expected a tensor");
  return *t;
}

// gradMode([on]) -> the previous mode
int grad_mode(lua_State* L) {
  State& state = upvalue_state(L);
  const bool was = state.grad_mode.enabled;
  if (!lua_isnone(L, 1)) state.grad_mode.enabled = lua_toboolean(L, 1) != 0;
  lua_pushboolean(L, was);
  return 1;
}

int tracked(lua_State* L) {
  const Tensor* t = test_tensor(L, 1);
  lua_pushboolean(L, t != nullptr && t->tracked());
  return 1;
}

// Pushes the node of the tensor at a stack index; returns false if it is not tracked.
bool push_node(lua_State* L, State& state, int index) {
  Tensor* t = test_tensor(L, index);
  if (t == nullptr || !t->tracked()) return false;
  if (box_of(*t).awaits_node) {
    adopt(L, state, index);
    if (!t->tracked()) return false;
  }
  lua_getfenv(L, index);
  return true;
}

int node(lua_State* L) { return push_node(L, upvalue_state(L), 1) ? 1 : 0; }

// nodeAndKind(x) -> the node of x, and whether it is the node of a view; nothing if x is not tracked
int node_and_kind(lua_State* L) {
  if (!push_node(L, upvalue_state(L), 1)) return 0;
  lua_pushboolean(L, is_view_node(L, lua_gettop(L)));
  return 2;
}

// Pops the node on top of the stack and attaches it to the tensor at a stack index; with nil, the tensor is no longer tracked.
void put_node(lua_State* L, State& state, Tensor& t, int index) {
  ++state.tape.gradient_epoch;
  const bool is_tracked = !lua_isnil(L, -1);
  box_of(t).awaits_node = false;
  t.set_tracked(is_tracked);
  if (!is_tracked) {
    lua_pop(L, 1);
    lua_pushvalue(L, LUA_GLOBALSINDEX);  // releases the node
  }
  lua_setfenv(L, index);
}

// setNode(t, table or nil)
int set_node(lua_State* L) {
  Tensor& t = tensor_argument(L);
  lua_settop(L, 2);
  luaL_argcheck(L, lua_isnil(L, 2) || is_node(L, 2), 2, "expected a node or nil");
  put_node(L, upvalue_state(L), t, 1);
  return 0;
}

// Checks that argument 1 is a list of tensors; returns their number.
int tensor_list(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkstack(L, 8, "tensors");
  const int count = static_cast<int>(lua_objlen(L, 1));
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, 1, i);
    if (test_tensor(L, -1) == nullptr) luaL_argerror(L, 1, "expected a list of tensors");
    lua_pop(L, 1);
  }
  return count;
}

// attachLeaves(tensors, leaves) attaches a leaf to each tensor: the one in the list `leaves` if it belongs to the tensor, else a new one,
// which is stored in the list -> the former nodes of the tensors, by position, or nil if there were none
int attach_leaves(lua_State* L) {
  State& state = upvalue_state(L);
  lua_settop(L, 2);
  luaL_checktype(L, 2, LUA_TTABLE);
  const int count = tensor_list(L);
  lua_pushnil(L);
  constexpr int former = 3, tensor = 4, leaf = 5;
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, 1, i);
    lua_rawgeti(L, 2, i);
    if (!is_leaf_of(L, leaf, tensor)) {
      lua_pop(L, 1);
      push_leaf(L, state, tensor);
      lua_pushvalue(L, leaf);
      lua_rawseti(L, 2, i);
    }
    if (push_node(L, state, tensor)) {
      if (lua_isnil(L, former)) {
        lua_newtable(L);
        lua_replace(L, former);
      }
      lua_rawseti(L, former, i);
    }
    put_node(L, upvalue_state(L), *test_tensor(L, tensor), tensor);  // pops the leaf
    lua_settop(L, former);
  }
  for (int i = static_cast<int>(lua_objlen(L, 2)); i > count; --i) {
    lua_pushnil(L);
    lua_rawseti(L, 2, i);
  }
  return 1;
}

// restoreNodes(tensors, nodes) attaches the nodes that attachLeaves returned, in reverse order, because a tensor that is in the list twice
// got two leaves.
int restore_nodes(lua_State* L) {
  lua_settop(L, 2);
  constexpr int tensor = 3, node = 4;
  for (int i = tensor_list(L); i >= 1; --i) {
    lua_rawgeti(L, 1, i);
    if (lua_istable(L, 2)) {
      lua_rawgeti(L, 2, i);
      if (!lua_isnil(L, node) && !is_node(L, node)) luaL_argerror(L, 2, "expected a list of nodes");
    } else {
      lua_pushnil(L);
    }
    put_node(L, upvalue_state(L), *test_tensor(L, tensor), tensor);
    lua_settop(L, 2);
  }
  return 0;
}

// versionOf(x) -> the version of a tensor; nothing for other values
int version(lua_State* L) {
  const Tensor* t = test_tensor(L, 1);
  if (t == nullptr) return 0;
  lua_pushnumber(L, version_of(*t));
  return 1;
}

int bump_version(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor& t = tensor_argument(L);
  guarded(L, state, [&] { call_touch(state.hook, t); });
  return 0;
}

// leafAlias(x) -> an alias of a tensor without its history and, if it has floats, with a new leaf; and that leaf. Nothing for other
// values
int leaf_alias(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor* t = test_tensor(L, 1);
  if (t == nullptr) return 0;
  lua_settop(L, 1);
  Tensor& alias = push_tensor(L, state, t->dtype(), t->device());
  guarded(L, state, [&] { alias = *t; });  // a copy is not tracked
  join(alias, *t);
  if (!is_inexact(t->dtype())) return 1;
  push_leaf(L, state, 2);
  lua_pushvalue(L, 3);
  put_node(L, state, alias, 2);
  return 2;
}

int detach(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor& t = tensor_argument(L);
  Tensor& alias = push_tensor(L, state, t.dtype(), t.device());
  guarded(L, state, [&] { call_set(state.hook, alias, t); });
  join(alias, t);
  return 1;
}

// alike(a, b): same sizes, dtype and device
int alike(lua_State* L) {
  const Tensor *a = test_tensor(L, 1), *b = test_tensor(L, 2);
  lua_pushboolean(L, a != nullptr && b != nullptr && same_kind(*a, *b) && std::ranges::equal(a->sizes(), b->sizes()));
  return 1;
}

// sameKind(a, b): same dtype and device
int same_kind_of(lua_State* L) {
  const Tensor *a = test_tensor(L, 1), *b = test_tensor(L, 2);
  lua_pushboolean(L, a != nullptr && b != nullptr && same_kind(*a, *b));
  return 1;
}

// sameSizes(a, b)
int same_sizes(lua_State* L) {
  const Tensor *a = test_tensor(L, 1), *b = test_tensor(L, 2);
  lua_pushboolean(L, a != nullptr && b != nullptr && std::ranges::equal(a->sizes(), b->sizes()));
  return 1;
}

// isTurned(a, b) -> whether they have the same sizes, except those of 1, in another order
int turned(lua_State* L) {
  const Tensor *a = test_tensor(L, 1), *b = test_tensor(L, 2);
  lua_pushboolean(L, a != nullptr && b != nullptr && is_turned(*a, *b));
  return 1;
}

// showsSame(a, b) -> whether they have the same storage and the same sizes
int shows_same(lua_State* L) {
  const Tensor *a = test_tensor(L, 1), *b = test_tensor(L, 2);
  const bool shared = a != nullptr && b != nullptr && a->storage() != nullptr && a->storage() == b->storage();
  lua_pushboolean(L, shared && std::ranges::equal(a->sizes(), b->sizes()));
  return 1;
}

// sharesStorage(a, b)
int shares_storage(lua_State* L) {
  const Tensor *a = test_tensor(L, 1), *b = test_tensor(L, 2);
  lua_pushboolean(L, a != nullptr && b != nullptr && a->storage() != nullptr && a->storage() == b->storage());
  return 1;
}

// Calls f with each known tensor object that shares the memory of t.
template <class F> void each_sharer(Tensor& t, F&& f) {
  Link* link = &box_of(t).link;
  do {
    TensorBox& box = box_of(*link);
    if (box.tensor.storage() == t.storage()) f(box);
    link = link->next;
  } while (link != &box_of(t).link);
}

// setScaler(f): see call_with_tracked_number
int set_scaler(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  keep_reference(L, 1, upvalue_state(L).tape.scale);
  return 0;
}

// setAdopter(f): f(t) creates the node that a tensor awaits
int set_adopter(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  keep_reference(L, 1, upvalue_state(L).tape.adopt);
  return 0;
}

// sharers(t) -> whether a tensor that shares its memory is tracked; whether an unknown object shares it, for example a storage object
int sharers(lua_State* L) {
  Tensor& t = tensor_argument(L);
  bool found = false;
  uint64_t known = 0;
  each_sharer(t, [&](const TensorBox& box) {
    found = found || (box.tensor.tracked() && !box.awaits_node);
    ++known;
  });
  lua_pushboolean(L, found);
  lua_pushboolean(L, t.storage() != nullptr && static_cast<uint64_t>(t.storage()->references.load(std::memory_order_relaxed)) != known);
  return 2;
}

// wholeOf(t) -> all elements of its storage as a vector
int whole_of(lua_State* L) {
  Tensor& t = tensor_argument(L);
  State& state = upvalue_state(L);
  Tensor& whole = push_tensor(L, state, t.dtype(), t.device());
  guarded(L, state, [&] {
    const int64_t size = t.storage() != nullptr ? t.storage()->size : 0, stride = 1;
    call_set(state.hook, whole, t, 0, {&size, 1}, {&stride, 1});
  });
  join(whole, t);
  return 1;
}

// awaitNodes(t) marks t, and all untracked tensors that share its memory, as tracked. The Lua function `adopt` creates their nodes on first
// use.
int await_nodes(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor& t = tensor_argument(L);
  if (state.tape.adopt == LUA_NOREF) return luaL_error(L, "awaitNodes: there is no adopter");
  const auto mark = [](TensorBox& box) {
    if (box.tensor.tracked() || !is_inexact(box.tensor.dtype())) return;
    box.tensor.set_tracked(true);
    box.awaits_node = true;
  };
  each_sharer(t, mark);
  state.grad_mode.has_lazy_nodes = true;
  return 0;
}

// storageAddress(t) -> a number that identifies its storage
int storage_address(lua_State* L) {
  lua_pushnumber(L, static_cast<double>(reinterpret_cast<uintptr_t>(tensor_argument(L).storage())));
  return 1;
}

// isExclusive(t) -> whether no other tensor or storage object shares its memory, and it is dense
int exclusive(lua_State* L) {
  lua_pushboolean(L, is_exclusive(tensor_argument(L)));
  return 1;
}

// isShared(t) -> whether it has floats, and another tensor or storage object shares its memory
int shared(lua_State* L) {
  lua_pushboolean(L, is_shared(tensor_argument(L)));
  return 1;
}

// release(t) releases the memory of a tensor that nothing will read again, before the collector would
int release(lua_State* L) {
  upvalue_state(L).collector.release(tensor_argument(L));
  return 0;
}

// takeOver(held, value, isLast) -> whether `held` is an untracked tensor of the type of the tensor `value`; if so, sets `held` to an alias
// of `value`, which releases its old memory. isLast: nothing reads `value` later, so that it releases its reference.
int take_over(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor *shown_by = test_tensor(L, 1), *value = test_tensor(L, 2);
  const bool serves = value != nullptr && shown_by != nullptr && same_class(*value, *shown_by) && !shown_by->tracked();
  lua_pushboolean(L, serves);
  if (!serves || value == shown_by) return 1;
  Tensor& held = *shown_by;
  const bool last = lua_toboolean(L, 3) != 0;
  guarded(L, state, [&] { call_set(state.hook, held, *value); });
  join(held, *value);
  if (last) {
    leave_ring(*value);
    *value = Tensor(value->dtype(), value->device());
  }
  return 1;
}

int graph_freed(lua_State* L) {
  upvalue_state(L).collector.note_graph_freed(L);
  return 0;
}

}  // namespace

void open_tape(lua_State* L, State& state) {
  add_function(L, state, "gradMode", grad_mode);
  add_function(L, state, "tracked", tracked);
  add_function(L, state, "node", node);
  add_function(L, state, "nodeAndKind", node_and_kind);
  add_function(L, state, "setNode", set_node);
  add_function(L, state, "attachLeaves", attach_leaves);
  add_function(L, state, "restoreNodes", restore_nodes);
  add_function(L, state, "versionOf", version);
  add_function(L, state, "bumpVersion", bump_version);
  add_function(L, state, "leafAlias", leaf_alias);
  add_function(L, state, "detach", detach);
  add_function(L, state, "takeOver", take_over);
  add_function(L, state, "alike", alike);
  add_function(L, state, "sameSizes", same_sizes);
  add_function(L, state, "isTurned", turned);
  add_function(L, state, "sameKind", same_kind_of);
  add_function(L, state, "showsSame", shows_same);
  add_function(L, state, "sharesStorage", shares_storage);
  add_function(L, state, "isExclusive", exclusive);
  add_function(L, state, "isShared", shared);
  add_function(L, state, "setScaler", set_scaler);
  add_function(L, state, "setAdopter", set_adopter);
  add_function(L, state, "sharers", sharers);
  add_function(L, state, "wholeOf", whole_of);
  add_function(L, state, "awaitNodes", await_nodes);
  add_function(L, state, "storageAddress", storage_address);
  add_function(L, state, "release", release);
  add_function(L, state, "graphFreed", graph_freed);
  open_variants(L, state);
  open_recording(L, state);
  open_nodes(L, state);
  open_backward(L, state);
  open_gradient_lists(L, state);
  open_formula(L, state);
  open_nested(L, state);
  open_children(L, state);
}

}  // namespace mt::lua
