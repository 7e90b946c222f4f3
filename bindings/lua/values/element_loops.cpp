// One call that prepares the loops of apply, map and map2 (lua/torch/index/apply.lua): it returns addresses for FFI pointers to memory that
// stays valid and in place while a Lua function runs for each element.
#include "bindings/lua/values/element_loops.h"

#include "bindings/lua/state/c_stack.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/values/metatables.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

bool can_be_read(const Tensor* t) {
  if (t == nullptr || t->storage() == nullptr || t->device() != cpu_device || t->tracked()) return false;
  return kind_of(t->dtype()) != NumberKind::real || size_of(t->dtype()) >= 4;  // C has no type for other floats
}

void push_address(lua_State* L, const void* address) { lua_pushnumber(L, static_cast<lua_Number>(reinterpret_cast<uintptr_t>(address))); }

// A number that identifies the source position of the function at a stack index. Collisions are possible, but rare.
lua_Number place_of(lua_State* L, int index) {
  constexpr int lines = 512;  // 44 bits identify a text, whose address is a multiple of 8; a double has 53 bits
  lua_Debug source;
  lua_pushvalue(L, index);
  lua_getinfo(L, ">S", &source);
  const bool native = *source.what == 'C';
  const auto text = reinterpret_cast<uintptr_t>(native ? lua_topointer(L, index) : source.source);
  return static_cast<lua_Number>(text / 8 * lines + static_cast<uintptr_t>(native ? 0 : source.linedefined % lines));
}

// lendElements(strided, f, x, ...) -> dtype, counted from 1; a number for the source position of f; the last position, counted from 0; and
// for each tensor, a storage that lends its memory, and the addresses of its first element, its memory and its storage. Nothing if f is no
// function, or a tensor differs from x in dtype or size, is not contiguous, or is not readable from Lua. Strided: x may have any layout.
int lend_elements(lua_State* L) {
  constexpr int of_x = 3;
  check_lua_stack(L);  // f may call apply again
  State& state = upvalue_state(L);
  const bool strided = lua_toboolean(L, 1) != 0;
  const int top = lua_gettop(L);
  Tensor* x = test_tensor(L, of_x);
  if (lua_type(L, 2) != LUA_TFUNCTION || !can_be_read(x) || x->numel() == 0) return 0;
  const DType dtype = x->dtype();
  const int64_t n = x->numel();
  lua_pushinteger(L, static_cast<int>(dtype) + 1);
  lua_pushnumber(L, place_of(L, 2));
  lua_pushnumber(L, static_cast<lua_Number>(n - 1));
  for (int i = of_x; i <= top && !lua_isnil(L, i); ++i) {
    const Tensor* t = test_tensor(L, i);
    if (!can_be_read(t) || t->dtype() != dtype || t->numel() != n || !((strided && i == of_x) || t->is_contiguous())) return 0;
    Storage* const storage = t->storage();
    const std::byte *const first = t->bytes(), *const memory = storage->data;
    Storage* lent = nullptr;
    guarded(L, state, [&] {
      if (i == of_x) call_touch(state.hook, *x);  // before the loop: f may raise an error after it has changed elements
      lent = storage->lend();
    });
    push_storage(L, state, StoragePtr::adopt(lent));
    push_address(L, first);
    push_address(L, memory);
    push_address(L, storage);
  }
  return lua_gettop(L) - top;
}

}  // namespace

void open_element_loops(lua_State* L, State& state) { add_function(L, state, "lendElements", lend_elements); }

}  // namespace mt::lua
