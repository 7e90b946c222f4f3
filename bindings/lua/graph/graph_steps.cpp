#include "bindings/lua/graph/graph_steps.h"

#include <algorithm>
#include <memory>

#include "bindings/lua/graph/control_flow.h"
#include "bindings/lua/graph/graphs.h"
#include "bindings/lua/graph/prepared.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/values/boxes.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/numbers.h"
#include "engine/core/arguments.h"
#include "engine/graph/control.h"
#include "engine/graph/infer.h"
#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"

namespace mt::lua {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;

bool has_fixed_inputs(const Graph& graph) {
  return std::ranges::all_of(graph.inputs, [](const Graph::Input& input) { return input.type && input.type->has_known_sizes(); });
}

// Unknown sizes of inputs become `size`; blocks of fused steps become steps; all results get types. `is_fixed`: the graph's own sizes are.
Graph with_types(const Graph& graph, int64_t size, bool is_fixed) {
  Graph typed = with_bodies(graph, [size](const Graph& body) { return with_types(body, size, has_fixed_inputs(body)); });
  for (Graph::Step& step : typed.steps) step.fusion = 0;
  for (Graph::Input& input : typed.inputs) {
    if (input.type) std::ranges::replace(input.type->sizes, ValueType::unknown_size, size);
  }
  typed.result_types = infer_types(typed);
  if (!is_fixed) return typed;
  typed = remove_dead_steps(look_past_writes(typed));
  typed.result_types = infer_types(typed);
  return typed;
}

// Removes writes to constants on which no output depends: they change no later run, only memory of the program, such as sizes in a storage.
void remove_unread_updates(Graph& graph) {
  Graph pure = graph;
  pure.updates.clear();
  pure = remove_dead_steps(pure);
  std::erase_if(graph.updates, [&pure](const Graph::Update& update) {
    bool is_read = update.target.of == Ref::Of::input || std::ranges::find(pure.outputs, update.target) != pure.outputs.end();
    for (const Graph::Step& step : pure.steps) {
      for (const Argument& argument : step.arguments) each_ref(argument, [&](Ref ref) { is_read = is_read || ref == update.target; });
    }
    return !is_read;
  });
}

// Sets unknown sizes of an input to the numbers in the table on top of the stack, by dimension.
void set_sizes(lua_State* L, Graph::Input& input) {
  for (size_t d = 0; input.type && lua_istable(L, -1) && d < input.type->sizes.size(); ++d) {
    lua_rawgeti(L, -1, static_cast<int>(d) + 1);
    int64_t& size = input.type->sizes[d];
    if (size == ValueType::unknown_size && lua_isnumber(L, -1)) size = static_cast<int64_t>(lua_tonumber(L, -1));
    lua_pop(L, 1);
  }
}

// typed(graph, [samples of the inputs], {sizes by input and dimension}, size) -> the graph without steps of constants, with types: unknown
// sizes that the table lacks, and those of bodies, become `size`
int typed_graph(lua_State* L) {
  State& state = upvalue_state(L);
  const Graph& graph = check_executor(L, 1)->graph();
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 4);
  auto& typed = push_new_executor(L);
  guarded(L, state, [&] {
    Graph copy = graph;
    for (size_t i = 0; i < copy.inputs.size() && lua_istable(L, 2); ++i) {
      lua_rawgeti(L, 2, static_cast<int>(i) + 1);
      if (const Tensor* t = test_tensor(L, -1)) copy.inputs[i].type = ValueType{t->dtype(), {t->sizes().begin(), t->sizes().end()}};
      lua_pop(L, 1);
    }
    for (Graph::Step& step : copy.steps) step.fusion = 0;
    remove_unread_updates(copy);
    const bool is_fixed = has_fixed_inputs(copy);
    Graph plain = remove_dead_steps(fold_constants(copy));
    for (size_t i = 0; i < plain.inputs.size(); ++i) {
      lua_rawgeti(L, 3, static_cast<int>(i) + 1);
      set_sizes(L, plain.inputs[i]);
      lua_pop(L, 1);
    }
    typed = std::make_shared<const Executor>(with_types(plain, static_cast<int64_t>(lua_tonumber(L, 4)), is_fixed));
  });
  return 1;
}

// ---- the table; nothing in these functions owns memory, because Lua's errors pass them

