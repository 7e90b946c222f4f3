// The methods of modules and criteria that are formulas: Torch7's protocol without a tape. Calls that a formula doesn't support fall back
// to nn.support.run in Lua.
#include "bindings/lua/call/autocast.h"
#include "bindings/lua/nn/formula_class.h"
#include "bindings/lua/state/state.h"
#include "bindings/lua/state/table_fields.h"

namespace mt::lua {
namespace {

// Whether a call needs the fallback for autocast: a forward inside autocast, or the backward of such a forward.
bool is_cast(lua_State* L, const State& state, bool forward) {
  if (!state.autocast.used) return false;
  push_entry(L, casts_entry);
  lua_pushvalue(L, self_at);
  lua_pushboolean(L, forward);
  lua_call(L, 2, 1);
  const bool cast = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return cast;
}

// Runs `forward`, or the fallback, for the arguments up to `last`.
template <class Forward> int pass_on(lua_State* L, int last, Forward&& forward) {
  State& state = upvalue_state(L);
  lua_settop(L, last);
  luaL_checkstack(L, 120, "updateOutput");
  push_entry(L, prepare_entry);
  bool ready = true;
  if (lua_toboolean(L, -1) != 0) {
    for (int i = self_at; i <= last; ++i) lua_pushvalue(L, i);
    ready = lua_pcall(L, last, 0, 0) == 0;
  }
  lua_settop(L, last);
  Formula* formula = ready && !is_cast(L, state, true) ? choose_formula(L, state, last) : nullptr;
  if (formula != nullptr && forward(L, state, *formula, last + 2)) return 1;
  lua_settop(L, last);
  push_entry(L, general_forward);
  lua_insert(L, 1);
  lua_call(L, last, 1);
  return 1;
}

// updateOutput(self, input)
int update_output(lua_State* L) { return pass_on(L, input_at, run_forward); }

// A criterion's updateOutput(self, input, target)
int update_loss(lua_State* L) { return pass_on(L, target_at, run_loss); }

// A criterion's updateGradInput(self, input, target)
int update_loss_gradient(lua_State* L) {
  State& state = upvalue_state(L);
  lua_settop(L, target_at);
  luaL_checkstack(L, 120, "updateGradInput");
  const Formula* formula = is_cast(L, state, false) ? nullptr : choose_formula(L, state, target_at);
  if (formula != nullptr && run_backward(L, state, *formula, target_at + 2, {.by_input = true, .by_parameters = false, .of_loss = true}))
    return 1;
  lua_settop(L, target_at);
  push_entry(L, general_backward);
  lua_insert(L, 1);
  lua_call(L, target_at, 1);
  return 1;
}

int pass_back(lua_State* L, Wanted wanted) {
  State& state = upvalue_state(L);
  luaL_checkstack(L, 120, "backward");
  const Formula* formula = is_cast(L, state, false) ? nullptr : choose_formula(L, state, input_at);
  if (formula != nullptr && run_backward(L, state, *formula, gradient_at + 2, wanted)) return 1;
  lua_settop(L, gradient_at);
  push_entry(L, general_backward);
  lua_insert(L, 1);
  lua_pushboolean(L, wanted.by_input);
  if (wanted.by_parameters)
    lua_pushnumber(L, wanted.scale);
  else
    lua_pushnil(L);
  lua_call(L, 5, 1);
  return 1;
}

// updateGradInput(self, input, gradOutput)
int update_grad_input(lua_State* L) {
  lua_settop(L, gradient_at);
  return pass_back(L, {.by_input = true, .by_parameters = false});
}

// accGradParameters(self, input, gradOutput, scale)
int acc_grad_parameters(lua_State* L) {
  const double scale = lua_isnoneornil(L, 4) ? 1 : luaL_checknumber(L, 4);
  lua_settop(L, gradient_at);
  pass_back(L, {.by_input = false, .by_parameters = true, .scale = scale});
  return 0;
}

bool is_class_method(lua_State* L, int name, int method) {
  push_own(L, name);
  push_entry(L, method);
  const bool same = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  return same;
}

// backward(self, input, gradOutput, scale): both in one pass, unless a subclass overrides one of the methods
int backward(lua_State* L) {
  const double scale = lua_isnoneornil(L, 4) ? 1 : luaL_checknumber(L, 4);
  lua_settop(L, gradient_at);
  if (lua_istable(L, self_at) &&
      (!is_class_method(L, update_name, update_method) || !is_class_method(L, accumulate_name, accumulate_method))) {
    push_own(L, update_name);
    for (int i = 1; i <= gradient_at; ++i) lua_pushvalue(L, i);
    lua_call(L, gradient_at, 0);
    push_own(L, accumulate_name);
    for (int i = 1; i <= gradient_at; ++i) lua_pushvalue(L, i);
    lua_pushnumber(L, scale);
    lua_call(L, gradient_at + 1, 0);
    push_own(L, gradient_name);
    return 1;
  }
  return pass_back(L, {.by_input = true, .by_parameters = true, .scale = scale});
}

// formulaMethods{...} -> updateOutput, updateGradInput, accGradParameters, backward; the first two for a criterion. For the fields of the
// table see lua/nn/support/formula.lua.
int formula_methods(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  static constexpr struct {
    const char* field;
    int entry, type;
  } fields[] = {{"choose", choose_entry, LUA_TFUNCTION},     {"prepare", prepare_entry, LUA_TFUNCTION},
                {"resized", resized_entry, LUA_TFUNCTION},   {"compute", compute_entry, LUA_TFUNCTION},
                {"forward", general_forward, LUA_TFUNCTION}, {"backward", general_backward, LUA_TFUNCTION},
                {"compile", compile_entry, LUA_TFUNCTION},   {"text", text_entry, LUA_TSTRING},
                {"replaced", replaced_entry, LUA_TTABLE},    {"casts", casts_entry, LUA_TFUNCTION}};
  static constexpr struct {
    const char* name;
    int entry;
  } names[] = {{"output", output_name},   {"gradInput", gradient_name},     {"compute", compute_name},
               {"inplace", inplace_name}, {"updateGradInput", update_name}, {"accGradParameters", accumulate_name}};
  lua_newtable(L);
  const int entries = lua_gettop(L);
  for (const auto& field : fields) {
    lua_getfield(L, 1, field.field);
    const bool optional =
        field.entry == choose_entry || field.entry == prepare_entry || field.entry == resized_entry || field.entry == text_entry;
    if (!(optional && lua_isnil(L, -1)) && lua_type(L, -1) != field.type)
      return luaL_error(L, "formulaMethods: %s: %s, expected a %s", field.field, luaL_typename(L, -1), lua_typename(L, field.type));
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      lua_pushboolean(L, 0);
    }
    lua_rawseti(L, entries, field.entry);
  }
  for (const auto& name : names) {
    lua_pushstring(L, name.name);
    lua_rawseti(L, entries, name.entry);
  }
  lua_newtable(L);
  lua_rawseti(L, entries, cache_entry);
  if (flag_field(L, 1, "criterion")) {
    for (const lua_CFunction method : {update_loss, update_loss_gradient}) {
      lua_pushlightuserdata(L, &upvalue_state(L));
      lua_pushvalue(L, entries);
      lua_pushcclosure(L, method, 2);
    }
    return 2;
  }
  static constexpr lua_CFunction methods[] = {update_output, update_grad_input, acc_grad_parameters, backward};
  for (const lua_CFunction method : methods) {
    lua_pushlightuserdata(L, &upvalue_state(L));
    lua_pushvalue(L, entries);
    lua_pushcclosure(L, method, 2);
  }
  lua_pushvalue(L, entries + 2);
  lua_rawseti(L, entries, update_method);
  lua_pushvalue(L, entries + 3);
  lua_rawseti(L, entries, accumulate_method);
  return 4;
}

}  // namespace

void open_formula(lua_State* L, State& state) { add_function(L, state, "formulaMethods", formula_methods); }

}  // namespace mt::lua
