#include "bindings/lua/program.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "bindings/lua/call/lua_arguments.h"
#include "bindings/lua/state/state.h"
#include "bindings/lua/tape/native_tape.h"
#include "bindings/lua/values/defaults.h"
#include "engine/arguments/convert.h"

namespace mt::lua {
namespace {

// Reads {type, number, extent =, negative =} on top of the stack.
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
  if (found == std::end(known)) fail(place.function, "rule", "'", type, "', expected g, operand, size, extent, step, number or none");
  source.type = found->type;
  const bool is_step = source.of_step = found->of_step;
  const double count = is_step ? results : static_cast<double>(operands);
  if (source.type != Type::gradient && source.type != Type::number && source.type != Type::none) {
    const double first = is_step ? 1 : 0, last = is_step ? count : count - 1;
    if (!(source.number >= first && source.number <= last))
      fail<Status::range>(place.function, "rule", type, " ", source.number, ", expected ", first, "..", last);
    source.index = static_cast<int8_t>(source.number - first);
  }
  if (source.type == Type::extent) {
    if (!(extent >= -max_dims && extent <= max_dims && extent != 0)) fail(place.function, "rule", "size ", extent, " of a tensor");
    source.extent = static_cast<int8_t>(extent);
  }
  return source;
}

// The possible kinds of an argument in all runs of the program.
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

// The arguments of a step before the program runs: each must fit for all of its possible kinds.
class StepArguments : public Unnamed {
 public:
  StepArguments(std::span<const Source> sources, std::span<const OperandKinds> operands) : sources_(sources), operands_(operands) {}
  int count() const { return static_cast<int>(sources_.size()); }
  bool fits(int at, const Step& step) const {
    const Source& source = sources_[static_cast<size_t>(at - 1)];
    const uint16_t actual = kinds_of_source(source, operands_);
    uint16_t accepted = step.kinds;
    if ((accepted & number_kinds) != 0) accepted |= number_kinds;  // all number kinds are equivalent
    constexpr uint16_t readable = kind_tensor | number_kinds | kind_boolean | kind_sizes | kind_tensors | kind_dims | kind_indices;
    const bool optional = source.type == Source::Type::operand && operands_[static_cast<size_t>(source.index)].optional;
    return actual != 0 && (actual & ~(accepted & readable)) == 0 && (step.optional || !optional);
  }
  bool is_left_out(int at) const { return sources_[static_cast<size_t>(at - 1)].type == Source::Type::none; }
  static constexpr bool is_size(int) { return false; }

