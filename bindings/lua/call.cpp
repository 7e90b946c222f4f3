// The one function behind every op: it matches Lua arguments against the op's signature, runs it, and tells the tape.
#include <cctype>
#include <cstring>

#include "bindings/lua/generators.h"
#include "bindings/lua/state.h"
#include "engine/core/arguments.h"
#include "engine/ops/power.h"

namespace mt::lua {
namespace {

constexpr int lua_cdata = 10;  // LuaJIT's type of FFI objects
constexpr int max_args = 24;
constexpr uint16_t any_number = kind_number | kind_int | kind_index | kind_dim | kind_sizes;

// The arguments of a call as they lie on the stack: what each may be taken for, and the tensor that it is.
struct Arguments {
  uint16_t kinds[max_args + 1];
  Tensor* tensors[max_args + 1];
};

uint16_t kinds_of(lua_State* L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TBOOLEAN:
      return kind_boolean;
    case LUA_TSTRING:
      return static_cast<uint16_t>(kind_string | kind_dtype | (lua_isnumber(L, index) ? any_number : 0));
    case LUA_TTABLE:
      return kind_sizes | kind_tensors;
    case LUA_TUSERDATA:
      if (test_storage(L, index) != nullptr) return kind_sizes;
      if (is_generator(L, index)) return kind_generator;
      return 0;
    case lua_cdata:
      return any_number;
    default:
      return 0;
  }
}

// This runs for every argument of every call: tensors and numbers first.
void look_at(lua_State* L, int index, Arguments& given) {
  if (const void* data = lua_touserdata(L, index); data != nullptr && lua_objlen(L, index) >= sizeof(TensorBox)) {
    auto* box = static_cast<TensorBox*>(const_cast<void*>(data));
    if (box->magic == tensor_magic) {
      given.tensors[index] = &box->tensor;
      given.kinds[index] = box->tensor.dtype() == DType::int64 ? kind_tensor | kind_sizes : kind_tensor;
      return;
    }
  }
  given.tensors[index] = nullptr;
  given.kinds[index] = lua_type(L, index) == LUA_TNUMBER ? any_number : kinds_of(L, index);
}

// Where each argument of the signature, and each result, comes from.
struct Match {
  int8_t args[Signature::max_params];      // stack index, 0 when left out
  int8_t results[Signature::max_results];  // likewise
  int last_of_sizes;                       // numbers given one by one as sizes end here
};

bool match(lua_State* L, const Pattern& pattern, const uint16_t* kinds, int count, Match& m) {
  static_assert(sizeof m.args == 14 && sizeof m.results == 3);
  if (pattern.self_twice && (count == 0 || (kinds[1] & kind_tensor) == 0)) return false;  // it would be the result
  std::memset(&m, 0, sizeof m);
  int at = 1;
  for (int s = 0; s < pattern.count; ++s) {
    const Step& step = pattern.steps[s];
    const bool fits = at <= count && (kinds[at] & step.kinds) != 0;
    if (!fits) {
      if (!step.optional) return false;
      if (at <= count && lua_isnil(L, at)) ++at;  // an explicit nil stands for what is left out
      continue;
    }
    if (step.target < 0)
      m.results[-1 - step.target] = static_cast<int8_t>(at);
    else
      m.args[step.target] = static_cast<int8_t>(at);
    const bool one_by_one = (step.kinds & kind_sizes) != 0 && (kinds[at] & kind_number) != 0;
    ++at;
    if (one_by_one) {
      while (at <= count && (kinds[at] & kind_number) != 0) ++at;
      m.last_of_sizes = at - 1;
    }
  }
  while (at <= count && lua_isnil(L, at)) ++at;
  if (at <= count) return false;
  if (pattern.self_twice) m.results[0] = 1;
  return true;
}

void append_lua_value(lua_State* L, std::string& text, int index) {
  if (const Tensor* t = test_tensor(L, index))
    append(text, concat(t->dtype(), " ", t->sizes()));
  else if (const StoragePtr* s = test_storage(L, index))
    append(text, concat("torch.", info((*s)->dtype).torch, "Storage"));
  else if (lua_type(L, index) == LUA_TNUMBER)
    append(text, lua_tonumber(L, index));
  else
    append(text, lua_typename(L, lua_type(L, index)));
}

[[noreturn]] void refuse(lua_State* L, const BoundOp& bound, int count) {
  guarded(L, *bound.state, [&] {
    std::string came, expected;
    for (int i = 1; i <= count; ++i) {
      if (i > 1) came += ", ";
      append_lua_value(L, came, i);
    }
    for (const Pattern& p : bound.patterns) {
      if (p.steps[0].target < 0) continue;  // forms with a result say nothing new
      uint8_t params[Signature::max_params];
      for (int s = 0; s < p.count; ++s) params[s] = static_cast<uint8_t>(p.steps[s].target);
      if (!expected.empty()) expected += " or ";
      append_form(expected, bound.op->decl->signature, {params, p.count});
    }
    refuse_arguments(bound.op->decl->name, came, expected);
  });
  std::abort();
}

// Sizes and lists of one call live here, on the C stack.
struct Scratch {
  int64_t sizes[2][max_dims];
  int used = 0;
};

// Reads the Lua value at a stack index as an argument. Raises a C++ error: called inside guarded().
void read_value(lua_State* L, const BoundOp& bound, const Param& p, int index, const Match& m, Scratch& scratch, Value& value) {
  State& state = *bound.state;
  const std::string_view op = bound.op->decl->name;
  if (p.takes(kind_tensor)) {
    if (Tensor* t = test_tensor(L, index)) {
      value.type = Value::Type::tensor;
      value.tensor = t;
      return;
    }
  }
  if (p.takes(kind_sizes)) {
    value.type = Value::Type::sizes;
    MT_ASSERT(scratch.used < 2);
    value.sizes = scratch.sizes[scratch.used++];
    if (!read_sizes(L, state, index, m.last_of_sizes, const_cast<int64_t*>(value.sizes), &value.count)) {
      fail(op, p.name, "whole numbers, a LongStorage or a table of them, at most ", max_dims, ", were expected");
    }
    return;
  }
  if (p.takes(kind_number | kind_int | kind_index | kind_dim) && read_number(L, state, index, value)) {
    if (p.takes(kind_number)) return;
    make_whole(value, op, p.name);
    if (p.takes(kind_dim)) {
      if (value.integer == 0) fail(op, p.name, "0 came, dimensions count from 1");
      if (value.integer > 0) --value.integer;
    } else if (p.takes(kind_index)) {
      if (value.integer == INT64_MIN) fail(op, p.name, value.integer, " is out of range");
      --value.integer;
    }
    return;
  }
  switch (lua_type(L, index)) {
    case LUA_TBOOLEAN:
      value.type = Value::Type::boolean;
      value.boolean = lua_toboolean(L, index) != 0;
      return;
    case LUA_TSTRING: {
      size_t length;
      const char* text = lua_tolstring(L, index, &length);
      if (p.takes(kind_dtype)) {
        const std::optional<DType> dtype = find_dtype({text, length});
        if (!dtype) fail(op, p.name, text, " came, the name of a tensor type was expected");
        value.type = Value::Type::dtype;
        value.dtype = *dtype;
      } else {
        value.type = Value::Type::string;
        value.string = text;
        value.count = static_cast<int32_t>(length);
      }
      return;
    }
    case LUA_TTABLE: {
      const size_t first = state.tensors.size();
      for (int i = 1;; ++i) {
        lua_rawgeti(L, index, i);
        const bool end = lua_isnil(L, -1);
        Tensor* t = test_tensor(L, -1);
        lua_pop(L, 1);  // the table keeps it alive
        if (end) break;
        if (t == nullptr) fail(op, p.name, "element ", i, " is no tensor");
        state.tensors.push_back(t);
      }
      value.type = Value::Type::tensors;
      value.count = static_cast<int32_t>(state.tensors.size() - first);
      value.tensors = nullptr;  // set when all are read: the vector may still move
      return;
    }
    case LUA_TUSERDATA:
      if (Generator* generator = test_generator(L, state, index)) {
        value.type = Value::Type::generator;
        value.generator = generator;
        return;
      }
      [[fallthrough]];
    default:
      fail(op, p.name, lua_typename(L, lua_type(L, index)), " came, which can't be used here");
  }
}

bool any_tracked(const Value* args, int count) {
  for (int i = 0; i < count; ++i) {
    const Value& v = args[i];
    if (v.is_tensor() && v.tensor->tracked()) return true;
    if (v.type == Value::Type::tensors) {
      for (int k = 0; k < v.count; ++k) {
        if (v.tensors[k]->tracked()) return true;
      }
    }
  }
  return false;
}

// Pushes canonical argument i as the tape sees it: what the caller gave, or the default in Lua's counting.
void push_argument(lua_State* L, const State& state, const Param& p, int source, const Value& value) {
  if (value.type == Value::Type::sizes) {
    lua_createtable(L, value.count, 0);
    for (int k = 0; k < value.count; ++k) {
      push_integer(L, state, value.sizes[k]);
      lua_rawseti(L, -2, k + 1);
    }
  } else if (source != 0 && value.type != Value::Type::string && lua_type(L, source) == LUA_TSTRING && lua_isnumber(L, source)) {
    lua_pushnumber(L, lua_tonumber(L, source));
  } else if (source != 0) {
    lua_pushvalue(L, source);
  } else if (value.type == Value::Type::number) {
    const bool counted = p.takes(kind_index) || (p.takes(kind_dim) && value.number >= 0);
    lua_pushnumber(L, counted ? value.number + 1 : value.number);
  } else if (value.type == Value::Type::boolean) {
    lua_pushboolean(L, value.boolean);
  } else if (value.type == Value::Type::string) {
    lua_pushlstring(L, value.string, static_cast<size_t>(value.count));
  } else {
    lua_pushnil(L);
  }
}

// A result that the op writes in place while the tape watches: the tape says what stands for it in the record.
int save_overwritten(lua_State* L, const State& state, int result_index) {
  if (state.before == LUA_NOREF) return 0;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.before);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushvalue(L, result_index);
  lua_call(L, 2, 1);
  return lua_gettop(L);
}

