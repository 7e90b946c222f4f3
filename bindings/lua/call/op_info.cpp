// Declarations of ops as Lua values: a table with all fields, or one field.
#include "bindings/lua/call/op_info.h"

#include <algorithm>
#include <iterator>

#include "bindings/lua/call/bound_op.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "engine/arguments/messages.h"
#include "engine/core/added_ops.h"
#include "engine/core/counting.h"
#include "engine/core/decl_names.h"
#include "engine/extension/op.h"

namespace mt::lua {
namespace {

void push_text(lua_State* L, std::string_view text) { lua_pushlstring(L, text.data(), text.size()); }

void set_flag(lua_State* L, const char* field, bool on) {
  lua_pushboolean(L, on);
  lua_setfield(L, -2, field);
}

// Pushes the names of devices with a kernel for an op; nil if the op has no kernel, and so runs on all.
void push_devices(lua_State* L, const Op& op) {
  if (op.kernel.run == nullptr) return lua_pushnil(L);
  lua_newtable(L);
  int found = 0;
  for (int i = 0; i < device_count(); ++i) {
    const auto id = static_cast<DeviceId>(i);
    if (id != cpu_device && (op.elsewhere == nullptr || op.elsewhere[id].run == nullptr)) continue;
    push_text(L, device_name(id));
    lua_rawseti(L, -2, ++found);
  }
}

// Sets the field `written` of the table on top: the default of an argument as Lua source.
void set_written_default(lua_State* L, const Param& p) {
  const double value = p.default_number;
  if (!p.has_default) return;
  if (p.takes(kind_string)) {
    lua_pushliteral(L, "'");
    push_text(L, p.default_text);
    lua_pushliteral(L, "'");
    lua_concat(L, 3);
  } else if (p.takes(kind_boolean)) {
    lua_pushstring(L, value != 0 ? "true" : "false");
  } else {
    lua_pushnumber(L, counted_from_1(value, p));
  }
  lua_setfield(L, -2, "written");
}

void push_params(lua_State* L, const Signature& signature) {
  lua_createtable(L, signature.count, 0);
  for (int i = 0; i < signature.count; ++i) {
    const Param& p = signature.params[i];
    lua_createtable(L, 0, 8);
    set_text(L, "name", p.name);
    lua_pushinteger(L, p.kinds);
    lua_setfield(L, -2, "kinds");
    set_text(L, "kind", kinds_shown(p.kinds));
    set_flag(L, "tensor", p.takes(kind_tensor));
    set_flag(L, "tensors", p.takes(kind_tensors));
    set_flag(L, "optional", p.optional);
    if (p.has_default && !p.takes(kind_string | kind_boolean)) {
      lua_pushnumber(L, p.default_number);
      lua_setfield(L, -2, "default");
    }
    set_written_default(L, p);
    lua_rawseti(L, -2, i + 1);
  }
}

// Pushes the forms: for each order of arguments, their positions in the signature, and whether only the method accepts it.
void push_forms(lua_State* L, const Op& op) {
  lua_createtable(L, static_cast<int>(op.forms.size()), 0);
  int count = 0;
  for (const Form& form : op.forms) {
    lua_createtable(L, form.count, 1);
    for (int i = 0; i < form.count; ++i) {
      lua_pushinteger(L, form.params[i] + 1);
      lua_rawseti(L, -2, i + 1);
    }
    set_flag(L, "methodOnly", form.method_only);
    lua_rawseti(L, -2, ++count);
  }
}

// Pushes a list with one element per argument.
template <class F> void push_by_argument(lua_State* L, const Op& op, F&& push) {
  const Signature& signature = op.decl->signature;
  lua_createtable(L, signature.count, 0);
  for (int i = 0; i < signature.count; ++i) {
    push(signature.params[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

// Pushes the file name of the library that added an op; nil for other ops.
void push_library(lua_State* L, const Op& op) {
  const ExtensionOp* added = extension_op(op);
  if (added == nullptr) return lua_pushnil(L);
  push_text(L, added->library);
}

// Pushes the derivatives by arguments that a library declares for its op; nil for other ops.
void push_gradients(lua_State* L, const Op& op) {
  const ExtensionOp* added = extension_op(op);
  if (added == nullptr) return lua_pushnil(L);
  lua_newtable(L);
  for (int i = 0; i < added->own.signature.count; ++i) {
    if (added->declared.gradients[i] == nullptr) continue;
    lua_pushstring(L, added->declared.gradients[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

// A field of the table, and the function that pushes its value.
struct Field {
  std::string_view name;
  void (*push)(lua_State* L, const Op& op);
};

template <auto member> void push_string(lua_State* L, const Op& op) { push_text(L, op.decl->*member); }
template <auto member> void push_flag(lua_State* L, const Op& op) { lua_pushboolean(L, op.decl->*member); }
template <auto member, const auto& names> void push_choice(lua_State* L, const Op& op) {
  push_text(L, names[static_cast<int>(op.decl->*member)]);
}
template <DTypeSet dtypes> void push_has(lua_State* L, const Op& op) { lua_pushboolean(L, (op.decl->dtypes & dtypes) != DTypeSet()); }

constexpr Field fields[] = {
    {"name", push_string<&Decl::name>},
    {"doc", push_string<&Decl::doc>},
    {"samples", push_string<&Decl::samples>},
    {"alias", push_string<&Decl::alias>},
    {"replay", push_string<&Decl::replay>},
    {"result", push_choice<&Decl::result, rule_names>},
    {"method", push_choice<&Decl::method, method_names>},
    {"sharing", push_choice<&Decl::sharing, sharing_names>},
    {"extent", push_choice<&Decl::extent, extent_names>},
    {"precision", push_choice<&Decl::precision, precision_names>},
    {"differentiable", push_flag<&Decl::differentiable>},
    {"scalar", push_flag<&Decl::scalar>},
    {"dataDependent", push_flag<&Decl::data_dependent>},
    {"integers", push_has<integer_dtypes>},
    {"floats", push_has<float_dtypes>},
    {"storage", push_has<storage_dtypes>},
    {"complex", push_has<complex_dtypes>},
    {"broadcasts", [](lua_State* L, const Op& op) { lua_pushboolean(L, op.broadcasts); }},
    {"accumulates", [](lua_State* L, const Op& op) { lua_pushboolean(L, op.accumulate != nullptr); }},
    {"family", [](lua_State* L, const Op& op) { push_text(L, op.family); }},
    {"ulp", [](lua_State* L, const Op& op) { lua_pushnumber(L, op.decl->ulp); }},
    {"results", [](lua_State* L, const Op& op) { lua_pushinteger(L, op.decl->signature.result_count); }},
    {"params", [](lua_State* L, const Op& op) { push_params(L, op.decl->signature); }},
    {"arguments", [](lua_State* L, const Op& op) { push_by_argument(L, op, [L](const Param& p) { push_text(L, p.name); }); }},
    {"tensors",
     [](lua_State* L, const Op& op) {
       push_by_argument(L, op, [L](const Param& p) { lua_pushboolean(L, p.takes(kind_tensor | kind_tensors)); });
     }},
    {"lists",
     [](lua_State* L, const Op& op) {
       const Signature& s = op.decl->signature;
       lua_pushboolean(L, std::any_of(s.params, s.params + s.count, [](const Param& p) { return p.takes(kind_tensors); }));
     }},
    {"forms", push_forms},
    {"devices", push_devices},
    {"library", push_library},
    {"gradients", push_gradients},
};

std::string_view text_argument(lua_State* L, int index) {
  size_t length;
  const char* text = luaL_checklstring(L, index, &length);
  return {text, length};
}

// opInfo(name) -> a table with all fields of the declaration, or nil if there is no such op; opInfo(name, field) -> only that field;
// opInfo() -> the names of all ops
int op_info(lua_State* L) {
  State& state = upvalue_state(L);
  if (lua_gettop(L) > 0) {
    const Op* op = find_op(state, text_argument(L, 1));
    if (op == nullptr) return 0;
    if (lua_isnoneornil(L, 2)) {
      lua_createtable(L, 0, static_cast<int>(std::size(fields)));
      for (const Field& field : fields) {
        push_text(L, field.name);
        field.push(L, *op);
        lua_rawset(L, -3);
      }
      return 1;
    }
    const auto* field = std::ranges::find(fields, text_argument(L, 2), &Field::name);
    luaL_argcheck(L, field != std::end(fields), 2, "expected a field of a declaration");
    field->push(L, *op);
    return 1;
  }
  lua_newtable(L);
  int n = 0;
  for (const Op* op = op_at(0); op != nullptr; op = op_at(n)) {
    push_text(L, op->decl->name);
    lua_rawseti(L, -2, ++n);
  }
  for (const ComposedOp& composed : state.ops.composed) {
    push_text(L, composed.name);
    lua_rawseti(L, -2, ++n);
  }
  return 1;
}

// paramsOf(signature) -> the arguments of a signature that needs no op, in the format of opInfo(name, 'params')
int params_of(lua_State* L) {
  const std::string_view text = text_argument(L, 1);
  Signature signature;
  guarded(L, upvalue_state(L), [&] {
    try {
      signature = Signature(text);
    } catch (const char* problem) {
      fail("declare", "signature", problem, " in \"", text, "\"");
    }
  });
  push_params(L, signature);
  return 1;
}

}  // namespace

void open_op_info(lua_State* L, State& state) {
  add_function(L, state, "opInfo", op_info);
  add_function(L, state, "paramsOf", params_of);
}

}  // namespace mt::lua
