#include "bindings/lua/graph/graphs.h"

#include <algorithm>
#include <memory>

#include "bindings/lua/call/call_trace.h"
#include "bindings/lua/graph/control_flow.h"
#include "bindings/lua/graph/graph_steps.h"
#include "bindings/lua/graph/guarded_runs.h"
#include "bindings/lua/graph/lazy_mode.h"
#include "bindings/lua/graph/lua_source.h"
#include "bindings/lua/graph/onnx_models.h"
#include "bindings/lua/graph/operands.h"
#include "bindings/lua/graph/prepared.h"
#include "bindings/lua/graph/recomputation.h"
#include "bindings/lua/graph/running_line.h"
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/outgoing_texts.h"
#include "bindings/lua/state/table_fields.h"
#include "bindings/lua/tape/native_tape.h"
#include "bindings/lua/values/boxes.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/owned.h"
#include "engine/core/observing_hook.h"
#include "engine/graph/capture.h"
#include "engine/graph/control.h"
#include "engine/graph/dot.h"
#include "engine/graph/executor.h"
#include "engine/graph/file.h"
#include "engine/graph/guarded.h"
#include "engine/graph/text.h"
#include "engine/passes/passes.h"

namespace mt::lua {
namespace {

using GraphPointer = std::shared_ptr<const Executor>;

struct GraphClass {
  using Pointer = GraphPointer;
  static constexpr uint64_t magic = 0x6d74'4772'6170'6821;
  static constexpr auto metatable = "moontorch.graph", expected = "expected a graph";
};

const Graph& check_graph(lua_State* L, int index) { return check_owned<GraphClass>(L, index)->graph(); }

// Pushes a text that describes a graph: text(graph) as torch.graph.parse reads it, source(graph) as in lua_source.h.
template <std::string (*describe)(const Graph&)> int push_description(lua_State* L) {
  State& state = upvalue_state(L);
  const Graph& graph = check_graph(L, 1);
  std::string text;
  guarded(L, state, [&] { text = describe(graph); });
  state.texts.push(L, std::move(text));
  return 1;
}

void push_text(lua_State* L, std::string_view text) { lua_pushlstring(L, text.data(), text.size()); }

// Pushes a list of the names of inputs or constants.
template <class T> void push_names(lua_State* L, const std::vector<T>& named) {
  lua_createtable(L, static_cast<int>(named.size()), 0);
  for (size_t i = 0; i < named.size(); ++i) {
    push_text(L, named[i].name);
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
}

// inputs(graph) -> their names, and for each {dtype =, sizes =, names = of unknown sizes, or ''}, or false if the graph declares none
int graph_inputs(lua_State* L) {
  const Graph& graph = check_graph(L, 1);
  push_names(L, graph.inputs);
  lua_createtable(L, static_cast<int>(graph.inputs.size()), 0);
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::optional<ValueType>& type = graph.inputs[i].type;
    push_value_type(L, type ? &*type : nullptr);
    if (type) {
      lua_createtable(L, static_cast<int>(type->sizes.size()), 0);
      for (size_t d = 0; d < type->sizes.size(); ++d) {
        push_text(L, graph.inputs[i].name_of_size(d));
        lua_rawseti(L, -2, static_cast<int>(d) + 1);
      }
      lua_setfield(L, -2, "names");
    }
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  return 2;
}

// parse(text, {name = tensor}) -> a graph
int parse_graph_text(lua_State* L) {
  State& state = upvalue_state(L);
  size_t length = 0;
  const char* text = luaL_checklstring(L, 1, &length);
  lua_settop(L, 2);
  GraphPointer& executor = push_owned<GraphClass>(L);
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
    executor = std::make_shared<const Executor>(parse_graph({text, length}, {.constant = constant}));
  });
  return 1;
}

// Raises a Lua error unless an argument is a path.
void check_path(lua_State* L, int index) {
  size_t length = 0;
  const char* const text = luaL_checklstring(L, index, &length);
  luaL_argcheck(L, std::char_traits<char>::length(text) == length, index, "a zero byte is in the name");
}

// save(graph, path)
int save_graph_file(lua_State* L) {
  State& state = upvalue_state(L);
  const Graph& graph = check_graph(L, 1);
  check_path(L, 2);
  guarded(L, state, [&] { save_graph(graph, lua_tostring(L, 2), "graph.save"); });
  return 0;
}

// load(path) -> a graph
int load_graph_file(lua_State* L) {
  State& state = upvalue_state(L);
  check_path(L, 1);
  GraphPointer& executor = push_owned<GraphClass>(L);
  guarded(L, state, [&] { executor = std::make_shared<const Executor>(optimized(load_graph(lua_tostring(L, 1), "torch.graph.load"))); });
  return 1;
}

// Pushes {inputs =, constants =, ops =, origins = lists of texts, outputs =, updates = numbers, draws = whether it draws random
// numbers, bodies = by position of a step and name}.
void push_info(lua_State* L, const Graph& graph) {
  luaL_checkstack(L, 10, "graph: info");
  lua_createtable(L, 0, 8);
  push_names(L, graph.inputs);
  lua_setfield(L, -2, "inputs");
  push_names(L, graph.constants);
  lua_setfield(L, -2, "constants");
  lua_createtable(L, static_cast<int>(graph.steps.size()), 0);
  lua_createtable(L, static_cast<int>(graph.steps.size()), 0);
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    push_text(L, graph.steps[i].op->decl->name);
    lua_rawseti(L, -3, static_cast<int>(i) + 1);
    push_text(L, graph.steps[i].origin);
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  lua_setfield(L, -3, "origins");
  lua_setfield(L, -2, "ops");
  lua_pushinteger(L, static_cast<lua_Integer>(graph.outputs.size()));
  lua_setfield(L, -2, "outputs");
  const auto is_original = [](Graph::Ref ref) { return ref.of != Graph::Ref::Of::result; };
  size_t updates = graph.updates.size();
  for (const Graph::Step& step : graph.steps) updates += static_cast<size_t>(std::ranges::count_if(step.writes, is_original));
  lua_pushinteger(L, static_cast<lua_Integer>(updates));
  lua_setfield(L, -2, "updates");
  lua_pushboolean(L, std::ranges::any_of(graph.steps, draws));
  lua_setfield(L, -2, "draws");
  lua_newtable(L);
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    const Graph::Step& step = graph.steps[i];
    if (step.bodies.empty()) continue;
    lua_createtable(L, 0, static_cast<int>(step.bodies.size()));
    const auto names = body_names(*step.op);
    for (size_t b = 0; b < names.size(); ++b) {
      push_text(L, names[b]);
      push_info(L, *step.bodies[b]);
      lua_rawset(L, -3);
    }
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  lua_setfield(L, -2, "bodies");
}

// info(graph) -> see push_info
int graph_info(lua_State* L) {
  push_info(L, check_graph(L, 1));
  return 1;
}

// constant(graph, name) -> an alias of the tensor, or nil
int graph_constant(lua_State* L) {
  State& state = upvalue_state(L);
  const Graph& graph = check_graph(L, 1);
  size_t length = 0;
  const char* const text = luaL_checklstring(L, 2, &length);
  const auto& constants = graph.constants;
  const auto constant = std::ranges::find(constants, std::string_view(text, length), &Graph::Constant::name);
  if (constant == constants.end()) return 0;
  Tensor& alias = push_tensor(L, state, constant->tensor.dtype(), constant->tensor.device());
  guarded(L, state, [&] { alias = constant->tensor; });
  return 1;
}

// run(graph, inputs...) -> the outputs. `shares`: outputs that are the same value share memory.
template <bool shares> int run_graph(lua_State* L) {
  State& state = upvalue_state(L);
  const Executor& executor = *check_owned<GraphClass>(L, 1);
  const Graph& graph = executor.graph();
  const int given = lua_gettop(L) - 1, count = static_cast<int>(graph.outputs.size());
  luaL_checkstack(L, 2 * count + 10, "graph: run");
  for (int i = 0; i < count; ++i) push_raw_tensor(L, state);
  const auto pushed = [&](int i) -> Tensor& { return *test_tensor(L, given + 2 + i); };
  guarded(L, state, [&] {
    const std::vector<Value> inputs = read_inputs(L, state, graph, given);
    const RunSettings settings = run_settings(state);
    GraphResults results(executor);
    executor.run(settings, inputs, results.tensors());
    executor.update(settings, inputs, results.tensors());
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<size_t>(i);
      pushed(i) = shares ? executor.output(at, inputs, results.tensors()) : executor.separate_output(at, inputs, results.tensors());
    }
  });
  for (int i = 0; i < count; ++i) {
    set_class(L, state, given + 2 + i, pushed(i));
    state.collector.note_allocation(L, pushed(i));
  }
  return count;
}

}  // namespace