// Whether another object holds this one's memory, too.
bool is_shared(const Tensor& t) {
  return t.storage() != nullptr && is_float(t.dtype()) && t.storage()->references.load(std::memory_order_relaxed) > 1;
}

// Tracked values are about to be written to an untracked tensor whose memory others share. What is garbage by now does not count; of the
// rest the tape would know nothing, so that it refuses: before(op, result, true).
void refuse_shared(lua_State* L, const State& state, int result_index) {
  if (state.before == LUA_NOREF) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.before);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushvalue(L, result_index);
  lua_pushboolean(L, 1);
  lua_call(L, 3, 0);
}

bool alike(const Tensor& a, const Tensor& b) { return a.dtype() == b.dtype() && std::ranges::equal(a.sizes(), b.sizes()); }

// Version of what a value shares, as a number; nil when it is no tensor.
void push_version(lua_State* L, const Tensor* t) {
  if (t == nullptr)
    lua_pushnil(L);
  else
    lua_pushnumber(L, version_of(*t));
}

// Tells the tape of a call: record(name, number of results, same, nodes of the first three arguments, versions of the first result and of
// the first three arguments, results..., arguments...). `same` is true when all tensors among the arguments have the first result's sizes
// and dtype. What an ordinary op needs is handed over here because each question asked from Lua costs as much as the rest. A node that it
// returns is hung on the first result.
void record_call(lua_State* L, const BoundOp& bound, const Match& m, const Value* args, Tensor* const* results, const int* result_index,
                 int overwritten, int saved) {
  State& state = *bound.state;
  const Signature& signature = bound.op->decl->signature;
  constexpr int first_arguments = 3;
  const auto source_of = [&](int i) { return m.args[i] != 0 && m.args[i] == overwritten ? saved : static_cast<int>(m.args[i]); };
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.record);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushinteger(L, signature.result_count);
  bool same = true;
  for (int i = 0; i < signature.count; ++i) {
    if (args[i].is_tensor()) same = same && alike(*args[i].tensor, *results[0]);
  }
  lua_pushboolean(L, same);
  const Tensor* first[first_arguments];
  for (int i = 0; i < first_arguments; ++i) {
    first[i] = i < signature.count && args[i].is_tensor() ? test_tensor(L, source_of(i)) : nullptr;
    if (first[i] != nullptr && first[i]->tracked())
      lua_getfenv(L, source_of(i));
    else
      lua_pushnil(L);
  }
  push_version(L, results[0]);
  for (const Tensor* t : first) push_version(L, t);
  for (int r = 0; r < signature.result_count; ++r) lua_pushvalue(L, result_index[r]);
  for (int i = 0; i < signature.count; ++i) push_argument(L, state, signature.params[i], source_of(i), args[i]);
  lua_call(L, 3 + 2 * first_arguments + 1 + signature.result_count + signature.count, 1);
  if (lua_istable(L, -1) && is_float(results[0]->dtype())) {
    results[0]->set_tracked(true);
    lua_setfenv(L, result_index[0]);
  } else {
    lua_pop(L, 1);
  }
}

