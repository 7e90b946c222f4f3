#include "engine/graph/verify.h"

#include <algorithm>
#include <unordered_set>

#include "engine/arguments/messages.h"
#include "engine/core/arguments.h"
#include "engine/graph/control.h"
#include "engine/graph/fused_steps.h"
#include "engine/graph/syntax.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;

constexpr auto function = "graph";

class Verifier {
 public:
  // `place`: of the step whose body the graph is, and the name of the body.
  explicit Verifier(const Graph& graph, std::string place = {}, int depth = 0) : graph_(graph), outside_(std::move(place)), depth_(depth) {}

  void check() {
    check_names();
    for (step_ = 0; step_ < graph_.steps.size(); ++step_) check_step(graph_.steps[step_]);
    for (const Ref output : graph_.outputs) check_tensor(output, part("outputs"));
    for (const Graph::Update& update : graph_.updates) {
      check_tensor(update.value, part("updates"));
      check_tensor(update.target, part("updates"));
      if (update.target.of == Ref::Of::result)
        fail(function, part("updates"), name_of(graph_, update.target), ", expected an input or a constant");
    }
  }

 private:
  // The argument's name in messages: "step 3 (train.lua:12), add, x".
  std::string place(std::string_view argument = {}) const {
    const Graph::Step& step = graph_.steps[step_];
    std::string text = concat(outside_, outside_.empty() ? "" : ", ", "step ", step_ + 1);
    if (!step.origin.empty()) text += concat(" (", step.origin, ")");
    if (step.op != nullptr) text += concat(", ", step.op->decl->name);
    if (!argument.empty()) text += concat(", ", argument);
    return text;
  }

  // The name in messages of a part of the graph that belongs to no step.
  std::string part(std::string_view name) const { return concat(outside_, outside_.empty() ? "" : ", ", name); }

  int32_t count_of(Ref::Of of) const {
    if (of == Ref::Of::input) return static_cast<int32_t>(graph_.inputs.size());
    return of == Ref::Of::constant ? static_cast<int32_t>(graph_.constants.size()) : defined_;
  }
  bool is_defined(Ref ref) const { return ref.index >= 0 && ref.index < count_of(ref.of); }

  void check_tensor(Ref ref, std::string_view what) const {
    if (!is_defined(ref)) fail<Status::range>(function, what, "a value ", ref.index + 1, ", expected one that is defined");
    if (ref.of == Ref::Of::input && (graph_.inputs[static_cast<size_t>(ref.index)].kinds & kind_tensor) == 0)
      fail(function, what, name_of(graph_, ref), ", which is no tensor, expected tensors");
  }

  void check_names() const {
    std::unordered_set<std::string> names;
    const auto add = [&](const std::string& name) {
      if (name.empty()) return;
      if (!syntax::is_name(name)) fail(function, part("names"), "'", name, "', expected a letter, and letters, digits, _ and . after it");
      if (!names.insert(name).second) fail(function, part("names"), name, " twice, expected different names");
    };
    for (const Graph::Input& input : graph_.inputs) add(input.name);
    for (const Graph::Constant& constant : graph_.constants) add(constant.name);
    for (const std::string& name : graph_.result_names) add(name);
  }

  void check_size(const Graph::SizeExpression& expression, std::string_view argument) const {
    size_t depth = 0;
    bool complete = !expression.empty() && expression.size() <= most_size_tokens;
    for (const Graph::SizeToken& token : expression) {
      using Type = Graph::SizeToken::Type;
      if (token.type == Type::number || token.type == Type::extent) {
        if (token.type == Type::extent && !is_sized(token.tensor)) refuse_undefined(argument);
        ++depth;
      } else {
        complete = complete && depth >= 2;
        if (depth > 0) --depth;
      }
    }
    if (!complete || depth != 1)
      fail(function, place(argument), "an incomplete size, expected one of at most ", most_size_tokens, " parts");
  }

  [[noreturn]] void refuse_undefined(std::string_view argument) const {
    fail(function, place(argument), "a value that is not defined before, expected an input, a constant or a result of an earlier step");
  }
  bool is_sized(Ref ref) const {
    if (!is_defined(ref)) return false;
    return ref.of != Ref::Of::input || (graph_.inputs[static_cast<size_t>(ref.index)].kinds & (kind_tensor | kind_sizes)) != 0;
  }

