// The passes of modules and criteria that are formulas, forward and backward.
#include "bindings/lua/nn/formula_places.h"
#include "bindings/lua/nn/split_concatenate.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/tape/native_tape.h"
#include "bindings/lua/values/boxes.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/type_names.h"
#include "engine/core/device.h"
#include "engine/core/meta.h"
#include "engine/ops/accumulate.h"
#include "engine/ops/calls.h"

namespace mt::lua {
namespace {

// The gradient of a loss by itself, 1, with the type and device of `kind`.
Tensor* one_of_kind(lua_State* L, State& state, const Tensor& kind) {
  Tensor& one = state.tape.one;
  if (one.numel() != 1 || !same_kind(one, kind)) guarded(L, state, [&] { one = one_element(Value(1.0), kind.dtype(), kind.device()); });
  return &one;
}

// The inputs of a formula's graphs: the gradient and the operands from a stack index on.
class Inputs {
 public:
  Inputs(lua_State* L, const State& state, const Formula& formula, const Executor& graph, int operands, Tensor* g)
      : count_(formula.operands.size() + 1) {
    OperandLists& lists = state.tape.lists;
    lists.clear();
    for (size_t i = 0; i < count_; ++i) {
      Value& value = *new (&values()[i]) Value;
      if (!graph.reads(i)) continue;
      if (i > 0)
        value = operand_at(L, operands + static_cast<int>(i) - 1, formula.kinds[i - 1], lists);
      else if (g != nullptr)
        value = Value(*g);
    }
  }
  operator std::span<const Value>() { return {values(), count_}; }  // NOLINT: implicit

