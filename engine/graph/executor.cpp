#include "engine/graph/executor.h"

#include <algorithm>

#include "engine/arguments/convert.h"
#include "engine/core/observing_hook.h"
#include "engine/core/recording.h"
#include "engine/graph/control.h"
#include "engine/graph/shown.h"
#include "engine/graph/verify.h"
#include "engine/ops/calls.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;

[[noreturn]] void refuse_input(std::string_view op, const Param& p, std::string_view actual) {
  refuse_argument(op, p.name, actual, kinds_shown(p.kinds));
}

// Reads the value of an input for an argument: converts its count.
class InputReader {
 public:
  static constexpr bool counts_from_1 = true;
  InputReader(const Op& op, const Value& value, bool negative, std::vector<int64_t>& list)
      : op_(op), value_(value), negative_(negative), list_(list) {}

  std::string_view op() const { return op_.decl->name; }
  uint16_t kinds(int) const { return kinds_of(value_); }
  Tensor* tensor(int, const Param& p) const {
    if (value_.type != Value::Type::tensor) return nullptr;
    if (negative_) refuse_input(op(), p, "minus a tensor");
    return value_.tensor;
  }
  bool plain_number(int at, Value& value) const { return number(at, value); }
  bool number(int, Value& value) const {
    if (value_.type != Value::Type::number && value_.type != Value::Type::integer) return false;
    value = value_;
    if (negative_ && value.type == Value::Type::integer) value = Value(-value.as_double());
    if (negative_) value.number = -value.number;
    return true;
  }
  Sizes sizes(int, const Param&) const { return {value_.sizes, static_cast<size_t>(value_.count)}; }
  std::span<int64_t> writable(Sizes sizes) {
    list_.assign(sizes.begin(), sizes.end());
    return list_;
  }
  bool boolean(int) const { return value_.boolean; }
  std::string_view text(int, const Param&) const { return {value_.string, static_cast<size_t>(value_.count)}; }
  std::optional<DType> dtype(int, const Param&) const {
    if (value_.type != Value::Type::dtype) return std::nullopt;
    return value_.dtype;
  }
  static DType own_dtype(const Value&) { return DType::float64; }
  void read_element_kind(Value& value, std::string_view text, DType own, const Param& p) const {
    mt::read_element_kind(value, text, own, op(), p.name);
  }
  std::span<Tensor* const> tensors(int, const Param&) const { return {value_.tensors, static_cast<size_t>(value_.count)}; }
  Generator* generator(int, const Param&) const { return value_.type == Value::Type::generator ? value_.generator : nullptr; }
  static std::string_view type_name(int) { return "another value"; }

 private:
  const Op& op_;
  const Value& value_;
  bool negative_;
  std::vector<int64_t>& list_;
};

// The memory of lists among the arguments of a running step.
struct StepLists {
  std::vector<std::vector<int64_t>> sizes;
  std::vector<std::vector<Tensor*>> tensors;
  std::vector<int64_t> counted;
};

int64_t floor_divided(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

}  // namespace