 private:
  std::span<const Source> sources_;
  std::span<const OperandKinds> operands_;
};

// Finds the parameter of each argument of a step, by the first form that fits.
bool place_arguments(ProgramStep& step, std::span<const OperandKinds> operands) {
  const auto is_list = [&](const Source& source) {
    return source.type == Source::Type::operand && (kinds_of_source(source, operands) & (kind_sizes | kind_tensors)) != 0;
  };
  if (std::ranges::count_if(step.sources, is_list) > 1) return false;  // there is memory for one table
  Match m;
  if (find_form(*step.op, StepArguments(step.sources, operands), m, false) == nullptr) return false;
  for (int i = 0; i < step.op->decl->signature.count; ++i) {
    if (m.args[i] != 0) step.sources[static_cast<size_t>(m.args[i] - 1)].param = static_cast<uint8_t>(i);
  }
  return true;
}

// Reads the step in the table on top of the stack.
ProgramStep read_step(lua_State* L, const Program& program, std::span<const OperandKinds> operands, const ProgramPlace& place) {
  const int table = lua_gettop(L);
  if (!lua_istable(L, table)) fail(place.function, "rule", luaL_typename(L, table), ", expected a table");
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
    if (!lua_istable(L, -1)) fail(place.function, "rule", luaL_typename(L, -1), ", expected a table");
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

// Reads the arguments of a running step. Lists are stored in the tape's memory, which has space for one of each kind.
class StepReader {
 public:
  static constexpr bool counts_from_1 = true;
  StepReader(lua_State* lua, const State& state, const ProgramStep& step, int operands, Tensor* g, Tensor* temporaries)
      : L(lua), state_(state), step_(step), operands_(operands), g_(g), temporaries_(temporaries) {}

  // Sets the value of a source's argument, unless it is left out.
  void read(const Source& source, Value& value) {
    const Param& p = step_.op->decl->signature.params[source.param];
    source_ = &source;
    param_ = &p;
    index_ = operands_ + source.index;
    if (source.type == Source::Type::none) return;
    if (source.type == Source::Type::operand && lua_isnil(L, index_) && (p.optional || p.has_default)) return;
    convert(*this, p, 0, value);
  }

  std::string_view op() const { return step_.op->decl->name; }
  uint16_t kinds(int) const {
    const Source::Type type = source_->type;
    if (type != Source::Type::operand) return kinds_of_source(*source_, {});
    return lua_type(L, index_) == LUA_TNUMBER ? number_kinds : static_cast<uint16_t>(kinds_of(L, index_) & ~number_kinds);
  }
  Tensor* tensor(int, const Param&) const {
    switch (source_->type) {
      case Source::Type::gradient:
        return g_;
      case Source::Type::step:
        return &temporaries_[source_->index];
      case Source::Type::operand:
        return test_tensor(L, index_);
      default:
        return nullptr;
    }
  }
  bool plain_number(int at, Value& value) const { return number(at, value); }
  bool number(int, Value& value) const {
    double number = source_->number;
    if (source_->type == Source::Type::extent)
      number = extent(*param_);
    else if (source_->type == Source::Type::operand && lua_type(L, index_) == LUA_TNUMBER)
      number = source_->negative ? -lua_tonumber(L, index_) : lua_tonumber(L, index_);
    else if (source_->type != Source::Type::number)
      return false;
    value.type = Value::Type::number;
    value.number = number;
    return true;
  }
  Sizes sizes(int, const Param& p) {
    if (source_->type == Source::Type::size) {
      if (const Tensor* t = sized()) return t->sizes();
    }
    if (const StoragePtr* storage = test_storage(L, index_)) {
      const Storage& s = *storage->get();
      if (s.dtype != DType::int64 || s.size > max_dims || s.device != cpu_device) refuse_saved(p);
      return {s.elements<const int64_t>(), static_cast<size_t>(s.size)};
    }
    const size_t count = lua_istable(L, index_) ? lua_objlen(L, index_) : max_dims + 1;
    if (count > max_dims) refuse_saved(p);
    std::vector<int64_t>& list = state_.tape.sizes;
    list.resize(count);
    for (size_t i = 0; i < count; ++i) {
      lua_rawgeti(L, index_, static_cast<int>(i) + 1);
      list[i] = static_cast<int64_t>(lua_tonumber(L, -1));
      lua_pop(L, 1);
    }
    return list;
  }
  std::span<int64_t> writable(Sizes sizes) {
    std::vector<int64_t>& list = state_.tape.sizes;
    if (sizes.data() != list.data()) list.assign(sizes.begin(), sizes.end());
    return list;
  }
  bool boolean(int) const { return lua_toboolean(L, index_) != 0; }
  std::string_view text(int, const Param& p) const { refuse_saved(p); }
  std::optional<DType> dtype(int, const Param& p) const { refuse_saved(p); }
  static DType own_dtype(const Value&) { return DType::float64; }
  static void read_element_kind(Value&, std::string_view, DType, const Param&) {}
  std::span<Tensor* const> tensors(int, const Param& p) {
    std::vector<Tensor*>& tensors = state_.tape.tensors;
    tensors.resize(lua_objlen(L, index_));
    for (size_t i = 0; i < tensors.size(); ++i) {
      lua_rawgeti(L, index_, static_cast<int>(i) + 1);
      tensors[i] = test_tensor(L, -1);
      lua_pop(L, 1);
      if (tensors[i] == nullptr) refuse_saved(p);
    }
    return tensors;
  }
  Generator* generator(int, const Param& p) const { refuse_saved(p); }
  std::string_view type_name(int) const { return luaL_typename(L, index_); }

 private:
  // The tensor whose size or sizes the source refers to.
  const Tensor* sized() const { return source_->of_step ? &temporaries_[source_->index] : test_tensor(L, index_); }
  double extent(const Param& p) const {
    const Tensor* t = sized();
    const int dims = t != nullptr ? t->dim() : 0, dim = source_->extent < 0 ? dims + source_->extent : source_->extent - 1;
    if (dim < 0 || dim >= dims) refuse_saved(p);
    return static_cast<double>(t->size(dim));
  }
  [[noreturn]] void refuse_saved(const Param& p) const { refuse_argument(op(), p.name, "another value", "the one that was saved"); }

  lua_State* L;
  const State& state_;
  const ProgramStep& step_;
  int operands_, index_ = 0;
  Tensor *g_, *temporaries_;
  const Source* source_ = nullptr;
  const Param* param_ = nullptr;
};

// Runs a step; `target` is that of its first result, or null.
void run_step(lua_State* L, const State& state, const ProgramStep& step, int operands, Tensor* g, Tensor* made, Tensor** results,
              uint32_t given, Target* target) {
  alignas(Value) std::byte room[Signature::max_params * sizeof(Value)];  // uninitialised: an array of values would be initialised each time
  auto* args = reinterpret_cast<Value*>(room);
  std::uninitialized_copy(step.values.begin(), step.values.end(), args);
  StepReader reader(L, state, step, operands, g, made);
  for (const Source& source : step.sources) reader.read(source, args[source.param]);
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
  Call call{*step.op,   {args, step.values.size()}, {results, count}, given, state.defaults.dtype, nullptr, false,
            state.hook, state.defaults.device};
  run_op(call);
}

// Determines for each step the outputs that depend on it.
void note_uses(Program& program) {
  std::vector<uint32_t> serves(static_cast<size_t>(program.results), 0);  // by number of the result
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
        fail<Status::range>(place.function, "rule", "output ", number, ", expected 0..", program.results);
      if (i > Program::most_outputs) fail(place.function, "rule", "more than ", Program::most_outputs, " outputs");
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
