#include "engine/graph/control.h"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/core/device.h"
#include "engine/core/generator.h"
#include "engine/core/interrupt.h"
#include "engine/core/meta.h"
#include "engine/core/recorder.h"
#include "engine/graph/shown.h"
#include "engine/ops/calls.h"

namespace mt {
namespace {

struct Cond {
  static constexpr Decl decl{.name = "cond",
                             .signature = "predicate:tensor operands:tensors",
                             .method = Method::none,
                             .crosses_devices = true,
                             .differentiable = false,
                             .doc = "One of two graphs, as an element demands."};
  static constexpr std::array<std::string_view, 2> bodies{"then", "else"};
};

struct While {
  static constexpr Decl decl{.name = "while",
                             .signature = "state:tensors invariants:tensors? limit:int?",
                             .method = Method::none,
                             .crosses_devices = true,
                             .differentiable = false,
                             .doc = "A graph that is repeated while another one returns true."};
  static constexpr std::array<std::string_view, 2> bodies{"condition", "body"};
};

struct Scan {
  static constexpr Decl decl{.name = "scan",
                             .signature = "state:tensors sequences:tensors invariants:tensors? reverse:boolean=false",
                             .method = Method::none,
                             .crosses_devices = true,
                             .differentiable = false,
                             .doc = "A graph that runs for each slice of sequences."};
  static constexpr std::array<std::string_view, 1> bodies{"body"};
};

template <class Declared> const Op& op_of() {
  static const Op op{&Declared::decl, nullptr, {}, nullptr, parse_forms(Declared::decl.signature, Declared::decl.name, "", "")};
  return op;
}

// The values of a list among the arguments of a step.
std::span<const Graph::Ref> list_of(const Graph::Step& step, size_t argument) { return step.arguments[argument].values; }

std::string shown_type(const ValueType& type) { return concat(info(type.dtype).name, " ", shown_sizes(type, "any")); }

// Whether a value may have both types.
bool are_compatible(const ValueType& a, const ValueType& b) {
  return a.dtype == b.dtype && std::ranges::equal(a.sizes, b.sizes, [](int64_t x, int64_t y) {
           return x == y || x == ValueType::unknown_size || y == ValueType::unknown_size;
         });
}

// Checks the bodies of one step.
class BodyCheck {
 public:
  BodyCheck(const Graph& graph, const Graph::Step& step, std::string_view place) : graph_(graph), step_(step), place_(place) {}

  void check() const {
    const auto names = body_names(*step_.op);
    if (step_.bodies.size() != names.size()) refuse("", concat(step_.bodies.size(), " bodies"), concat(names.size()));
    if (names.empty()) return;
    for (size_t i = 0; i < step_.arguments.size(); ++i) {
      const Param& p = step_.op->decl->signature.params[i];
      const Graph::Argument::Type type = step_.arguments[i].type;
      if (p.takes(kind_tensors) && type != Graph::Argument::Type::values && type != Graph::Argument::Type::none)
        refuse(p.name, "a list that is an input", "a list of tensors");
    }
    if (step_.times || step_.into || !step_.writes.empty()) refuse("", "a step that writes", "one that returns results");
    if (step_.results() == 0) refuse(names.back(), "no outputs", "one or more");
    for (size_t b = 0; b < names.size(); ++b) check_closed(*step_.bodies[b], names[b]);
    if (step_.op == &op_of<Cond>())
      check_cond();
    else if (step_.op == &op_of<While>())
      check_while();
    else
      check_scan();
  }

 private:
  [[noreturn]] void refuse(std::string_view part, std::string_view actual, std::string_view expected) const {
    fail("graph", concat(place_, part.empty() ? "" : ", ", part), actual, ", expected ", expected);
  }

  void check_closed(const Graph& body, std::string_view name) const {
    if (!body.constants.empty()) refuse(name, "a constant in a body", "operands of the step");
    if (!body.updates.empty()) refuse(name, "an update in a body", "outputs alone");
    for (const Graph::Input& input : body.inputs) {
      if (input.kinds != kind_tensor || input.optional) refuse(name, concat("an input ", input.name, " of another kind"), "tensors");
    }
    for (const Graph::Step& step : body.steps) {
      const auto is_input = [](Graph::Ref ref) { return ref.of == Graph::Ref::Of::input; };
      if (std::ranges::any_of(step.writes, is_input)) refuse(name, "a write to an input of a body", "writes to results");
    }
  }