Executor::Executor(Graph graph) : graph_(std::make_unique<Graph>(std::move(graph))) {
  verify(*graph_);
  results_ = static_cast<size_t>(graph_->result_count());
  steps_.reserve(graph_->steps.size());
  for (const Graph::Step& source : graph_->steps) {
    Step step;
    step.op = source.op;
    step.times = source.times;
    step.first = source.first;
    if (source.into) step.into = &*source.into;
    if (!source.bodies.empty()) step.control = std::make_shared<const Control>(source);
    const Signature& signature = source.op->decl->signature;
    step.values.resize(static_cast<size_t>(signature.count));
    step.first_patch = static_cast<uint32_t>(patches_.size());
    for (int i = 0; i < signature.count; ++i) {
      const Argument& argument = source.arguments[static_cast<size_t>(i)];
      Value& value = step.values[static_cast<size_t>(i)];
      set_default(value, signature.params[i]);
      Patch patch{Patch::From::values, static_cast<uint8_t>(i), argument.value.index, &argument};
      switch (argument.type) {
        case Argument::Type::none:
          continue;
        case Argument::Type::immediate:
          value = argument.immediate;
          continue;
        case Argument::Type::string:
          value = Value();
          value.type = Value::Type::string;
          value.string = argument.text.data();
          value.count = static_cast<int32_t>(argument.text.size());
          continue;
        case Argument::Type::value:
          if (argument.value.of == Ref::Of::constant) {
            value = Value(graph_->constants[static_cast<size_t>(argument.value.index)].tensor);
            continue;
          }
          if (argument.value.of == Ref::Of::result)
            patch.from = Patch::From::result;
          else
            patch.from = graph_->inputs[static_cast<size_t>(argument.value.index)].kinds == kind_tensor ? Patch::From::tensor_input
                                                                                                        : Patch::From::input;
          break;
        case Argument::Type::values:
          patch.from = Patch::From::values;
          break;
        case Argument::Type::size:
          patch.from = Patch::From::size;
          break;
        case Argument::Type::sizes:
          patch.from = Patch::From::sizes;
          break;
        case Argument::Type::sizes_of:
          patch.from = Patch::From::sizes_of;
          break;
      }
      patches_.push_back(patch);
    }
    step.patch_end = static_cast<uint32_t>(patches_.size());
    steps_.push_back(std::move(step));
  }
  note_uses();
  note_loops();
}

void Executor::note_loops() {
  const std::vector<Graph::Step>& steps = graph_->steps;
  for (size_t first = 0, end = 0; first < steps.size(); first = end) {
    end = first + 1;
    if (steps[first].fusion == 0) continue;
    while (end < steps.size() && steps[end].fusion == steps[first].fusion) ++end;
    steps_[first].fused = static_cast<int32_t>(fused_.size());
    fused_.emplace_back(*graph_, first, end);
  }
}

// Determines for each step the outputs that depend on it, and the results whose last use it is.
void Executor::note_uses() {
  constexpr uint32_t last_bit = 31;
  std::vector<uint32_t> serves(results_, 0);
  is_read_.assign(graph_->inputs.size(), false);
  const auto note_input = [&](Ref ref) {
    if (ref.of == Ref::Of::input) is_read_[static_cast<size_t>(ref.index)] = true;
  };
  std::vector<bool> is_needed(results_, false);  // by an output, an update or a later step
  for (size_t i = 0; i < graph_->outputs.size(); ++i) {
    const Ref output = graph_->outputs[i];
    note_input(output);
    if (output.of != Ref::Of::result) continue;
    serves[static_cast<size_t>(output.index)] |= uint32_t{1} << std::min(static_cast<uint32_t>(i), last_bit);
    is_needed[static_cast<size_t>(output.index)] = true;
  }
  for (const Graph::Update& update : graph_->updates) {
    note_input(update.target);
    note_input(update.value);
    if (update.value.of != Ref::Of::result) continue;
    serves[static_cast<size_t>(update.value.index)] = ~uint32_t{0};
    is_needed[static_cast<size_t>(update.value.index)] = true;
  }
  for (size_t i = steps_.size(); i-- > 0;) {
    Step& step = steps_[i];
    if (draws(graph_->steps[i])) step.serves = ~uint32_t{0};
    for (int32_t r = step.first; r < step.first + graph_->steps[i].results(); ++r) step.serves |= serves[static_cast<size_t>(r)];
    for (const Ref ref : graph_->steps[i].writes)
      step.serves |= ref.of == Ref::Of::result ? serves[static_cast<size_t>(ref.index)] : ~uint32_t{0};
    step.first_release = static_cast<uint32_t>(releases_.size());
    for (int32_t r = step.first; r < step.first + graph_->steps[i].results(); ++r) {
      if (!is_needed[static_cast<size_t>(r)]) releases_.push_back(r);
    }
    const auto use = [&](Ref ref) {
      note_input(ref);
      if (ref.of != Ref::Of::result) return;
      const auto at = static_cast<size_t>(ref.index);
      serves[at] |= step.serves;
      if (!is_needed[at]) releases_.push_back(ref.index);
      is_needed[at] = true;
    };
    for (const Argument& argument : graph_->steps[i].arguments) each_ref(argument, use);
    step.release_end = static_cast<uint32_t>(releases_.size());
    if (step.op->decl->name != "strided_scatter") continue;
    const Argument &whole = graph_->steps[i].arguments[0], &part = graph_->steps[i].arguments[1];
    const auto released = std::span(releases_).subspan(step.first_release);
    step.may_overwrite = whole.type == Argument::Type::value && whole.value.of == Ref::Of::result && part.value != whole.value &&
                         std::ranges::find(released, whole.value.index) != released.end();
  }
}

