#include "bindings/lua/graph/control_flow.h"

#include <memory>
#include <optional>

#include "bindings/lua/call/call_trace.h"
#include "bindings/lua/graph/prepared.h"
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/table_fields.h"
#include "bindings/lua/values/defaults.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/owned.h"
#include "engine/core/device.h"
#include "engine/core/generator.h"
#include "engine/graph/bodies.h"
#include "engine/graph/verify.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

// The capture of a body, inside that of a program.
struct Body {
  State& state;
  Capture* outer;
  Capture capture;
  Generators random;
  Body(State& its_state, Capture* its_outer, Capture::Origin origin)
      : state(its_state), outer(its_outer), capture(std::move(origin)), random(its_state.generators) {
    capture.begin_body();
  }
  // A program that drops its coroutine inside a body, or closes the state, leaves this to the collector.
  ~Body() {
    if (state.hook == &capture) state.hook = nullptr;
  }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
};

struct BodyClass {
  using Pointer = std::unique_ptr<Body>;
  static constexpr uint64_t magic = 0x6d74'426f'6479'2121;
  static constexpr auto metatable = "moontorch.body", expected = "expected a body";
};

Tensor tensor_in(lua_State* L, int list, int i, std::string_view what) {
  lua_rawgeti(L, list, i);
  const Tensor* t = test_tensor(L, -1);
  if (t == nullptr) fail("graph", what, luaL_typename(L, -1), ", expected tensors");
  Tensor copied = *t;
  copied.set_tracked(false);
  lua_pop(L, 1);
  return copied;
}

// A copy of a tensor, or of the first slice of a sequence; zeros if there is none.
Tensor sample_of(const Tensor& t, bool is_sequence) {
  if (!is_sequence) return clone(t);
  if (t.dim() == 0) fail<Status::shape>("scan", "sequences", "a tensor without dimensions, expected one or more");
  Shape sizes;
  for (int d = 1; d < t.dim(); ++d) sizes.push(t.size(d));
  if (t.dim() == 1) sizes.push(1);
  Tensor sample = Tensor::empty(t.dtype(), sizes, t.device());
  if (sample.numel() == 0) return sample;
  if (t.size(0) == 0) {
    call_zero(nullptr, sample);
  } else {
    Tensor slice;
    if (t.dim() == 1)
      call_narrow(nullptr, t, 0, 0, 1, slice);
    else
      call_select(nullptr, t, 0, 0, slice);
    copy(sample, slice);
  }
  return sample;
}

// beginBody({names}, {tensors}, number of those that are no sequences, folder of Moontorch's files) -> the capture of a body, and a list of
// copies of the tensors, and of the first slices of the sequences
int begin_body(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  const auto plain = static_cast<int>(luaL_checkinteger(L, 3));
  lua_settop(L, 4);
  auto* const outer = dynamic_cast<Capture*>(state.hook);
  if (outer == nullptr) luaL_error(L, "graph: no capture is running, expected one");
  const auto count = static_cast<int>(lua_objlen(L, 2));
  std::unique_ptr<Body>& body = push_owned<BodyClass>(L);
  lua_createtable(L, 1, 0);
  lua_pushthread(L);
  lua_rawseti(L, -2, 1);
  lua_setfenv(L, -2);  // keeps the thread, at whose stack the capture looks
  lua_createtable(L, count, 0);
  for (int i = 1; i <= count; ++i) {
    push_raw_tensor(L, state);
    guarded(L, state, [&] {
      if (body == nullptr) body = std::make_unique<Body>(state, outer, line_reader(L, text_at(L, 4)));
      const Tensor sample = sample_of(tensor_in(L, 2, i, "body"), i > plain);
      *test_tensor(L, -1) = sample;
      lua_rawgeti(L, 1, i);
      body->capture.add_input(text_at(L, -1), sample);
      lua_pop(L, 1);
    });
    set_class(L, state, lua_gettop(L), *test_tensor(L, -1));
    lua_rawseti(L, 6, i);
  }
  guarded(L, state, [&] {
    if (body == nullptr) body = std::make_unique<Body>(state, outer, line_reader(L, text_at(L, 4)));
  });
  state.hook = &body->capture;
  return 2;
}

