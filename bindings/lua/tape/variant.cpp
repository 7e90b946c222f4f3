#include "bindings/lua/tape/variant.h"

#include <algorithm>

#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/table_fields.h"
#include "bindings/lua/tape/backward_pass.h"
#include "engine/core/added_ops.h"
#include "engine/graph/text.h"

namespace mt::lua {
namespace {

constexpr uint64_t variant_magic = 0x6d74'5661'7269'616e;

// The userdata that represents a variant in Lua.
struct VariantBox {
  uint64_t magic = variant_magic;
  const Variant* variant = nullptr;
};

constexpr auto declare = "declareVariant";

Keep keep_of(std::string_view kind) {
  if (kind == "value") return Keep::value;
  if (kind == "size") return Keep::size;
  if (kind == "type") return Keep::type;
  return kind == "like" ? Keep::like : Keep::nothing;
}

// The inputs of the graph of a rule: the gradient, then what a node of an op saves, its result and its arguments. Tracked arguments are
// tensors. The gradient's name is g, or h if an argument is named g.
std::vector<Graph::Input> rule_inputs(const Signature& signature, int arity, uint32_t mask) {
  std::vector<Graph::Input> inputs(2);
  inputs[0].name = signature.find("g") >= 0 ? "h" : "g";
  inputs[1].name = "result";
  for (int i = 0; i < arity; ++i) {
    const Param& param = signature.params[i];
    const bool tracked = (mask >> i & 1) != 0 && param.takes(kind_tensor);
    Graph::Input& input = inputs.emplace_back();
    input.name = param.name;
    if (!tracked) input.kinds = param.kinds;
    input.optional = !tracked && param.optional && !param.has_default;
  }
  return inputs;
}

// The last slot that a node needs when it is created or waits in a pass.
int last_slot(const Variant& variant, const Signature* signature, uint32_t mask) {
  int last = variant.result == Keep::nothing ? slot::gradient : slot::result_version;
  for (int i = 0; i < std::min(variant.arity, Signature::max_params); ++i) {
    if ((mask >> i & 1) != 0) last = slot::edge(i);
    if (variant.arguments[i] == Keep::nothing) continue;
    const bool versioned = variant.arguments[i] == Keep::value && (signature == nullptr || signature->params[i].takes(kind_tensor));
    last = versioned ? slot::version(i) : slot::value(i);
  }
  return last;
}

// Reads the rules at stack index `texts`: for each argument an expression, or false.
void read_rules(lua_State* L, Variant& variant, const Op& op, uint32_t mask, int texts) {
  const std::vector<Graph::Input> inputs = rule_inputs(op.decl->signature, variant.arity, mask);
  variant.graphs.resize(static_cast<size_t>(variant.arity));
  for (int i = 0; i < variant.arity; ++i) {
    lua_rawgeti(L, texts, i + 1);
    if (lua_type(L, -1) == LUA_TSTRING && op.decl->signature.result_count > 1)
      fail(declare, "rule", "of ", op.decl->name, ": an expression, expected a function of the list of gradients");
    if (lua_type(L, -1) == LUA_TSTRING) {
      const std::string argument = concat("rule: of ", op.decl->name);
      variant.graphs[static_cast<size_t>(i)].emplace(
          parse_expression(text_at(L, -1), {.function = declare, .argument = argument, .inputs = inputs}));
    }
    lua_pop(L, 1);
  }
}

// Reads the Lua variant at stack index `table`, and the rules at the next index.
std::unique_ptr<Variant> read_variant(lua_State* L, const OpRule& rule, uint32_t mask, int table) {
  const Op* op = rule.op;
  auto variant = std::make_unique<Variant>();
  variant->name = rule.name;
  lua_getfield(L, table, "arity");
  const double arity = lua_tonumber(L, -1);
  lua_pop(L, 1);
  const int most = op != nullptr ? op->decl->signature.count : Signature::max_params;
  if (!(arity >= 0 && arity <= most)) fail<Status::range>(declare, "arity", arity, ", expected 0..", most);
  variant->arity = static_cast<int>(arity);
  variant->view = rule.view;
  variant->keeps = flag_field(L, table, "keepSome");
  variant->fresh = flag_field(L, table, "ours");
  variant->whole = flag_field(L, table, "all");
  variant->refused = flag_field(L, table, "missing");
  const std::string result = text_field(L, table, "keepResult");
  variant->rest = result == "rest";
  variant->result = variant->rest ? Keep::value : keep_of(result);
  lua_getfield(L, table, "keep");
  for (int i = 0; lua_istable(L, -1) && i < variant->arity; ++i) {
    lua_rawgeti(L, -1, i + 1);
    variant->arguments[i] = keep_of(text_at(L, -1));
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  if (rule.view && variant->arity > 0 && variant->arguments[0] == Keep::nothing) variant->arguments[0] = Keep::like;
  if (op != nullptr && lua_istable(L, table + 1)) read_rules(L, *variant, *op, mask, table + 1);
  variant->last_slot = last_slot(*variant, op != nullptr ? &op->decl->signature : nullptr, mask);
  return variant;
}

// Creates the userdata of a variant, and stores a reference to the Lua variant at stack index `table`, unless that is 0.
void anchor(lua_State* L, Variant& variant, int table) {
  auto* box = static_cast<VariantBox*>(lua_newuserdata(L, sizeof(VariantBox)));
  *box = {variant_magic, &variant};
  variant.handle = luaL_ref(L, LUA_REGISTRYINDEX);
  if (table == 0) return;
  lua_pushvalue(L, table);
  variant.rules = luaL_ref(L, LUA_REGISTRYINDEX);
}

// declareVariant(op, mask, variant, rules) declares the variant for a mask of tracked arguments; see lua/autograd/variant.lua
int declare_variant(lua_State* L) {
  State& state = upvalue_state(L);
  lua_settop(L, 4);
  OpRule& rule = rule_at(L, state, 1);
  const double given = luaL_checknumber(L, 2);
  luaL_argcheck(L, given >= 0 && given < (1 << Signature::max_params), 2, "expected a mask of arguments");
  luaL_checktype(L, 3, LUA_TTABLE);
  const auto mask = static_cast<uint32_t>(given);
  NativeTape& tape = state.tape;
  guarded(L, state, [&] { tape.variants.push_back(read_variant(L, rule, mask, 3)); });
  Variant* variant = tape.variants.back().get();
  anchor(L, *variant, 3);
  if (mask < rule.first.size()) {
    rule.first[mask] = variant;
    return 0;
  }
  guarded(L, state, [&] {
    std::erase_if(rule.others, [&](const auto& other) { return other.first == mask; });
    rule.others.emplace_back(mask, variant);
  });
  return 0;
}

// declareOp(name of an op of the registry or nil, traits) -> the op's name or number for declareVariant and record. `traits` has the fields
// name, constant, view, described, broadcast, keepsArguments; and `like`, which names the op of the registry with the arguments of an op
// that is not in the registry. It replaces an earlier declaration of the op.
int declare_op(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  if (!lua_isnil(L, 1)) luaL_checktype(L, 1, LUA_TSTRING);
  NativeTape& tape = state.tape;
  OpRule* rule = lua_isnil(L, 1) ? nullptr : &rule_at(L, state, 1);
  guarded(L, state, [&] {
    if (rule == nullptr) {
      rule = &tape.declared.emplace_back();
      rule->op = Registry::instance().find(text_field(L, 2, "like"));
      rule->name = text_field(L, 2, "name");
    } else {
      const Op* op = rule->op;
      *rule = OpRule();
      rule->op = op;
      rule->name = op->decl->name;
    }
    rule->known = true;
    rule->constant = flag_field(L, 2, "constant");
    rule->view = flag_field(L, 2, "view");
    rule->described = flag_field(L, 2, "described");
    rule->broadcast = flag_field(L, 2, "broadcast");
    rule->keeps_arguments = flag_field(L, 2, "keepsArguments");
  });
  if (lua_isnil(L, 1))
    lua_pushinteger(L, static_cast<lua_Integer>(tape.declared.size()));
  else
    lua_pushvalue(L, 1);
  return 1;
}

// Creates a variant that belongs to no op.
const Variant* own_variant(lua_State* L, NativeTape& tape, Variant::Of of, std::string_view name, bool keeps) {
  tape.variants.push_back(std::make_unique<Variant>());
  Variant& variant = *tape.variants.back();
  variant.of = of;
  variant.name = name;
  variant.keeps = keeps;
  variant.arity = of == Variant::Of::one_of_several ? 1 : 0;
  anchor(L, variant, 0);
  return &variant;
}

}  // namespace

const Variant* OpRule::find(uint32_t mask) const {
  if (mask < first.size()) return first[mask];
  const auto found = std::ranges::find(others, mask, &std::pair<uint32_t, const Variant*>::first);
  return found == others.end() ? nullptr : found->second;
}

const Variant* variant_of(lua_State* L, int node) {
  lua_rawgeti(L, node, slot::variant);
  const auto* box = static_cast<const VariantBox*>(lua_touserdata(L, -1));
  const bool is = box != nullptr && lua_objlen(L, -1) == sizeof(VariantBox) && box->magic == variant_magic;
  lua_pop(L, 1);
  return is ? box->variant : nullptr;
}

void push_variant(lua_State* L, const Variant& variant) { lua_rawgeti(L, LUA_REGISTRYINDEX, variant.handle); }

namespace {

// The tape's rule for an op of the registry or of a library; null for composed ops.
OpRule* rule_for(NativeTape& tape, const Op& op) {
  const auto ops = Registry::instance().ops();
  if (&op >= ops.data() && &op < ops.data() + ops.size()) return &tape.ops[static_cast<size_t>(&op - ops.data())];
  if (!is_added(op)) return nullptr;
  const auto found = std::ranges::find(tape.added, &op, [](const OpRule& rule) { return rule.op; });
  if (found != tape.added.end()) return &*found;
  OpRule& rule = tape.added.emplace_back();
  rule.op = &op;
  return &rule;
}

}  // namespace

OpRule* rule_of(lua_State* L, State& state, const Op& op) {
  OpRule* const own = rule_for(state.tape, op);
  if (own == nullptr) return nullptr;
  OpRule& rule = *own;
  if (!rule.known && state.tape.variant != LUA_NOREF) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, state.tape.variant);
    lua_pushlstring(L, op.decl->name.data(), op.decl->name.size());
    lua_call(L, 1, 0);
  }
  return rule.known ? &rule : nullptr;
}