// Reads what is neither a tensor nor a plain number; raises what is wrong with it.
void read_others(lua_State* L, const BoundOp& bound, const Match& m, Scratch& scratch, Value* args) {
  const Signature& signature = bound.op->decl->signature;
  State& state = *bound.state;
  state.tensors.clear();
  guarded(L, state, [&] {
    for (int i = 0; i < signature.count; ++i) {
      if (m.args[i] != 0 && args[i].type == Value::Type::none) read_value(L, bound, signature.params[i], m.args[i], m, scratch, args[i]);
    }
    size_t next = 0;
    for (int i = 0; i < signature.count; ++i) {
      if (args[i].type != Value::Type::tensors) continue;
      args[i].tensors = state.tensors.data() + next;
      next += static_cast<size_t>(args[i].count);
    }
  });
}

// A call of an elementwise op with numbers alone, such as torch.exp(1): each stands for a tensor of one element, and a number comes out.
// False when it is no such call.
bool call_with_numbers(lua_State* L, const BoundOp& bound, const uint16_t* kinds, int count) {
  const Op& op = *bound.op;
  if ((op.run != &run_pointwise && op.run != &run_power) || count == 0) return false;
  uint16_t widened[max_args + 1];
  for (int i = 1; i <= count; ++i) {
    if ((kinds[i] & kind_number) == 0) return false;
    widened[i] = kinds[i] | kind_tensor;
  }
  Match m;
  const auto fits = [&](const Pattern& p) { return p.steps[0].target >= 0 && !p.self_twice && match(L, p, widened, count, m); };
  if (std::ranges::none_of(bound.patterns, fits)) return false;
  double number = 0;
  guarded(L, *bound.state, [&] {
    const Signature& signature = op.decl->signature;
    Tensor ones[Signature::max_params], result;
    Value args[Signature::max_params];
    for (int i = 0; i < signature.count; ++i) {
      const Param& p = signature.params[i];
      if (m.args[i] == 0) {
        set_default(args[i], p);
        continue;
      }
      if (!read_number(L, *bound.state, m.args[i], args[i])) {
        fail(op.decl->name, p.name, lua_typename(L, lua_type(L, m.args[i])), " came, which is no number");
      }
      if (p.takes(kind_tensor)) {
        ones[i] = Tensor::empty(DType::float64, {1});
        *ones[i].data<double>() = args[i].as_double();
        args[i] = Value(ones[i]);
      }
    }
    Tensor* results[] = {&result};
    Call call{op, {args, static_cast<size_t>(signature.count)}, results};
    op.run(call);
    number = *to_dtype(result, DType::float64).data<double>();
  });
  lua_pushnumber(L, number);
  return true;
}

