#include "bindings/lua/formula.h"

#include <algorithm>

#include "bindings/lua/native_tape.h"
#include "bindings/lua/recording.h"
#include "engine/core/image_layout.h"

namespace mt::lua {
namespace {

using From = Formula::Operand::From;

constexpr int self_at = 1, input_at = 2, gradient_at = 3, target_at = 3;  // the target is a criterion's

// Entries of the table that the methods of a class share, as their second upvalue.
enum Entry {
  text_entry = 1,    // the formula, or false
  choose_entry,      // choose(self, input) gives it, and values for its names
  prepare_entry,     // prepare(self, input), before a forward
  resized_entry,     // resized(self, input), after a forward whose output has other sizes than the last one's
  compute_entry,     // the class's compute: a subclass with another goes the general way
  general_forward,   // forward(self, input) of the general way
  general_backward,  // backward(self, input, gradOutput, byInput, scale)
  cache_entry,       // numbers of formulas by their text
  compile_entry,     // compile(text)
  output_name,
  gradient_name,
  compute_name,
  inplace_name,
  update_name,
  accumulate_name,
  update_method,
  accumulate_method,  // the class's own
  replaced_entry,     // what a call on the tape left in a field -> what it replaced
};

void push_entry(lua_State* L, int entry) { lua_rawgeti(L, lua_upvalueindex(2), entry); }

// Pushes self[name], whose name is such an entry.
void push_own(lua_State* L, int name_entry) {
  push_entry(L, name_entry);
  lua_gettable(L, self_at);
}

// ---- reading what lua/nn compiles

int integer_at(lua_State* L, int table, int i) {
  lua_rawgeti(L, table, i);
  const auto value = static_cast<int>(lua_tointeger(L, -1));
  lua_pop(L, 1);
  return value;
}

// Narrows the kinds of operands to what the arguments that they are of a program's ops take.
void narrow_kinds(lua_State* L, int steps, std::vector<OperandKinds>& kinds) {
  const auto step_count = static_cast<int>(lua_objlen(L, steps));
  for (int s = 1; s <= step_count; ++s) {
    lua_rawgeti(L, steps, s);
    const int step = lua_gettop(L);
    if (!lua_istable(L, step)) fail("formula", "steps", luaL_typename(L, step), " came, a table was expected");
    const Op* op = Registry::instance().find(text_field(L, step, "op"));
    const int arguments = op == nullptr ? 0 : std::min(static_cast<int>(lua_objlen(L, step)), op->decl->signature.count);
    for (int i = 0; i < arguments; ++i) {
      lua_rawgeti(L, step, i + 1);
      const int source = lua_gettop(L);
      if (!lua_istable(L, source)) fail("formula", "steps", luaL_typename(L, source), " came, a table was expected");
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

// The kinds of operands, by the forward program, or by the backward one where that alone has them.
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

// Whether a program reads, or gives, the gradient that it is run for.
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
    if (!lua_istable(L, -1)) fail("formula", name, luaL_typename(L, -1), " came, a table was expected");
    return lua_gettop(L);
  };
  const int operands = list("operands");
  if (lua_objlen(L, operands) > Formula::most_operands) fail("formula", "operands", "more than ", Formula::most_operands, " came");
  formula->operands.push_back({From::output, 0});
  for (int i = 1; i <= static_cast<int>(lua_objlen(L, operands)); ++i) {
    lua_rawgeti(L, operands, i);
    if (!lua_istable(L, -1)) fail("formula", "operands", luaL_typename(L, -1), " came, a table was expected");
    const std::string from = text_field(L, lua_gettop(L), "from");
    const int index = integer_at(L, lua_gettop(L), 1);
    if (index < 0 || index > static_cast<int>(Formula::most_operands)) fail("formula", "operands", "number ", index, " came");
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
    if (!lua_istable(L, -1)) fail("formula", "gradients", luaL_typename(L, -1), " came, a table was expected");
    formula->gradients.push_back({flag_field(L, lua_gettop(L), "parameter"), integer_at(L, lua_gettop(L), 1)});
    lua_pop(L, 1);
  }
  if (formula->gradients.size() > Program::most_results) fail("formula", "gradients", "more than ", Program::most_results, " came");
  for (const Formula::Gradient& gradient : formula->gradients) formula->has_input = formula->has_input || !gradient.of_parameter;
  if (formula->gradients.size() != formula->backward.outputs.size())
    fail("formula", "gradients", "as many as the program has outputs were expected");
  const int kept = list("kept");
  for (int i = 1; i <= static_cast<int>(lua_objlen(L, kept)); ++i) formula->kept.push_back(integer_at(L, kept, i));
  formula->kept_types.assign(formula->kept.size(), -1);
  if (formula->forward.steps.empty() || formula->forward.outputs.size() != 1 || reads_gradient(formula->forward))
    fail("formula", "forward", "a step at least, and one output, were expected");
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
      fail("formula", "gradients", "of entry ", gradient.index, " of ", formula->entries, " came");
  }
  formula->alike = flag_field(L, table, "alike");
  formula->shows = flag_field(L, table, "shows");
  formula->inplace = flag_field(L, table, "inplace");
  list("names");
  return formula;
}

// Reads the formula on top of the stack; false where it is none that a program can be made of: too long, for example.
bool read_into(lua_State* L, State& state) {
  try {
    state.tape->formulas.push_back(read_formula(L));
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

// The formula whose text is at a stack index; null where it can't be run here.
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
      state.tape->formulas.back()->names = luaL_ref(L, LUA_REGISTRYINDEX);
      number = static_cast<lua_Integer>(state.tape->formulas.size());
    }
    lua_settop(L, cache);
    lua_pushvalue(L, text);
    lua_pushinteger(L, number);
    lua_rawset(L, cache);
    lua_pushinteger(L, number);
  }
  const auto number = static_cast<size_t>(lua_tointeger(L, -1));
  lua_settop(L, cache - 1);
  return number >= 1 && number <= state.tape->formulas.size() ? state.tape->formulas[number - 1].get() : nullptr;
}

// The formula of a call, null where it goes the general way; `last` is the stack index of the last argument that it goes by. Values for its
// names follow on the stack.
Formula* choose(lua_State* L, State& state, int last) {
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

// ---- operands

// On top of the stack is what is in a field that a forward keeps a result in. Where a call on the tape has left it there, what it replaced
// takes its place.
void push_replaced(lua_State* L) {
  if (!lua_isuserdata(L, -1)) return;
  push_entry(L, replaced_entry);
  lua_pushvalue(L, -2);
  lua_rawget(L, -2);
  lua_remove(L, -2);
  lua_remove(L, lua_toboolean(L, -1) != 0 ? -2 : -1);
}

// Pushes them; gives the stack index of the first. `values`: that of the first value for a name.
int push_operands(lua_State* L, const Formula& formula, int values, int names) {
  const int first = lua_gettop(L) + 1, last_value = names - 1;
  luaL_checkstack(L, static_cast<int>(formula.operands.size()) + 60, "formula");
  for (const Formula::Operand& operand : formula.operands) {
    switch (operand.from) {
      case From::output:
        push_own(L, output_name);
        break;
      case From::input:
        lua_pushvalue(L, input_at);
        break;
      case From::target:
        lua_pushvalue(L, target_at);
        break;
      case From::entry:
        if (lua_istable(L, input_at))
          lua_rawgeti(L, input_at, operand.index);
        else
          lua_pushnil(L);
        break;
      case From::value:
        if (values + operand.index <= last_value)
          lua_pushvalue(L, values + operand.index);
        else
          lua_pushnil(L);
        break;
      case From::field:
        lua_rawgeti(L, names, operand.index);
        lua_gettable(L, self_at);
        break;
      case From::kept:
        lua_rawgeti(L, names, operand.index);
        lua_gettable(L, self_at);
        push_replaced(L);
        break;
    }
  }
  return first;
}

// Whether the input is what the formula takes, and tensors that are to be added to or written beside each other are of one kind. Gives
// the tensor that has it. A backward pass may do without the input, and is given `otherwise` then.
const Tensor* kind_of_input(lua_State* L, const Formula& formula, int operands, const Tensor* otherwise = nullptr) {
  if (otherwise != nullptr && lua_isnil(L, input_at)) return otherwise;
  if (formula.entries > 0 ? !lua_istable(L, input_at) || static_cast<int>(lua_objlen(L, input_at)) != formula.entries
                          : test_tensor(L, input_at) == nullptr)
    return nullptr;
  if (formula.entries == 0 && formula.dims != 0 && (formula.dims >> std::min(test_tensor(L, input_at)->dim(), 31) & 1) == 0) return nullptr;
  const Tensor *kind = nullptr, *entry = nullptr;
  for (size_t i = 1; i < formula.operands.size(); ++i) {
    const Tensor* t = test_tensor(L, operands + static_cast<int>(i));
    const From from = formula.operands[i].from;
    if (from == From::entry) {
      if (t == nullptr || (formula.alike && entry != nullptr && !entry->same_sizes(*t))) return nullptr;
      entry = t;
    }
    if (t == nullptr || !is_float(t->dtype())) continue;
    if (kind != nullptr && !same_kind(*kind, *t)) return nullptr;
    if (kind == nullptr) kind = t;
  }
  return kind;
}

// Whether a tensor that an earlier pass made may be written to: nobody else sees its memory, which lies as that of a new one would.
bool is_reusable(const Tensor& held, const Tensor& kind) {
  if (held.tracked() || !same_kind(held, kind) || !is_exclusive(held)) return false;
  return layout_of(kind) == ImageLayout::channels_first ? held.is_contiguous() : layout_of(held) == ImageLayout::channels_last;
}

// ---- what comes out

// The tensor that shall show a result: the one that the last pass left in its place, or a new one. New ones are made before anything runs,
// as Lua may raise an error then.
struct Place {
  int at = 0;
  bool fresh = false, given = false;
  Tensor* tensor = nullptr;
};

constexpr int any_type = -2;

// For what is on top of the stack, the value of a field. `kind`: what the result is like, where it may be written into the tensor there;
// `type`: the dtype that it will probably have, -1 where that is not known.
Place place_at_top(lua_State* L, State& state, const Tensor* kind, int type = any_type) {
  Place place{lua_gettop(L)};
  place.tensor = test_tensor(L, place.at);
  if (place.tensor == nullptr || place.tensor->tracked() || (type != any_type && type != static_cast<int>(place.tensor->dtype()))) {
    place.tensor = &push_raw_tensor(L, state);
    lua_replace(L, place.at);
    place.fresh = true;
  }
  place.given = kind != nullptr && !place.fresh && is_reusable(*place.tensor, *kind);
  return place;
}

// Moves a result to its place, unless it has been written there. False where it is of another type than what is there.
bool settle(const Place& place, Tensor& made) {
  if (place.given) return true;
  if (!place.fresh && place.tensor->dtype() != made.dtype()) return false;
  if (!place.fresh) leave_ring(*place.tensor);
  *place.tensor = std::move(made);
  return true;
}

// What Lua has to know of a tensor in its place. `source`: the stack index of a tensor whose memory it shares, or 0.
void finish(lua_State* L, State& state, const Place& place, int source) {
  if (place.fresh) set_class(L, state, place.at, place.tensor->dtype());
  if (source != 0)
    join(*place.tensor, *test_tensor(L, source));
  else if (place.given)
    claim(state, *place.tensor);
  else
    note_allocation(L, state, *place.tensor);
}

// self[name] = the value at a stack index
void set_own(lua_State* L, int name, int value) {
  lua_pushvalue(L, name);
  lua_pushvalue(L, value);
  lua_settable(L, self_at);
}

bool shares_memory(const Tensor& a, const Tensor& b) { return a.storage() != nullptr && a.storage() == b.storage(); }

// The operand, of those from `first` on, whose memory a tensor shares, or 0.
int sharing_operand(lua_State* L, const Formula& formula, int operands, const Tensor& made, size_t first = 1) {
  for (size_t i = first; i < formula.operands.size(); ++i) {
    const int at = operands + static_cast<int>(i);
    const Tensor* t = test_tensor(L, at);
    if (t != nullptr && shares_memory(*t, made)) return at;
  }
  return 0;
}

bool is_inplace(lua_State* L, const Formula& formula) {
  if (!formula.inplace) return false;
  push_own(L, inplace_name);
  const bool inplace = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return inplace;
}

// Lets the tensor in a place, if it may be used, become an alias of the one at a stack index.
void alias(lua_State* L, State& state, const Place& place, int source) {
  Tensor& shown = *test_tensor(L, source);
  leave_ring(*place.tensor);
  guarded(L, state, [&] {
    *place.tensor = shown;
    place.tensor->set_tracked(false);
  });
  if (place.fresh) set_class(L, state, place.at, shown.dtype());
  join(*place.tensor, shown);
}

// The places of the results that fields keep, and what Lua has to know of them.
void place_kept(lua_State* L, State& state, const Formula& formula, int names, Place* places) {
  for (size_t i = 0; i < formula.kept.size(); ++i) {
    lua_rawgeti(L, names, formula.kept[i]);
    lua_gettable(L, self_at);
    push_replaced(L);
    places[i] = place_at_top(L, state, nullptr, formula.kept_types[i]);
  }
}
bool settle_kept(Formula& formula, const Place* places, Tensor* made) {
  bool done = true;
  for (size_t i = 0; i < formula.kept.size(); ++i) {
    Tensor& result = made[static_cast<size_t>(formula.first_kept) + i];
    formula.kept_types[i] = static_cast<int>(result.dtype());
    done = settle(places[i], result) && done;
  }
  return done;
}
void finish_kept(lua_State* L, State& state, const Formula& formula, int names, const Place* places) {
  for (size_t i = 0; i < formula.kept.size(); ++i) {
    finish(L, state, places[i], 0);
    lua_rawgeti(L, names, formula.kept[i]);
    set_own(L, lua_gettop(L), places[i].at);
  }
}

// ---- forward

// Runs the forward; false where it goes the general way. The output is on top of the stack then.
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

// Runs a criterion's forward: the loss is a number, and on top of the stack.
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

// ---- backward

// The same elements in the sizes of another tensor, which has as many.
Tensor in_sizes_of(const Tensor& g, const Tensor& like) {
  Tensor dense = contiguous(g);
  int64_t strides[max_dims];
  contiguous_strides(like.sizes(), strides);
  dense.set_geometry(dense.offset(), like.sizes(), {strides, static_cast<size_t>(like.dim())});
  return dense;
}

struct Wanted {
  bool by_input, by_parameters;
  double scale = 1;
  bool of_loss = false;  // a criterion's: its gradient is 1
};

// The gradient of a loss by itself.
Tensor* one_of_kind(lua_State* L, State& state, const Tensor& kind) {
  Tensor& one = state.tape->one;
  if (one.numel() != 1 || !same_kind(one, kind)) guarded(L, state, [&] { one = one_element(Value(1.0), kind.dtype(), kind.device()); });
  return &one;
}

// Runs the backward pass; false where it goes the general way, and nothing has happened. Then gradInput is on top of the stack.
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

// ---- the methods

// Runs `forward`, or the general way, for the arguments up to `last`.
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
  Formula* formula = ready ? choose(L, state, last) : nullptr;
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
  const Formula* formula = choose(L, state, target_at);
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
  const Formula* formula = choose(L, state, input_at);
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

// backward(self, input, gradOutput, scale): both in one pass, unless a subclass has methods of its own
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

// formulaMethods{...} -> updateOutput, updateGradInput, accGradParameters, backward; the first two for a criterion. The table's fields: see
// lua/nn/support/formula.lua.
int formula_methods(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  static constexpr struct {
    const char* field;
    int entry, type;
  } fields[] = {
      {"choose", choose_entry, LUA_TFUNCTION},   {"prepare", prepare_entry, LUA_TFUNCTION},   {"resized", resized_entry, LUA_TFUNCTION},
      {"compute", compute_entry, LUA_TFUNCTION}, {"forward", general_forward, LUA_TFUNCTION}, {"backward", general_backward, LUA_TFUNCTION},
      {"compile", compile_entry, LUA_TFUNCTION}, {"text", text_entry, LUA_TSTRING},           {"replaced", replaced_entry, LUA_TTABLE}};
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
      return luaL_error(L, "formulaMethods: %s: %s came, a %s was expected", field.field, luaL_typename(L, -1),
                        lua_typename(L, field.type));
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