Tensor& Executor::tensor(Ref ref, std::span<const Value> inputs, Tensor* results) const {
  switch (ref.of) {
    case Ref::Of::input:
      return *inputs[static_cast<size_t>(ref.index)].tensor;
    case Ref::Of::constant:
      return graph_->constants[static_cast<size_t>(ref.index)].tensor;
    case Ref::Of::result:
      break;
  }
  return results[ref.index];
}

namespace {

[[noreturn]] void refuse_size(std::string_view op, const Param& p, std::string_view actual) {
  fail<Status::range>(op, p.name, actual, ", expected sizes that fit the graph");
}

// One size of a tensor.
int64_t extent(Sizes sizes, int dim, std::string_view op, const Param& p) {
  const int dims = static_cast<int>(sizes.size()), at = dim < 0 ? dims + dim : dim;
  if (at < 0 || at >= dims) refuse_size(op, p, concat("size ", Counted{dim}, " of a tensor with ", dims, " dimensions"));
  return sizes[static_cast<size_t>(at)];
}

// The value of an expression; sizes_of(ref) returns the sizes of a tensor.
template <class SizesOf>
int64_t evaluate(const Graph::SizeExpression& expression, std::string_view op, const Param& p, SizesOf&& sizes_of) {
  using Type = Graph::SizeToken::Type;
  int64_t stack[most_size_tokens];
  size_t top = 0;
  for (const Graph::SizeToken& token : expression) {
    if (token.type == Type::number || token.type == Type::extent) {
      stack[top++] = token.type == Type::number ? token.number : extent(sizes_of(token.tensor), token.dim, op, p);
      continue;
    }
    int64_t &a = stack[top - 2], b = stack[top - 1];
    --top;
    bool overflow = false;
    if (token.type == Type::add)
      overflow = __builtin_add_overflow(a, b, &a);
    else if (token.type == Type::subtract)
      overflow = __builtin_sub_overflow(a, b, &a);
    else if (token.type == Type::multiply)
      overflow = __builtin_mul_overflow(a, b, &a);
    else if (b == 0)
      refuse_size(op, p, "a size divided by 0");
    else if (b == -1)
      overflow = __builtin_sub_overflow(int64_t{0}, a, &a);
    else
      a = floor_divided(a, b);
    if (overflow) refuse_size(op, p, "a size that no integer holds");
  }
  return stack[0];
}

}  // namespace

namespace {

// Runs strided_scatter in the memory of its first argument, which becomes the result, if nothing else uses this memory.
bool overwrite_part(const RunSettings& settings, Value* args, Tensor& result) {
  static const Op& view = *Registry::instance().find("strided_view");
  Tensor &whole = *args[0].tensor, &source = *args[1].tensor;
  const bool is_alone = whole.storage() != nullptr && is_unique_but_recorded(*whole.storage());
  if (!is_alone || !whole.is_contiguous() || whole.dtype() != source.dtype()) return false;
  Value view_args[] = {args[0], args[2], args[3], args[4]};
  Tensor part;
  Tensor* results[] = {&part};
  Call call{view, view_args, results};
  call.hook = settings.hook;
  run_op(call);
  if (!part.same_sizes(source)) return false;
  if (part.numel() > 0) call_copy(settings.hook, part, source);
  part.clear();
  result = std::move(whole);
  return true;
}

}  // namespace

