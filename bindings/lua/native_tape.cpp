// Variants of ops as lua/autograd/variant.lua declares them, and the programs of their rules.
#include "bindings/lua/native_tape.h"

#include <cstring>

#include "bindings/lua/accumulate.h"
#include "bindings/lua/pass.h"
#include "engine/core/arguments.h"

namespace mt::lua {
namespace {

std::string text_at(lua_State* L, int index) {
  size_t length = 0;
  const char* text = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &length) : "";
  return {text, length};
}

std::string text_field(lua_State* L, int index, const char* field) {
  lua_getfield(L, index, field);
  std::string text = text_at(L, -1);
  lua_pop(L, 1);
  return text;
}

bool flag_field(lua_State* L, int index, const char* field) {
  lua_getfield(L, index, field);
  const bool on = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return on;
}

constexpr uint16_t numbers = kind_number | kind_int | kind_index | kind_dim;

Keep keep_field(lua_State* L, int index, const char* field) {
  const std::string kind = text_field(L, index, field);
  if (kind == "value") return Keep::value;
  if (kind == "size") return Keep::size;
  if (kind == "type") return Keep::type;
  return kind == "like" ? Keep::like : Keep::nothing;
}

// Reads {type, index or number, negative =} at the top of the stack. `steps`: those that came before.
Source read_source(lua_State* L, const Variant& variant, size_t steps) {
  const int table = lua_gettop(L);
  Source source{};
  lua_rawgeti(L, table, 1);
  const std::string type = text_at(L, -1);
  lua_rawgeti(L, table, 2);
  const double number = lua_tonumber(L, -1);
  lua_pop(L, 2);
  source.negative = flag_field(L, table, "negative");
  source.number = number;
  source.type = type == "g"      ? Source::Type::gradient
                : type == "kept" ? Source::Type::kept
                : type == "size" ? Source::Type::size
                : type == "step" ? Source::Type::step
                                 : Source::Type::number;
  const double first = source.type == Source::Type::step ? 1 : 0;
  const double last = source.type == Source::Type::step ? static_cast<double>(steps) : variant.arity;
  if (source.type == Source::Type::number) {
    if (type != "number") fail("declareVariant", "rule", "'", type, "' came, g, kept, size, step or number was expected");
  } else if (source.type != Source::Type::gradient) {
    if (!(number >= first && number <= last))
      fail("declareVariant", "rule", type, " ", number, " came, ", first, "..", last, " was expected");
    source.index = static_cast<int8_t>(number);
  }
  return source;
}

// Whether an argument of those kinds takes whatever comes as one of the others. All numbers are alike.
bool takes_all(uint16_t kinds, uint16_t come) {
  if ((kinds & numbers) != 0) kinds |= numbers;
  constexpr uint16_t readable = kind_tensor | numbers | kind_boolean | kind_sizes;
  return come != 0 && (come & ~(kinds & readable)) == 0;
}

uint16_t kinds_of_source(const Source& source, const Op& recorded) {
  switch (source.type) {
    case Source::Type::gradient:
    case Source::Type::step:
      return kind_tensor;
    case Source::Type::size:
      return kind_sizes;
    case Source::Type::number:
      return numbers;
    case Source::Type::kept:
      break;
  }
  if (source.index == 0) return kind_tensor;
  return recorded.decl->signature.params[source.index - 1].kinds;
}

// Whether the argument may have been left out, which leaves a step's argument out, too.
bool may_be_missing(const Source& source, const Op& recorded) {
  if (source.type != Source::Type::kept || source.index == 0) return false;
  const Param& param = recorded.decl->signature.params[source.index - 1];
  return param.optional && !param.has_default;
}

// Gives each operand its argument of the step's op, by the first form that takes them all.
bool place_operands(RuleStep& step, const Op& recorded) {
  const Signature& signature = step.op->decl->signature;
  for (const Form& form : step.op->forms) {
    if (form.method_only || form.count < step.sources.size()) continue;
    bool fits = true, used[Signature::max_params] = {};
    int sizes = 0;  // kept as tables, for one of which there is room
    for (size_t i = 0; i < step.sources.size(); ++i) {
      const Param& param = signature.params[form.params[i]];
      const Source& source = step.sources[i];
      const uint16_t kinds = kinds_of_source(source, recorded);
      used[form.params[i]] = true;
      sizes += source.type == Source::Type::kept && (kinds & kind_sizes) != 0 ? 1 : 0;
      fits = fits && takes_all(param.kinds, kinds) && (param.optional || !may_be_missing(source, recorded)) && sizes <= 1;
    }
    for (int i = 0; i < signature.count; ++i) fits = fits && (used[i] || signature.params[i].optional);
    if (!fits) continue;
    for (size_t i = 0; i < step.sources.size(); ++i) step.sources[i].param = form.params[i];
    return true;
  }
  return false;
}

// Reads the steps of a program from the table on top of the stack.
Program read_program(lua_State* L, const Op& recorded, const Variant& variant) {
  Program program;
  program.present = true;
  const auto count = static_cast<int>(lua_objlen(L, -1));
  if (count > static_cast<int>(Program::most_steps))
    fail("declareVariant", "rule", count, " steps came, ", Program::most_steps, " are possible");
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, -1, i);
    const int table = lua_gettop(L);
    if (!lua_istable(L, table)) fail("declareVariant", "rule", luaL_typename(L, table), " came, a table was expected");
    RuleStep step{};
    const std::string name = text_field(L, table, "op");
    step.times = flag_field(L, table, "times");
    step.op = Registry::instance().find(name);
    if (step.op == nullptr || step.op->decl->signature.result_count != 1) {
      fail("declareVariant", "rule", name, " is no op of the engine with one result");
    }
    const auto operands = static_cast<int>(lua_objlen(L, table));
    for (int k = 1; k <= operands; ++k) {
      lua_rawgeti(L, table, k);
      if (!lua_istable(L, -1)) fail("declareVariant", "rule", luaL_typename(L, -1), " came, a table was expected");
      step.sources.push_back(read_source(L, variant, program.steps.size()));
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
    const Signature& signature = step.op->decl->signature;
    const auto is_scaled = [&] {
      return step.sources.size() == 2 && !signature.params[step.sources[0].param].takes(static_cast<uint16_t>(~kind_tensor)) &&
             !signature.params[step.sources[1].param].takes(static_cast<uint16_t>(~numbers));
    };
    if (!place_operands(step, recorded) || (step.times && !is_scaled()))
      fail("declareVariant", "rule", "of ", recorded.decl->name, ": the operands of ", name, " fit no form of it");
    step.values.resize(static_cast<size_t>(signature.count));
    for (int k = 0; k < signature.count; ++k) set_default(step.values[static_cast<size_t>(k)], signature.params[k]);
    step.onto = find_onto(name);
    program.steps.push_back(std::move(step));
  }
  return program;
}

