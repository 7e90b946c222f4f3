// Ops declared in Lua, composed of others; and what the declarations of all ops say.
#include <span>

#include "bindings/lua/state/state.h"
#include "engine/core/added_ops.h"
#include "engine/core/decl_names.h"
#include "engine/extension/op.h"

namespace mt::lua {

const Op* find_op(const State& state, std::string_view name) {
  for (const ComposedOp& composed : state.composed) {
    if (composed.name == name) return &composed.op;
  }
  return Registry::instance().find(name);
}

namespace {

// The text in a field of the table at index 1; empty when there is none.
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
  fail("declare", field, text, " came for ", op);
}

// declare(table, functions, methods): the table's fields are those of a Decl, and forward
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
    if (composed.name.empty()) fail("declare", "name", "none came");
    if (find_op(state, composed.name) != nullptr) fail("declare", "name", "there is an op called ", composed.name, " already");
    state.composed.push_back(std::move(composed));
    ComposedOp& kept = state.composed.back();
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
      state.composed.pop_back();
      raise(Status::invalid, message);
    } catch (...) {
      state.composed.pop_back();
      throw;
    }
  });
  const auto flag = [L](const char* field) {
    lua_getfield(L, 1, field);
    const bool on = lua_isnil(L, -1) || lua_toboolean(L, -1) != 0;
    lua_pop(L, 1);
    return on;
  };
  Decl& decl = state.composed.back().decl;
  decl.differentiable = flag("differentiable");
  if (!flag("integers")) decl.dtypes = decl.dtypes - integer_dtypes;
  if (!flag("floats")) decl.dtypes = decl.dtypes - float_dtypes;
  lua_getfield(L, 1, "ulp");
  if (lua_isnumber(L, -1)) decl.ulp = lua_tonumber(L, -1);
  lua_getfield(L, 1, "forward");
  luaL_checktype(L, -1, LUA_TFUNCTION);
  const int forward = luaL_ref(L, LUA_REGISTRYINDEX);
  bind_op(L, state, state.composed.back().op, 2, 3, forward);
  return 0;
}

// Sets `devices` of the table on top: the names of those that have a kernel of an op.
void push_devices(lua_State* L, const Op& op) {
  lua_newtable(L);
  int found = 0;
  for (int i = 0; i < device_count(); ++i) {
    const auto id = static_cast<DeviceId>(i);
    if (id != cpu_device && (op.elsewhere == nullptr || op.elsewhere[id].run == nullptr)) continue;
    const std::string_view name = device_name(id);
    lua_pushlstring(L, name.data(), name.size());
    lua_rawseti(L, -2, ++found);
  }
  lua_setfield(L, -2, "devices");
}

// Sets `written` of the table on top: an argument's default as a caller would write it.
void push_written_default(lua_State* L, const Param& p) {
  const double value = p.default_number;
  if (!p.has_default) return;
  if (p.takes(kind_string)) {
    lua_pushliteral(L, "'");
    lua_pushlstring(L, p.default_text.data(), p.default_text.size());
    lua_pushliteral(L, "'");
    lua_concat(L, 3);
  } else if (p.takes(kind_boolean)) {
    lua_pushstring(L, value != 0 ? "true" : "false");
  } else {
    lua_pushnumber(L, p.takes(kind_index | kind_dim) && value >= 0 ? value + 1 : value);
  }
  lua_setfield(L, -2, "written");
}

// Sets `forms` of the table on top, the orders in which arguments may come: their places in the signature, and whether only the method
// takes them so.
void push_forms(lua_State* L, const Op& op) {
  lua_createtable(L, static_cast<int>(op.forms.size()), 0);
  int count = 0;
  for (const Form& form : op.forms) {
    lua_createtable(L, form.count, 1);
    for (int i = 0; i < form.count; ++i) {
      lua_pushinteger(L, form.params[i] + 1);
      lua_rawseti(L, -2, i + 1);
    }
    lua_pushboolean(L, form.method_only);
    lua_setfield(L, -2, "methodOnly");
    lua_rawseti(L, -2, ++count);
  }
  lua_setfield(L, -2, "forms");
}