// endBody(body, [outputs]) -> the graph of the body; without outputs it only ends the capture. The memory that the body has overwritten,
// and the generators, are as before.
int end_body(lua_State* L) {
  State& state = upvalue_state(L);
  lua_settop(L, 2);
  std::unique_ptr<Body>& body = check_owned<BodyClass>(L, 1);
  if (state.hook == &body->capture) state.hook = body->outer;
  std::shared_ptr<const Executor>& graph = push_new_executor(L);
  guarded(L, state, [&] {
    state.generators = body->random;
    body->capture.restore();
    std::optional<Error> failed;
    if (lua_istable(L, 2)) {
      try {
        std::vector<Tensor> outputs;
        for (int i = 1; i <= static_cast<int>(lua_objlen(L, 2)); ++i) outputs.push_back(tensor_in(L, 2, i, "outputs"));
        graph = std::make_shared<const Executor>(body->capture.finish(outputs));
      } catch (const Error& e) {
        failed = e;
      }
    }
    body->outer->note_foreign(body->capture.release());
    body.reset();
    if (failed) throw Error(*failed);
  });
  return graph != nullptr ? 1 : 0;
}

// A step of control flow that runs.
struct Running {
  Graph::Step step;
  std::vector<std::vector<Tensor>> lists;  // the tensors of the arguments
  std::vector<Tensor> results;
};

struct RunningClass {
  using Pointer = std::unique_ptr<Running>;
  static constexpr uint64_t magic = 0x6d74'5275'6e6e'696e;
  static constexpr auto metatable = "moontorch.running", expected = "expected a running step";
};

Value value_of(std::vector<Tensor*>& pointers, std::vector<Tensor>& tensors) {
  for (Tensor& t : tensors) pointers.push_back(&t);
  Value value;
  value.type = Value::Type::tensors;
  value.tensors = pointers.data();
  value.count = static_cast<int32_t>(pointers.size());
  return value;
}

// Raises an error unless the step is valid.
void verify_step(const Running& running) {
  Graph whole;
  Graph::Step step = running.step;
  for (size_t i = 0; i < running.lists.size(); ++i) {
    for (const Tensor& t : running.lists[i]) {
      step.arguments[i].values.push_back({Graph::Ref::Of::input, static_cast<int32_t>(whole.inputs.size())});
      whole.inputs.push_back({"", kind_tensor, false, ValueType{t.dtype(), {t.sizes().begin(), t.sizes().end()}}});
    }
    const bool is_list = running.step.op->decl->signature.params[i].takes(kind_tensors);
    if (is_list) step.arguments[i].type = Graph::Argument::Type::values;
    if (!is_list && !step.arguments[i].values.empty()) step.arguments[i] = Graph::Argument(step.arguments[i].values[0]);
  }
  whole.steps.push_back(std::move(step));
  verify(whole);
}

