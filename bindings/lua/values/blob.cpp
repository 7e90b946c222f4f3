// Storages over memory that Lua keeps alive. Any thread may release the last reference to such a storage; Lua polls for the numbers of
// freed ones.
#include "bindings/lua/values/blob.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "bindings/lua/state/guarded.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/type_names.h"

namespace mt::lua {
namespace {

// The numbers of freed storages. Storages may outlive the state, so they share ownership of this object.
struct Released {
  std::mutex lock;
  std::vector<int> numbers;
};
using ReleasedPtr = std::shared_ptr<Released>;

struct Blob {
  ReleasedPtr released;
  int number;

  static void release(void* self) {
    const std::unique_ptr<Blob> own(static_cast<Blob*>(self));
    const std::lock_guard lock(own->released->lock);
    own->released->numbers.push_back(own->number);
  }
};

ReleasedPtr& released_of(lua_State* L) { return *static_cast<ReleasedPtr*>(lua_touserdata(L, lua_upvalueindex(2))); }

int released_gc(lua_State* L) {
  static_cast<ReleasedPtr*>(lua_touserdata(L, 1))->reset();
  return 0;
}

// borrowMemory(dtype, n, address, number) -> storage; dtype counts from 0. releasedMemory returns the number after it is freed.
int borrow_memory(lua_State* L) {
  State& state = upvalue_state(L);
  const DType dtype = dtype_argument(L, 1);
  const lua_Number n = luaL_checknumber(L, 2), address = luaL_checknumber(L, 3);
  const auto number = static_cast<int>(luaL_checkinteger(L, 4));
  luaL_argcheck(L, n >= 0 && n < 0x1p62, 2, "expected a number of elements");
  luaL_argcheck(L, address >= 0 && address < 0x1p63, 3, "expected an address");
  luaL_argcheck(L, released_of(L) != nullptr, 4, "the state is closing");
  Storage* made = nullptr;
  guarded(L, state, [&] {
    auto blob = std::make_unique<Blob>(Blob{released_of(L), number});
    auto* const data = reinterpret_cast<void*>(static_cast<uintptr_t>(address));
    made = Storage::borrow(dtype, data, static_cast<int64_t>(n), &Blob::release, blob.get());
    blob.release();
  });
  push_storage(L, state, StoragePtr::adopt(made));
  return 1;
}

// releasedMemory() -> the number of a freed storage, each once; nil if there is none
int released_memory(lua_State* L) {
  Released* const released = released_of(L).get();
  if (released == nullptr) return 0;
  int number = 0;
  {
    const std::lock_guard lock(released->lock);
    if (released->numbers.empty()) return 0;
    number = released->numbers.back();
    released->numbers.pop_back();
  }
  lua_pushinteger(L, number);
  return 1;
}

}  // namespace

void open_blobs(lua_State* L, State& state) {
  auto* const released = new (lua_newuserdata(L, sizeof(ReleasedPtr))) ReleasedPtr;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, released_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  guarded(L, state, [&] { *released = std::make_shared<Released>(); });
  const std::pair<const char*, lua_CFunction> functions[] = {{"borrowMemory", borrow_memory}, {"releasedMemory", released_memory}};
  for (const auto& [name, function] : functions) {
    lua_pushlightuserdata(L, &state);
    lua_pushvalue(L, -2);
    lua_pushcclosure(L, function, 2);
    lua_setfield(L, -3, name);
  }
  lua_pop(L, 1);
}

}  // namespace mt::lua