  void check_step(const Graph::Step& step) {
    if (step.op == nullptr) fail(function, place(), "no op, expected one of the engine");
    const Signature& signature = step.op->decl->signature;
    if (step.results() == 0 && step.writes.empty() && body_names(*step.op).empty())
      fail(function, place(), "an op without results, expected tensors that it writes to");
    for (const Ref ref : step.writes) check_tensor(ref, place("writes"));
    if (step.arguments.size() != static_cast<size_t>(signature.count))
      fail(function, place(), step.arguments.size(), " arguments, expected ", signature.count);
    if (step.first != defined_) fail(function, place(), "results from ", step.first + 1, " on, expected from ", defined_ + 1, " on");
    for (int i = 0; i < signature.count; ++i) check_argument(step.arguments[static_cast<size_t>(i)], signature.params[i]);
    if (form_of(step, true) == nullptr)
      fail(function, place(), "arguments that no form of the op has, expected ", expected_forms(*step.op));
    if (step.into && (signature.result_count != 1 || !step.into->has_known_sizes()))
      fail(function, place(), "into with unknown sizes or several results, expected one result of known sizes");
    if (step.times) {
      const auto kinds_at = [&](size_t i) { return graph_.kinds_of(step.arguments[i]); };
      if (signature.count < 2 || kinds_at(0) != kind_tensor || (kinds_at(1) & ~number_kinds) != 0 || kinds_at(1) == 0)
        fail(function, place(), "other arguments of times, expected a tensor and a number");
    }
    if (step.fusion != 0) check_fusion(step);
    if (!step.bodies.empty() || !body_names(*step.op).empty()) check_bodies_of(step);
    defined_ += step.results();
  }

  void check_bodies_of(const Graph::Step& step) const {
    if (depth_ == most_nested_bodies) fail(function, place(), "a body too many in another one, expected at most ", most_nested_bodies);
    const auto names = body_names(*step.op);
    for (size_t b = 0; b < std::min(names.size(), step.bodies.size()); ++b) Verifier(*step.bodies[b], place(names[b]), depth_ + 1).check();
    check_bodies(graph_, step, place());
  }

  void check_fusion(const Graph::Step& step) {
    const bool begins = step_ == 0 || graph_.steps[step_ - 1].fusion != step.fusion;
    if (begins && !fusions_.insert(step.fusion).second)
      fail(function, place(), "a fused step apart from the others, expected adjacent ones");
    const bool ends = step_ + 1 == graph_.steps.size() || graph_.steps[step_ + 1].fusion != step.fusion;
    if (!is_fusible(step) && !(ends && !begins && is_fusible_end(step)))
      fail(function, place(),
           "an op in a fused loop, expected elementwise ops of tensors and numbers, and at the end a reduction or softmax");
  }

  void check_argument(const Argument& argument, const Param& p) const {
    if (argument.type == Argument::Type::none) return;
    each_ref(argument, [&](Ref ref) {
      if (!is_defined(ref)) refuse_undefined(p.name);
    });
    if (argument.type == Argument::Type::sizes_of && !is_sized(argument.value)) refuse_undefined(p.name);
    const size_t expressions = argument.type == Argument::Type::size    ? 1
                               : argument.type == Argument::Type::sizes ? argument.sizes.size()
                                                                        : 0;
    if (argument.sizes.size() != expressions) fail(function, place(p.name), "further sizes, expected one argument");
    for (const Graph::SizeExpression& expression : argument.sizes) check_size(expression, p.name);
    if (argument.type == Argument::Type::values) {
      for (const Ref ref : argument.values) check_tensor(ref, place(p.name));
    } else if (!argument.values.empty()) {
      fail(function, place(p.name), "a list of values, expected one argument");
    }
    uint16_t accepted = p.kinds;
    if ((accepted & number_kinds) != 0) accepted |= number_kinds;
    const uint16_t kinds = graph_.kinds_of(argument);
    const bool is_right_value = argument.type != Argument::Type::immediate || is_accepted(argument.immediate, p);
    if ((kinds & ~accepted) != 0 || kinds == 0 || !is_right_value)
      fail(function, place(p.name), kinds == 0 ? "nothing" : kinds_shown(kinds), ", expected ", kinds_shown(p.kinds));
    if (argument.negative && (kinds & ~number_kinds) != 0)
      fail(function, place(p.name), "minus ", kinds_shown(kinds), ", expected a number");
    if (graph_.is_optional(argument) && !p.optional)
      fail(function, place(p.name), "an optional input, expected one that is always present");
  }

  // Whether the op receives the type of value that its argument has.
  static bool is_accepted(const Value& value, const Param& p) {
    switch (value.type) {
      case Value::Type::number:
      case Value::Type::element:
        return p.takes(kind_number);
      case Value::Type::integer:
        return p.takes(number_kinds);
      case Value::Type::boolean:
        return p.takes(kind_boolean);
      case Value::Type::dtype:
        return p.takes(kind_dtype);
      default:
        return false;
    }
  }

  const Graph& graph_;
  const std::string outside_;
  const int depth_;
  size_t step_ = 0;
  int32_t defined_ = 0;
  std::unordered_set<int32_t> fusions_;
};

}  // namespace

void verify(const Graph& graph) { Verifier(graph).check(); }

}  // namespace mt