// x:name(argument), the argument on top of the stack, which it takes away.
void call_method(lua_State* L, int x, const char* name) {
  lua_getfield(L, x, name);
  lua_pushvalue(L, x);
  lua_pushvalue(L, -3);
  lua_call(L, 2, 0);
  lua_pop(L, 1);
}

// A message without the place in a Lua file that it may start with.
std::string_view without_place(std::string_view message) {
  constexpr std::string_view suffix = ".lua:";
  size_t at = message.find(suffix);
  if (at == std::string_view::npos || message.find(": ") < at) return message;
  at += suffix.size();
  while (at < message.size() && std::isdigit(static_cast<unsigned char>(message[at]))) ++at;
  return message.substr(at).starts_with(": ") ? message.substr(at + 2) : message;
}

// Raises the error on top of the stack at the caller's place and in the composed op's name, whichever op inside it was that failed.
[[noreturn]] void raise_in_name_of(lua_State* L, const BoundOp& bound) {
  if (lua_type(L, -1) == LUA_TSTRING) {
    const std::string_view name = bound.op->decl->name, message = without_place(lua_tostring(L, -1));
    luaL_where(L, 1);
    if (!message.starts_with(name) || !message.substr(name.size()).starts_with(": ")) {
      lua_pushvalue(L, lua_upvalueindex(2));
      lua_pushliteral(L, ": ");
      lua_concat(L, 3);
    }
    lua_pushlstring(L, message.data(), message.size());
    lua_concat(L, 2);
  }
  lua_error(L);
  std::abort();
}