// The last slot that a node may need when it is made or waits.
int last_slot(const Variant& variant, const Signature& signature, size_t mask) {
  int last = variant.result == Keep::nothing ? slot::gradient : slot::result_version;
  for (int i = 0; i < variant.arity; ++i) {
    if ((mask >> i & 1) != 0) last = slot::edge(i);
    if (variant.arguments[i] == Keep::nothing) continue;
    last = variant.arguments[i] == Keep::value && signature.params[i].takes(kind_tensor) ? slot::version(i) : slot::value(i);
  }
  return last;
}

// Reads the Lua variant of an op at a stack index, and the programs at another.
std::unique_ptr<Variant> read_variant(lua_State* L, const Op& op, size_t mask, int table, int programs) {
  auto variant = std::make_unique<Variant>();
  lua_getfield(L, table, "arity");
  const double arity = lua_tonumber(L, -1);
  lua_pop(L, 1);
  const int most = std::min(Variant::most_arguments, op.decl->signature.count);
  if (!(arity >= 0 && arity <= most)) fail("declareVariant", "arity", arity, " came, 0..", most, " was expected");
  variant->arity = static_cast<int>(arity);
  variant->view = flag_field(L, table, "view");
  variant->keeps = flag_field(L, table, "keepSome");
  variant->result = keep_field(L, table, "keepResult");
  static constexpr const char* fields[] = {"keep1", "keep2", "keep3"};
  for (int i = 0; i < Variant::most_arguments; ++i) variant->arguments[i] = keep_field(L, table, fields[i]);
  if (variant->view && variant->arguments[0] == Keep::nothing) variant->arguments[0] = Keep::like;  // what it is a view of
  variant->programmed = lua_istable(L, programs) != 0;
  if (variant->programmed) {
    for (int i = 0; i < variant->arity; ++i) {
      lua_rawgeti(L, programs, i + 1);
      if (lua_istable(L, -1)) variant->programs[i] = read_program(L, op, *variant);
      lua_pop(L, 1);
    }
  }
  variant->last_slot = last_slot(*variant, op.decl->signature, mask);
  return variant;
}

