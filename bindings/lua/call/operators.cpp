// The operators of tensors: + - * / % ^ and unary minus. These functions select the op to call.
#include "bindings/lua/call/bound_op.h"
#include "bindings/lua/call/tracked_number.h"
#include "bindings/lua/state/open.h"
#include "bindings/lua/values/boxes.h"

namespace mt::lua {
namespace {

// The first two upvalues of a closure are those of its usual op (see call_op); the others are functions of ops.
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

// add; a number as the first operand becomes the second one. As everywhere in Lua, numeric strings are numbers.
int plus(lua_State* L) {
  if (lua_isnumber(L, 1) != 0) lua_insert(L, 1);
  return call_op(L);
}

// csub, rsub
int minus(lua_State* L) {
  if (lua_isnumber(L, 1) == 0) return call_op(L);
  lua_insert(L, 1);
  return call_upvalue(L, 3);
}

// mul, dot, mv, mm: in Torch7, tensor * tensor is the product of vectors or matrices
int times(lua_State* L) {
  lua_settop(L, 2);  // a call by name may have no arguments
  const Tensor *a = test_tensor(L, 1), *b = test_tensor(L, 2);
  if (a == nullptr || b == nullptr) {
    if (a == nullptr) lua_insert(L, 1);
    return call_op(L);
  }
  // A tracked number is a factor unless both operands have a product as vectors or matrices.
  const auto fits = [&] { return b->dim() == 1 && a->dim() >= 1 && a->dim() <= 2 && a->size(a->dim() - 1) == b->size(0); };
  if ((is_tracked_number(a) || is_tracked_number(b)) && !fits()) {
    const auto& bound = *static_cast<const BoundOp*>(lua_touserdata(L, lua_upvalueindex(1)));
    if (call_with_tracked_number(L, bound, 2)) return 1;
  }
  if (a->dim() == 1 && b->dim() == 1) return call_upvalue(L, 3);
  if (a->dim() == 2 && b->dim() == 1) return call_upvalue(L, 4);
  if (a->dim() == 2 && b->dim() == 2) return call_upvalue(L, 5);
  return luaL_error(L, "multiplication between %dD and %dD tensors not yet supported", a->dim(), b->dim());
}

// div, cdiv, cinv
int over(lua_State* L) {
  lua_settop(L, 2);
  const bool first = test_tensor(L, 1) != nullptr, second = test_tensor(L, 2) != nullptr;
  if (first && !second) return call_op(L);
  if (first) return call_upvalue(L, 3);
  if (lua_isnumber(L, 1) == 0) refuse(L, "division");
  lua_pushvalue(L, lua_upvalueindex(4));  // n / t = (1 / t) * n
  lua_insert(L, 2);
  lua_call(L, 1, 1);
  lua_insert(L, 1);
  return call_upvalue(L, 5);
}

// remainder; pow; neg
int modulo(lua_State* L) {
  if (test_tensor(L, 1) == nullptr) refuse(L, "modulo");
  return call_op(L);
}
int negative(lua_State* L) {
  lua_settop(L, 1);  // Lua passes the operand twice
  return call_op(L);
}

}  // namespace

void open_operators(lua_State* L, State& state) {
  // The library's table is on top of the stack. It has `functions`, and gets `operators`.
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
      {"__mod", modulo, {"remainder"}},
      {"__pow", call_op, {"pow"}},
      {"__unm", negative, {"neg"}},
  };
  lua_getfield(L, -1, "functions");
  lua_newtable(L);
  for (const Operator& o : operators) {
    push_op_upvalues(L, state, *Registry::instance().find(o.uses[0]), false, LUA_NOREF);
    int count = 2;
    for (int i = 1; i < 4 && o.uses[i] != nullptr; ++i, ++count) lua_getfield(L, -2 - count, o.uses[i]);
    lua_pushcclosure(L, o.f, count);
    lua_setfield(L, -2, o.name);
  }
  lua_setfield(L, -3, "operators");
  lua_pop(L, 1);
}

}  // namespace mt::lua
