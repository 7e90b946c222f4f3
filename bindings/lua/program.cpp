#include "bindings/lua/program.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "bindings/lua/tape/native_tape.h"
#include "engine/core/arguments.h"

namespace mt::lua {
namespace {

// Reads {type, number, extent =, negative =} at the top of the stack.
Source read_source(lua_State* L, size_t operands, int results, const ProgramPlace& place) {
  const int table = lua_gettop(L);
  Source source{};
  lua_rawgeti(L, table, 1);
  const std::string type = text_at(L, -1);
  lua_rawgeti(L, table, 2);
  source.number = lua_tonumber(L, -1);
  lua_getfield(L, table, "extent");
  const double extent = lua_tonumber(L, -1);
  lua_pop(L, 3);
  source.negative = flag_field(L, table, "negative");
  using Type = Source::Type;
  struct Known {
    std::string_view name;
    Type type;
    bool of_step = false;
  };
  static constexpr Known known[] = {{"g", Type::gradient},      {"operand", Type::operand},       {"size", Type::size},
                                    {"extent", Type::extent},   {"sizeOfStep", Type::size, true}, {"extentOfStep", Type::extent, true},
                                    {"step", Type::step, true}, {"number", Type::number},         {"none", Type::none}};
  const auto* found = std::ranges::find(known, type, &Known::name);
  if (found == std::end(known))
    fail(place.function, "rule", "'", type, "' came, g, operand, size, extent, step, number or none was expected");
  source.type = found->type;
  const bool is_step = source.of_step = found->of_step;
  const double count = is_step ? results : static_cast<double>(operands);
  if (source.type != Type::gradient && source.type != Type::number && source.type != Type::none) {
    const double first = is_step ? 1 : 0, last = is_step ? count : count - 1;
    if (!(source.number >= first && source.number <= last))
      fail<Status::range>(place.function, "rule", type, " ", source.number, " came, ", first, "..", last, " was expected");
    source.index = static_cast<int8_t>(source.number - first);
  }
  if (source.type == Type::extent) {
    if (!(extent >= -max_dims && extent <= max_dims && extent != 0)) fail(place.function, "rule", "size ", extent, " of a tensor came");
    source.extent = static_cast<int8_t>(extent);
  }
  return source;
}

// Whether an argument of those kinds takes whatever comes as one of the others. All numbers are alike.
bool takes_all(uint16_t kinds, uint16_t come) {
  if ((kinds & number_kinds) != 0) kinds |= number_kinds;
  constexpr uint16_t readable = kind_tensor | number_kinds | kind_boolean | kind_sizes | kind_tensors | kind_dims | kind_indices;
  return come != 0 && (come & ~(kinds & readable)) == 0;
}

uint16_t kinds_of_source(const Source& source, std::span<const OperandKinds> operands) {
  switch (source.type) {
    case Source::Type::gradient:
    case Source::Type::step:
      return kind_tensor;
    case Source::Type::size:
      return kind_sizes;
    case Source::Type::number:
    case Source::Type::extent:
      return number_kinds;
    case Source::Type::none:
      return 0;
    case Source::Type::operand:
      break;
  }
  return operands[static_cast<size_t>(source.index)].kinds;
}

bool may_be_missing(const Source& source, std::span<const OperandKinds> operands) {
  return source.type == Source::Type::none ||
         (source.type == Source::Type::operand && operands[static_cast<size_t>(source.index)].optional);
}

// Gives each argument its place in the op's signature, by the first form that takes them all.
bool place_arguments(ProgramStep& step, std::span<const OperandKinds> operands) {
  const Signature& signature = step.op->decl->signature;
  for (const Form& form : step.op->forms) {
    if (form.method_only || form.count < step.sources.size()) continue;
    bool fits = true, used[Signature::max_params] = {};
    int sizes = 0;  // kept as tables, for one of which there is room
    for (size_t i = 0; i < step.sources.size(); ++i) {
      const Param& param = signature.params[form.params[i]];
      const Source& source = step.sources[i];
      const uint16_t kinds = kinds_of_source(source, operands);
      used[form.params[i]] = true;
      sizes += source.type == Source::Type::operand && (kinds & (kind_sizes | kind_tensors)) != 0 ? 1 : 0;
      fits = fits && (source.type == Source::Type::none || takes_all(param.kinds, kinds)) &&
             (param.optional || !may_be_missing(source, operands)) && sizes <= 1;
    }
    for (int i = 0; i < signature.count; ++i) fits = fits && (used[i] || signature.params[i].optional);
    if (!fits) continue;
    for (size_t i = 0; i < step.sources.size(); ++i) step.sources[i].param = form.params[i];
    return true;
  }
  return false;
}

// Reads the step in the table at the top of the stack.
ProgramStep read_step(lua_State* L, const Program& program, std::span<const OperandKinds> operands, const ProgramPlace& place) {
  const int table = lua_gettop(L);
  if (!lua_istable(L, table)) fail(place.function, "rule", luaL_typename(L, table), " came, a table was expected");
  ProgramStep step{};
  const std::string name = text_field(L, table, "op");
  step.times = flag_field(L, table, "times");
  step.op = Registry::instance().find(name);
  if (step.op == nullptr || step.op->decl->signature.result_count < 1)
    fail(place.function, "rule", name, " is no op of the engine with a result");
  step.first = program.results;
  const Signature& signature = step.op->decl->signature;
  if (step.first + signature.result_count > Program::most_results)
    fail(place.function, "rule", "its steps have more than ", Program::most_results, " results");
  const auto count = static_cast<int>(lua_objlen(L, table));
  for (int k = 1; k <= count; ++k) {
    lua_rawgeti(L, table, k);
    if (!lua_istable(L, -1)) fail(place.function, "rule", luaL_typename(L, -1), " came, a table was expected");
    step.sources.push_back(read_source(L, operands.size(), program.results, place));
    lua_pop(L, 1);
  }
  const auto is_scaled = [&] {
    return step.sources.size() == 2 && !signature.params[step.sources[0].param].takes(static_cast<uint16_t>(~kind_tensor)) &&
           !signature.params[step.sources[1].param].takes(static_cast<uint16_t>(~number_kinds));
  };
  if (!place_arguments(step, operands) || (step.times && !is_scaled()))
    fail(place.function, "rule", "of ", place.subject, ": the operands of ", name, " fit no form of it");
  step.values.resize(static_cast<size_t>(signature.count));
  for (int k = 0; k < signature.count; ++k) set_default(step.values[static_cast<size_t>(k)], signature.params[k]);
  return step;
}

// A number as Lua counts it, for that argument.
void set_number(Value& value, const Param& param, double number) {
  if (!param.takes(kind_dim | kind_index | kind_int) || param.takes(kind_number)) {
    value.type = Value::Type::number;
    value.number = number;
    return;
  }
  value.type = Value::Type::integer;
  value.integer = element_from<int64_t>(number);
  if (value.integer == 0 && param.takes(kind_dim)) fail("formula", param.name, "dimension 0 came, they count from 1");
  if (param.takes(kind_index) || (param.takes(kind_dim) && value.integer > 0)) --value.integer;
}

// A fraction where a whole number is expected: the op's own call warns or refuses.
bool is_fraction_of_whole(const Param& param, double number) {
  return !param.takes(kind_number) && param.takes(kind_int | kind_index | kind_dim) && number != std::trunc(number);
}

[[noreturn]] void refuse_operand(const ProgramStep& step, const Param& param) {
  fail(step.op->decl->name, param.name, "what was kept for it is not what it was");
}

void read_size(lua_State* L, const State& state, const Source& source, const ProgramStep& step, const Param& param, int index,
               const Tensor* made, Value& value) {
  const Tensor* t = source.of_step ? &made[source.index] : test_tensor(L, index);
  if (source.type == Source::Type::extent) {
    const int dims = t != nullptr ? t->dim() : 0, dim = source.extent < 0 ? dims + source.extent : source.extent - 1;
    if (dim < 0 || dim >= dims) refuse_operand(step, param);
    set_number(value, param, static_cast<double>(t->size(dim)));
    return;
  }
  const StoragePtr* s = t == nullptr ? test_storage(L, index) : nullptr;
  const bool listed = s != nullptr && (*s)->dtype == DType::int64 && (*s)->size <= max_dims && (*s)->device == cpu_device;
  if (t == nullptr && !listed) refuse_operand(step, param);
  value.type = Value::Type::sizes;
  value.sizes = t != nullptr ? t->sizes().data() : (*s)->elements<const int64_t>();
  value.count = static_cast<int32_t>(t != nullptr ? t->dim() : (*s)->size);
  if (!param.takes_counted_list()) return;
  std::vector<int64_t>& list = state.tape->sizes;
  list.assign(value.sizes, value.sizes + value.count);
  count_from_0(list, param, step.op->decl->name);
  value.sizes = list.data();
}

// A table of sizes, or of tensors, of which no op that is a step has two.
void read_list(lua_State* L, const State& state, const ProgramStep& step, const Param& param, int index, Value& value) {
  const size_t count = lua_objlen(L, index);
  if (param.takes(kind_tensors)) {
    std::vector<Tensor*>& tensors = state.tape->tensors;
    tensors.resize(count);
    for (size_t i = 0; i < count; ++i) {
      lua_rawgeti(L, index, static_cast<int>(i) + 1);
      tensors[i] = test_tensor(L, -1);
      lua_pop(L, 1);
      if (tensors[i] == nullptr) refuse_operand(step, param);
    }
    value.type = Value::Type::tensors;
    value.tensors = tensors.data();
  } else {
    std::vector<int64_t>& sizes = state.tape->sizes;
    if (!param.takes(kind_sizes) || count > max_dims) refuse_operand(step, param);
    sizes.resize(count);
    for (size_t i = 0; i < count; ++i) {
      lua_rawgeti(L, index, static_cast<int>(i) + 1);
      sizes[i] = static_cast<int64_t>(lua_tonumber(L, -1));
      lua_pop(L, 1);
    }
    if (param.takes_counted_list()) count_from_0(sizes, param, step.op->decl->name);
    value.type = Value::Type::sizes;
    value.sizes = sizes.data();
  }
  value.count = static_cast<int32_t>(count);
}

// Fills in an argument of a step.
void read_argument(lua_State* L, const State& state, const ProgramStep& step, const Source& source, int operands, Tensor* g, Tensor* made,
                   Value& value) {
  const Param& param = step.op->decl->signature.params[source.param];
  const int index = operands + source.index;
  switch (source.type) {
    case Source::Type::gradient:
      value = Value(*g);
      return;
    case Source::Type::step:
      value = Value(made[source.index]);
      return;
    case Source::Type::number:
      set_number(value, param, source.number);
      return;
    case Source::Type::none:
      return;
    case Source::Type::size:
    case Source::Type::extent:
      return read_size(L, state, source, step, param, index, made, value);
    case Source::Type::operand:
      break;
  }
  if (Tensor* t = test_tensor(L, index)) {
    if (!param.takes(kind_tensor)) refuse_operand(step, param);
    value = Value(*t);
    return;
  }
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
      if (!param.takes(number_kinds) || is_fraction_of_whole(param, lua_tonumber(L, index))) refuse_operand(step, param);
      return set_number(value, param, source.negative ? -lua_tonumber(L, index) : lua_tonumber(L, index));
    case LUA_TBOOLEAN:
      if (!param.takes(kind_boolean)) refuse_operand(step, param);
      value.type = Value::Type::boolean;
      value.boolean = lua_toboolean(L, index) != 0;
      return;
    case LUA_TTABLE:
      return read_list(L, state, step, param, index, value);
    default:
      if (test_storage(L, index) != nullptr && param.takes(kind_sizes))
        return read_size(L, state, {Source::Type::size, 0}, step, param, index, made, value);
      if (!lua_isnil(L, index) || !(param.optional || param.has_default)) refuse_operand(step, param);
  }
}

// Runs a step. Where it has a target, that of its first output.
void run_step(lua_State* L, const State& state, const ProgramStep& step, int operands, Tensor* g, Tensor* made, Tensor** results,
              uint32_t given, Target* target) {
  alignas(Value) std::byte room[Signature::max_params * sizeof(Value)];  // an array of them would be cleared each time
  auto* args = reinterpret_cast<Value*>(room);
  std::uninitialized_copy(step.values.begin(), step.values.end(), args);
  for (const Source& source : step.sources) read_argument(L, state, step, source, operands, g, made, args[source.param]);
  if (step.times && args[step.sources[1].param].as_double() == 1) {
    *results[0] = *args[step.sources[0].param].tensor;
    return;
  }
  if (target != nullptr && target->sum != nullptr && step.op->accumulate != nullptr) {
    Tensor* const sum[] = {target->sum};
    Call onto{*step.op, {args, step.values.size()}, sum, 1};
    onto.hook = state.hook;
    target->added = step.op->accumulate(onto, target->scale);
    if (target->added) return;
  }
  const auto count = static_cast<size_t>(step.op->decl->signature.result_count);
  Call call{*step.op,   {args, step.values.size()}, {results, count}, given, state.default_dtype, nullptr, false,
            state.hook, state.default_device};
  run_op(call);
}

// Finds for each step which outputs are made of it.
void note_uses(Program& program) {
  std::vector<uint32_t> serves(static_cast<size_t>(program.results), 0);  // by result
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    if (program.outputs[i] != Program::gradient) serves[static_cast<size_t>(program.outputs[i])] |= uint32_t{1} << i;
  }
  for (auto step = program.steps.rbegin(); step != program.steps.rend(); ++step) {
    for (int r = 0; r < step->op->decl->signature.result_count; ++r) step->serves |= serves[static_cast<size_t>(step->first + r)];
    for (const Source& source : step->sources) {
      if (source.type == Source::Type::step || source.of_step) serves[static_cast<size_t>(source.index)] |= step->serves;
    }
  }
}

}  // namespace

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

