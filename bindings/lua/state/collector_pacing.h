// Runs Lua's collector because of memory that it doesn't see: the elements of tensors.
#pragma once

#include <cstdint>

#include "bindings/lua/state/host_lua.h"
#include "engine/core/tensor.h"

namespace mt::lua {

class MemoryAccount;  // bindings/lua/state/memory_account.h

class CollectorPacing {
 public:
  explicit CollectorPacing(MemoryAccount& account) : account_(account) {}

  // Whether the memory of tensors triggers collections.
  void set_tracking(bool on) { debt_ = on ? 0 : INT64_MIN / 2; }
  // Call this for a storage that is new or has grown. Collects if the new bytes exceed half of the bytes in the state's storages, or all of
  // them if the last collection freed little, and a limit between 5 and 64 MB that grows with Lua's heap.
  void note_allocation(lua_State* L, Storage& storage);
  void note_allocation(lua_State* L, const Tensor& fresh);
  // The same for bytes of storages that had none before, such as those of pending results.
  void note_bytes(lua_State* L, int64_t bytes);
  // Collects if a program saves more time by not computing `bytes` that may be garbage than the collection takes.
  void collect_for(lua_State* L, int64_t bytes);
  // The bytes of a storage, whose allocation was noted, are freed without the collector.
  void note_freed(const Storage& storage) { debt_ -= static_cast<int64_t>(storage.capacity); }
  // Frees the memory of a tensor that will not be read again, before the collector would.
  void release(Tensor& t);
  // Call this when a graph was freed. Collects if the garbage since the last such collection is worth it.
  void note_graph_freed(lua_State* L);
  // When memory is short: collects all garbage. Returns false if a collection is not possible now.
  bool collect_everything(lua_State* L) noexcept;

 private:
  static int collect_most(lua_State* L);
  bool may_collect(lua_State* L) const;
  int run_collection(lua_State* L, lua_CFunction collection);
  void collect(lua_State* L);

  MemoryAccount& account_;
  int64_t debt_ = 0;                   // bytes allocated since the last collection
  int64_t live_after_collection_ = 0;  // bytes of the state's storages after it
  int64_t since_graph_ = 0;            // bytes allocated since the last check of the garbage of a freed graph
  int64_t live_without_graph_ = 0;     // like live_after_collection_, after the last collection for a freed graph
  bool live_grows_ = false;            // whether the last collection freed less than a quarter of the new bytes
  bool collecting_ = false;            // whether this class runs a collection, with finalisers that may allocate
};

}  // namespace mt::lua