// runControl(op, {graphs of the bodies}, {state}, {sequences}, option) -> the results of a step. The state of a cond are its operands; the
// option is its predicate, the limit of a while, or whether a scan begins with the last slice.
int run_control(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checkstring(L, 1);
  for (int i = 2; i <= 4; ++i) luaL_checktype(L, i, LUA_TTABLE);
  lua_settop(L, 5);
  std::unique_ptr<Running>& running = push_owned<RunningClass>(L);
  int count = 0;
  guarded(L, state, [&] {
    const Op* const op = find_control_op(text_at(L, 1));
    if (op == nullptr) fail("graph", "op", text_at(L, 1), ", expected cond, while or scan");
    running = std::make_unique<Running>();
    const bool is_cond = op->decl->name == "cond", is_while = op->decl->name == "while";
    std::vector<Graph> captured;
    for (int i = 1; i <= static_cast<int>(lua_objlen(L, 2)); ++i) {
      lua_rawgeti(L, 2, i);
      const auto* const graph = test_executor(L, -1);
      if (graph == nullptr) fail(op->decl->name, "bodies", luaL_typename(L, -1), ", expected graphs");
      captured.push_back((*graph)->graph());
      lua_pop(L, 1);
    }
    std::vector<Tensor> operands, sequences;
    for (int i = 1; i <= static_cast<int>(lua_objlen(L, 3)); ++i) operands.push_back(tensor_in(L, 3, i, "state"));
    for (int i = 1; i <= static_cast<int>(lua_objlen(L, 4)); ++i) sequences.push_back(tensor_in(L, 4, i, "sequences"));
    for (const Graph& graph : captured) {
      if (graph.inputs.size() != operands.size() + sequences.size())
        fail(op->decl->name, "bodies", graph.inputs.size(), " inputs, expected ", operands.size() + sequences.size());
    }
    auto* const capture = dynamic_cast<Capture*>(state.hook);
    const size_t first_state = operands.size();
    const ClosedBodies closed =
        close_bodies(*op, captured, first_state, [&](const Tensor& t) { return capture != nullptr && capture->is_foreign(t); });
    operands.insert(operands.end(), closed.carried.begin(), closed.carried.end());
    Running& run = *running;
    run.step.op = op;
    run.step.bodies = closed.bodies;
    run.step.arguments.resize(static_cast<size_t>(op->decl->signature.count));
    std::vector<Value> args(run.step.arguments.size());
    if (is_cond) {
      operands.insert(operands.end(), closed.invariants.begin(), closed.invariants.end());
      const Tensor* const predicate = test_tensor(L, 5);
      if (predicate == nullptr) fail("cond", "predicate", luaL_typename(L, 5), ", expected a tensor");
      run.lists = {{*predicate}, std::move(operands)};
      run.lists[0][0].set_tracked(false);
    } else if (is_while) {
      run.lists = {std::move(operands), closed.invariants};
    } else {
      run.lists = {std::move(operands), std::move(sequences), closed.invariants};
    }
    verify_step(run);
    std::vector<std::vector<Tensor*>> pointers(run.lists.size());
    for (size_t i = 0; i < run.lists.size(); ++i) {
      if (is_cond && i == 0)
        args[i] = Value(run.lists[0][0]);
      else if (!run.lists[i].empty() || !op->decl->signature.params[i].optional)
        args[i] = value_of(pointers[i], run.lists[i]);
    }
    if (is_while && lua_isnumber(L, 5) != 0) {
      args[2].type = Value::Type::integer;
      args[2].integer = static_cast<int64_t>(lua_tonumber(L, 5));
    } else if (!is_cond && !is_while) {
      args[3].type = Value::Type::boolean;
      args[3].boolean = lua_toboolean(L, 5) != 0;
    }
    const Control control(run.step);
    run.results.resize(control.results());
    std::vector<Tensor*> results;
    for (Tensor& t : run.results) results.push_back(&t);
    Call call{*op, args, results, 0, state.defaults.dtype, &state.generators, false, state.hook, state.defaults.device};
    run_through_hook(call, control);
    const size_t carried = closed.carried.size();
    const auto first = run.results.begin() + static_cast<std::ptrdiff_t>(is_cond ? run.results.size() - carried : first_state);
    for (size_t i = 0; i < carried; ++i) {
      Tensor outside = closed.carried[i];
      call_copy(state.hook, outside, *(first + static_cast<std::ptrdiff_t>(i)));
    }
    run.results.erase(first, first + static_cast<std::ptrdiff_t>(carried));
    count = static_cast<int>(run.results.size());
  });
  luaL_checkstack(L, count + 10, "graph: results of control flow");
  for (int i = 0; i < count; ++i) {
    Tensor& result = push_raw_tensor(L, state);
    guarded(L, state, [&] { result = std::move(running->results[static_cast<size_t>(i)]); });
    set_class(L, state, lua_gettop(L), result);
    state.collector.note_allocation(L, result);
  }
  return count;
}

}  // namespace

void add_control_flow(lua_State* L, State& state) {
  push_owned_metatable<BodyClass>(L);
  lua_pop(L, 1);
  push_owned_metatable<RunningClass>(L);
  lua_pop(L, 1);
  add_function(L, state, "beginBody", begin_body);
  add_function(L, state, "endBody", end_body);
  add_function(L, state, "runControl", run_control);
}

}  // namespace mt::lua