void Executor::run_step(const Step& step, const RunSettings& settings, std::span<const Value> inputs, Tensor* results,
                        Destination* destinations) const {
  alignas(Value) std::byte room[Signature::max_params * sizeof(Value)];  // uninitialised: an array of values would be initialised each time
  auto* args = reinterpret_cast<Value*>(room);
  std::uninitialized_copy(step.values.begin(), step.values.end(), args);
  const Decl& decl = *step.op->decl;
  const auto sizes_of = [&](Ref ref, const Param& p) -> Sizes {
    if (ref.of == Ref::Of::input) {
      const Value& value = inputs[static_cast<size_t>(ref.index)];
      if (value.type == Value::Type::sizes) return {value.sizes, static_cast<size_t>(value.count)};
      if (value.type != Value::Type::tensor) refuse_input(decl.name, p, "another value");
    }
    return tensor(ref, inputs, results).sizes();
  };
  std::unique_ptr<StepLists> lists;
  const auto list_memory = [&]() -> StepLists& {
    if (lists == nullptr) lists = std::make_unique<StepLists>();
    return *lists;
  };
  for (uint32_t i = step.first_patch; i < step.patch_end; ++i) {
    const Patch& patch = patches_[i];
    Value& value = args[patch.param];
    const Param& p = decl.signature.params[patch.param];
    const Argument& argument = *patch.argument;
    switch (patch.from) {
      case Patch::From::result:
        value = Value(results[patch.index]);
        break;
      case Patch::From::tensor_input: {
        const Value& input = inputs[static_cast<size_t>(patch.index)];
        if (input.type == Value::Type::tensor)
          value = input;
        else if (input.type != Value::Type::none || !p.optional)
          refuse_input(decl.name, p, input.type == Value::Type::none ? "nothing" : "another value");
        break;
      }
      case Patch::From::input: {
        const Value& input = inputs[static_cast<size_t>(patch.index)];
        if (input.type == Value::Type::none && p.optional) break;
        if (p.takes_counted_list() && input.type == Value::Type::sizes) {
          InputReader reader(*step.op, input, argument.negative, list_memory().counted);
          convert(reader, p, 0, value);
        } else {
          std::vector<int64_t> none;
          InputReader reader(*step.op, input, argument.negative, none);
          convert(reader, p, 0, value);
        }
        break;
      }
      case Patch::From::values: {
        std::vector<Tensor*>& list = list_memory().tensors.emplace_back();
        for (const Ref ref : argument.values) list.push_back(&tensor(ref, inputs, results));
        value.type = Value::Type::tensors;
        value.tensors = list.data();
        value.count = static_cast<int32_t>(list.size());
        break;
      }
      case Patch::From::size:
      case Patch::From::sizes: {
        const auto read = [&](const Graph::SizeExpression& size) {
          return evaluate(size, decl.name, p, [&](Ref ref) { return sizes_of(ref, p); });
        };
        if (patch.from == Patch::From::size) {
          value.type = p.takes(kind_number) ? Value::Type::number : Value::Type::integer;
          const int64_t size = read(argument.sizes[0]);
          if (p.takes(kind_number))
            value.number = static_cast<double>(size);
          else
            value.integer = size;
          break;
        }
        std::vector<int64_t>& list = list_memory().sizes.emplace_back(argument.sizes.size());
        for (size_t k = 0; k < list.size(); ++k) list[k] = read(argument.sizes[k]);
        value.type = Value::Type::sizes;
        value.sizes = list.data();
        value.count = static_cast<int32_t>(list.size());
        break;
      }
      case Patch::From::sizes_of: {
        const Sizes sizes = sizes_of(argument.value, p);
        value.type = Value::Type::sizes;
        value.sizes = sizes.data();
        value.count = static_cast<int32_t>(sizes.size());
        break;
      }
    }
  }
  if (step.control != nullptr) return run_control(step, settings, {args, step.values.size()}, results);
  const int count = decl.signature.result_count;
  Tensor* targets[Signature::max_results];
  for (int r = 0; r < count; ++r) targets[r] = &results[step.first + r];
  if (step.times && args[1].type != Value::Type::element && args[1].as_double() == 1) {
    *targets[0] = *args[0].tensor;
    return;
  }
  if (step.may_overwrite && overwrite_part(settings, args, *targets[0])) return;
  uint32_t given = 0;
  if (step.into != nullptr) [[unlikely]] {
    *targets[0] = Tensor::empty(step.into->dtype, step.into->sizes, settings.default_device);
    given = 1;
  }
  if (destinations != nullptr) {
    for (size_t i = 0; i < graph_->outputs.size(); ++i) {
      const Ref output = graph_->outputs[i];
      const int r = output.index - step.first;
      if (output.of != Ref::Of::result || r < 0 || r >= count) continue;
      Destination& destination = destinations[i];
      if (r == 0 && destination.sum != nullptr && step.op->accumulate != nullptr) {
        Tensor* const sum[] = {destination.sum};
        Call onto{*step.op, {args, step.values.size()}, sum, 1};
        onto.hook = settings.hook;
        const auto accumulate = [&] { return destination.added = step.op->accumulate(onto, destination.scale); };
        ObservingHook* const hook = settings.hook != nullptr ? observing(settings.hook) : nullptr;
        if (hook == nullptr || !hook->run_unit(ObservingHook::Unit::op, decl.name, accumulate)) accumulate();
        if (destination.added) return;
      }
      if (destination.given == nullptr) continue;
      targets[r] = destination.given;
      given |= uint32_t{1} << r;
    }
  }
  Call call{*step.op,
            {args, step.values.size()},
            {targets, static_cast<size_t>(count)},
            given,
            settings.default_dtype,
            settings.generators,
            false,
            settings.hook,
            settings.default_device};
  run_op(call);
}

