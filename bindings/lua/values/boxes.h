// Tensors and storages as userdata of Lua.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bindings/lua/state/host_lua.h"
#include "engine/core/tensor.h"

namespace mt::lua {

// The first word of the library's userdata distinguishes it from that of other libraries.
inline constexpr uint64_t tensor_magic = 0x6d74'5465'6e73'6f72, storage_magic = 0x6d74'5374'6f72'6167;

// A tensor and its views are linked in a ring, so that tensors that share a storage can be found.
struct Link {
  Link *next = this, *previous = this;
};

struct TensorBox {
  uint64_t magic = tensor_magic;
  Tensor tensor;
  bool awaits_node = false;  // tracked, but its node is created on first use: see lua/autograd/follow.lua
  Link link;
};
inline TensorBox& box_of(Link& link) {
  return *reinterpret_cast<TensorBox*>(reinterpret_cast<std::byte*>(&link) - offsetof(TensorBox, link));
}
inline TensorBox& box_of(Tensor& t) {
  return *reinterpret_cast<TensorBox*>(reinterpret_cast<std::byte*>(&t) - offsetof(TensorBox, tensor));
}

struct StorageBox {
  uint64_t magic = storage_magic;
  StoragePtr storage;
};

template <class Box> Box* test_box(lua_State* L, int index, uint64_t magic) {
  if (lua_type(L, index) != LUA_TUSERDATA || lua_objlen(L, index) < sizeof(Box)) return nullptr;
  auto* box = static_cast<Box*>(lua_touserdata(L, index));
  return box->magic == magic ? box : nullptr;
}
inline Tensor* test_tensor(lua_State* L, int index) {
  TensorBox* box = test_box<TensorBox>(L, index, tensor_magic);
  return box != nullptr ? &box->tensor : nullptr;
}
inline StoragePtr* test_storage(lua_State* L, int index) {
  StorageBox* box = test_box<StorageBox>(L, index, storage_magic);
  return box != nullptr ? &box->storage : nullptr;
}

inline void leave_ring(Tensor& t) {
  Link& link = box_of(t).link;
  if (link.next == &link) return;
  link.next->previous = link.previous;
  link.previous->next = link.next;
  link.next = link.previous = &link;
}
// Adds a view to the ring of its source. The view must have its class, so that it will be finalised.
inline void join(Tensor& view, Tensor& source) {
  if (&view == &source) return;
  leave_ring(view);
  Link &link = box_of(view).link, &before = box_of(source).link;
  link.next = before.next;
  link.previous = &before;
  link.next->previous = before.next = &link;
}

// Whether no other tensor or storage object shares its memory, and it is dense, so that it can be modified in place.
bool is_exclusive(const Tensor& t);
// A number that changes when the tensor's elements are written, or it is rebound to others. For comparison only; exact in a double.
double version_of(const Tensor& t);

}  // namespace mt::lua
