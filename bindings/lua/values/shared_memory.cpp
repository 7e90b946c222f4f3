#include "bindings/lua/values/shared_memory.h"

#include <vector>

#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/type_names.h"
#include "engine/core/shared_memory.h"

namespace mt::lua {
namespace {

// shareStorages({storage, ...}) moves their elements to a new block of shared memory
int share_storages(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  const auto count = static_cast<int>(lua_objlen(L, 1));
  guarded(L, state, [&] {
    std::vector<Storage*> storages;
    for (int i = 1; i <= count; ++i) {
      lua_rawgeti(L, 1, i);
      const StoragePtr* storage = test_storage(L, -1);
      if (storage == nullptr) fail("share", "storages", luaL_typename(L, -1), ", expected a storage");
      storages.push_back(storage->get());
      lua_pop(L, 1);
    }
    share(storages);
  });
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, 1, i);
    state.collector.note_allocation(L, *test_storage(L, -1)->get());
    lua_pop(L, 1);
  }
  return 0;
}

// isSharedStorage(storage) -> whether its elements are in shared memory
int is_shared_storage(lua_State* L) {
  const StoragePtr* storage = test_storage(L, 1);
  luaL_argcheck(L, storage != nullptr, 1, "expected a storage");
  lua_pushboolean(L, is_shared(*storage->get()));
  return 1;
}

// sharedPlace(storage) -> the descriptor of the shared memory with its elements, and the offset of the first one in bytes; nil if it is not
// in shared memory. The memory owns the descriptor, which is valid for the lifetime of the storage.
int shared_place(lua_State* L) {
  const StoragePtr* storage = test_storage(L, 1);
  luaL_argcheck(L, storage != nullptr, 1, "expected a storage");
  const std::byte* const data = (*storage)->data;
  int descriptor = -1;
  lua_Number first = 0;
  if ((*storage)->device == cpu_device) {
    if (const auto memory = SharedMemory::at(data)) {
      descriptor = memory->descriptor();
      first = static_cast<lua_Number>(data - memory->data());
    }
  }
  if (descriptor < 0) return 0;
  lua_pushinteger(L, descriptor);
  lua_pushnumber(L, first);
  return 2;
}

// openShared(descriptor, first byte, dtype, n) -> storage over elements in the shared memory of another process. The caller keeps owning
// the descriptor.
int open_shared(lua_State* L) {
  State& state = upvalue_state(L);
  const auto descriptor = static_cast<int>(luaL_checkinteger(L, 1));
  const lua_Number first = luaL_checknumber(L, 2), n = luaL_checknumber(L, 4);
  const DType dtype = dtype_argument(L, 3);
  luaL_argcheck(L, first >= 0 && first < 0x1p53, 2, "expected a position");
  luaL_argcheck(L, n >= 0 && n < 0x1p53, 4, "expected a number of elements");
  Storage* made = nullptr;
  guarded(L, state, [&] { made = storage_in(SharedMemory::open(descriptor), static_cast<size_t>(first), dtype, static_cast<int64_t>(n)); });
  push_storage(L, state, StoragePtr::adopt(made));
  state.collector.note_allocation(L, *made);
  return 1;
}

}  // namespace

void open_shared_memory(lua_State* L, State& state) {
  add_function(L, state, "shareStorages", share_storages);
  add_function(L, state, "isSharedStorage", is_shared_storage);
  add_function(L, state, "sharedPlace", shared_place);
  add_function(L, state, "openShared", open_shared);
}

}  // namespace mt::lua
