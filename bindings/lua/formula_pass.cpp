// The passes of modules and criteria that are formulas, forward and backward.
#include "bindings/lua/formula_places.h"
#include "engine/core/device.h"
#include "engine/core/meta.h"

namespace mt::lua {
namespace {

// The same elements in the sizes of another tensor, which has as many.
Tensor in_sizes_of(const Tensor& g, const Tensor& like) {
  Tensor dense = contiguous(g);
  int64_t strides[max_dims];
  contiguous_strides(like.sizes(), strides);
  dense.set_geometry(dense.offset(), like.sizes(), {strides, static_cast<size_t>(like.dim())});
  return dense;
}

// The gradient of a loss by itself.
Tensor* one_of_kind(lua_State* L, State& state, const Tensor& kind) {
  Tensor& one = state.tape->one;
  if (one.numel() != 1 || !same_kind(one, kind)) guarded(L, state, [&] { one = one_element(Value(1.0), kind.dtype(), kind.device()); });
  return &one;
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
  const Place output = place_at_top(L, state, formula.shows || inplace ? nullptr : kind, static_cast<int>(kind->dtype()));
  Place kept[Signature::max_results];
  place_kept(L, state, formula, names, kept);
  const Tensor& shown = *output.tensor;
  const int former_dims = shown.dim();
  const int64_t former_size = former_dims > 0 ? shown.size(0) : 0;
  bool done = true;
  try {
    Made made(formula.forward);
    Target target{.given = inplace ? input : output.given ? output.tensor : nullptr};
    run_program(L, state, formula.forward, operands, nullptr, made.tensors(), &target);
    if (!inplace) done = settle(output, output_of(formula.forward, 0, nullptr, made.tensors()));
    done = settle_kept(formula, kept, made.tensors()) && done;
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
  double loss = 0;
  bool done = true;
  try {
    Made made(formula.forward);
    run_program(L, state, formula.forward, operands, nullptr, made.tensors());
    const Tensor& result = output_of(formula.forward, 0, nullptr, made.tensors());
    done = result.numel() == 1 && result.device() != meta_device;
    if (done) loss = *to_dtype(on_host(result), DType::float64).data<double>();
    done = settle_kept(formula, kept, made.tensors()) && done;
  } catch (...) {
    done = false;
  }
  if (!done) return false;
  finish_kept(L, state, formula, names, kept);
  lua_pushnumber(L, loss);
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
  push_own(L, gradient_name);
  const int grad_input = lua_gettop(L);
  const bool by_input = wanted.by_input && !lua_isnil(L, grad_input);
  if (by_input && !formula.has_input) return false;
  const bool inplace = by_input && is_inplace(L, formula);
  if (inplace && g->tracked()) return false;
  if (by_input && formula.entries > 0) {
    if (!lua_istable(L, grad_input) || lua_getmetatable(L, grad_input) != 0) return false;
  }
  constexpr size_t most = Program::most_outputs;
  Target targets[most];
  Place places[most];
  Tensor* sums[most] = {};
  uint32_t mask = 0;
  // The operand whose memory a tensor shares: it must not be written to before all steps have run.
  const auto sharing = [&](const Tensor& t) { return sharing_operand(L, formula, operands, t, 0); };
  const size_t count = formula.gradients.size();
  for (size_t i = 0; i < count; ++i) {
    const Formula::Gradient& gradient = formula.gradients[i];
    if (gradient.of_parameter) {
      if (!wanted.by_parameters) continue;
      lua_rawgeti(L, names, gradient.index);
      lua_gettable(L, self_at);
      Tensor* sum = test_tensor(L, -1);
      if (sum == nullptr && lua_toboolean(L, -1) == 0) continue;  // frozen
      if (sum == nullptr || inplace || sum->tracked() || !same_kind(*sum, *g)) return false;
      sums[i] = sum;
      targets[i] = {.sum = sharing(*sum) != 0 ? nullptr : sum, .scale = wanted.scale};
    } else {
      if (!by_input) continue;
      if (gradient.index == 0)
        lua_pushvalue(L, grad_input);
      else
        lua_rawgeti(L, grad_input, gradient.index);
      places[i] = place_at_top(L, state, inplace || formula.shows ? nullptr : g, static_cast<int>(g->dtype()));
      if (places[i].tensor == g || (!places[i].fresh && places[i].tensor->dtype() != g->dtype())) return false;
      const int shared = places[i].fresh ? 0 : sharing(*places[i].tensor);
      if (shared != 0 && test_tensor(L, shared) == places[i].tensor) return false;
      targets[i].given = inplace ? g : places[i].given ? places[i].tensor : nullptr;
    }
    mask |= uint32_t{1} << i;
  }
  bool done = true, touched = false;
  try {
    Made made(formula.backward);
    Tensor shaped;
    if (!wanted.of_loss && !g->same_sizes(*output)) g = &(shaped = in_sizes_of(*g, *output));
    run_program(L, state, formula.backward, operands, g, made.tensors(), targets, mask);
    for (size_t i = 0; i < count; ++i) {
      if ((mask >> i & 1) == 0) continue;
      Tensor& result = output_of(formula.backward, static_cast<int>(i), g, made.tensors());
      if (sums[i] == nullptr)
        done = inplace || settle(places[i], result) ? done : false;
      else if (!targets[i].added)
        add_onto(state, *sums[i], result, wanted.scale);
      touched = touched || sums[i] != nullptr || inplace;
    }
  } catch (...) {
    keep_message(state);
    for (const Target& target : targets) touched = touched || target.added;
    done = false;
  }
  if (!done) {
    if (touched) raise_message(L, state);
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    if ((mask >> i & 1) == 0 || sums[i] != nullptr) continue;
    if (inplace)
      alias(L, state, places[i], gradient_at);
    else
      finish(L, state, places[i], formula.shows && shares_memory(*places[i].tensor, *test_tensor(L, gradient_at)) ? gradient_at : 0);
    if (!places[i].fresh) continue;
    if (formula.entries > 0) {
      lua_pushvalue(L, places[i].at);
      lua_rawseti(L, grad_input, formula.gradients[i].index);
    } else {
      push_entry(L, gradient_name);
      set_own(L, lua_gettop(L), places[i].at);
      lua_pushvalue(L, places[i].at);
      lua_replace(L, grad_input);
    }
  }
  if (by_input && formula.entries > 0) {
    for (auto i = static_cast<int>(lua_objlen(L, grad_input)); i > formula.entries; --i) {
      lua_pushnil(L);
      lua_rawseti(L, grad_input, i);
    }
  }
  lua_pushvalue(L, grad_input);
  return true;
}

}  // namespace mt::lua