void push_value_type(lua_State* L, const ValueType* type) {
  if (type == nullptr) {
    lua_pushboolean(L, 0);
    return;
  }
  lua_createtable(L, 0, 2);
  set_text(L, "dtype", info(type->dtype).name);
  lua_createtable(L, static_cast<int>(type->sizes.size()), 0);
  for (size_t d = 0; d < type->sizes.size(); ++d) {
    lua_pushnumber(L, static_cast<double>(type->sizes[d]));
    lua_rawseti(L, -2, static_cast<int>(d) + 1);
  }
  lua_setfield(L, -2, "sizes");
}

void push_executor(lua_State* L, std::shared_ptr<const Executor> executor) { push_owned<GraphClass>(L) = std::move(executor); }

const std::shared_ptr<const Executor>& check_executor(lua_State* L, int index) { return check_owned<GraphClass>(L, index); }

const std::shared_ptr<const Executor>* test_executor(lua_State* L, int index) { return test_owned<GraphClass>(L, index); }

std::shared_ptr<const Executor>& push_new_executor(lua_State* L) { return push_owned<GraphClass>(L); }

std::vector<Value> read_inputs(lua_State* L, State& state, const Graph& graph, int given) {
  if (static_cast<size_t>(given) != graph.inputs.size()) fail("graph", "run", given, " inputs, expected ", graph.inputs.size());
  std::vector<Value> inputs;
  state.tape.lists.clear();
  for (int i = 0; i < given; ++i) inputs.push_back(operand_at(L, i + 2, graph.inputs[static_cast<size_t>(i)].kinds, state.tape.lists));
  check_inputs(graph, inputs);
  return inputs;
}