void Executor::run_control(const Step& step, const RunSettings& settings, std::span<Value> args, Tensor* results) const {
  std::vector<Tensor*> made(step.control->results());
  for (size_t r = 0; r < made.size(); ++r) made[r] = &results[static_cast<size_t>(step.first) + r];
  Call call{*step.op, args, made, 0, settings.default_dtype, settings.generators, false, settings.hook, settings.default_device};
  run_through_hook(call, *step.control, settings.names_steps);
}

// Returns the number of steps that ran.
size_t Executor::run_loop(const FusedSteps& loop, std::span<const Value> inputs, Tensor* results) const {
  Tensor* operands[FusedSchedule::max_tensors];
  const size_t count = loop.operands().size();
  if (count > std::size(operands)) return 0;
  for (size_t i = 0; i < count; ++i) {
    const Ref ref = loop.operands()[i];
    if (ref.of == Ref::Of::input && inputs[static_cast<size_t>(ref.index)].type != Value::Type::tensor) return 0;
    operands[i] = &tensor(ref, inputs, results);
  }
  return loop.run({operands, count}, results);
}

// Runs a fused loop as one unit of a hook that observes.
size_t Executor::run_loop_observed(ObservingHook& hook, const FusedSteps& loop, std::span<const Value> inputs, Tensor* results) const {
  size_t done = 0;
  hook.run_unit(ObservingHook::Unit::several, loop.name(), [&] { return (done = run_loop(loop, inputs, results)) > 0; });
  return done;
}

// Inlined, so that a run without a hook costs no further call.
[[gnu::always_inline]] inline void Executor::run_steps(const RunSettings& settings, ObservingHook* hook, std::span<const Value> inputs,
                                                       Tensor* results, Destination* destinations, uint32_t wanted) const {
  const bool is_whole = destinations == nullptr && wanted == ~uint32_t{0};
  for (size_t i = 0, done = 1; i < steps_.size(); i += done) {
    const Step& step = steps_[i];
    done = 1;
    if ((step.serves & wanted) == 0) continue;
    try {
      size_t fused = 0;
      if (step.fused >= 0 && is_whole && (hook != nullptr || settings.hook == nullptr)) {
        const FusedSteps& loop = fused_[static_cast<size_t>(step.fused)];
        fused = hook == nullptr ? run_loop(loop, inputs, results) : run_loop_observed(*hook, loop, inputs, results);
      }
      if (fused == 0)
        run_step(step, settings, inputs, results, destinations);
      else
        done = fused;
    } catch (const Error& e) {
      const std::string& origin = graph_->steps[i].origin;
      if (origin.empty() && !settings.names_steps) throw;
      if (settings.names_lines) raise(e.status(), concat(e.what(), " (in a lazy op, called at ", origin, ")"));
      const std::string place = origin.empty() ? std::string() : concat(" (", origin, ")");
      raise(e.status(), concat(settings.program, ": step ", i + 1, place, ": ", e.what()));
    }
    // releases_ lists those of later steps first.
    for (uint32_t r = steps_[i + done - 1].first_release; r < step.release_end; ++r) results[releases_[r]].clear();
  }
}