  // The inputs of a body from `first` on receive these values, or slices of them.
  void check_inputs_of(size_t body, size_t first, std::span<const Graph::Ref> values, bool are_slices = false) const {
    const Graph& inner = *step_.bodies[body];
    for (size_t i = 0; i < values.size(); ++i) {
      std::optional<ValueType> given = graph_.type_of(values[i]);
      const std::optional<ValueType>& wanted = inner.inputs[first + i].type;
      if (!given || !wanted) continue;
      if (are_slices && given->sizes.size() > 1) given->sizes.erase(given->sizes.begin());
      if (are_slices && given->sizes.size() == 1 && graph_.type_of(values[i])->sizes.size() == 1) given->sizes[0] = 1;
      if (!are_compatible(*given, *wanted))
        refuse(concat(body_names(*step_.op)[body], ", ", inner.inputs[first + i].name), shown_type(*given), shown_type(*wanted));
    }
  }

  void check_input_count(size_t body, size_t count) const {
    const size_t actual = step_.bodies[body]->inputs.size();
    if (actual != count) refuse(body_names(*step_.op)[body], concat(actual, " inputs"), concat(count, ", one for each operand"));
  }

  void check_output(size_t body, size_t output, const std::optional<ValueType>& wanted) const {
    const Graph& inner = *step_.bodies[body];
    const std::optional<ValueType> type = inner.type_of(inner.outputs[output]);
    if (type && wanted && !are_compatible(*type, *wanted))
      refuse(body_names(*step_.op)[body], concat(shown_type(*type), " as output ", output + 1), shown_type(*wanted));
  }

  void check_cond() const {
    const Graph &then = *step_.bodies[0], &otherwise = *step_.bodies[1];
    for (const size_t body : {size_t{0}, size_t{1}}) {
      check_input_count(body, list_of(step_, 1).size());
      check_inputs_of(body, 0, list_of(step_, 1));
    }
    if (then.outputs.size() != otherwise.outputs.size())
      refuse("else", concat(otherwise.outputs.size(), " outputs"), concat(then.outputs.size(), ", as `then` has"));
    for (size_t i = 0; i < then.outputs.size(); ++i) check_output(1, i, then.type_of(then.outputs[i]));
  }

  void check_state(size_t body, std::span<const Graph::Ref> state) const {
    for (size_t i = 0; i < state.size(); ++i) check_output(body, i, graph_.type_of(state[i]));
  }

  void check_while() const {
    const auto state = list_of(step_, 0), invariants = list_of(step_, 1);
    for (const size_t body : {size_t{0}, size_t{1}}) {
      check_input_count(body, state.size() + invariants.size());
      check_inputs_of(body, 0, state);
      check_inputs_of(body, state.size(), invariants);
    }
    if (step_.bodies[0]->outputs.size() != 1) refuse("condition", concat(step_.bodies[0]->outputs.size(), " outputs"), "one");
    if (step_.bodies[1]->outputs.size() != state.size())
      refuse("body", concat(step_.bodies[1]->outputs.size(), " outputs"), concat(state.size(), ", the state"));
    check_state(1, state);
  }

  void check_scan() const {
    const auto state = list_of(step_, 0), sequences = list_of(step_, 1), invariants = list_of(step_, 2);
    if (sequences.empty()) refuse("sequences", "none", "one or more");
    check_input_count(0, state.size() + sequences.size() + invariants.size());
    check_inputs_of(0, 0, state);
    check_inputs_of(0, state.size(), sequences, true);
    check_inputs_of(0, state.size() + sequences.size(), invariants);
    if (step_.bodies[0]->outputs.size() < state.size())
      refuse("body", concat(step_.bodies[0]->outputs.size(), " outputs"), concat(state.size(), " or more, the state first"));
    check_state(0, state);
  }

  const Graph& graph_;
  const Graph::Step& step_;
  std::string_view place_;
};

}  // namespace

const Op* find_control_op(std::string_view name) {
  for (const Op* op : {&op_of<Cond>(), &op_of<While>(), &op_of<Scan>()}) {
    if (op->decl->name == name) return op;
  }
  return nullptr;
}

std::span<const std::string_view> body_names(const Op& op) {
  if (&op == &op_of<Cond>()) return Cond::bodies;
  if (&op == &op_of<While>()) return While::bodies;
  if (&op == &op_of<Scan>()) return Scan::bodies;
  return {};
}

void check_bodies(const Graph& graph, const Graph::Step& step, std::string_view place) { BodyCheck(graph, step, place).check(); }

Control::Control(const Graph::Step& step) : graphs_(step.bodies) {
  const auto names = body_names(*step.op);
  for (size_t b = 0; b < graphs_.size(); ++b) {
    bodies_.emplace_back(*graphs_[b]);
    names_.push_back(concat(step.op->decl->name, ": ", names[b]));
  }
}

// A run of a step.
class Control::Run {
 public:
  Run(const Control& control, const Call& call, bool names_steps)
      : control_(control),
        call_(call),
        settings_{call.hook, call.default_dtype, call.default_device, call.generators, names_steps},
        is_on_meta_(std::ranges::any_of(call.args, [](const Value& value) {
          const auto is_meta = [](const Tensor* t) { return t->device() == meta_device; };
          if (value.type == Value::Type::tensor) return is_meta(value.tensor);
          return value.type == Value::Type::tensors && std::any_of(value.tensors, value.tensors + value.count, is_meta);
        })) {}

