// The operators of tensors: + - * / % ^ and unary minus. Each is the call of an op; these functions only choose which.
#include "bindings/lua/state.h"

namespace mt::lua {
namespace {

// A closure's upvalues: the functions it may call.
int call_upvalue(lua_State* L, int upvalue) {
  lua_pushvalue(L, lua_upvalueindex(upvalue));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

[[noreturn]] void refuse(lua_State* L, const char* noun) {
  luaL_error(L, "both %s and %s have no %s operator", luaL_typename(L, 1), luaL_typename(L, 2), noun);
  std::abort();
}

// add, with a number in front put behind
int plus(lua_State* L) {
  lua_settop(L, 2);
  if (test_tensor(L, 1) == nullptr) lua_insert(L, 1);
  return call_upvalue(L, 1);
}

// csub, rsub
int minus(lua_State* L) {
  lua_settop(L, 2);
  if (test_tensor(L, 1) != nullptr) return call_upvalue(L, 1);
  lua_insert(L, 1);
  return call_upvalue(L, 2);
}

// mul, dot, mv, mm: Torch7's * of two tensors is their product as vectors and matrices
int times(lua_State* L) {
  lua_settop(L, 2);
  const Tensor *a = test_tensor(L, 1), *b = test_tensor(L, 2);
  if (a == nullptr || b == nullptr) {
    if (a == nullptr) lua_insert(L, 1);
    return call_upvalue(L, 1);
  }
  if (a->dim() == 1 && b->dim() == 1) return call_upvalue(L, 2);
  if (a->dim() == 2 && b->dim() == 1) return call_upvalue(L, 3);
  if (a->dim() == 2 && b->dim() == 2) return call_upvalue(L, 4);
  return luaL_error(L, "multiplication between %dD and %dD tensors not yet supported", a->dim(), b->dim());
}

// div, cdiv, cinv
int over(lua_State* L) {
  lua_settop(L, 2);
  const bool first = test_tensor(L, 1) != nullptr, second = test_tensor(L, 2) != nullptr;
  if (first && !second) return call_upvalue(L, 1);
  if (first) return call_upvalue(L, 2);
  if (lua_type(L, 1) != LUA_TNUMBER) refuse(L, "division");
  lua_pushvalue(L, lua_upvalueindex(3));  // n / t = (1 / t) * n
  lua_insert(L, 2);
  lua_call(L, 1, 1);
  lua_insert(L, 1);
  return call_upvalue(L, 4);
}

// remainder; pow; neg
int with_tensor_first(lua_State* L) {
  lua_settop(L, 2);
  if (test_tensor(L, 1) == nullptr) refuse(L, "modulo");
  return call_upvalue(L, 1);
}
int power(lua_State* L) {
  lua_settop(L, 2);
  return call_upvalue(L, 1);
}
int negative(lua_State* L) {
  lua_settop(L, 1);
  return call_upvalue(L, 1);
}

}  // namespace

void open_operators(lua_State* L, State&) {
  // The stack: the library's table, which has `functions` and gets `operators`.
  struct Operator {
    const char* name;
    lua_CFunction f;
    const char* uses[4];
  };
  static constexpr Operator operators[] = {
      {"__add", plus, {"add"}},
      {"__sub", minus, {"csub", "rsub"}},
      {"__mul", times, {"mul", "dot", "mv", "mm"}},
      {"__div", over, {"div", "cdiv", "cinv", "mul"}},
      {"__mod", with_tensor_first, {"remainder"}},
      {"__pow", power, {"pow"}},
      {"__unm", negative, {"neg"}},
  };
  lua_getfield(L, -1, "functions");
  lua_newtable(L);
  for (const Operator& o : operators) {
    int count = 0;
    for (; count < 4 && o.uses[count] != nullptr; ++count) lua_getfield(L, -2 - count, o.uses[count]);
    lua_pushcclosure(L, o.f, count);
    lua_setfield(L, -2, o.name);
  }
  lua_setfield(L, -3, "operators");
  lua_pop(L, 1);
}

}  // namespace mt::lua
