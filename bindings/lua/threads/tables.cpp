// Tables that threads share, as Lua objects: a hash outside Lua's heap, whose values are what lua/threads/shared_table.lua makes of others.
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/threads/objects.h"
#include "bindings/lua/values/boxes.h"
#include "bindings/lua/values/containers.h"

namespace mt::lua {
namespace {

class Table final : public Shared {
 public:
  Table() : Shared(Kind::table), hash(ContainerPtr::adopt(new Hash)) {}
  const ContainerPtr hash;
};

// newTable() -> a table
int new_table(lua_State* L) { return push_new<Table>(L, "threads"); }

// hashOf(table) -> its tds.Hash
int hash_of(lua_State* L) {
  auto* box = test_box<SharedBox>(L, 1, shared_magic);
  const bool right = box != nullptr && box->object != nullptr && box->object->kind == Shared::Kind::table;
  if (!right) return luaL_error(L, "ipc.sharedtable: self: %s, expected a table of ipc.sharedtable", class_name(L, 1));
  push_container(L, ContainerPtr::share(static_cast<Table*>(box->object.get())->hash.get()));
  return 1;
}

}  // namespace

void open_tables(lua_State* L, Context& context) {
  add_function(L, context, "newTable", new_table);
  add_function(L, context, "hashOf", hash_of);
}

}  // namespace mt::lua