// A float result can't go into a tensor of integers.
void check_float_result(lua_State* L, const BoundOp& bound, const Tensor* result) {
  const Decl& d = *bound.op->decl;
  if (d.result != Rule::float_result || is_float(result->dtype())) return;
  guarded(L, *bound.state, [&] { fail(d.name, d.signature.results[0], result->dtype(), " came, a tensor of floats was expected"); });
}

// A composed op: its Lua function gets the canonical arguments; a given result receives a copy of what it returns.
int call_composed(lua_State* L, const BoundOp& bound, const Match& m, const Value* args) {
  State& state = *bound.state;
  const Signature& signature = bound.op->decl->signature;
  if (m.results[0] != 0) check_float_result(L, bound, test_tensor(L, m.results[0]));
  luaL_checkstack(L, Signature::max_params + 8, "too many arguments");
  lua_rawgeti(L, LUA_REGISTRYINDEX, bound.forward);
  for (int i = 0; i < signature.count; ++i) push_argument(L, state, signature.params[i], m.args[i], args[i]);
  const int base = lua_gettop(L) - signature.count - 1;
  if (lua_pcall(L, signature.count, LUA_MULTRET, 0) != 0) raise_in_name_of(L, bound);
  const int count = lua_gettop(L) - base;
  for (int r = 0; r < signature.result_count && r < count; ++r) {
    if (m.results[r] == 0) continue;
    const int returned = base + 1 + r;
    if (test_tensor(L, returned) != nullptr) {
      lua_pushvalue(L, returned);
      call_method(L, m.results[r], "resizeAs");
      lua_pushvalue(L, returned);
      call_method(L, m.results[r], "copy");
    } else {
      lua_pushinteger(L, 1);
      call_method(L, m.results[r], "resize");
      lua_pushvalue(L, returned);
      call_method(L, m.results[r], "fill");
    }
    lua_pushvalue(L, m.results[r]);
    lua_replace(L, returned);
  }
  return count;
}

void add_op(lua_State* L, State& state, const Op& op, std::string_view name, bool is_method, int forward) {
  push_op_upvalues(L, state, op, is_method, forward);
  lua_pushcclosure(L, call_op, 2);
  lua_pushlstring(L, name.data(), name.size());
  lua_insert(L, -2);
  lua_rawset(L, -3);
}

}  // namespace

