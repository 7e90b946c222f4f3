// Variants of ops as lua/autograd/variant.lua declares them, and the programs of their rules.
#include "bindings/lua/native_tape.h"

#include <cstring>

#include "bindings/lua/accumulate.h"
#include "bindings/lua/pass.h"
#include "engine/core/arguments.h"

namespace mt::lua {
namespace {

Keep keep_field(lua_State* L, int index, const char* field) {
  const std::string kind = text_field(L, index, field);
  if (kind == "value") return Keep::value;
  if (kind == "size") return Keep::size;
  if (kind == "type") return Keep::type;
  return kind == "like" ? Keep::like : Keep::nothing;
}

// What the values are that a node of that op keeps: its result, then its arguments, of which the tracked ones are tensors.
std::vector<OperandKinds> kept_kinds(const Signature& signature, int arity, size_t mask) {
  std::vector<OperandKinds> kinds{{}};
  for (int i = 0; i < arity; ++i) {
    const Param& param = signature.params[i];
    const bool tracked = (mask >> i & 1) != 0 && param.takes(kind_tensor);
    kinds.push_back({tracked ? uint16_t{kind_tensor} : param.kinds, !tracked && param.optional && !param.has_default});
  }
  return kinds;
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
      if (lua_istable(L, -1))
        variant->programs[i] =
            read_program(L, lua_gettop(L), kept_kinds(op.decl->signature, variant->arity, mask), {"declareVariant", op.decl->name});
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
