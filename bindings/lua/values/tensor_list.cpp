#include "bindings/lua/values/tensor_list.h"

#include <algorithm>
#include <vector>

#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/open.h"

namespace mt::lua {

TensorList& check_tensor_list(lua_State* L, int index) {
  TensorList* list = test_tensor_list(L, index);
  if (list == nullptr) luaL_argerror(L, index, "expected a result of tensorList or gradientList");
  return *list;
}

size_t capacity_of(lua_State* L, int index) { return (lua_objlen(L, index) - sizeof(TensorList)) / sizeof(Tensor*); }

TensorList& push_tensor_list(lua_State* L, size_t count) {
  auto* list = static_cast<TensorList*>(lua_newuserdata(L, sizeof(TensorList) + count * sizeof(Tensor*)));
  *list = {tensor_list_magic, 0, false, 0};
  std::fill_n(list->tensors(), count, nullptr);
  lua_createtable(L, static_cast<int>(count), 0);
  lua_setfenv(L, -2);
  return *list;
}

namespace {

// tensorList(table) -> a list of its tensors
int tensor_list(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  const auto count = static_cast<uint32_t>(std::min<size_t>(lua_objlen(L, 1), 1u << 30));
  TensorList& list = push_tensor_list(L, count);
  lua_getfenv(L, 2);
  for (uint32_t i = 0; i < count; ++i) {
    lua_rawgeti(L, 1, static_cast<int>(i) + 1);
    Tensor* t = test_tensor(L, -1);
    if (t == nullptr) luaL_argerror(L, 1, "expected a list of tensors");
    lua_rawseti(L, 3, static_cast<int>(i) + 1);
    list.tensors()[i] = t;
    list.count = i + 1;
  }
  guarded(L, upvalue_state(L), [&] {
    std::vector<Tensor*> sorted(list.tensors(), list.tensors() + count);
    std::ranges::sort(sorted);
    list.distinct = std::ranges::adjacent_find(sorted) == sorted.end();
  });
  lua_settop(L, 2);
  return 1;
}

}  // namespace

void open_tensor_lists(lua_State* L, State& state) { add_function(L, state, "tensorList", tensor_list); }

}  // namespace mt::lua