  void cond() {
    List operands = list(1), none;
    if (!is_on_meta_) return set_results(run_body(is_true(call_.tensor(0), "predicate") ? 0 : 1, operands, none, none));
    const List then = run_body(0, operands, none, none), otherwise = run_body(1, operands, none, none);
    for (size_t i = 0; i < then.size(); ++i) expect_type(otherwise[i], then[i], "else", i);
    set_results(then);
  }

  void repeat() {
    const int64_t limit = call_.has(2) ? call_.integer(2) : std::numeric_limits<int64_t>::max();
    if (limit < 0) call_.fail_at<Status::range>(2, limit, " iterations, expected 0 or more");
    List state = list(0), invariants = list(1), none;
    const List first = state;
    for (int64_t i = 0; i < limit; ++i) {
      look_for_interrupt();
      const List condition = run_body(0, state, none, invariants);
      if (!is_on_meta_ && !is_true(condition[0], "condition")) break;
      state = run_body(1, state, none, invariants);
      for (size_t k = 0; k < state.size(); ++k) expect_type(state[k], first[k], "body", k, i);
      if (is_on_meta_) break;
    }
    set_results(state);
  }

  void scan() {
    List state = list(0), sequences = list(1), invariants = list(2), slices(sequences.size());
    const bool reverse = call_.boolean(3);
    const int64_t length = length_of(sequences);
    if (length == 0) return set_results(without_slices(state, sequences, invariants));
    const List first = state;
    List stacks(control_.results() - state.size()), like;
    for (int64_t i = 0; i < length; ++i) {
      look_for_interrupt();
      const int64_t at = reverse ? length - 1 - i : i;
      for (size_t s = 0; s < sequences.size(); ++s) take_slice(sequences[s], at, slices[s]);
      List outputs = run_body(0, state, slices, invariants);
      if (i == 0) like = outputs;
      for (size_t k = 0; k < outputs.size(); ++k) expect_type(outputs[k], k < first.size() ? first[k] : like[k], "body", k, i);
      for (size_t k = 0; k < stacks.size(); ++k) {
        const Tensor& output = outputs[first.size() + k];
        if (i == 0) stacks[k] = stack_of(output, length, output.device());
        Tensor part;
        take_slice(stacks[k], at, part);
        if (part.numel() > 0) call_copy(settings_.hook, part, output);
      }
      outputs.resize(first.size());
      state = std::move(outputs);
      if (is_on_meta_) break;
    }
    state.insert(state.end(), stacks.begin(), stacks.end());
    set_results(state);
  }

 private:
  using List = std::vector<Tensor>;

  List list(int argument) const {
    List tensors;
    if (!call_.has(argument)) return tensors;
    for (const Tensor* t : call_.tensors(argument)) tensors.emplace_back(*t).set_tracked(false);
    return tensors;
  }

  List run_body(size_t b, List& state, List& slices, List& invariants) { return run_body(b, state, slices, invariants, settings_); }

  List run_body(size_t b, List& state, List& slices, List& invariants, RunSettings settings) {
    const Executor& body = control_.bodies_[b];
    std::vector<Value> inputs;
    inputs.reserve(state.size() + slices.size() + invariants.size());
    for (List* const operands : {&state, &slices, &invariants}) {
      for (Tensor& t : *operands) inputs.emplace_back(t);
    }
    if (!is_checked_[b]) check_inputs(body.graph(), inputs, control_.names_[b]);  // those of later iterations have the same types
    is_checked_[b] = true;
    settings.program = control_.names_[b];
    GraphResults results(body);
    body.run(settings, inputs, results.tensors());
    List outputs;
    outputs.reserve(body.graph().outputs.size());
    for (size_t i = 0; i < body.graph().outputs.size(); ++i) outputs.push_back(body.output(i, inputs, results.tensors()));
    return outputs;
  }

  bool is_true(const Tensor& t, std::string_view part) const {
    if (t.numel() != 1) fail<Status::shape>(call_.name(), part, t.dtype(), " ", t.sizes(), ", expected one element");
    call_read(settings_.hook, t);
    record_host_read();
    const Tensor number = to_dtype(on_host(t), DType::float64);
    return *number.data<double>() != 0;
  }