int call_op(lua_State* L) {
  const BoundOp& bound = *static_cast<const BoundOp*>(lua_touserdata(L, lua_upvalueindex(1)));
  State& state = *bound.state;
  const Op& op = *bound.op;
  const Signature& signature = op.decl->signature;
  const int given_count = lua_gettop(L);
  if (given_count > max_args) refuse(L, bound, max_args);
  Arguments arguments;
  for (int i = 1; i <= given_count; ++i) look_at(L, i, arguments);
  Match m;
  bool found = false;
  for (const Pattern& pattern : bound.patterns) {
    if (match(L, pattern, arguments.kinds, given_count, m)) {
      found = true;
      break;
    }
  }
  if (!found) {
    if (call_with_numbers(L, bound, arguments.kinds, given_count)) return 1;
    refuse(L, bound, given_count);
  }

  // Values are made where they are needed: an array of them would be cleared for every call.
  alignas(Value) std::byte room[Signature::max_params * sizeof(Value)];
  auto* args = reinterpret_cast<Value*>(room);
  Scratch scratch;
  bool others = false;
  for (int i = 0; i < signature.count; ++i) {
    Value& value = *new (&args[i]) Value;
    const Param& p = signature.params[i];
    const int source = m.args[i];
    if (source == 0) {
      set_default(value, p);
    } else if (p.takes(kind_tensor) && arguments.tensors[source] != nullptr) {
      value.type = Value::Type::tensor;
      value.tensor = arguments.tensors[source];
    } else if (p.takes(kind_number) && !p.takes(kind_sizes) && lua_type(L, source) == LUA_TNUMBER) {
      value.type = Value::Type::number;
      value.number = lua_tonumber(L, source);
    } else {
      others = true;
    }
  }
  if (others) read_others(L, bound, m, scratch, args);
  if (signature.count > 0 && args[0].type == Value::Type::number && call_with_numbers(L, bound, arguments.kinds, given_count)) return 1;
  if (bound.forward != LUA_NOREF) return call_composed(L, bound, m, args);

  const bool tracked = state.grad_mode && state.record != LUA_NOREF && any_tracked(args, signature.count);
  const int result_count = signature.result_count;
  Tensor* results[Signature::max_results];
  int result_index[Signature::max_results];
  uint32_t given = 0;
  bool recorded = tracked;         // a tracked result that is overwritten loses its past, and the tape must know
  int overwritten = 0, saved = 0;  // stack indices: an argument that is written in place, and what stands for it on the tape
  for (int r = 0; r < result_count; ++r) {
    if (m.results[r] == 0) continue;
    result_index[r] = m.results[r];
    results[r] = arguments.tensors[m.results[r]];
    given |= 1u << r;
    if (state.grad_mode && (tracked || results[r]->tracked()) && overwritten == 0) {
      bool is_argument = results[r]->tracked();
      if (!is_argument && op.decl->differentiable && is_shared(*results[r])) refuse_shared(L, state, m.results[r]);
      for (int i = 0; i < signature.count; ++i) is_argument = is_argument || (args[i].is_tensor() && args[i].tensor == results[r]);
      if (is_argument) {
        recorded = recorded || results[r]->tracked();
        saved = save_overwritten(L, state, m.results[r]);
        overwritten = m.results[r];
      }
    }
  }
  const int dim_param = bound.dim_param;
  const bool may_be_number = op.decl->scalar && (!tracked || !op.decl->differentiable) && (given & 1) == 0;
  bool as_number = may_be_number && (dim_param < 0 || !args[dim_param].given());
  if (recorded) luaL_checkstack(L, 3 * Signature::max_params + 8, "too many arguments");
  for (int r = 0; r < result_count; ++r) {
    if ((given >> r & 1) != 0) continue;
    results[r] = &push_raw_tensor(L);
    result_index[r] = lua_gettop(L);
  }
  bool failed = false;
  try {
    Call call{op,
              {args, static_cast<size_t>(signature.count)},
              {results, static_cast<size_t>(result_count)},
              given,
              state.default_dtype,
              &state.generator,
              as_number};
    op.run(call);
    as_number = may_be_number && call.as_number;
  } catch (...) {
    keep_message(state);
    if (state.message.starts_with("out of memory")) state.message.insert(0, concat(op.decl->name, ": "));
    failed = true;
    for (int r = 0; r < result_count; ++r) {
      if ((given >> r & 1) == 0) *results[r] = Tensor();  // it has no class yet, so nobody would free it
    }
  }
  if (failed) raise_message(L, state);

  if (as_number && results[0]->numel() == 1) {
    if (results[0]->dtype() == DType::boolean)
      lua_pushboolean(L, *results[0]->data<uint8_t>());
    else
      push_element(L, state, *results[0], results[0]->offset());
    for (int r = 0; r < result_count; ++r) *results[r] = Tensor();
    return 1;
  }
  for (int r = 0; r < result_count; ++r) {
    if ((given >> r & 1) == 0) set_class(L, state, result_index[r], results[r]->dtype());
  }
  if (recorded) record_call(L, bound, m, args, results, result_index, overwritten, saved);
  for (int r = 0; r < result_count; ++r) {
    if ((given >> r & 1) == 0) note_allocation(L, state, *results[r]);
  }
  // A reduction of all elements has one result, as a tensor as it has as a number.
  const bool whole = op.decl->scalar && dim_param >= 0 && !args[dim_param].given() && given == 0;
  if (result_count == 1 || whole) {
    lua_pushvalue(L, result_index[0]);
    return 1;
  }
  for (int r = 0; r < result_count; ++r) lua_pushvalue(L, result_index[r]);
  return result_count;
}

