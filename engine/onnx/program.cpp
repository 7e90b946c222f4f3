#include "engine/onnx/program.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "engine/onnx/node_kind.h"

namespace mt::onnx {
namespace {

constexpr int most_nested_bodies = 32;    // of graphs and functions
constexpr size_t most_nodes = 4'000'000;  // with those of all calls of functions

using Names = std::unordered_map<std::string_view, int32_t>;

// The names of a program, and those of the one that contains it.
struct Scope {
  const Scope* outer = nullptr;
  Names names = {};

  Place find(std::string_view name) const {
    Place place;
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer, ++place.level) {
      const auto found = scope->names.find(name);
      if (found != scope->names.end()) return {place.level, found->second};
    }
    return {};
  }
};

class Compiler {
 public:
  Compiler(const Model& model, std::string_view function, std::string_view path) : model_(model), function_(function), path_(path) {}

  std::shared_ptr<const Program> compile() {
    Scope scope;
    auto program = std::make_shared<Program>();
    add_graph(model_.graph, model_.operator_sets, {}, scope, *program, 0);
    if (!unknown_.empty()) {
      std::string list;
      for (const std::string& each : unknown_) list += concat(list.empty() ? "" : ", ", each);
      fail<Status::unsupported>(function_, path_, "nodes with unknown ops: ", list, "; expected ", known_ops_shown());
    }
    return program;
  }

 private:
  using Attributes = std::span<const Attribute>;

  [[noreturn]] void refuse(const NodeData& node, std::string_view actual, std::string_view expected) const {
    fail<Status::file>(function_, path_, "node ", shown(node), ": ", actual, ", expected ", expected);
  }

  static std::string shown(const NodeData& node) {
    std::string_view name = node.name;
    if (name.empty() && !node.outputs.empty()) name = node.outputs[0];
    return concat(shown_name(node.op), " (", shown_name(name), ")");
  }

  int32_t define(Scope& scope, Program& program, std::string_view name, const NodeData* maker) {
    const auto place = static_cast<int32_t>(program.values++);
    if (!name.empty() && !scope.names.emplace(name, place).second) {
      if (maker != nullptr) refuse(*maker, concat("a second value called ", shown_name(name)), "one");
      fail<Status::file>(function_, path_, "a second input or initializer called ", shown_name(name), ", expected one");
    }
    return place;
  }

  void add_graph(const GraphData& graph, std::span<const OperatorSet> sets, Attributes given, Scope& scope, Program& program, int depth) {
    std::set<std::string_view> has_literal;
    for (const Literal& literal : graph.initializers) has_literal.insert(literal.name);
    for (const bool with_literal : {false, true}) {
      for (const ValueInfo& input : graph.inputs) {
        if (has_literal.contains(input.name) != with_literal) continue;
        program.inputs.push_back(input);
        program.input_places.push_back(define(scope, program, input.name, nullptr));
      }
      if (!with_literal) program.required = program.inputs.size();
    }
    for (const Literal& literal : graph.initializers) {
      const auto known = scope.names.find(literal.name);
      program.literals.push_back(literal);
      program.literal_places.push_back(known != scope.names.end() ? known->second : define(scope, program, literal.name, nullptr));
    }
    add_nodes(graph.nodes, sets, given, scope, program, depth);
    for (const ValueInfo& output : graph.outputs) add_output(output, scope, program);
    note_releases(program);
  }

  void add_output(const ValueInfo& output, const Scope& scope, Program& program) const {
    const Place place = scope.find(output.name);
    if (place.index == Place::absent) {
      fail<Status::file>(function_, path_, "an output ", shown_name(output.name), " that no node makes, expected a value");
    }
    program.outputs.push_back(output);
    program.output_places.push_back(place);
  }

  void add_nodes(std::span<const NodeData> nodes, std::span<const OperatorSet> sets, Attributes given, Scope& scope, Program& program,
                 int depth) {
    if (depth > most_nested_bodies)
      fail<Status::file>(function_, path_, "functions and graphs in each other, expected at most ", most_nested_bodies, " levels");
    nodes_ += nodes.size();
    if (nodes_ > most_nodes)
      fail<Status::file>(function_, path_, "more than ", most_nodes, " nodes in all calls of functions, expected fewer");
    for (const NodeData& node : nodes) add_node(node, sets, given, scope, program, depth);
  }

  static int64_t version_in(std::span<const OperatorSet> sets, std::string_view domain) {
    const auto found = std::ranges::find(sets, domain, &OperatorSet::domain);
    return found != sets.end() ? found->version : 0;
  }