  void expect_type(const Tensor& actual, const Tensor& wanted, std::string_view body, size_t output, int64_t iteration = -1) const {
    if (actual.dtype() == wanted.dtype() && actual.same_sizes(wanted) && actual.device() == wanted.device()) return;
    const auto shown = [&](const Tensor& t) {
      const std::string place = actual.device() != wanted.device() ? concat(" on ", device_name(t.device())) : std::string();
      return concat(t.dtype(), " ", t.sizes(), place);
    };
    const std::string when = iteration >= 0 ? concat(" of iteration ", iteration + 1) : std::string();
    fail<Status::shape>(call_.name(), body, shown(actual), " as output ", output + 1, when, ", expected ", shown(wanted));
  }

  int64_t length_of(const List& sequences) const {
    for (const Tensor& sequence : sequences) {
      if (sequence.dim() == 0) call_.fail_at<Status::shape>(1, "a tensor without dimensions, expected one or more");
      if (sequence.size(0) != sequences[0].size(0))
        call_.fail_at<Status::shape>(1, sequence.size(0), " and ", sequences[0].size(0), " slices, expected sequences of one length");
    }
    return sequences[0].size(0);
  }

  // A slice of a vector is a tensor with one element.
  void take_slice(const Tensor& sequence, int64_t at, Tensor& view) const {
    if (sequence.dim() == 1)
      call_narrow(settings_.hook, sequence, 0, at, 1, view);
    else
      call_select(settings_.hook, sequence, 0, at, view);
  }

  Tensor stack_of(const Tensor& output, int64_t length, DeviceId device) const {
    if (output.dim() == 0) fail<Status::shape>(call_.name(), "body", "an output without dimensions, expected tensors to stack");
    Shape sizes;
    sizes.push(length);
    for (const int64_t size : output.sizes()) sizes.push(size);
    return Tensor::empty(output.dtype(), sizes, device);
  }

  // The results for sequences of length 0: the body runs without elements.
  List without_slices(const List& state, const List& sequences, const List& invariants) {
    const auto on_meta = [](const List& tensors) {
      List list;
      for (const Tensor& t : tensors) list.push_back(without_elements(t));
      return list;
    };
    List state_on_meta = on_meta(state), invariants_on_meta = on_meta(invariants), slices;
    for (const Tensor& sequence : sequences) {
      Shape sizes;
      for (int d = 1; d < sequence.dim(); ++d) sizes.push(sequence.size(d));
      if (sequence.dim() == 1) sizes.push(1);
      slices.push_back(Tensor::empty(sequence.dtype(), sizes, meta_device));
    }
    Generators generators(0);
    RunSettings settings = settings_;
    settings.hook = nullptr;
    settings.default_device = meta_device;
    settings.generators = &generators;
    const List outputs = run_body(0, state_on_meta, slices, invariants_on_meta, settings);
    List results = state;
    for (size_t k = state.size(); k < outputs.size(); ++k) results.push_back(stack_of(outputs[k], 0, sequences[0].device()));
    return results;
  }

  // Results that share memory with an operand or an earlier result become copies.
  void set_results(const List& values) {
    std::vector<const Storage*> taken;
    for (const Value& value : call_.args) {
      if (value.type == Value::Type::tensor) taken.push_back(value.tensor->storage());
      if (value.type != Value::Type::tensors) continue;
      for (int32_t i = 0; i < value.count; ++i) taken.push_back(value.tensors[i]->storage());
    }
    for (size_t i = 0; i < values.size(); ++i) {
      Tensor& result = *call_.results[i];
      const bool is_taken = values[i].storage() != nullptr && std::ranges::find(taken, values[i].storage()) != taken.end();
      if (is_taken)
        call_clone(settings_.hook, values[i], result);
      else
        result = values[i];
      taken.push_back(values[i].storage());
    }
  }

  const Control& control_;
  const Call& call_;
  RunSettings settings_;
  bool is_on_meta_;
  std::array<bool, 2> is_checked_{};
};

void run_through_hook(Call& call, const Control& control, bool names_steps) {
  if (auto* const hook = dynamic_cast<ControlHook*>(call.hook)) return hook->run_control(call, control);
  if (call.hook != nullptr && call.hook->sees_reads()) {  // it defers calls: the bodies run at once, with computed operands
    call.hook->compute_pending();
    call.hook = nullptr;
  }
  control.run(call, names_steps);
}

void Control::run(const Call& call, bool names_steps) const {
  Run run(*this, call, names_steps);
  if (&call.op == &op_of<Cond>())
    run.cond();
  else if (&call.op == &op_of<While>())
    run.repeat();
  else
    run.scan();
}

}  // namespace mt
