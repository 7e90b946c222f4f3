#include "engine/graph/dot.h"

#include "engine/graph/control.h"
#include "engine/graph/shown.h"

namespace mt {
namespace {

using Ref = Graph::Ref;

// A label in double quotes.
std::string labelled(std::string_view text) {
  std::string label = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') label += '\\';
    if (c == '\n')
      label += "\\n";
    else
      label += c;
  }
  return label + "\"";
}

class Picture {
 public:
  // `prefix`: of the names of nodes, for the picture of a body.
  explicit Picture(const Graph& graph, std::string prefix = {})
      : graph_(graph), prefix_(std::move(prefix)), makers_(static_cast<size_t>(graph.result_count())) {
    for (size_t i = 0; i < graph.steps.size(); ++i) {
      for (int r = 0; r < graph.steps[i].results(); ++r) makers_[static_cast<size_t>(graph.steps[i].first + r)] = i + 1;
    }
  }

  std::string draw() { return "digraph {\n" + content() + "}\n"; }

 private:
  std::string content() {
    for (size_t i = 0; i < graph_.inputs.size(); ++i) add_value(Ref{Ref::Of::input, static_cast<int32_t>(i)}, "box");
    for (size_t i = 0; i < graph_.constants.size(); ++i) add_value(Ref{Ref::Of::constant, static_cast<int32_t>(i)}, "ellipse");
    for (size_t i = 0; i < graph_.steps.size(); ++i) add_step(i);
    for (const Graph::Update& update : graph_.updates)
      text_ += concat("  ", node(update.value), " -> ", node(update.target), " [style=dashed];\n");
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      text_ += concat("  ", prefix_, "output", i + 1, " [shape=box, label=", labelled(concat("output ", i + 1)), "];\n");
      text_ += concat("  ", node(graph_.outputs[i]), " -> ", prefix_, "output", i + 1, edge_label(graph_.outputs[i]), ";\n");
    }
    return text_;
  }

  std::string node(Ref ref) const {
    const auto at = static_cast<size_t>(ref.index);
    if (ref.of == Ref::Of::input) return concat(prefix_, "input", at + 1);
    return ref.of == Ref::Of::constant ? concat(prefix_, "constant", at + 1) : concat(prefix_, "step", makers_[at]);
  }

  // The type of a value, and which result of several it is.
  std::string edge_label(Ref ref) const {
    if (ref.of != Ref::Of::result) return {};
    const auto type = graph_.type_of(ref);
    std::string label = type ? std::string(info(type->dtype).name) + shown_sizes(*type, "?") : std::string();
    const Graph::Step& step = graph_.steps[makers_[static_cast<size_t>(ref.index)] - 1];
    if (step.results() > 1) label += concat(label.empty() ? "" : " ", "#", int64_t{ref.index} - step.first + 1);
    return label.empty() ? label : concat(" [label=", labelled(label), "]");
  }

  void add_value(Ref ref, std::string_view shape) {
    const auto type = graph_.type_of(ref);
    const std::string shown = type ? concat("\n", info(type->dtype).name, shown_sizes(*type, "?")) : std::string();
    text_ += concat("  ", node(ref), " [shape=", shape, ", label=", labelled(name_of(graph_, ref) + shown), "];\n");
  }

  void add_step(size_t i) {
    const Graph::Step& step = graph_.steps[i];
    const std::string origin = step.origin.empty() ? std::string() : "\n" + step.origin;
    const std::string name = concat(prefix_, "step", i + 1);
    text_ += concat("  ", name, " [shape=box, style=rounded, label=", labelled(concat(step.op->decl->name, origin)), "];\n");
    for (const Graph::Argument& argument : step.arguments)
      each_ref(argument, [&](Ref ref) { text_ += concat("  ", node(ref), " -> ", name, edge_label(ref), ";\n"); });
    for (const Ref ref : step.writes) text_ += concat("  ", name, " -> ", node(ref), " [style=dashed];\n");
    for (size_t b = 0; b < step.bodies.size(); ++b) {
      const std::string title = concat(step.op->decl->name, ": ", body_names(*step.op)[b]);
      const std::string inner = concat(name, "_", b + 1, "_");
      text_ +=
          concat("  subgraph cluster_", inner, " {\n  label=", labelled(title), ";\n", Picture(*step.bodies[b], inner).content(), "  }\n");
    }
  }

  const Graph& graph_;
  const std::string prefix_;
  std::vector<size_t> makers_;  // of the results: numbers of steps, from 1
  std::string text_;
};

}  // namespace

std::string to_dot(const Graph& graph) { return Picture(graph).draw(); }

}  // namespace mt
