#include "bindings/lua/state/collector_pacing.h"

#include <algorithm>

#include "bindings/lua/state/memory_account.h"

namespace mt::lua {
namespace {

// The bytes of garbage that are worth a collection. A collection takes about 0.1 ms per megabyte of Lua's heap, and garbage that fits into
// the cache is cheaper to reuse: with a small heap, x + y of 1e5 floats takes 21 us at 1 MB, 17 from 4 to 8 MB, and 17 to 45 at 10 MB,
// depending on how much of the cache's 32 MB other guests of the machine use.
constexpr int64_t mega = int64_t{1} << 20, least_debt = 5 * mega, most_debt = 64 * mega;
int64_t worth_collecting(lua_State* L) {
  const int64_t heap = int64_t{lua_gc(L, LUA_GCCOUNT, 0)} << 10;
  return std::min(most_debt, least_debt + 4 * heap);
}

int collect_cycle(lua_State* L) {
  lua_gc(L, LUA_GCSTEP, 0);
  return 0;
}

// Twice, because objects that a finaliser released are garbage of the next cycle.
int collect_twice(lua_State* L) {
  lua_gc(L, LUA_GCCOLLECT, 0);
  lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

}  // namespace

// One step without a limit runs a complete cycle, while a full collection first sweeps all live objects once more: 49 us instead of 99 us,
// with only the library in the heap. A step that resumes a cycle misses objects that died after the cycle had marked them; then a full
// collection follows, unless the program seems to be in a forward pass, whose results live until the backward pass: then the next
// collection frees what this one missed.
int CollectorPacing::collect_most(lua_State* L) {
  CollectorPacing& own = *static_cast<CollectorPacing*>(lua_touserdata(L, 1));
  const int64_t before = own.account_.live_bytes();
  const auto frees_little = [&] { return before - own.account_.live_bytes() < own.debt_ / 4; };
  lua_gc(L, LUA_GCSTEP, 0);
  if (frees_little() && !own.live_grows_) lua_gc(L, LUA_GCCOLLECT, 0);
  own.live_grows_ = frees_little();
  return 0;
}

// Allocations in finalisers must not start another collection: finalisers would be nested, and all their objects would live at once. While
// Lua's collector runs a finaliser, it is stopped; a collection there would start it again, and compiled loops that run a collection in a
// finaliser never end (LuaJIT alternately leaves and enters their code).
bool CollectorPacing::may_collect(lua_State* L) const { return !collecting_ && lua_gc(L, LUA_GCISRUNNING, 0) != 0; }

// The error of a finaliser is on the stack if the status is not 0.
int CollectorPacing::run_collection(lua_State* L, lua_CFunction collection) {
  collecting_ = true;
  lua_pushcfunction(L, collection);
  lua_pushlightuserdata(L, this);
  const int multiplier = lua_gc(L, LUA_GCSETSTEPMUL, 0);  // no limit
  const int status = lua_pcall(L, 1, 0, 0);
  lua_gc(L, LUA_GCSETSTEPMUL, multiplier);
  collecting_ = false;
  debt_ = 0;
  live_after_collection_ = account_.live_bytes();
  return status;
}

void CollectorPacing::collect(lua_State* L) {
  if (!may_collect(L)) return;
  if (run_collection(L, collect_most) != 0) lua_error(L);  // of a finaliser
}

bool CollectorPacing::collect_everything(lua_State* L) noexcept {
  if (!may_collect(L) || lua_checkstack(L, LUA_MINSTACK) == 0) return false;
  if (run_collection(L, collect_twice) != 0) lua_pop(L, 1);  // the caller asked for memory, so the error is ignored
  return true;
}

void CollectorPacing::note_allocation(lua_State* L, Storage& storage) {
  account_.claim(storage);
  note_bytes(L, static_cast<int64_t>(storage.capacity));
}

void CollectorPacing::note_bytes(lua_State* L, int64_t bytes) {
  debt_ += bytes;
  since_graph_ += bytes;
  if (debt_ < least_debt || debt_ < (live_grows_ ? live_after_collection_ : live_after_collection_ / 2) || debt_ < worth_collecting(L))
    return;
  collect(L);
}

void CollectorPacing::note_allocation(lua_State* L, const Tensor& fresh) {
  // A view holds no memory itself.
  Storage* storage = fresh.storage();
  if (storage != nullptr && storage->is_unique()) note_allocation(L, *storage);
}

// A collection takes about 0.1 ms per megabyte of Lua's heap; computing and storing a megabyte takes as long, or longer.
void CollectorPacing::collect_for(lua_State* L, int64_t bytes) {
  if (bytes < mega + (int64_t{lua_gc(L, LUA_GCCOUNT, 0)} << 10)) return;
  if (may_collect(L) && run_collection(L, collect_cycle) != 0) lua_error(L);
}

void CollectorPacing::release(Tensor& t) {
  const Storage* storage = t.storage();
  if (storage == nullptr) return;
  if (storage->is_unique()) note_freed(*storage);
  t = Tensor(t.dtype(), t.device());
}

void CollectorPacing::note_graph_freed(lua_State* L) {
  if (since_graph_ < least_debt || since_graph_ < worth_collecting(L)) return;
  since_graph_ = 0;
  const int64_t garbage = account_.live_bytes() - live_without_graph_;
  if (garbage < live_without_graph_ / 4) return;
  collect(L);
  live_without_graph_ = live_after_collection_;
}

}  // namespace mt::lua