std::vector<Pattern> patterns_of(const Op& op, bool is_method) {
  const Signature& signature = op.decl->signature;
  const bool in_place = op.decl->method == Method::always_in_place || (is_method && op.decl->method == Method::in_place);
  std::vector<Pattern> patterns;
  const auto flatten = [&](const Form& form, bool with_results, bool self_twice) {
    Pattern p;
    p.self_twice = self_twice;
    if (with_results) {
      for (int r = 0; r < signature.result_count; ++r) p.steps[p.count++] = {static_cast<int8_t>(-1 - r), r > 0, kind_tensor};
    }
    for (int i = 0; i < form.count; ++i) {
      const Param& param = signature.params[form.params[i]];
      p.steps[p.count++] = {static_cast<int8_t>(form.params[i]), param.optional, param.kinds};
    }
    // x:op(...) with x in both roles: the first argument must be a tensor.
    if (!self_twice || (p.count > 0 && (p.steps[0].kinds & kind_tensor) != 0)) patterns.push_back(p);
  };
  for (const Form& form : op.forms) {
    if (form.method_only && !is_method) continue;
    if (in_place && signature.result_count > 0)
      flatten(form, false, true);
    else
      flatten(form, false, false);
  }
  if (signature.result_count > 0) {
    for (const Form& form : op.forms) {
      if (!form.method_only) flatten(form, true, false);
    }
  }
  return patterns;
}

void push_op_upvalues(lua_State* L, State& state, const Op& op, bool is_method, int forward) {
  state.ops.push_back({&op, &state, is_method, forward, op.decl->signature.find("dim"), patterns_of(op, is_method)});
  lua_pushlightuserdata(L, &state.ops.back());
  lua_pushlstring(L, op.decl->name.data(), op.decl->name.size());
}

void bind_op(lua_State* L, State& state, const Op& op, int functions, int methods, int forward) {
  std::string_view names = op.decl->alias, name = op.decl->name;
  for (;;) {
    lua_pushvalue(L, functions);
    add_op(L, state, op, name, false, forward);
    lua_pop(L, 1);
    if (op.decl->method != Method::none) {
      lua_pushvalue(L, methods);
      add_op(L, state, op, name, true, forward);
      lua_pop(L, 1);
    }
    if (names.empty()) break;
    const size_t blank = names.find(' ');
    name = names.substr(0, blank);
    names = blank == std::string_view::npos ? std::string_view() : names.substr(blank + 1);
  }
}

void open_calls(lua_State* L, State& state) {
  // The stack: the library's table. It gets `functions` and `methods`, which lua/torch spreads over torch and the tensor classes.
  lua_newtable(L);
  lua_newtable(L);
  const int methods = lua_gettop(L), functions = methods - 1;
  for (const Op& op : Registry::instance().ops()) bind_op(L, state, op, functions, methods, LUA_NOREF);
  lua_setfield(L, -3, "methods");
  lua_setfield(L, -2, "functions");
}

}  // namespace mt::lua
