// Reads formulas that lua/nn/support/formula.lua compiles, and selects the formula of a call.
#include <algorithm>

#include "bindings/lua/nn/formula_class.h"
#include "bindings/lua/state/state.h"
#include "bindings/lua/state/table_fields.h"
#include "bindings/lua/tape/recording.h"
#include "engine/graph/text.h"

namespace mt::lua {
namespace {

using From = Formula::Operand::From;

// The inputs of a graph that it reads, with their kinds.
std::vector<Graph::Input> read_inputs(const Executor& graph) {
  std::vector<Graph::Input> inputs;
  for (size_t i = 0; i < graph.graph().inputs.size(); ++i) {
    if (graph.reads(i)) inputs.push_back(graph.graph().inputs[i]);
  }
  return inputs;
}

// Reads the graphs in the fields of the table at a stack index. Operands have the kinds that the forward graph accepts, or the backward
// graph if only that reads them.
void read_graphs(lua_State* L, int table, Formula& formula) {
  const size_t inputs = formula.operands.size() + 1;
  const auto read = [&](const char* field, std::span<const Graph::Input> known) {
    Executor graph(parse_graph(text_field(L, table, field), {.function = "formula", .argument = field, .inputs = known}));
    if (graph.graph().inputs.size() != inputs || graph.graph().outputs.size() > Formula::most_outputs)
      fail("formula", field, graph.graph().inputs.size(), " inputs, expected ", inputs, " and at most ", Formula::most_outputs, " outputs");
    return graph;
  };
  formula.forward.emplace(read("forward", {}));
  formula.backward.emplace(read("backward", read_inputs(*formula.forward)));
  for (size_t i = 1; i < inputs; ++i) {
    const Executor& reader = formula.forward->reads(i) ? *formula.forward : *formula.backward;
    formula.kinds.push_back(reader.graph().inputs[i].kinds);
  }
  const Graph& forward = formula.forward->graph();
  const auto is_result = [](Graph::Ref ref) { return ref.of == Graph::Ref::Of::result; };
  if (forward.outputs.empty() || !std::ranges::all_of(forward.outputs, is_result) || formula.forward->reads(0))
    fail("formula", "forward", "outputs that no op computes, expected at least one, of ops");
  for (const Graph::Ref output : formula.backward->graph().outputs) {
    if (output.of != Graph::Ref::Of::result && output != Graph::Ref())
      fail("formula", "backward", name_of(formula.backward->graph(), output), ", expected the gradient or results of ops");
  }
}

// Reads the table on top of the stack: {operands =, forward =, backward =, gradients =, kept =, entries =, shows =, names =}.
std::unique_ptr<Formula> read_formula(lua_State* L) {
  const int table = lua_gettop(L);
  auto formula = std::make_unique<Formula>();
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
  read_graphs(L, table, *formula);
  const int gradients = list("gradients");
  for (int i = 1; i <= static_cast<int>(lua_objlen(L, gradients)); ++i) {
    lua_rawgeti(L, gradients, i);
    if (!lua_istable(L, -1)) fail("formula", "gradients", luaL_typename(L, -1), ", expected a table");
    formula->gradients.push_back({flag_field(L, lua_gettop(L), "parameter"), integer_at(L, lua_gettop(L), 1)});
    lua_pop(L, 1);
  }
  for (const Formula::Gradient& gradient : formula->gradients) formula->has_input = formula->has_input || !gradient.of_parameter;
  if (formula->gradients.size() != formula->backward->graph().outputs.size())
    fail("formula", "gradients", formula->gradients.size(), " of them, expected as many as the backward graph has outputs");
  const int kept = list("kept");
  for (int i = 1; i <= static_cast<int>(lua_objlen(L, kept)); ++i) formula->kept.push_back(integer_at(L, kept, i));
  formula->kept_types.assign(formula->kept.size(), -1);
  if (formula->kept.size() + 1 != formula->forward->graph().outputs.size() || formula->kept.size() > Signature::max_results)
    fail("formula", "kept", formula->kept.size(), " names, expected one for each further output");
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