// Sets, in the table on top, the further fields of a library's op: its file, and its derivatives by arguments.
void push_library(lua_State* L, const ExtensionOp& op) {
  set_text(L, "library", op.library);
  lua_newtable(L);
  for (int i = 0; i < op.own.signature.count; ++i) {
    if (op.declared.gradients[i] == nullptr) continue;
    lua_pushstring(L, op.declared.gradients[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "gradients");
}

// What an op's declaration says, as a table.
void push_op_info(lua_State* L, const Op& op) {
  const Decl& d = *op.decl;
  lua_createtable(L, 0, 16);
  set_text(L, "name", d.name);
  set_text(L, "doc", d.doc);
  set_text(L, "samples", d.samples);
  set_text(L, "alias", d.alias);
  set_text(L, "result", rule_names[static_cast<int>(d.result)]);
  set_text(L, "method", method_names[static_cast<int>(d.method)]);
  const auto push_flag = [L](const char* field, bool on) {
    lua_pushboolean(L, on);
    lua_setfield(L, -2, field);
  };
  push_flag("differentiable", d.differentiable);
  push_flag("integers", (d.dtypes & integer_dtypes) != DTypeSet());
  push_flag("floats", (d.dtypes & float_dtypes) != DTypeSet());
  push_flag("broadcasts", op.broadcasts);
  push_flag("accumulates", op.accumulate != nullptr);
  set_text(L, "sharing", sharing_names[static_cast<int>(d.sharing)]);
  set_text(L, "replay", d.replay);
  set_text(L, "extent", extent_names[static_cast<int>(d.extent)]);
  set_text(L, "precision", precision_names[static_cast<int>(d.precision)]);
  set_text(L, "family", op.family);
  push_flag("scalar", d.scalar);
  push_flag("dataDependent", d.data_dependent);
  lua_pushnumber(L, d.ulp);
  lua_setfield(L, -2, "ulp");
  lua_pushinteger(L, d.signature.result_count);
  lua_setfield(L, -2, "results");
  bool lists = false;
  lua_createtable(L, d.signature.count, 0);
  lua_createtable(L, d.signature.count, 0);
  lua_createtable(L, d.signature.count, 0);
  for (int i = 0; i < d.signature.count; ++i) {
    const Param& p = d.signature.params[i];
    lists = lists || p.takes(kind_tensors);
    lua_createtable(L, 0, 4);
    set_text(L, "name", p.name);
    lua_pushinteger(L, p.kinds);
    lua_setfield(L, -2, "kinds");
    push_flag("tensor", p.takes(kind_tensor));
    push_flag("optional", p.optional);
    if (p.has_default && !p.takes(kind_string | kind_boolean)) {
      lua_pushnumber(L, p.default_number);
      lua_setfield(L, -2, "default");
    }
    push_written_default(L, p);
    lua_rawseti(L, -4, i + 1);
    lua_pushlstring(L, p.name.data(), p.name.size());
    lua_rawseti(L, -3, i + 1);
    lua_pushboolean(L, p.takes(kind_tensor | kind_tensors));
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -4, "tensors");
  lua_setfield(L, -3, "arguments");
  lua_setfield(L, -2, "params");
  push_flag("lists", lists);
  push_forms(L, op);
  if (op.kernel.run != nullptr) push_devices(L, op);
  if (const ExtensionOp* added = extension_op(op)) push_library(L, *added);
}

// opInfo(name) -> what the declaration says, or nil; opInfo() -> the names of all ops
int op_info(lua_State* L) {
  if (lua_gettop(L) > 0) {
    size_t length;
    const char* name = luaL_checklstring(L, 1, &length);
    const Op* op = find_op(upvalue_state(L), {name, length});
    if (op == nullptr) return 0;
    push_op_info(L, *op);
    return 1;
  }
  lua_newtable(L);
  int n = 0;
  for (const Op* op = op_at(0); op != nullptr; op = op_at(n)) {
    lua_pushlstring(L, op->decl->name.data(), op->decl->name.size());
    lua_rawseti(L, -2, ++n);
  }
  for (const ComposedOp& composed : upvalue_state(L).composed) {
    lua_pushlstring(L, composed.name.data(), composed.name.size());
    lua_rawseti(L, -2, ++n);
  }
  return 1;
}

}  // namespace

void open_declare(lua_State* L, State& state) {
  add_function(L, state, "declare", declare);
  add_function(L, state, "opInfo", op_info);
}

}  // namespace mt::lua