Program read_program(lua_State* L, int table, std::span<const OperandKinds> operands, const ProgramPlace& place) {
  Program program;
  program.present = true;
  const auto count = static_cast<int>(lua_objlen(L, table));
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, table, i);
    ProgramStep step = read_step(L, program, operands, place);
    program.results += step.op->decl->signature.result_count;
    program.steps.push_back(std::move(step));
    lua_pop(L, 1);
  }
  lua_getfield(L, table, "outputs");
  if (lua_istable(L, -1)) {
    const auto outputs = static_cast<int>(lua_objlen(L, -1));
    for (int i = 1; i <= outputs; ++i) {
      lua_rawgeti(L, -1, i);
      const double number = lua_tonumber(L, -1);
      lua_pop(L, 1);
      if (!(number >= 0 && number <= program.results))
        fail<Status::range>(place.function, "rule", "output ", number, " came, 0..", program.results, " was expected");
      if (i > Program::most_outputs) fail(place.function, "rule", "more than ", Program::most_outputs, " outputs came");
      program.outputs.push_back(static_cast<int>(number) - 1);
    }
  } else {
    program.outputs.push_back(count == 0 ? Program::gradient : program.steps.back().first);
  }
  lua_pop(L, 1);
  note_uses(program);
  return program;
}

void run_program(lua_State* L, const State& state, const Program& program, int operands, Tensor* gradient, Tensor* made, Target* targets,
                 uint32_t wanted) {
  for (const ProgramStep& step : program.steps) {
    if ((step.serves & wanted) == 0) continue;
    const int count = step.op->decl->signature.result_count;
    Tensor* results[Signature::max_results];
    uint32_t given = 0;
    for (int r = 0; r < count; ++r) results[r] = &made[step.first + r];
    Target* first = nullptr;
    for (size_t i = 0; targets != nullptr && i < program.outputs.size(); ++i) {
      const int r = program.outputs[i] - step.first;
      if (r < 0 || r >= count) continue;
      if (r == 0) first = &targets[i];
      if (targets[i].given == nullptr) continue;
      results[r] = targets[i].given;
      given |= uint32_t{1} << r;
    }
    run_step(L, state, step, operands, gradient, made, results, given, first);
  }
}

}  // namespace mt::lua