// Values of the graph are numbers: inputs, constants, results.
lua_Integer number_of(const Graph& graph, Ref ref) {
  size_t before = 0;
  if (ref.of != Ref::Of::input) before += graph.inputs.size();
  if (ref.of == Ref::Of::result) before += graph.constants.size();
  return static_cast<lua_Integer>(before) + ref.index + 1;
}

void set_number(lua_State* L, const char* field, lua_Integer number) {
  lua_pushinteger(L, number);
  lua_setfield(L, -2, field);
}

// Pushes a number, or a list in postfix notation of numbers, {value =, dim =} for sizes, and '+', '-', '*' and '//'.
void push_expression(lua_State* L, const Graph& graph, const Graph::SizeExpression& expression) {
  using Type = Graph::SizeToken::Type;
  if (expression.size() == 1 && expression[0].type == Type::number) {
    lua_pushnumber(L, static_cast<double>(expression[0].number));
    return;
  }
  lua_createtable(L, static_cast<int>(expression.size()), 0);
  for (size_t i = 0; i < expression.size(); ++i) {
    const Graph::SizeToken& token = expression[i];
    switch (token.type) {
      case Type::number:
        lua_pushnumber(L, static_cast<double>(token.number));
        break;
      case Type::extent:
        lua_createtable(L, 0, 2);
        set_number(L, "value", number_of(graph, token.tensor));
        set_number(L, "dim", token.dim);
        break;
      case Type::add:
        lua_pushliteral(L, "+");
        break;
      case Type::subtract:
        lua_pushliteral(L, "-");
        break;
      case Type::multiply:
        lua_pushliteral(L, "*");
        break;
      case Type::divide:
        lua_pushliteral(L, "//");
        break;
    }
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
}

// Of negative positions the last one is -1 here, and -2 for ops (engine/ops/view.cpp).
double position_of(double number, const Param& param) { return param.takes(kind_index) && number < -1 ? number + 1 : number; }

// Pushes a number, boolean, text or the name of a dtype as the op receives it; nil for others.
void push_immediate(lua_State* L, const Value& value, const Param& param) {
  switch (value.type) {
    case Value::Type::number:
    case Value::Type::integer:
      lua_pushnumber(L, position_of(value.as_double(), param));
      break;
    case Value::Type::boolean:
      lua_pushboolean(L, value.boolean ? 1 : 0);
      break;
    case Value::Type::string:
      lua_pushlstring(L, value.string, static_cast<size_t>(value.count));
      break;
    case Value::Type::dtype:
      lua_pushlstring(L, info(value.dtype).name.data(), info(value.dtype).name.size());
      break;
    case Value::Type::element:
      if constexpr (has_complex_dtypes) {
        push_complex(L, upvalue_state(L), value.as<Complex<double>>());
        break;
      }
      [[fallthrough]];
    default:
      lua_pushnil(L);
  }
}

// Pushes an argument: as push_immediate, or {value =, negative =}, {values =}, {sizes =}, {sizesOf =}, or an expression with isPosition.
void push_argument(lua_State* L, const Graph& graph, const Argument& argument, const Param& param) {
  switch (argument.type) {
    case Argument::Type::none: {
      Value value;
      set_default(value, param);
      push_immediate(L, value, param);
      return;
    }
    case Argument::Type::immediate:
      return push_immediate(L, argument.immediate, param);
    case Argument::Type::string:
      lua_pushlstring(L, argument.text.data(), argument.text.size());
      return;
    case Argument::Type::size:
      push_expression(L, graph, argument.sizes[0]);
      if (lua_isnumber(L, -1) == 0) {
        lua_pushboolean(L, param.takes(kind_index) ? 1 : 0);
        lua_setfield(L, -2, "isPosition");
        return;
      }
      lua_pushnumber(L, position_of(lua_tonumber(L, -1), param));
      lua_replace(L, -2);
      return;
    case Argument::Type::value:
      lua_createtable(L, 0, 2);
      set_number(L, "value", number_of(graph, argument.value));
      lua_pushboolean(L, argument.negative ? 1 : 0);
      lua_setfield(L, -2, "negative");
      return;
    case Argument::Type::sizes_of:
      lua_createtable(L, 0, 1);
      set_number(L, "sizesOf", number_of(graph, argument.value));
      return;
    case Argument::Type::values:
      lua_createtable(L, 0, 1);
      lua_createtable(L, static_cast<int>(argument.values.size()), 0);
      for (size_t i = 0; i < argument.values.size(); ++i) {
        lua_pushinteger(L, number_of(graph, argument.values[i]));
        lua_rawseti(L, -2, static_cast<int>(i) + 1);
      }
      lua_setfield(L, -2, "values");
      return;
    case Argument::Type::sizes:
      lua_createtable(L, 0, 1);
      lua_createtable(L, static_cast<int>(argument.sizes.size()), 0);
      for (size_t i = 0; i < argument.sizes.size(); ++i) {
        push_expression(L, graph, argument.sizes[i]);
        lua_rawseti(L, -2, static_cast<int>(i) + 1);
      }
      lua_setfield(L, -2, "sizes");
      return;
  }
}

void push_graph(lua_State* L, State& state, const Graph& graph);

void push_step(lua_State* L, State& state, const Graph& graph, const Graph::Step& step) {
  const Signature& signature = step.op->decl->signature;
  lua_createtable(L, 0, 8);
  set_text(L, "op", step.op->decl->name);
  set_text(L, "origin", step.origin);
  lua_pushboolean(L, draws(step) ? 1 : 0);
  lua_setfield(L, -2, "draws");
  set_number(L, "writes", static_cast<lua_Integer>(step.writes.size()));
  lua_createtable(L, 0, signature.count);
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    lua_pushlstring(L, signature.params[i].name.data(), signature.params[i].name.size());
    push_argument(L, graph, step.arguments[i], signature.params[i]);
    lua_rawset(L, -3);
  }
  lua_setfield(L, -2, "arguments");
  lua_createtable(L, step.results(), 0);
  for (int r = 0; r < step.results(); ++r) {
    const auto at = static_cast<size_t>(step.first + r);
    push_value_type(L, at < graph.result_types.size() && graph.result_types[at] ? &*graph.result_types[at] : nullptr);
    lua_rawseti(L, -2, r + 1);
  }
  lua_setfield(L, -2, "results");
  lua_createtable(L, 0, static_cast<int>(step.bodies.size()));
  const auto names = body_names(*step.op);
  for (size_t b = 0; b < step.bodies.size(); ++b) {
    lua_pushlstring(L, names[b].data(), names[b].size());
    push_graph(L, state, *step.bodies[b]);
    lua_rawset(L, -3);
  }
  lua_setfield(L, -2, "bodies");
}

