// Calls by name in sessions: ops, and functions and classes of packages.
#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "bindings/lua/call/bound_op.h"
#include "bindings/lua/sessions/session_objects.h"
#include "bindings/lua/state/modules.h"
#include "bindings/lua/values/boxes.h"
#include "engine/capi/call.h"
#include "engine/core/counting.h"
#include "engine/core/registry.h"

namespace mt::lua {
namespace {

// The op with a name. Loads the file that declares it if it is a composed op.
const Op& op_called(Inside& inside, const char* name) {
  const Op* op = find_op(inside.state(), name);
  if (op == nullptr) {
    protect(inside.lua(), &inside.state(), [&](lua_State* L) {
      push_module(L, "torch.composed");
      lua_getfield(L, -1, "find");
      lua_pushstring(L, name);
      lua_call(L, 1, 0);
    });
    op = find_op(inside.state(), name);
  }
  if (op == nullptr) fail("mt_session_call", "op", name, ", expected the name of an op");
  return *op;
}

// A value of the same kind as an object of the session.
mt_value kind_of(Inside& inside, const mt_value& v) {
  mt_value shadow = v;
  if (v.kind != MT_OBJECT) return shadow;
  protect(inside.lua(), &inside.state(), [&](lua_State* L) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, v.as.object->reference);
    const int type = lua_type(L, -1);
    shadow.as.bits = 0;
    shadow.kind = test_tensor(L, -1) != nullptr    ? MT_TENSOR
                  : test_storage(L, -1) != nullptr ? MT_SIZES
                  : type == LUA_TNUMBER            ? MT_NUMBER
                  : type == LUA_TBOOLEAN           ? MT_BOOLEAN
                  : type == LUA_TSTRING            ? MT_STRING
                  : type == LUA_TTABLE             ? MT_TENSORS
                  : type == LUA_TNIL               ? MT_NONE
                                                   : MT_OBJECT;
    if (type == LUA_TNUMBER) shadow.as.number = lua_tonumber(L, -1);
  });
  return shadow;
}

// Whether an op takes one dimension: then a list selects its form along several, which is in Lua (lua/torch/names/several_dims.lua).
bool may_take_several_dims(const Op& op) {
  const Signature& signature = op.decl->signature;
  const std::span<const Param> params(signature.params, static_cast<size_t>(signature.count));
  return std::ranges::any_of(params, [](const Param& p) { return p.takes(kind_dim); }) &&
         std::ranges::none_of(params, [](const Param& p) { return p.takes(kind_sizes); });
}

// A value of C, which counts from 0, as Lua counts. `list` has room for a list of dimensions or positions.
mt_value as_lua_counts(const mt_value& v, const Param& p, std::vector<int64_t>& list) {
  mt_value counted = v;
  if (v.kind == MT_SIZES && (p.takes_counted_list() || p.takes(kind_dim))) {
    list.assign(v.as.sizes, v.as.sizes + v.count);
    for (int64_t& value : list) value = counted_from_1(value);
    counted.as.sizes = list.data();
  } else if (v.kind == MT_NUMBER) {
    counted.as.number = counted_from_1(v.as.number, p);
  } else if ((v.kind & (MT_INTEGER | MT_INDEX | MT_DIM)) != 0) {
    counted.as.integer = counted_from_1(v.as.integer, p);
  }
  return counted;
}

void call_op_by_name(Inside& inside, const char* name, const Arguments& given, int32_t n_results, mt_object** results) {
  const Op& op = op_called(inside, name);
  const bool lists_are_dims = may_take_several_dims(op);
  const auto shadow_of = [&](const mt_value& v) {
    mt_value shadow = kind_of(inside, v);
    if (lists_are_dims && shadow.kind == MT_SIZES) shadow.kind = MT_DIM;
    return shadow;
  };
  std::vector<mt_value> args;
  std::vector<mt_named_value> named;
  for (int i = 0; i < given.count; ++i) args.push_back(shadow_of(given.args[i]));
  for (int i = 0; i < given.named_count; ++i) named.push_back({given.named[i].name, shadow_of(given.named[i].value)});
  Match m;
  const Form& form = capi::match_named(op, {args.data(), given.count, named.data(), given.named_count}, m);

  mt_value values[Signature::max_params];
  std::vector<int64_t> lists[Signature::max_params];
  for (int k = 0; k < form.count; ++k) {
    const int i = form.params[k], at = m.args[i];
    values[k] = at != 0 ? as_lua_counts(given[at], op.decl->signature.params[i], lists[k]) : mt_value_none();
  }
  call_for_objects(inside, "mt_session_call", n_results, results, [&](lua_State* L) {
    push_module(L, "torch");
    lua_pushlstring(L, op.decl->name.data(), op.decl->name.size());
    lua_gettable(L, -2);
    return push_arguments(L, inside.state(), {values, form.count, nullptr, 0});
  });
}