 private:
  Value* values() { return reinterpret_cast<Value*>(room_); }
  size_t count_;
  alignas(Value) std::byte room_[sizeof(Value) * (Formula::most_operands + 2)];  // uninitialised: few formulas need much of it
};

// The tensors that receive the gradients.
struct Receivers {
  static constexpr size_t most = Formula::most_outputs;
  int grad_input = 0;  // stack index of gradInput
  bool by_input = false, inplace = false;
  uint32_t wanted = 0;  // bit i: gradient i
  Destination targets[most];
  Place places[most];       // of gradients by the input
  Tensor* sums[most] = {};  // the sums to which gradients by parameters are added
  bool wants(size_t i) const { return (wanted >> i & 1) != 0; }
};

// Stack indices of a call.
struct CallStack {
  int names, operands;
};

// Finds the receivers; returns false if the call needs the fallback.
bool receive_gradients(lua_State* L, State& state, const Formula& formula, CallStack stack, Tensor* g, const Wanted& wanted,
                       Receivers& receivers) {
  push_own(L, gradient_name);
  const int grad_input = receivers.grad_input = lua_gettop(L);
  const bool by_input = receivers.by_input = wanted.by_input && !lua_isnil(L, grad_input);
  if (by_input && !formula.has_input) return false;
  const bool inplace = receivers.inplace = by_input && is_inplace(L, formula);
  if (inplace && g->tracked()) return false;
  if (by_input && formula.entries > 0) {
    if (!lua_istable(L, grad_input) || lua_getmetatable(L, grad_input) != 0) return false;
  }
  // The operand that shares the memory of a tensor: it must not be overwritten before all steps have run.
  const auto sharing = [&](const Tensor& t) { return sharing_operand(L, formula, stack.operands, t, 0); };
  for (size_t i = 0; i < formula.gradients.size(); ++i) {
    const Formula::Gradient& gradient = formula.gradients[i];
    Destination& target = receivers.targets[i];
    if (gradient.of_parameter) {
      if (!wanted.by_parameters) continue;
      lua_rawgeti(L, stack.names, gradient.index);
      lua_gettable(L, self_at);
      Tensor* sum = test_tensor(L, -1);
      if (sum == nullptr && lua_toboolean(L, -1) == 0) continue;  // frozen
      if (sum == nullptr || inplace || sum->tracked() || !same_kind(*sum, *g)) return false;
      receivers.sums[i] = sum;
      target = {.sum = sharing(*sum) != 0 ? nullptr : sum, .scale = wanted.scale};
    } else {
      if (!by_input) continue;
      if (gradient.index == 0)
        lua_pushvalue(L, grad_input);
      else
        lua_rawgeti(L, grad_input, gradient.index);
      Place& place = receivers.places[i] = place_at_top(L, state, inplace || formula.shows ? nullptr : g, static_cast<int>(g->dtype()), g);
      if (place.tensor == g || (!place.fresh && !same_class(*place.tensor, *g))) return false;
      const int shared = place.fresh ? 0 : sharing(*place.tensor);
      if (shared != 0 && test_tensor(L, shared) == place.tensor) return false;
      target.given = inplace ? g : place.given ? place.tensor : nullptr;
    }
    receivers.wanted |= uint32_t{1} << i;
  }
  return true;
}

// Stores the gradients by the input, after settle(), in gradInput.
void hand_out_gradients(lua_State* L, State& state, const Formula& formula, const Receivers& receivers) {
  const int grad_input = receivers.grad_input;
  for (size_t i = 0; i < formula.gradients.size(); ++i) {
    if (!receivers.wants(i) || receivers.sums[i] != nullptr) continue;
    const Place& place = receivers.places[i];
    if (receivers.inplace)
      alias(L, state, place, gradient_at);
    else
      finish(L, state, place, formula.shows && shares_memory(*place.tensor, *test_tensor(L, gradient_at)) ? gradient_at : 0);
    if (!place.fresh) continue;
    if (formula.entries > 0) {
      lua_pushvalue(L, place.at);
      lua_rawseti(L, grad_input, formula.gradients[i].index);
    } else {
      push_entry(L, gradient_name);
      set_own(L, lua_gettop(L), place.at);
      lua_pushvalue(L, place.at);
      lua_replace(L, grad_input);
    }
  }
  if (!receivers.by_input || formula.entries == 0) return;
  for (auto i = static_cast<int>(lua_objlen(L, grad_input)); i > formula.entries; --i) {
    lua_pushnil(L);
    lua_rawseti(L, grad_input, i);
  }
}

}  // namespace

bool run_forward(lua_State* L, State& state, Formula& formula, int values) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, formula.names);
  const int names = lua_gettop(L), operands = push_operands(L, formula, values, names);
  const Tensor* kind = kind_of_input(L, formula, operands);
  if (kind == nullptr) return false;
  const bool inplace = is_inplace(L, formula);
  Tensor* input = test_tensor(L, input_at);
  if (inplace && (input == nullptr || input->tracked())) return false;
  push_own(L, output_name);
  const Place output = place_at_top(L, state, formula.shows || inplace ? nullptr : kind, static_cast<int>(kind->dtype()), kind);
  Place kept[Signature::max_results];
  place_kept(L, state, formula, names, kept);
  const Tensor& shown = *output.tensor;
  const int former_dims = shown.dim();
  const int64_t former_size = former_dims > 0 ? shown.size(0) : 0;
  bool done = true;
  try {
    const Executor& graph = *formula.forward;
    GraphResults results(graph);
    Inputs inputs(L, state, formula, graph, operands, nullptr);
    Destination targets[Signature::max_results + 1] = {{.given = inplace ? input : output.given ? output.tensor : nullptr}};
    graph.run(run_settings(state), inputs, results.tensors(), targets);
    if (!inplace) done = settle(state.hook, output, graph.output(0, inputs, results.tensors()));
    done = settle_kept(state.hook, formula, kept, results.tensors()) && done;
  } catch (...) {
    keep_message(state);
    done = false;
  }
  if (!done) return false;
  if (inplace)
    alias(L, state, output, input_at);
  else
    finish(L, state, output, formula.shows ? sharing_operand(L, formula, operands, *output.tensor) : 0);
  finish_kept(L, state, formula, names, kept);
  if (output.fresh) {
    push_entry(L, output_name);
    set_own(L, lua_gettop(L), output.at);
  }
  if (shown.dim() != former_dims || (former_dims > 0 && shown.size(0) != former_size)) {
    push_entry(L, resized_entry);
    if (lua_toboolean(L, -1) != 0) {
      lua_pushvalue(L, self_at);
      lua_pushvalue(L, input_at);
      lua_call(L, 2, 0);
    }
  }
  lua_pushvalue(L, output.at);
  return true;
}

