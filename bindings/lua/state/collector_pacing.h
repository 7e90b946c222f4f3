// When Lua's collector runs because of memory that it does not see: the elements of tensors.
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
  // A storage is new, or has grown. Collects when the new bytes exceed half of what the state's storages hold, and a limit between 5 and
  // 64 MB that grows with Lua's heap.
  void note_allocation(lua_State* L, Storage& storage);
  void note_allocation(lua_State* L, const Tensor& fresh);
  // The bytes of a storage, whose allocation was noted, are freed without the collector.
  void note_freed(const Storage& storage) { debt_ -= static_cast<int64_t>(storage.capacity); }
  // Frees the memory of a tensor that nobody reads any more, rather than leave it to the collector.
  void release(Tensor& t);
  // A graph was freed. Collects if the garbage since the last such time is worth it.
  void note_graph_freed(lua_State* L);
  // Memory is short: collects all that can be collected. False where a collection is not possible now.
  bool collect_everything(lua_State* L) noexcept;

 private:
  static int collect_most(lua_State* L);
  bool may_collect(lua_State* L) const;
  int run_collection(lua_State* L, lua_CFunction collection);
  void collect(lua_State* L);

  MemoryAccount& account_;
  int64_t debt_ = 0;                   // bytes allocated since the last collection
  int64_t live_after_collection_ = 0;  // bytes of the state's storages then
  int64_t since_graph_ = 0;            // bytes allocated since the last look at the garbage of a freed graph
  int64_t live_without_graph_ = 0;     // as live_after_collection_, of the last collection after a graph was freed
  bool collecting_ = false;            // a collection of this class runs, and finalisers that may allocate
};

}  // namespace mt::lua