  void add_node(const NodeData& node, std::span<const OperatorSet> sets, Attributes given, Scope& scope, Program& program, int depth) {
    ProgramNode made{node.op, node.domain, shown(node), version_in(sets, node.domain)};
    for (const std::string_view input : node.inputs) {
      const Place place = input.empty() ? Place() : scope.find(input);
      if (!input.empty() && place.index == Place::absent)
        refuse(node, concat("the input ", shown_name(input), ", which no earlier node makes"), "a value");
      made.inputs.push_back(place);
    }
    for (const Attribute& attribute : node.attributes) add_attribute(attribute, sets, given, scope, made, depth);
    made.kind = find_node_kind(node.domain, node.op);
    if (made.kind == nullptr) add_call(node, made, depth);
    for (const std::string_view output : node.outputs) {
      made.outputs.push_back(output.empty() ? Place::absent : define(scope, program, output, &node));
    }
    program.nodes.push_back(std::move(made));
  }

  // An attribute that refers to one of the function gets its value, or is absent.
  void add_attribute(const Attribute& attribute, std::span<const OperatorSet> sets, Attributes given, const Scope& scope, ProgramNode& made,
                     int depth) {
    if (!attribute.reference.empty()) {
      const auto found = std::ranges::find(given, attribute.reference, &Attribute::name);
      if (found == given.end()) return;
      made.attributes.push_back(*found);
      made.attributes.back().name = attribute.name;
    } else {
      made.attributes.push_back(attribute);
    }
    const auto& graph = made.attributes.back().graph;
    if (graph == nullptr) return;
    Scope inner{&scope};
    auto body = std::make_shared<Program>();
    add_graph(*graph, sets, given, inner, *body, depth + 1);
    made.bodies.push_back(std::move(body));
  }

  void add_call(const NodeData& node, ProgramNode& made, int depth) {
    const auto found = std::ranges::find_if(model_.functions,
                                            [&](const FunctionData& each) { return each.name == node.op && each.domain == node.domain; });
    if (found == model_.functions.end()) {
      unknown_.insert(node.domain.empty() ? shown_name(node.op) : concat(shown_name(node.domain), ".", shown_name(node.op)));
      return;
    }
    if (node.inputs.size() > found->inputs.size() || node.outputs.size() > found->outputs.size())
      refuse(node, concat(node.inputs.size(), " inputs and ", node.outputs.size(), " outputs"), "no more than its function has");
    std::vector<Attribute> attributes = made.attributes;
    for (const Attribute& each : found->defaults) {
      if (std::ranges::find(attributes, each.name, &Attribute::name) == attributes.end()) attributes.push_back(each);
    }
    Scope inner;
    auto body = std::make_shared<Program>();
    for (const std::string_view input : found->inputs) {
      body->inputs.push_back({.name = input});
      body->input_places.push_back(define(inner, *body, input, nullptr));
    }
    add_nodes(found->nodes, found->operator_sets, attributes, inner, *body, depth + 1);
    for (size_t i = 0; i < node.outputs.size(); ++i) add_output({.name = found->outputs[i]}, inner, *body);
    note_releases(*body);
    made.attributes.clear();
    made.function = std::move(body);
  }

  // Values are read by nodes, and by the bodies of nodes.
  static void note_reads(const Program& program, int32_t level, std::set<int32_t>& read) {
    const auto note = [&](Place place) {
      if (place.level == level && place.index != Place::absent) read.insert(place.index);
    };
    for (const ProgramNode& node : program.nodes) {
      std::ranges::for_each(node.inputs, note);
      for (const auto& body : node.bodies) note_reads(*body, level + 1, read);
    }
    if (level > 0) std::ranges::for_each(program.output_places, note);
  }

  static void note_releases(Program& program) {
    std::set<int32_t> read;
    for (const Place place : program.output_places) {
      if (place.level == 0) read.insert(place.index);
    }
    for (size_t i = program.nodes.size(); i-- > 0;) {
      ProgramNode& node = program.nodes[i];
      std::set<int32_t> here;
      for (const Place place : node.inputs) {
        if (place.level == 0 && place.index != Place::absent) here.insert(place.index);
      }
      for (const auto& body : node.bodies) note_reads(*body, 1, here);
      for (const int32_t output : node.outputs) {
        if (output != Place::absent) here.insert(output);
      }
      for (const int32_t value : here) {
        if (read.insert(value).second) node.releases.push_back(value);
      }
    }
  }

  const Model& model_;
  std::string_view function_, path_;
  std::set<std::string> unknown_;
  size_t nodes_ = 0;
};

}  // namespace

std::shared_ptr<const Program> program_of(const Model& model, std::string_view function, std::string_view path) {
  return Compiler(model, function, path).compile();
}

}  // namespace mt::onnx