bool run_loss(lua_State* L, State& state, Formula& formula, int values) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, formula.names);
  const int names = lua_gettop(L), operands = push_operands(L, formula, values, names);
  if (kind_of_input(L, formula, operands) == nullptr) return false;
  Place kept[Signature::max_results];
  place_kept(L, state, formula, names, kept);
  // A capture can't know what a program does with a number: it gets a tensor.
  const bool captures = state.hook != nullptr && state.hook->captures();
  Tensor* const captured = captures ? &push_raw_tensor(L, state) : nullptr;
  const int captured_at = lua_gettop(L);
  double loss = 0;
  bool done = true;
  try {
    const Executor& graph = *formula.forward;
    GraphResults results(graph);
    Inputs inputs(L, state, formula, graph, operands, nullptr);
    graph.run(run_settings(state), inputs, results.tensors());
    const Tensor& result = graph.output(0, inputs, results.tensors());
    if (!captures) call_read(state.hook, result);
    done = result.numel() == 1 && result.device() != meta_device;
    if (done && captures) *captured = result;
    if (done && !captures) loss = *to_dtype(on_host(result), DType::float64).data<double>();
    done = settle_kept(state.hook, formula, kept, results.tensors()) && done;
  } catch (...) {
    done = false;
  }
  if (!done) return false;
  finish_kept(L, state, formula, names, kept);
  if (captures) {
    set_class(L, state, captured_at, *captured);
    lua_pushvalue(L, captured_at);
  } else {
    lua_pushnumber(L, loss);
  }
  push_entry(L, output_name);
  set_own(L, lua_gettop(L), lua_gettop(L) - 1);
  lua_pop(L, 1);
  return true;
}

bool run_backward(lua_State* L, State& state, const Formula& formula, int values, Wanted wanted) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, formula.names);
  const int names = lua_gettop(L), operands = push_operands(L, formula, values, names);
  Tensor* g = wanted.of_loss ? nullptr : test_tensor(L, gradient_at);
  const Tensor *kind = kind_of_input(L, formula, operands, g), *output = test_tensor(L, operands);
  if (wanted.of_loss)
    g = kind != nullptr ? one_of_kind(L, state, *kind) : nullptr;
  else if (output == nullptr || (g != nullptr && g->numel() != output->numel()))
    return false;
  if (kind == nullptr || g == nullptr || !same_kind(*g, *kind) || g->numel() == 0) return false;
  if (!wanted.of_loss && is_turned(*g, *output)) return false;
  Receivers receivers;
  if (!receive_gradients(L, state, formula, {names, operands}, g, wanted, receivers)) return false;
  bool done = true, touched = false;
  try {
    const Executor& graph = *formula.backward;
    GraphResults results(graph);
    Tensor shaped;
    if (!wanted.of_loss && !g->same_sizes(*output)) g = &(shaped = in_sizes_of(state.hook, *g, *output));
    Inputs inputs(L, state, formula, graph, operands, g);
    graph.run(run_settings(state), inputs, results.tensors(), receivers.targets, receivers.wanted);
    for (size_t i = 0; i < formula.gradients.size(); ++i) {
      if (!receivers.wants(i)) continue;
      Tensor& result = graph.output(i, inputs, results.tensors());
      if (receivers.sums[i] == nullptr)
        done = receivers.inplace || settle(state.hook, receivers.places[i], result) ? done : false;
      else if (!receivers.targets[i].added)
        add_scaled(state.hook, *receivers.sums[i], result, wanted.scale);
      touched = touched || receivers.sums[i] != nullptr || receivers.inplace;
    }
  } catch (...) {
    keep_message(state);
    for (const Destination& target : receivers.targets) touched = touched || target.added;
    done = false;
  }
  if (!done) {
    if (touched) raise_message(L, state);
    return false;
  }
  hand_out_gradients(L, state, formula, receivers);
  lua_pushvalue(L, receivers.grad_input);
  return true;
}

}  // namespace mt::lua