void push_graph(lua_State* L, State& state, const Graph& graph) {
  luaL_checkstack(L, 12, "graph: steps");
  lua_createtable(L, 0, 5);
  lua_createtable(L, static_cast<int>(graph.inputs.size()), 0);
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const auto& type = graph.inputs[i].type;
    push_value_type(L, type ? &*type : nullptr);
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  lua_setfield(L, -2, "inputs");
  lua_createtable(L, static_cast<int>(graph.constants.size()), 0);
  for (size_t i = 0; i < graph.constants.size(); ++i) {
    const Tensor& constant = graph.constants[i].tensor;
    push_tensor(L, state, constant.dtype(), constant.device()) = constant;
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  lua_setfield(L, -2, "constants");
  lua_createtable(L, static_cast<int>(graph.steps.size()), 0);
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    push_step(L, state, graph, graph.steps[i]);
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  lua_setfield(L, -2, "steps");
  lua_createtable(L, static_cast<int>(graph.outputs.size()), 0);
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    lua_pushinteger(L, number_of(graph, graph.outputs[i]));
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  lua_setfield(L, -2, "outputs");
  set_number(L, "updates", static_cast<lua_Integer>(graph.updates.size()));
}

// steps(graph) -> {inputs = types, constants = tensors, steps =, outputs = numbers of values, updates = their number}; a step is {op =,
// origin =, draws =, writes = number of arguments, arguments = by name, results = types, bodies = by name}
int graph_steps(lua_State* L) {
  push_graph(L, upvalue_state(L), check_executor(L, 1)->graph());
  return 1;
}

}  // namespace

void add_graph_steps(lua_State* L, State& state) {
  add_function(L, state, "typed", typed_graph);
  add_function(L, state, "steps", graph_steps);
}

}  // namespace mt::lua
