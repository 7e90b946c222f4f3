// Reads formulas that lua/nn/support/formula.lua compiles, and selects the formula of a call.
#include <algorithm>

#include "bindings/lua/formula_class.h"
#include "bindings/lua/state/state.h"
#include "bindings/lua/tape/recording.h"

namespace mt::lua {
namespace {

using From = Formula::Operand::From;

int integer_at(lua_State* L, int table, int i) {
  lua_rawgeti(L, table, i);
  const auto value = static_cast<int>(lua_tointeger(L, -1));
  lua_pop(L, 1);
  return value;
}

// Narrows the kinds of operands to those that the arguments of a program's ops accept.
void narrow_kinds(lua_State* L, int steps, std::vector<OperandKinds>& kinds) {
  const auto step_count = static_cast<int>(lua_objlen(L, steps));
  for (int s = 1; s <= step_count; ++s) {
    lua_rawgeti(L, steps, s);
    const int step = lua_gettop(L);
    if (!lua_istable(L, step)) fail("formula", "steps", luaL_typename(L, step), ", expected a table");
    const Op* op = Registry::instance().find(text_field(L, step, "op"));
    const int arguments = op == nullptr ? 0 : std::min(static_cast<int>(lua_objlen(L, step)), op->decl->signature.count);
    for (int i = 0; i < arguments; ++i) {
      lua_rawgeti(L, step, i + 1);
      const int source = lua_gettop(L);
      if (!lua_istable(L, source)) fail("formula", "steps", luaL_typename(L, source), ", expected a table");
      lua_rawgeti(L, source, 1);
      const bool is_operand = text_at(L, -1) == "operand";
      const int index = integer_at(L, source, 2);
      if (is_operand && index >= 0 && index < static_cast<int>(kinds.size())) {
        const Param& param = op->decl->signature.params[i];
        OperandKinds& k = kinds[static_cast<size_t>(index)];
        const bool optional = param.optional && !param.has_default;
        k.optional = optional && (k.kinds == 0 || k.optional);
        k.kinds = k.kinds == 0 ? param.kinds : k.kinds & param.kinds;
      }
      lua_pop(L, 2);
    }
    lua_pop(L, 1);
  }
}

// The kinds of operands by the forward program, or by the backward program for operands that only this uses.
std::vector<OperandKinds> kinds_of_operands(lua_State* L, int forward, int backward, size_t count) {
  std::vector<OperandKinds> kinds(count, {0, false}), others = kinds;
  narrow_kinds(L, forward, kinds);
  narrow_kinds(L, backward, others);
  for (size_t i = 0; i < count; ++i) {
    if (kinds[i].kinds == 0) kinds[i] = others[i];
    if (kinds[i].kinds == 0) kinds[i].kinds = kind_tensor;
  }
  return kinds;
}

// Whether a program reads or returns the gradient.
bool reads_gradient(const Program& program) {
  const auto is_gradient = [](const Source& source) { return source.type == Source::Type::gradient; };
  return std::ranges::find(program.outputs, Program::gradient) != program.outputs.end() ||
         std::ranges::any_of(program.steps, [&](const ProgramStep& step) { return std::ranges::any_of(step.sources, is_gradient); });
}

// Reads the table on top of the stack: {text =, operands =, forward =, backward =, gradients =, kept =, entries =, shows =, names =}.
std::unique_ptr<Formula> read_formula(lua_State* L) {
  const int table = lua_gettop(L);
  auto formula = std::make_unique<Formula>();
  const std::string text = text_field(L, table, "text");
  const ProgramPlace place{"formula", text};
  const auto list = [&](const char* name) {
    lua_getfield(L, table, name);
    if (!lua_istable(L, -1)) fail("formula", name, luaL_typename(L, -1), ", expected a table");
    return lua_gettop(L);
  };
  const int operands = list("operands");
  if (lua_objlen(L, operands) > Formula::most_operands) fail("formula", "operands", "more than ", Formula::most_operands);
  formula->operands.push_back({From::output, 0});
  for (int i = 1; i <= static_cast<int>(lua_objlen(L, operands)); ++i) {
    lua_rawgeti(L, operands, i);
    if (!lua_istable(L, -1)) fail("formula", "operands", luaL_typename(L, -1), ", expected a table");
    const std::string from = text_field(L, lua_gettop(L), "from");
    const int index = integer_at(L, lua_gettop(L), 1);
    if (index < 0 || index > static_cast<int>(Formula::most_operands)) fail("formula", "operands", "number ", index);
    formula->operands.push_back({from == "input"    ? From::input
                                 : from == "target" ? From::target
                                 : from == "entry"  ? From::entry
                                 : from == "value"  ? From::value
                                 : from == "kept"   ? From::kept
                                                    : From::field,
                                 index});
    lua_pop(L, 1);
  }
  const int forward = list("forward"), backward = list("backward");
  const std::vector<OperandKinds> kinds = kinds_of_operands(L, forward, backward, formula->operands.size());
  formula->forward = read_program(L, forward, kinds, place);
  formula->backward = read_program(L, backward, kinds, place);
  const int gradients = list("gradients");
  for (int i = 1; i <= static_cast<int>(lua_objlen(L, gradients)); ++i) {
    lua_rawgeti(L, gradients, i);
    if (!lua_istable(L, -1)) fail("formula", "gradients", luaL_typename(L, -1), ", expected a table");
    formula->gradients.push_back({flag_field(L, lua_gettop(L), "parameter"), integer_at(L, lua_gettop(L), 1)});
    lua_pop(L, 1);
  }
  if (formula->gradients.size() > Program::most_results) fail("formula", "gradients", "more than ", Program::most_results);
  for (const Formula::Gradient& gradient : formula->gradients) formula->has_input = formula->has_input || !gradient.of_parameter;
  if (formula->gradients.size() != formula->backward.outputs.size())
    fail("formula", "gradients", "expected as many as the program has outputs");
  const int kept = list("kept");
  for (int i = 1; i <= static_cast<int>(lua_objlen(L, kept)); ++i) formula->kept.push_back(integer_at(L, kept, i));
  formula->kept_types.assign(formula->kept.size(), -1);
  if (formula->forward.steps.empty() || formula->forward.outputs.size() != 1 || reads_gradient(formula->forward))
    fail("formula", "forward", "expected a step at least, and one output");
  for (const ProgramStep& step : formula->forward.steps) {
    if (static_cast<int>(formula->kept.size()) < step.op->decl->signature.result_count) formula->first_kept = step.first + 1;
  }
  if (formula->first_kept == 0) fail("formula", "kept", "its ops have fewer results");
  lua_getfield(L, table, "entries");
  formula->entries = static_cast<int>(lua_tointeger(L, -1));
  lua_getfield(L, table, "dims");
  formula->dims = static_cast<uint32_t>(lua_tointeger(L, -1));
  lua_pop(L, 2);
  for (const Formula::Gradient& gradient : formula->gradients) {
    const int least = formula->entries > 0 ? 1 : 0;
    if (!gradient.of_parameter && (gradient.index < least || gradient.index > formula->entries))
      fail("formula", "gradients", "of entry ", gradient.index, " of ", formula->entries);
  }
  formula->alike = flag_field(L, table, "alike");
  formula->composed = flag_field(L, table, "composed");
  formula->shows = flag_field(L, table, "shows");
  formula->inplace = flag_field(L, table, "inplace");
  list("names");
  return formula;
}

// Reads the formula on top of the stack; returns false if it can't be a program, for example if it is too long.
bool read_into(lua_State* L, State& state) {
  try {
    state.tape.formulas.push_back(read_formula(L));
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

// The formula with the text at a stack index; null if it can't be a program.
Formula* formula_called(lua_State* L, State& state, int text) {
  push_entry(L, cache_entry);
  const int cache = lua_gettop(L);
  lua_pushvalue(L, text);
  lua_rawget(L, cache);
  if (lua_type(L, -1) != LUA_TNUMBER) {
    lua_pop(L, 1);
    push_entry(L, compile_entry);
    lua_pushvalue(L, text);
    lua_call(L, 1, 1);
    luaL_checktype(L, -1, LUA_TTABLE);
    lua_Integer number = 0;
    if (read_into(L, state)) {
      state.tape.formulas.back()->names = luaL_ref(L, LUA_REGISTRYINDEX);
      number = static_cast<lua_Integer>(state.tape.formulas.size());
    }
    lua_settop(L, cache);
    lua_pushvalue(L, text);
    lua_pushinteger(L, number);
    lua_rawset(L, cache);
    lua_pushinteger(L, number);
  }
  const auto number = static_cast<size_t>(lua_tointeger(L, -1));
  lua_settop(L, cache - 1);
  return number >= 1 && number <= state.tape.formulas.size() ? state.tape.formulas[number - 1].get() : nullptr;
}

}  // namespace

Formula* choose_formula(lua_State* L, State& state, int last) {
  if (!lua_istable(L, self_at)) return nullptr;
  push_own(L, compute_name);
  push_entry(L, compute_entry);
  const bool own = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  if (!own) return nullptr;
  push_entry(L, text_entry);
  if (lua_type(L, -1) != LUA_TSTRING) {
    lua_pop(L, 1);
    const int top = lua_gettop(L);
    push_entry(L, choose_entry);
    for (int i = self_at; i <= last; ++i) lua_pushvalue(L, i);
    if (lua_pcall(L, last, LUA_MULTRET, 0) != 0 || lua_gettop(L) == top || lua_type(L, top + 1) != LUA_TSTRING) return nullptr;
    return formula_called(L, state, top + 1);
  }
  return formula_called(L, state, lua_gettop(L));
}

}  // namespace mt::lua