// ---- captures

Capture::Origin line_reader(lua_State* L, std::string home) {
  return [L, home = std::move(home)] {
    const RunningLine line = running_line(L, home);
    return line.number > 0 ? concat(line.file, ":", line.number) : std::string();
  };
}

namespace {

constexpr uint64_t capture_magic = 0x6d74'4361'7074'7572;
constexpr auto capture_class = "moontorch.capture";  // registry key of the metatable

struct CaptureBox {
  uint64_t magic = capture_magic;
  Capture* capture = nullptr;
  bool guards = false;      // reads become guards
  OpHook* outer = nullptr;  // the hook before: that of lazy ops, or one that observes
};

// A program that drops its coroutine inside a capture, or closes the state, leaves this to the collector.
int release_capture(lua_State* L) {
  CaptureBox* box = test_box<CaptureBox>(L, 1, capture_magic);
  if (box == nullptr) return 0;
  State& state = upvalue_state(L);
  if (state.hook == box->capture) state.hook = box->outer;
  delete box->capture;
  box->capture = nullptr;
  return 0;
}

// beginCapture(names of inputs, inputs, folder of Moontorch's files, [whether reads become guards], [whether it is for any size]) -> the
// capture, which ends when it is collected
int begin_capture(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 5);
  if (state.hook != nullptr && !has_lazy_ops(state) && observing(state.hook) == nullptr)
    luaL_error(L, "capture: a capture or a trace of this state is running, expected none");
  auto* box = new (lua_newuserdata(L, sizeof(CaptureBox))) CaptureBox;
  luaL_getmetatable(L, capture_class);
  lua_setmetatable(L, -2);
  lua_createtable(L, 1, 0);
  lua_pushthread(L);
  lua_rawseti(L, -2, 1);
  lua_setfenv(L, -2);  // keeps the thread, at whose stack the capture looks
  guarded(L, state, [&] {
    state.compute_pending();
    box->outer = state.hook;
    box->guards = lua_toboolean(L, 4) != 0;
    const Capture::Reads reads = box->guards ? Capture::Reads::guarded : Capture::Reads::refused;
    box->capture = new Capture(line_reader(L, text_at(L, 3)), reads, lua_toboolean(L, 5) != 0);
    for (int i = 1; i <= static_cast<int>(lua_objlen(L, 2)); ++i) {
      lua_rawgeti(L, 1, i);
      lua_rawgeti(L, 2, i);
      const Tensor* t = test_tensor(L, -1);
      if (t == nullptr) fail("capture", "inputs", luaL_typename(L, -1), ", expected tensors");
      box->capture->add_input(text_at(L, -2), *t);
      lua_pop(L, 2);
    }
  });
  set_hook(L, state, box->capture);
  return 1;
}

// capturing() -> whether a capture is running: then ops return no numbers
int is_capturing(lua_State* L) {
  const State& state = upvalue_state(L);
  lua_pushboolean(L, state.hook != nullptr && state.hook->captures());
  return 1;
}

// generalize({graphs}, {positions of inputs}, {dimensions}, {names}) -> the graph for any size of these dimensions
int generalize_graphs(lua_State* L) {
  State& state = upvalue_state(L);
  for (int i = 1; i <= 4; ++i) luaL_checktype(L, i, LUA_TTABLE);
  lua_settop(L, 4);
  const auto count = static_cast<int>(lua_objlen(L, 1)), places = static_cast<int>(lua_objlen(L, 2));
  GraphPointer& executor = push_owned<GraphClass>(L);
  guarded(L, state, [&] {
    const auto index_at = [L](int list, int i) {
      lua_rawgeti(L, list, i);
      const auto number = static_cast<int32_t>(lua_tonumber(L, -1)) - 1;
      lua_pop(L, 1);
      return number;
    };
    std::vector<Graph> samples;
    std::vector<OpenDim> dims;
    for (int i = 1; i <= count; ++i) {
      lua_rawgeti(L, 1, i);
      const GraphPointer* const sample = test_owned<GraphClass>(L, -1);
      if (sample == nullptr) fail("generalize", "graphs", "another value, expected graphs");
      samples.push_back((*sample)->graph());
      lua_pop(L, 1);
    }
    for (int i = 1; i <= places; ++i) {
      lua_rawgeti(L, 4, i);
      dims.push_back({index_at(2, i), index_at(3, i), text_at(L, -1)});
      lua_pop(L, 1);
    }
    executor = std::make_shared<const Executor>(optimized(remove_unused_constants(generalize(samples, dims))));
  });
  return 1;
}

