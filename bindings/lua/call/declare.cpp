// Declarations of composed ops in Lua.
#include <span>

#include "bindings/lua/call/bound_op.h"
#include "bindings/lua/call/op_info.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/open.h"
#include "engine/core/decl_names.h"

namespace mt::lua {

const Op* find_op(const State& state, std::string_view name) {
  if (const Op* op = Registry::instance().find(name)) return op;
  for (const ComposedOp& composed : state.ops.composed) {
    if (composed.name == name) return &composed.op;
  }
  return nullptr;
}

namespace {

// The text in a field of the table at index 1; empty if there is none.
std::string text_field(lua_State* L, const char* field) {
  lua_getfield(L, 1, field);
  size_t length = 0;
  const char* text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : nullptr;
  std::string copy(text != nullptr ? text : "", length);
  lua_pop(L, 1);
  return copy;
}

template <class E>
E choice(const std::string& op, const char* field, const std::string& text, std::span<const std::string_view> names, E otherwise) {
  if (text.empty()) return otherwise;
  int i = 0;
  for (const std::string_view name : names) {
    if (name == text) return static_cast<E>(i);
    ++i;
  }
  fail("declare", field, text, " for ", op);
}

// declare(table, functions, methods): the fields of the table are those of Decl, and `forward`
int declare(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TTABLE);
  guarded(L, state, [&] {
    ComposedOp composed;
    composed.name = text_field(L, "name");
    composed.signature = text_field(L, "signature");
    composed.forms = text_field(L, "forms");
    composed.doc = text_field(L, "doc");
    composed.samples = text_field(L, "samples");
    if (composed.name.empty()) fail("declare", "name", "none");
    if (find_op(state, composed.name) != nullptr) fail("declare", "name", "there is an op called ", composed.name, " already");
    state.ops.composed.push_back(std::move(composed));
    ComposedOp& kept = state.ops.composed.back();
    try {
      kept.decl.name = kept.name;
      kept.decl.signature = Signature(std::string_view(kept.signature));
      kept.decl.forms = kept.forms;
      kept.decl.doc = kept.doc;
      kept.decl.samples = kept.samples;
      kept.decl.result = choice(kept.name, "result", text_field(L, "result"), rule_names, Rule::custom);
      kept.decl.method = choice(kept.name, "method", text_field(L, "method"), method_names, Method::returns);
      kept.decl.precision = choice(kept.name, "precision", text_field(L, "precision"), precision_names, Precision::as_given);
      kept.op = {&kept.decl, nullptr, {}, nullptr, parse_forms(kept.decl.signature, kept.name, kept.forms, "")};
    } catch (const char* problem) {
      const std::string message = concat("declare: signature: ", problem, " in \"", kept.signature, "\"");
      state.ops.composed.pop_back();
      raise(Status::invalid, message);
    } catch (...) {
      state.ops.composed.pop_back();
      throw;
    }
  });
  const auto flag = [L](const char* field) {
    lua_getfield(L, 1, field);
    const bool on = lua_isnil(L, -1) || lua_toboolean(L, -1) != 0;
    lua_pop(L, 1);
    return on;
  };
  Decl& decl = state.ops.composed.back().decl;
  decl.differentiable = flag("differentiable");
  if (!flag("integers")) decl.dtypes = decl.dtypes - integer_dtypes;
  if (!flag("floats")) decl.dtypes = decl.dtypes - float_dtypes;
  lua_getfield(L, 1, "ulp");
  if (lua_isnumber(L, -1)) decl.ulp = lua_tonumber(L, -1);
  lua_getfield(L, 1, "forward");
  luaL_checktype(L, -1, LUA_TFUNCTION);
  const int forward = luaL_ref(L, LUA_REGISTRYINDEX);
  bind_op(L, state, state.ops.composed.back().op, 2, 3, forward);
  return 0;
}

}  // namespace

void open_declare(lua_State* L, State& state) {
  add_function(L, state, "declare", declare);
  open_op_info(L, state);
}

}  // namespace mt::lua