OpRule& rule_at(lua_State* L, State& state, int index) {
  NativeTape& tape = state.tape;
  OpRule* rule = nullptr;
  if (lua_type(L, index) == LUA_TNUMBER) {
    const double position = lua_tonumber(L, index);
    if (position >= 1 && position <= static_cast<double>(tape.declared.size())) rule = &tape.declared[static_cast<size_t>(position) - 1];
  } else if (lua_type(L, index) == LUA_TSTRING) {
    const Op* op = Registry::instance().find(lua_tostring(L, index));
    if (op != nullptr) rule = rule_for(tape, *op);
  }
  if (rule == nullptr) luaL_argerror(L, index, "expected an op of the engine, or one that was declared");
  return *rule;
}

const Variant& variant_for(lua_State* L, State& state, OpRule& rule, uint32_t mask) {
  if (const Variant* variant = rule.find(mask)) return *variant;
  NativeTape& tape = state.tape;
  lua_rawgeti(L, LUA_REGISTRYINDEX, tape.variant);
  const auto declared = std::ranges::find_if(tape.declared, [&](const OpRule& each) { return &each == &rule; });
  if (declared == tape.declared.end())
    lua_pushlstring(L, rule.name.data(), rule.name.size());
  else
    lua_pushinteger(L, declared - tape.declared.begin() + 1);
  lua_pushinteger(L, static_cast<lua_Integer>(mask));
  lua_call(L, 2, 0);
  const Variant* variant = rule.find(mask);
  if (variant == nullptr) luaL_error(L, "%s: the tape has no rule for it", rule.name.c_str());
  return *variant;
}

NativeTape::NativeTape() : ops(Registry::instance().ops().size()) {
  for (size_t i = 0; i < ops.size(); ++i) ops[i].op = &Registry::instance().ops()[i];
}
NativeTape::~NativeTape() = default;

void keep_reference(lua_State* L, int index, int& reference) {
  luaL_unref(L, LUA_REGISTRYINDEX, reference);
  lua_pushvalue(L, index);
  reference = luaL_ref(L, LUA_REGISTRYINDEX);
  if (reference == LUA_REFNIL) reference = LUA_NOREF;
}

void open_variants(lua_State* L, State& state) {
  NativeTape& tape = state.tape;
  tape.leaf = own_variant(L, tape, Variant::Of::leaf, "leaf", false);
  tape.one_of_several = own_variant(L, tape, Variant::Of::one_of_several, "one of several results", false);
  tape.function = own_variant(L, tape, Variant::Of::function, "function", true);
  add_function(L, state, "declareOp", declare_op);
  add_function(L, state, "declareVariant", declare_variant);
}

}  // namespace mt::lua