// Ties the variant declared last to the Lua one at a stack index.
void tie(lua_State* L, NativeTape& tape, int table) {
  Variant& variant = *tape.declared.back();
  const auto position = static_cast<lua_Integer>(tape.declared.size());
  lua_pushvalue(L, table);
  variant.table = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_getfield(L, table, "gone");
  variant.gone = luaL_ref(L, LUA_REGISTRYINDEX);
  if (variant.programmed) {
    lua_pushinteger(L, position);
    lua_rawseti(L, table, 0);
  }
}

// declareVariant(op, mask, variant, broadcasts, programs or false): see lua/autograd/variant.lua
int declare_variant(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, 3, LUA_TTABLE);
  const auto mask = static_cast<size_t>(luaL_checkinteger(L, 2));
  lua_settop(L, 5);
  NativeTape& tape = *state.tape;
  guarded(L, state, [&] {
    const std::string name = text_at(L, 1);
    const Op* op = Registry::instance().find(name);
    if (op == nullptr || mask > 7) fail("declareVariant", "op", name, " is no op of the engine");
    auto variant = read_variant(L, *op, mask, 3, 5);
    variant->broadcast = lua_toboolean(L, 4) != 0;
    const auto position = static_cast<size_t>(op - Registry::instance().ops().data());
    tape.declared.push_back(std::move(variant));
    tape.variants[position][mask] = tape.declared.back().get();
  });
  tie(L, tape, 3);
  return 0;
}

// declareBroadcast(variant, programs): of the node of an argument that was broadcast, which is like one of expand
int declare_broadcast(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  NativeTape& tape = *state.tape;
  guarded(L, state, [&] {
    tape.declared.push_back(read_variant(L, *Registry::instance().find("expand"), 1, 1, 2));
    tape.broadcast = tape.declared.back().get();
  });
  tie(L, tape, 1);
  return 0;
}

int next_node_number(lua_State* L) {
  lua_pushnumber(L, ++upvalue_state(L).tape->last_number);
  return 1;
}

int last_node_number(lua_State* L) {
  lua_pushnumber(L, upvalue_state(L).tape->last_number);
  return 1;
}

}  // namespace

const Variant* variant_of(lua_State* L, const NativeTape& tape, int node) {
  const Variant* found = nullptr;
  lua_rawgeti(L, node, slot::variant);
  if (lua_istable(L, -1)) {
    lua_rawgeti(L, -1, 0);
    const double position = lua_tonumber(L, -1);
    if (position >= 1 && position <= static_cast<double>(tape.declared.size()))
      found = tape.declared[static_cast<size_t>(position) - 1].get();
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return found;
}

NativeTape::NativeTape() : variants(Registry::instance().ops().size()) {}
NativeTape::~NativeTape() = default;

const Variant* find_variant(const State& state, const Op& op, const Value* args) {
  const auto ops = Registry::instance().ops();
  if (&op < ops.data() || &op >= ops.data() + ops.size()) return nullptr;
  const int count = std::min(Variant::most_arguments, op.decl->signature.count);
  size_t mask = 0;
  for (int i = 0; i < count; ++i) {
    if (args[i].is_tensor() && args[i].tensor->tracked()) mask |= size_t{1} << i;
  }
  return state.tape->variants[static_cast<size_t>(&op - ops.data())][mask];
}

void open_native_tape(lua_State* L, State& state) {
  state.tape = std::make_shared<NativeTape>();
  add_function(L, state, "declareVariant", declare_variant);
  add_function(L, state, "declareBroadcast", declare_broadcast);
  add_function(L, state, "nextNodeNumber", next_node_number);
  add_function(L, state, "lastNodeNumber", last_node_number);
}

}  // namespace mt::lua
