// Graphs from text: gives the names and calls of a syntax tree their meaning.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine/core/absent.h"
#include "engine/graph/control.h"
#include "engine/graph/shown.h"
#include "engine/graph/syntax.h"
#include "engine/graph/text.h"
#include "engine/graph/verify.h"
#include "engine/ops/conv.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;
using syntax::Node;
using syntax::Statement;

bool is_size(const Node& node) { return node.type == Node::Type::call && (node.text == "size" || node.text == "sizeOf"); }

const Op* find_op(std::string_view name) {
  if (name == conv_unit_op().decl->name) return &conv_unit_op();
  if (const Op* const control = find_control_op(name)) return control;
  return Registry::instance().find(name == "times" ? "mul" : name);
}

class Builder {
 public:
  Builder(const syntax::Source& source, const ParseOptions& options, bool is_body = false)
      : source_(source), options_(options), is_body_(is_body) {}

  Graph build(const syntax::Tree& tree) {
    for (const syntax::Declared& d : tree.inputs) {
      Graph::Input input{d.name, d.kinds, d.optional, d.type, d.size_names};
      if (d.kinds == 0) {
        for (const Graph::Input& known : options_.inputs) {
          if (known.name == d.name) input = known;
        }
        if (is_body_) input.kinds = kind_tensor;
      }
      add_input(std::move(input), d.at);
    }
    for (const Statement& s : tree.statements) {
      for (const Node& value : s.values) narrow(value);
    }
    settle_kinds();
    for (const Statement& s : tree.statements) {
      const size_t steps = graph_.steps.size();
      lower(s);
      for (size_t i = steps; i < graph_.steps.size(); ++i) graph_.steps[i].fusion = s.fusion;
    }
    return std::move(graph_);
  }

  Graph build(const Node& expression) {
    for (const Graph::Input& input : options_.inputs) add_input(input, 0);
    narrow(expression);
    settle_kinds();
    graph_.outputs.push_back(value_of(expression));
    return std::move(graph_);
  }

 private:
  void define(const std::string& name, Ref ref, size_t at) {
    if (!names_.emplace(name, ref).second) source_.refuse(at, "a name that is not defined yet");
  }
  void add_input(Graph::Input input, size_t at) {
    const auto index = static_cast<int32_t>(graph_.inputs.size());
    define(input.name, {Ref::Of::input, index}, at);
    is_open_.push_back(input.kinds == 0);
    graph_.inputs.push_back(std::move(input));
  }

