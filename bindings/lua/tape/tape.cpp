// What the Lua tape needs of the binding: its hooks, the grad mode, and the node that a tensor carries in its environment table.
#include <algorithm>

#include "bindings/lua/nn/split_concatenate.h"
#include "bindings/lua/tape/recording.h"
#include "engine/core/image_layout.h"

namespace mt::lua {
namespace {

Tensor& tensor_argument(lua_State* L) {
  Tensor* t = test_tensor(L, 1);
  if (t == nullptr) luaL_argerror(L, 1, "a tensor was expected");
  return *t;
}

// gradMode([on]) -> what it was
int grad_mode(lua_State* L) {
  State& state = upvalue_state(L);
  const bool was = state.grad_mode;
  if (!lua_isnone(L, 1)) state.grad_mode = lua_toboolean(L, 1) != 0;
  lua_pushboolean(L, was);
  return 1;
}

int tracked(lua_State* L) {
  const Tensor* t = test_tensor(L, 1);
  lua_pushboolean(L, t != nullptr && t->tracked());
  return 1;
}

int node(lua_State* L) {
  Tensor* t = test_tensor(L, 1);
  if (t == nullptr || !t->tracked()) return 0;
  if (box_of(*t).awaits_node) {
    adopt(L, upvalue_state(L), 1);
    if (!t->tracked()) return 0;
  }
  lua_getfenv(L, 1);
  return 1;
}

// setNode(t, table or nil)
int set_node(lua_State* L) {
  Tensor& t = tensor_argument(L);
  box_of(t).awaits_node = false;
  if (lua_isnoneornil(L, 2)) {
    t.set_tracked(false);
    lua_pushvalue(L, LUA_GLOBALSINDEX);  // lets go of the node
  } else {
    luaL_argcheck(L, is_node(L, 2), 2, "a node or nil was expected");
    t.set_tracked(true);
    lua_pushvalue(L, 2);
  }
  lua_setfenv(L, 1);
  return 0;
}

// versionOf(x) -> of a tensor's storage; nothing for anything else
int version(lua_State* L) {
  const Tensor* t = test_tensor(L, 1);
  if (t == nullptr) return 0;
  lua_pushnumber(L, version_of(*t));
  return 1;
}

int bump_version(lua_State* L) {
  tensor_argument(L).touch();
  return 0;
}

int detach(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor& t = tensor_argument(L);
  Tensor& alias = push_tensor(L, state, t.dtype(), t.device());
  guarded(L, state, [&] { alias = t; });  // a copy is not tracked
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

// isTurned(a, b): whether they have the same sizes in another order, those of 1 apart
int turned(lua_State* L) {
  const Tensor *a = test_tensor(L, 1), *b = test_tensor(L, 2);
  lua_pushboolean(L, a != nullptr && b != nullptr && is_turned(*a, *b));
  return 1;
}

// sharesStorage(a, b)
int shares_storage(lua_State* L) {
  const Tensor *a = test_tensor(L, 1), *b = test_tensor(L, 2);
  lua_pushboolean(L, a != nullptr && b != nullptr && a->storage() != nullptr && a->storage() == b->storage());
  return 1;
}

// Calls f with every tensor object that shares the memory of t, as far as they are known.
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
  keep_reference(L, 1, upvalue_state(L).scale);
  return 0;
}

// setAdopter(f): f(t) gives a tensor the node that it awaits
int set_adopter(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  keep_reference(L, 1, upvalue_state(L).adopt);
  return 0;
}

// sharers(t): whether a tensor that shares its memory is tracked, and whether something unknown shares it: a storage object, for example
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

// wholeOf(t): its storage's elements as a vector
int whole_of(lua_State* L) {
  Tensor& t = tensor_argument(L);
  Tensor& whole = push_tensor(L, upvalue_state(L), t.dtype(), t.device());
  guarded(L, upvalue_state(L), [&] {
    const int64_t size = t.storage() != nullptr ? t.storage()->size : 0, stride = 1;
    whole.set_storage(t.storage_ptr(), 0, {&size, 1}, {&stride, 1});
  });
  join(whole, t);
  return 1;
}

// awaitNodes(t): t, and all untracked tensors that share its memory, are tracked from here on. They get their nodes from the adopter, when
// these are first asked for.
int await_nodes(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor& t = tensor_argument(L);
  if (state.adopt == LUA_NOREF) return luaL_error(L, "awaitNodes: there is no adopter");
  const auto mark = [](TensorBox& box) {
    if (box.tensor.tracked() || !is_float(box.tensor.dtype())) return;
    box.tensor.set_tracked(true);
    box.awaits_node = true;
  };
  each_sharer(t, mark);
  state.awaiting = true;
  return 0;
}

// storageAddress(t): tells storages apart
int storage_address(lua_State* L) {
  lua_pushnumber(L, static_cast<double>(reinterpret_cast<uintptr_t>(tensor_argument(L).storage())));
  return 1;
}

// isExclusive(t): no other tensor or storage object sees its memory, and it is dense
int exclusive(lua_State* L) {
  lua_pushboolean(L, is_exclusive(tensor_argument(L)));
  return 1;
}

// isShared(t): floats whose memory another tensor or storage object sees
int shared(lua_State* L) {
  lua_pushboolean(L, is_shared(tensor_argument(L)));
  return 1;
}

// release(t): lets go of the memory of a tensor that nothing will read again, rather than leave it to the collector
int release(lua_State* L) {
  let_go(upvalue_state(L), tensor_argument(L));
  return 0;
}

// takeOver(held, value, isLast): held shows what value shows, and lets go of what it showed; isLast: so does value, which nothing will
// read.
int take_over(lua_State* L) {
  State& state = upvalue_state(L);
  Tensor &held = tensor_argument(L), *value = test_tensor(L, 2);
  luaL_argcheck(L, value != nullptr && same_class(*value, held), 2, "a tensor of the same type was expected");
  if (value == &held) return 0;
  const bool last = lua_toboolean(L, 3) != 0;
  guarded(L, state, [&] {
    const Tensor shown = *value;  // a copy is not tracked
    held.set_storage(shown.storage_ptr(), shown.offset(), shown.sizes(), shown.strides());
  });
  join(held, *value);
  if (last) {
    leave_ring(*value);
    *value = Tensor(value->dtype(), value->device());
  }
  return 0;
}

int graph_freed(lua_State* L) {
  note_graph_freed(L, upvalue_state(L));
  return 0;
}

}  // namespace

bool is_exclusive(const Tensor& t) { return t.storage() != nullptr && t.storage()->is_unique() && lies_without_gaps(t); }

void let_go(State& state, Tensor& t) {
  const Storage* storage = t.storage();
  if (storage == nullptr) return;
  if (storage->is_unique()) state.debt -= static_cast<int64_t>(storage->capacity);
  t = Tensor(t.dtype(), t.device());
}

double version_of(const Tensor& t) {
  if (t.storage() == nullptr) return 0;
  uint64_t version = t.storage()->version.load(std::memory_order_relaxed);
  if (const int last = t.dim() - 1; last >= 0) {  // what a view has in common with another of the same storage is rarely all of this
    version += static_cast<uint64_t>(t.offset()) * 0x9e3779b97f4a7c15 + static_cast<uint64_t>(t.size(0)) * 0xc2b2ae3d27d4eb4f +
               static_cast<uint64_t>(t.size(last)) * 0x165667b19e3779f9 + static_cast<uint64_t>(t.stride(last)) * 0x27d4eb2f165667c5 +
               (static_cast<uint64_t>(last) << 40);
  }
  return static_cast<double>(version & ((uint64_t{1} << 52) - 1));
}

void open_tape(lua_State* L, State& state) {
  add_function(L, state, "gradMode", grad_mode);
  add_function(L, state, "tracked", tracked);
  add_function(L, state, "node", node);
  add_function(L, state, "setNode", set_node);
  add_function(L, state, "versionOf", version);
  add_function(L, state, "bumpVersion", bump_version);
  add_function(L, state, "detach", detach);
  add_function(L, state, "takeOver", take_over);
  add_function(L, state, "alike", alike);
  add_function(L, state, "sameSizes", same_sizes);
  add_function(L, state, "isTurned", turned);
  add_function(L, state, "sameKind", same_kind_of);
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
  open_walk(L, state);
  open_formula(L, state);
  open_nested(L, state);
  open_children(L, state);
}

}  // namespace mt::lua
