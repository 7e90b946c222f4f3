#include "bindings/lua/state/heap_limit.h"

namespace mt::lua {

int64_t heap_bytes(lua_State* L) { return (int64_t{lua_gc(L, LUA_GCCOUNT, 0)} << 10) + lua_gc(L, LUA_GCCOUNTB, 0); }

// Lua takes NULL as out of memory, and raises "not enough memory". A smaller block is never refused.
void* HeapLimit::allocate(void* self, void* block, size_t old_size, size_t new_size) {
  HeapLimit& own = *static_cast<HeapLimit*>(self);
  const int64_t before = block != nullptr ? static_cast<int64_t>(old_size) : 0, change = static_cast<int64_t>(new_size) - before;
  if (own.used_ < own.limit_) own.refused_ = false;
  if (change > 0 && own.used_ + change > own.limit_ + (own.refused_ ? own.limit_ / 8 : 0)) {
    own.refused_ = true;
    return nullptr;
  }
  void* const made = own.host_allocate_(own.context_, block, old_size, new_size);
  if (made != nullptr || new_size == 0) own.used_ += change;
  return made;
}

void HeapLimit::set(lua_State* L, int64_t bytes) {
  if (bytes == 0) {
    if (limit_ != 0) lua_setallocf(L, host_allocate_, context_);
    limit_ = 0;
    return;
  }
  if (limit_ == 0) {
    host_allocate_ = lua_getallocf(L, &context_);
    lua_setallocf(L, &HeapLimit::allocate, this);
  }
  limit_ = bytes;
  used_ = heap_bytes(L);
  refused_ = false;
}

}  // namespace mt::lua