  // Narrows the kinds of inputs whose declaration has none to those that the arguments of ops accept.
  void narrow(const Node& node) {
    if (node.type == Node::Type::call && !is_size(node)) {
      if (const Op* op = find_op(node.text)) {
        for (size_t k = 0; k < node.parts.size(); ++k) narrow_argument(*op, node, k);
      }
    }
    for (const Node& part : node.parts) narrow(part);
  }
  void narrow_argument(const Op& op, const Node& call, size_t k) {
    const Signature& signature = op.decl->signature;
    const size_t in_order = call.parts.size() - call.names.size();
    const int i = k < in_order ? static_cast<int>(k) : signature.find(call.names[k - in_order]);
    if (call.parts[k].type != Node::Type::name || i < 0 || i >= signature.count) return;
    const auto found = names_.find(call.parts[k].text);
    if (found == names_.end() || !is_open_[static_cast<size_t>(found->second.index)]) return;
    Graph::Input& input = graph_.inputs[static_cast<size_t>(found->second.index)];
    const Param& p = signature.params[i];
    const uint16_t accepted = call.parts[k].negative ? p.kinds & number_kinds : p.kinds;
    const bool optional = p.optional && !p.has_default;
    input.optional = optional && (input.kinds == 0 || input.optional);
    input.kinds = input.kinds == 0 ? accepted : input.kinds & accepted;
  }
  void settle_kinds() {
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      if (graph_.inputs[i].kinds == 0) graph_.inputs[i].kinds = kind_tensor;
    }
  }

  void lower(const Statement& s) {
    switch (s.type) {
      case Statement::Type::constant: {
        const syntax::Declared& d = s.names[0];
        if (is_body_) source_.refuse(s.at, "a body without constants, which are operands of its step");
        if (!options_.constant) source_.refuse(s.at, "a text without constants, or tensors for them");
        Tensor tensor = options_.constant(d.name);
        if (d.type && !d.type->fits(tensor)) {
          fail<Status::shape>(source_.function, source_.argument, source_.line_of(s.at), tensor.dtype(), " ", tensor.sizes(),
                              " as constant ", d.name, ", expected ", d.type->dtype, " ", shown_sizes(*d.type, "any"));
        }
        define(d.name, {Ref::Of::constant, static_cast<int32_t>(graph_.constants.size())}, d.at);
        graph_.constants.push_back({d.name, std::move(tensor)});
        return;
      }
      case Statement::Type::call: {
        const size_t steps = graph_.steps.size();
        if (s.names.empty()) return lower_effect(s);
        const Ref value = s.bodies.empty() ? value_of(s.values[0]) : control(s);
        if (value.of != Ref::Of::result || graph_.steps.size() == steps) source_.refuse(s.at, "a call of an op after =");
        Graph::Step& step = graph_.steps.back();
        step.origin = s.origin;
        step.into = s.into;
        for (const std::string& name : s.writes) step.writes.push_back(ref_of(name, s.at));
        if (value.index != step.first || s.names.size() > static_cast<size_t>(step.results()))
          source_.refuse(s.at, concat("at most ", step.results(), " names for the results of ", step.op->decl->name));
        for (size_t r = 0; r < s.names.size(); ++r) name_result(s.names[r], {Ref::Of::result, step.first + static_cast<int32_t>(r)});
        return;
      }
      case Statement::Type::update: {
        const Ref value = value_of(s.values[0]);
        graph_.updates.push_back({ref_of(s.target, s.at), value});
        return;
      }
      case Statement::Type::result:
        for (const Node& value : s.values) graph_.outputs.push_back(value_of(value));
        return;
    }
  }

  // An op without results, which overwrites arguments.
  void lower_effect(const Statement& s) {
    if (s.values[0].type != Node::Type::call || s.writes.empty())
      source_.refuse(s.at, "names for results, or a call that writes to tensors");
    call(s.values[0]);
    graph_.steps.back().origin = s.origin;
    for (const std::string& name : s.writes) graph_.steps.back().writes.push_back(ref_of(name, s.at));
  }

  void name_result(const syntax::Declared& d, Ref ref) {
    define(d.name, ref, d.at);
    const auto at = static_cast<size_t>(ref.index);
    if (d.name[0] != '%') {  // which names results that have no name
      if (graph_.result_names.size() <= at) graph_.result_names.resize(at + 1);
      graph_.result_names[at] = d.name;
    }
    if (!d.type) return;
    if (graph_.result_types.size() <= at) graph_.result_types.resize(at + 1);
    graph_.result_types[at] = d.type;
  }

  Ref ref_of(const std::string& name, size_t at) const {
    const auto found = names_.find(name);
    if (found == names_.end()) source_.refuse(at, "the name of an input, a constant or an earlier result");
    return found->second;
  }

  // The tensor of an expression.
  Ref value_of(const Node& node) {
    const Argument argument = argument_of(node);
    if (argument.type != Argument::Type::value || argument.negative) source_.refuse(node.at, "a tensor");
    return argument.value;
  }

  Argument argument_of(const Node& node) {
    switch (node.type) {
      case Node::Type::none:
        return {};
      case Node::Type::number:
        return number_of(node);
      case Node::Type::boolean: {
        Value value;
        value.type = Value::Type::boolean;
        value.boolean = node.number != 0;
        return Argument(value);
      }
      case Node::Type::text: {
        Argument argument;
        argument.type = Argument::Type::string;
        argument.text = node.text;
        return argument;
      }
      case Node::Type::name: {
        Argument argument(ref_of(node.text, node.at));
        argument.negative = node.negative;
        return argument;
      }
      case Node::Type::list:
        return list_of(node);
      case Node::Type::binary:
        return size_of(node);
      case Node::Type::call:
        break;
    }
    if (!is_size(node)) return Argument(call(node));
    if (node.parts.size() == 2) return size_of(node);
    Argument argument;
    if (node.parts.size() != 1) source_.refuse(node.at, "size(x) or size(x, dimension)");
    argument.type = Argument::Type::sizes_of;
    argument.value = value_of(node.parts[0]);
    return argument;
  }

  Argument number_of(const Node& node) const {
    if (!node.imaginary) return Argument(Value(node.number));
    if constexpr (has_complex_dtypes) {
      const ScalarValue element = ScalarValue::of(Complex<double>(node.number, *node.imaginary));
      return Argument(Value::of_element(complex_of(DType::float64), element));
    }
    source_.refuse(node.at, "a real number: this build has no complex ones");
  }

  Argument size_of(const Node& node) {
    Argument argument;
    argument.type = Argument::Type::size;
    append_tokens(node, argument.sizes.emplace_back());
    return argument;
  }

  Argument list_of(const Node& list) {
    Argument argument;
    argument.type = Argument::Type::sizes;
    for (const Node& entry : list.parts) {
      if (entry.type == Node::Type::number || entry.type == Node::Type::binary || is_size(entry)) {
        if (argument.type == Argument::Type::values) source_.refuse(entry.at, "a tensor");
        append_tokens(entry, argument.sizes.emplace_back());
      } else {
        if (!argument.sizes.empty()) source_.refuse(entry.at, "a size");
        argument.type = Argument::Type::values;
        argument.values.push_back(value_of(entry));
      }
    }
    return argument;
  }

  static int64_t whole(const syntax::Source& source, const Node& node) {
    if (node.type != Node::Type::number || node.imaginary || node.number != std::floor(node.number) || std::abs(node.number) > 0x1p53)
      source.refuse(node.at, "a whole number");
    return static_cast<int64_t>(node.number);
  }

  void append_tokens(const Node& node, Graph::SizeExpression& tokens) {
    using Type = Graph::SizeToken::Type;
    if (tokens.size() >= most_size_tokens) source_.refuse(node.at, "a shorter size");
    if (node.type == Node::Type::binary) {
      append_tokens(node.parts[0], tokens);
      append_tokens(node.parts[1], tokens);
      tokens.push_back({.type = node.sign == '+'   ? Type::add
                                : node.sign == '-' ? Type::subtract
                                : node.sign == '*' ? Type::multiply
                                                   : Type::divide});
    } else if (is_size(node)) {
      if (node.parts.size() != 2) source_.refuse(node.at, "size(x, dimension)");
      const int64_t dim = whole(source_, node.parts[1]);
      if (dim == 0 || dim < -max_dims || dim > max_dims) source_.refuse(node.parts[1].at, "a dimension counted from 1");
      const Ref tensor = value_of(node.parts[0]);
      tokens.push_back({.type = Type::extent, .dim = static_cast<int8_t>(dim > 0 ? dim - 1 : dim), .tensor = tensor});
    } else {
      tokens.push_back({.number = whole(source_, node)});
    }
  }

  // A step of control flow.
  Ref control(const Statement& s) {
    const Node& node = s.values[0];
    const Op* const op = node.type == Node::Type::call ? find_control_op(node.text) : nullptr;
    if (op == nullptr || node.result != 1) source_.refuse(node.at, "cond, while or scan before a body");
    const auto names = body_names(*op);
    if (!std::ranges::equal(s.bodies, names, {}, &syntax::Body::name)) {
      std::string expected;
      for (const std::string_view name : names) expected += concat(expected.empty() ? "the body " : " and the body ", name);
      source_.refuse(s.bodies[0].at, expected);
    }
    const Ref first = append(*op, node);
    const ParseOptions options{.function = options_.function, .argument = options_.argument};
    for (const syntax::Body& body : s.bodies)
      graph_.steps.back().bodies.push_back(std::make_shared<const Graph>(Builder(source_, options, true).build(body.graph)));
    return first;
  }

  // Appends a step with the arguments of a call.
  Ref append(const Op& op, const Node& node) {
    std::vector<Argument> arguments;
    for (const Node& part : node.parts) arguments.push_back(argument_of(part));
    try {
      return graph_.append(op, std::move(arguments), node.names);
    } catch (const Error& e) {
      raise(e.status(), concat(source_.function, ": ", source_.argument, ": ", source_.line_of(node.at), e.what()));
    }
  }

  Ref call(const Node& node) {
    const Op* const op = find_op(node.text);
    if (op == nullptr && is_absent(node.text)) source_.refuse(node.at, concat("an op of this build, which is small (", small_build(), ")"));
    if (op == nullptr) source_.refuse(node.at, "an op of the engine");
    if (!body_names(*op).empty()) source_.refuse(node.at, "a statement of its own with bodies for " + std::string(op->decl->name));
    const Ref first = append(*op, node);
    graph_.steps.back().times = node.text == "times";
    if (op->decl->signature.result_count > 0 && node.result > op->decl->signature.result_count)
      source_.refuse(node.at, concat("at most ", op->decl->signature.result_count, " results"));
    return {Ref::Of::result, first.index + node.result - 1};
  }

  const syntax::Source& source_;
  const ParseOptions& options_;
  const bool is_body_;
  Graph graph_;
  std::unordered_map<std::string, Ref> names_;
  std::vector<bool> is_open_;  // inputs whose kinds are inferred
};

}  // namespace

Graph parse_graph(std::string_view text, const ParseOptions& options) {
  const syntax::Source source{text, options.function, options.argument};
  return Builder(source, options).build(syntax::parse(source));
}

Graph parse_expression(std::string_view text, const ParseOptions& options) {
  const syntax::Source source{text, options.function, options.argument};
  return Builder(source, options).build(syntax::parse_expression(source));
}

}  // namespace mt