void Executor::run(const RunSettings& settings, std::span<const Value> inputs, Tensor* results, Destination* destinations,
                   uint32_t wanted) const {
  if (settings.hook != nullptr) [[unlikely]] {
    if (ObservingHook* const hook = observing(settings.hook)) return run_observed(settings, *hook, inputs, results, destinations, wanted);
  }
  run_steps(settings, nullptr, inputs, results, destinations, wanted);
}

[[gnu::noinline]] void Executor::run_observed(const RunSettings& settings, ObservingHook& hook, std::span<const Value> inputs,
                                              Tensor* results, Destination* destinations, uint32_t wanted) const {
  hook.begin_graph();
  try {
    run_steps(settings, &hook, inputs, results, destinations, wanted);
  } catch (...) {
    hook.fail_graph();
    throw;
  }
  std::vector<const Tensor*> outputs;
  for (size_t i = 0; i < graph_->outputs.size(); ++i) {
    if ((wanted >> std::min<size_t>(i, 31) & 1) == 0) continue;
    const Destination* const to = destinations != nullptr ? &destinations[i] : nullptr;
    const bool is_added = to != nullptr && to->added, is_given = to != nullptr && to->given != nullptr;
    outputs.push_back(is_added ? to->sum : is_given ? to->given : &output(i, inputs, results));
  }
  hook.end_graph(outputs);
}

Tensor Executor::separate_output(size_t i, std::span<const Value> inputs, Tensor* results) const {
  const auto first = graph_->outputs.begin(), at = first + static_cast<std::ptrdiff_t>(i);
  const Tensor& value = output(i, inputs, results);
  return std::find(first, at, *at) != at ? clone(value) : value;
}

void Executor::update(const RunSettings& settings, std::span<const Value> inputs, Tensor* results) const {
  for (const Graph::Update& update : graph_->updates)
    call_copy(settings.hook, tensor(update.target, inputs, results), tensor(update.value, inputs, results));
}

// A size that has a name is that of the first dimension with this name.
static void check_named_size(const Graph& graph, std::span<const Value> inputs, size_t input, size_t dim, std::string_view function) {
  const std::string& size_name = graph.inputs[input].size_names[dim];
  const auto size_of_dim = [&](size_t i, size_t d) { return inputs[i].tensor->size(static_cast<int>(d)); };
  for (size_t i = 0; i <= input; ++i) {
    const auto& names = graph.inputs[i].size_names;
    const auto d = static_cast<size_t>(std::ranges::find(names, size_name) - names.begin());
    if (d == names.size() || inputs[i].type != Value::Type::tensor) continue;
    if (size_of_dim(i, d) == size_of_dim(input, dim)) return;
    refuse_argument<Status::shape>(function, input_name(graph, input), concat("size ", size_of_dim(input, dim), " of dimension ", dim + 1),
                                   size_of_dim(i, d), ", the size ", size_name, " of ", input_name(graph, i));
  }
}

void check_inputs(const Graph& graph, std::span<const Value> inputs, std::string_view function) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Graph::Input& input = graph.inputs[i];
    const Value& value = inputs[i];
    const std::string name = input_name(graph, i);
    if (value.type == Value::Type::none && input.optional) continue;
    if ((kinds_of(value) & input.kinds) == 0)
      refuse_argument(function, name, value.type == Value::Type::none ? "another value" : kinds_shown(kinds_of(value)),
                      kinds_shown(input.kinds));
    if (value.type != Value::Type::tensor || !input.type) continue;
    if (!input.type->fits(*value.tensor))
      refuse_argument<Status::shape>(function, name, concat(value.tensor->dtype(), " ", value.tensor->sizes()), input.type->dtype, " ",
                                     shown_sizes(input, "any"));
    for (size_t d = 0; d < input.size_names.size(); ++d) {
      if (!input.size_names[d].empty()) check_named_size(graph, inputs, i, d, function);
    }
  }
}

}  // namespace mt