// endCapture(capture, [outputs], [first]) -> the graph; with guards the graphs of the checks and of the rest, and the guards; with `first`
// the graph of so many outputs and of what the rest needs, and the graph of the rest; with true the graph without the passes; without
// outputs it only ends the capture
int end_capture(lua_State* L) {
  State& state = upvalue_state(L);
  lua_settop(L, 3);
  const bool is_plain = lua_isboolean(L, 3) && lua_toboolean(L, 3) != 0;
  const CaptureBox* box = test_box<CaptureBox>(L, 1, capture_magic);
  if (box == nullptr || box->capture == nullptr) return luaL_argerror(L, 1, "expected a capture");
  if (state.hook == box->capture) set_hook(L, state, box->outer);
  if (!lua_istable(L, 2)) return 0;
  const bool splits = box->guards || lua_isnumber(L, 3) != 0;
  GraphPointer& graph = push_owned<GraphClass>(L);
  GraphPointer* const rest = splits ? &push_owned<GraphClass>(L) : nullptr;
  std::vector<Guard>* const guards = box->guards ? &push_guards(L) : nullptr;
  guarded(L, state, [&] {
    std::vector<Tensor> outputs;
    for (int i = 1; i <= static_cast<int>(lua_objlen(L, 2)); ++i) {
      lua_rawgeti(L, 2, i);
      const Tensor* t = test_tensor(L, -1);
      if (t == nullptr) fail("capture", "outputs", luaL_typename(L, -1), ", expected tensors");
      outputs.push_back(*t);
      outputs.back().set_tracked(false);
      lua_pop(L, 1);
    }
    const Graph captured = box->capture->finish(outputs, guards);
    if (rest == nullptr) {
      graph = std::make_shared<const Executor>(is_plain ? captured : optimized(captured));
      return;
    }
    const size_t first = guards != nullptr ? guards->size() : static_cast<size_t>(lua_tointeger(L, 3));
    if (first > captured.outputs.size()) fail("capture", "first", first, " outputs, expected at most ", captured.outputs.size());
    GraphParts parts = parts_of(captured, first);
    graph = std::move(parts.first);
    *rest = std::move(parts.rest);
  });
  return box->guards ? 3 : splits ? 2 : 1;
}

// graphs() -> a table of the functions above, and the metatable of graphs
int functions_of_graphs(lua_State* L) {
  State& state = upvalue_state(L);
  lua_createtable(L, 0, 10);
  push_owned_metatable<GraphClass>(L);
  lua_setfield(L, -2, "metatable");
  luaL_newmetatable(L, capture_class);
  add_function(L, state, "__gc", release_capture);
  lua_pop(L, 1);
  add_function(L, state, "parse", parse_graph_text);
  add_function(L, state, "text", push_description<to_text>);
  add_function(L, state, "source", push_description<lua_source>);
  add_function(L, state, "inputs", graph_inputs);
  add_function(L, state, "info", graph_info);
  add_function(L, state, "constant", graph_constant);
  add_function(L, state, "run", run_graph<false>);
  add_function(L, state, "runSharing", run_graph<true>);
  add_function(L, state, "save", save_graph_file);
  add_function(L, state, "load", load_graph_file);
  add_function(L, state, "dot", push_description<to_dot>);
  add_function(L, state, "beginCapture", begin_capture);
  add_function(L, state, "endCapture", end_capture);
  add_function(L, state, "generalize", generalize_graphs);
  add_control_flow(L, state);
  add_prepared_runs(L, state);
  add_guarded_runs(L, state);
#ifndef MT_WITHOUT_ONNX
  add_onnx_models(L, state);
#ifndef MT_WITHOUT_ONNX_WRITER
  add_graph_steps(L, state);
#endif
#endif
#ifndef MT_WITHOUT_RECOMPUTATION
  add_recomputation(L, state);
#endif
  return 1;
}

}  // namespace

void open_graphs(lua_State* L, State& state) {
  add_function(L, state, "graphs", functions_of_graphs);
  add_function(L, state, "capturing", is_capturing);
  add_lazy_mode(L, state);
}

}  // namespace mt::lua
