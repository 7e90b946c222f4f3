#include "bindings/lua/graph/graphs.h"

#include <algorithm>
#include <memory>

#include "bindings/lua/call/call_trace.h"
#include "bindings/lua/graph/lua_source.h"
#include "bindings/lua/graph/operands.h"
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/table_fields.h"
#include "bindings/lua/tape/native_tape.h"
#include "bindings/lua/values/boxes.h"
#include "bindings/lua/values/metatables.h"
#include "engine/graph/capture.h"
#include "engine/graph/executor.h"
#include "engine/graph/text.h"
#include "engine/passes/passes.h"

namespace mt::lua {
namespace {

constexpr uint64_t graph_magic = 0x6d74'4772'6170'6821;
constexpr auto graph_class = "moontorch.graph";  // registry key of the metatable

struct GraphBox {
  uint64_t magic = graph_magic;
  std::shared_ptr<const Executor> executor;
};

GraphBox& check_graph(lua_State* L, int index) {
  GraphBox* box = test_box<GraphBox>(L, index, graph_magic);
  if (box == nullptr || box->executor == nullptr) luaL_argerror(L, index, "expected a graph");
  return *box;
}

// Pushes an object without a graph.
GraphBox& push_graph(lua_State* L) {
  auto* box = new (lua_newuserdata(L, sizeof(GraphBox))) GraphBox;
  luaL_getmetatable(L, graph_class);
  lua_setmetatable(L, -2);
  return *box;
}

int release_graph(lua_State* L) {
  if (GraphBox* box = test_box<GraphBox>(L, 1, graph_magic)) box->executor.reset();
  return 0;
}

// graphText(graph)
int graph_text(lua_State* L) {
  State& state = upvalue_state(L);
  const GraphBox& box = check_graph(L, 1);
  std::string text;
  guarded(L, state, [&] { text = to_text(box.executor->graph()); });
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

// graphSource(graph) -> the source text of a Lua chunk (see lua_source.h)
int graph_source(lua_State* L) {
  State& state = upvalue_state(L);
  const GraphBox& box = check_graph(L, 1);
  std::string text;
  guarded(L, state, [&] { text = lua_source(box.executor->graph()); });
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

// graphTypes(graph) -> for each input {dtype = class name, sizes = list}, or false if the graph declares none
int graph_types(lua_State* L) {
  const Graph& graph = check_graph(L, 1).executor->graph();
  lua_createtable(L, static_cast<int>(graph.inputs.size()), 0);
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::optional<ValueType>& type = graph.inputs[i].type;
    if (type) {
      lua_newtable(L);
      set_text(L, "dtype", info(type->dtype).name);
      lua_createtable(L, static_cast<int>(type->sizes.size()), 0);
      for (size_t d = 0; d < type->sizes.size(); ++d) {
        lua_pushnumber(L, static_cast<double>(type->sizes[d]));
        lua_rawseti(L, -2, static_cast<int>(d) + 1);
      }
      lua_setfield(L, -2, "sizes");
    } else {
      lua_pushboolean(L, 0);
    }
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  return 1;
}

// parseGraph(text, {name = tensor}) -> a graph
int parse_graph_text(lua_State* L) {
  State& state = upvalue_state(L);
  size_t length = 0;
  const char* text = luaL_checklstring(L, 1, &length);
  lua_settop(L, 2);
  GraphBox& box = push_graph(L);
  guarded(L, state, [&] {
    const auto constant = [&](std::string_view name) {
      const Tensor* tensor = nullptr;
      if (lua_istable(L, 2)) {
        lua_pushlstring(L, name.data(), name.size());
        lua_rawget(L, 2);
        tensor = test_tensor(L, -1);
        lua_pop(L, 1);
      }
      if (tensor == nullptr) fail("graph", "constants", "no tensor ", name, ", expected one for each constant of the text");
      return *tensor;
    };
    box.executor = std::make_shared<const Executor>(parse_graph({text, length}, {.constant = constant}));
  });
  return 1;
}

// A list of texts on top of the stack; f(i) returns each.
template <class F> void push_texts(lua_State* L, size_t count, F&& f) {
  lua_createtable(L, static_cast<int>(count), 0);
  for (size_t i = 0; i < count; ++i) {
    const std::string text = f(i);
    lua_pushlstring(L, text.data(), text.size());
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
}

// graphInfo(graph) -> {inputs = names, outputs = number, constants = names, steps = {{op =, origin =}, ...}}
int graph_info(lua_State* L) {
  const Graph& graph = check_graph(L, 1).executor->graph();
  lua_newtable(L);
  push_texts(L, graph.inputs.size(), [&](size_t i) { return graph.inputs[i].name; });
  lua_setfield(L, -2, "inputs");
  push_texts(L, graph.constants.size(), [&](size_t i) { return graph.constants[i].name; });
  lua_setfield(L, -2, "constants");
  push_texts(L, graph.steps.size(), [&](size_t i) { return std::string(graph.steps[i].op->decl->name); });
  lua_setfield(L, -2, "ops");
  push_texts(L, graph.steps.size(), [&](size_t i) { return graph.steps[i].origin; });
  lua_setfield(L, -2, "origins");
  lua_pushinteger(L, static_cast<lua_Integer>(graph.outputs.size()));
  lua_setfield(L, -2, "outputs");
  lua_pushinteger(L, static_cast<lua_Integer>(graph.updates.size()));
  lua_setfield(L, -2, "updates");
  return 1;
}

// graphConstant(graph, name) -> an alias of the tensor, or nil
int graph_constant(lua_State* L) {
  State& state = upvalue_state(L);
  const GraphBox& box = check_graph(L, 1);
  const std::string name = text_at(L, 2);
  for (const Graph::Constant& constant : box.executor->graph().constants) {
    if (constant.name != name) continue;
    Tensor& alias = push_tensor(L, state, constant.tensor.dtype(), constant.tensor.device());
    guarded(L, state, [&] { alias = constant.tensor; });
    return 1;
  }
  return 0;
}

// Pushes a result of a run.
void push_result(lua_State* L, State& state, Tensor& result) {
  Tensor& pushed = push_raw_tensor(L, state);
  pushed = std::move(result);
  set_class(L, state, -1, pushed);
  state.collector.note_allocation(L, pushed);
}

// runGraph(graph, inputs...) -> the outputs
int run_graph(lua_State* L) {
  State& state = upvalue_state(L);
  const std::shared_ptr<const Executor> executor = check_graph(L, 1).executor;
  const Graph& graph = executor->graph();
  const size_t count = graph.inputs.size(), outputs = graph.outputs.size();
  luaL_checkstack(L, static_cast<int>(outputs) + 10, "graph: run");
  std::vector<Tensor> made;
  guarded(L, state, [&] {
    const auto given = static_cast<size_t>(lua_gettop(L)) - 1;
    if (given != count) fail("graph", "run", given, " inputs, expected ", count);
    std::vector<Value> inputs(count);
    OperandLists lists;
    for (size_t i = 0; i < count; ++i) inputs[i] = operand_at(L, static_cast<int>(i) + 2, graph.inputs[i].kinds, lists);
    check_inputs(graph, inputs);
    RunSettings settings = run_settings(state);
    settings.generators = &state.generators;
    GraphResults results(*executor);
    executor->run(settings, inputs, results.tensors());
    executor->update(settings, inputs, results.tensors());
    for (size_t i = 0; i < outputs; ++i) {
      made.push_back(executor->output(i, inputs, results.tensors()));
      const auto begin = graph.outputs.begin(), at = begin + static_cast<std::ptrdiff_t>(i);
      if (std::find(begin, at, *at) != at) made.back() = clone(made.back());  // common steps: the program may change one of them
    }
  });
  for (Tensor& result : made) push_result(L, state, result);
  return static_cast<int>(outputs);
}

// ---- captures

// The line of the program that runs, outside of Moontorch's own files, whose folder `home` names.
std::string running_line(lua_State* L, const std::string& home) {
  lua_Debug ar;
  for (int level = 0; lua_getstack(L, level, &ar) != 0; ++level) {
    lua_getinfo(L, "Sl", &ar);
    const std::string_view source = ar.source;
    if (ar.currentline <= 0 || (!home.empty() && source.substr(0, home.size() + 1) == "@" + home)) continue;
    return concat(static_cast<const char*>(ar.short_src), ":", ar.currentline);
  }
  return {};
}

struct RunningCapture {
  Capture capture;
  explicit RunningCapture(Capture::Origin origin) : capture(std::move(origin)) {}
};

constexpr auto capture_key = "moontorch.capture";  // registry key of the running capture's userdata

RunningCapture** capture_of(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, capture_key);
  auto** held = static_cast<RunningCapture**>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return held;
}

int release_capture(lua_State* L) {
  auto** held = static_cast<RunningCapture**>(lua_touserdata(L, 1));
  State& state = upvalue_state(L);
  if (*held != nullptr && state.hook == &(*held)->capture) state.hook = nullptr;  // the state is being closed
  delete *held;
  *held = nullptr;
  return 0;
}

// beginCapture(names of inputs, inputs, folder of Moontorch's files)
int begin_capture(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 3);
  if (state.hook != nullptr) luaL_error(L, "capture: a capture or a trace of this state is running, expected none");
  auto** held = static_cast<RunningCapture**>(lua_newuserdata(L, sizeof(RunningCapture*)));
  *held = nullptr;
  lua_createtable(L, 0, 2);
  add_function(L, state, "__gc", release_capture);
  lua_pushthread(L);
  lua_setfield(L, -2, "thread");  // the capture looks at its stack
  lua_setmetatable(L, -2);
  lua_setfield(L, LUA_REGISTRYINDEX, capture_key);
  guarded(L, state, [&] {
    *held = new RunningCapture([L, home = text_at(L, 3)] { return running_line(L, home); });
    for (int i = 1; i <= static_cast<int>(lua_objlen(L, 2)); ++i) {
      lua_rawgeti(L, 1, i);
      lua_rawgeti(L, 2, i);
      const Tensor* t = test_tensor(L, -1);
      if (t == nullptr) fail("capture", "inputs", luaL_typename(L, -1), ", expected tensors");
      (*held)->capture.add_input(text_at(L, -2), *t);
      lua_pop(L, 2);
    }
  });
  set_hook(L, state, &(*held)->capture);
  return 0;
}

// capturing() -> whether a capture is running: then ops return no numbers
int is_capturing(lua_State* L) {
  const State& state = upvalue_state(L);
  lua_pushboolean(L, state.hook != nullptr && state.hook->captures());
  return 1;
}

// nameConstants({name, tensor, ...}) for the running capture
int name_constants(lua_State* L) {
  State& state = upvalue_state(L);
  RunningCapture** held = capture_of(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  if (held == nullptr || *held == nullptr) return 0;
  guarded(L, state, [&] {
    for (int i = 1; i < static_cast<int>(lua_objlen(L, 1)); i += 2) {
      lua_rawgeti(L, 1, i);
      lua_rawgeti(L, 1, i + 1);
      if (const Tensor* t = test_tensor(L, -1)) (*held)->capture.set_name(*t, text_at(L, -2));
      lua_pop(L, 2);
    }
  });
  return 0;
}

void end(lua_State* L, State& state) {
  set_hook(L, state, nullptr);
  lua_pushnil(L);
  lua_setfield(L, LUA_REGISTRYINDEX, capture_key);
}

// endCapture([outputs]) -> the graph; without outputs it only ends the capture
int end_capture(lua_State* L) {
  State& state = upvalue_state(L);
  lua_settop(L, 1);
  RunningCapture** held = capture_of(L);
  if (held == nullptr || *held == nullptr) return 0;
  if (!lua_istable(L, 1)) {
    end(L, state);
    return 0;
  }
  lua_getfield(L, LUA_REGISTRYINDEX, capture_key);  // keeps the capture alive
  end(L, state);
  GraphBox& box = push_graph(L);
  guarded(L, state, [&] {
    std::vector<Tensor> outputs;
    for (int i = 1; i <= static_cast<int>(lua_objlen(L, 1)); ++i) {
      lua_rawgeti(L, 1, i);
      const Tensor* t = test_tensor(L, -1);
      if (t == nullptr) fail("capture", "outputs", luaL_typename(L, -1), ", expected tensors");
      outputs.push_back(*t);
      outputs.back().set_tracked(false);
      lua_pop(L, 1);
    }
    box.executor = std::make_shared<const Executor>(optimized((*held)->capture.finish(outputs)));
  });
  return 1;
}

}  // namespace

void open_graphs(lua_State* L, State& state) {
  luaL_newmetatable(L, graph_class);
  lua_pushcfunction(L, release_graph);
  lua_setfield(L, -2, "__gc");
  lua_setfield(L, -2, "graphMetatable");
  add_function(L, state, "parseGraph", parse_graph_text);
  add_function(L, state, "graphText", graph_text);
  add_function(L, state, "graphSource", graph_source);
  add_function(L, state, "graphTypes", graph_types);
  add_function(L, state, "graphInfo", graph_info);
  add_function(L, state, "graphConstant", graph_constant);
  add_function(L, state, "runGraph", run_graph);
  add_function(L, state, "beginCapture", begin_capture);
  add_function(L, state, "capturing", is_capturing);
  add_function(L, state, "nameConstants", name_constants);
  add_function(L, state, "endCapture", end_capture);
}

}  // namespace mt::lua