// Pushes a package of Moontorch, or one that the program's `require` finds.
void push_package(lua_State* L, const char* name) {
  push_module(L, "torch.modules");
  lua_getfield(L, -1, "package");
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
  lua_remove(L, -2);
}

// Pushes the value of a dotted name; loads the package before the first dot.
void push_named(lua_State* L, const char* name) {
  luaL_checkstack(L, 8, "a name");
  const char* dot = std::strchr(name, '.');
  lua_pushlstring(L, name, dot != nullptr ? static_cast<size_t>(dot - name) : std::strlen(name));
  push_package(L, lua_tostring(L, -1));
  while (dot != nullptr && !lua_isnil(L, -1)) {
    const char* const field = dot + 1;
    dot = std::strchr(field, '.');
    lua_pushlstring(L, field, dot != nullptr ? static_cast<size_t>(dot - field) : std::strlen(field));
    lua_gettable(L, -2);
  }
  if (lua_isnil(L, -1)) luaL_error(L, "mt_session_make: name: %s, expected the name of a function or class", name);
}

// Calls a function of torch on a file: all errors but out of memory have the status of a file error.
template <class F> void with_file(F&& call) {
  try {
    call();
  } catch (const Error& e) {
    if (e.status() == Status::memory || e.status() == Status::interrupted) throw;
    raise(Status::file, e.what());
  }
}

}  // namespace

void session_call(mt_session* session, const char* op, const Arguments& given, int32_t n_results, mt_object** results) {
  constexpr const char* name = "mt_session_call";
  Inside inside(session, name);
  capi::take(op, name, "op");
  check_arguments(session, op, given);
  call_op_by_name(inside, op, given, n_results, results);
}

void session_make(mt_session* session, const char* made, const Arguments& given, int32_t n_results, mt_object** results) {
  constexpr const char* name = "mt_session_make";
  Inside inside(session, name);
  capi::take(made, name, "name");
  check_arguments(session, made, given);
  call_for_objects(inside, name, n_results, results, [&](lua_State* L) {
    push_named(L, made);
    return push_arguments(L, inside.state(), given);
  });
}

void session_load(mt_session* session, const char* path, mt_object** out) {
  constexpr const char* name = "mt_session_load";
  Inside inside(session, name);
  capi::take(path, name, "path");
  capi::take(out, name, "out");
  protect(inside.lua(), &inside.state(), [](lua_State* L) {  // loads the classes of modules in files
    push_module(L, "torch.file.class_packages");
    lua_call(L, 0, 0);
  });
  with_file([&] {
    call_for_objects(inside, name, 1, out, [&](lua_State* L) {
      push_named(L, "torch.load");
      lua_pushstring(L, path);
      return 1;
    });
  });
}

void object_save(const mt_object* object, const char* path) {
  constexpr const char* name = "mt_object_save";
  const mt_object& saved = capi::take(object, name, "object");
  capi::take(path, name, "path");
  Inside inside(saved.session, name);
  with_file([&] {
    call_for_objects(inside, name, 0, nullptr, [&](lua_State* L) {
      push_named(L, "torch.save");
      lua_pushstring(L, path);
      lua_rawgeti(L, LUA_REGISTRYINDEX, saved.reference);
      return 2;
    });
  });
}

void session_object(mt_session* session, const mt_value* value, mt_object** out) {
  constexpr const char* name = "mt_session_object";
  Inside inside(session, name);
  const Arguments given{&capi::take(value, name, "value"), 1, nullptr, 0};
  capi::take(out, name, "out");
  check_arguments(session, name, given);
  NewObjects objects(inside, name, 1, out);
  protect(inside.lua(), &inside.state(), [&](lua_State* L) {
    push_value(L, inside.state(), *value);
    objects.take(L);
  });
  objects.give();
}

}  // namespace mt::lua

using mt::capi::guard;

mt_status mt_session_call(mt_session* session, const char* op, const mt_value* args, int32_t n_args, const mt_named_value* named,
                          int32_t n_named, int32_t n_results, mt_object** results) {
  return guard([&] { mt::lua::session_call(session, op, {args, n_args, named, n_named}, n_results, results); });
}

mt_status mt_session_make(mt_session* session, const char* name, const mt_value* args, int32_t n_args, const mt_named_value* named,
                          int32_t n_named, int32_t n_results, mt_object** results) {
  return guard([&] { mt::lua::session_make(session, name, {args, n_args, named, n_named}, n_results, results); });
}

mt_status mt_session_load(mt_session* session, const char* path, mt_object** out) {
  return guard([&] { mt::lua::session_load(session, path, out); });
}

mt_status mt_object_save(const mt_object* object, const char* path) {
  return guard([&] { mt::lua::object_save(object, path); });
}

mt_status mt_session_object(mt_session* session, const mt_value* value, mt_object** out) {
  return guard([&] { mt::lua::session_object(session, value, out); });
}
