#include "engine/graph/dot.h"

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
  explicit Picture(const Graph& graph) : graph_(graph), makers_(static_cast<size_t>(graph.result_count())) {
    for (size_t i = 0; i < graph.steps.size(); ++i) {
      for (int r = 0; r < graph.steps[i].results(); ++r) makers_[static_cast<size_t>(graph.steps[i].first + r)] = i + 1;
    }
  }

  std::string draw() {
    text_ = "digraph {\n";
    for (size_t i = 0; i < graph_.inputs.size(); ++i) add_value(Ref{Ref::Of::input, static_cast<int32_t>(i)}, "box");
    for (size_t i = 0; i < graph_.constants.size(); ++i) add_value(Ref{Ref::Of::constant, static_cast<int32_t>(i)}, "ellipse");
    for (size_t i = 0; i < graph_.steps.size(); ++i) add_step(i);
    for (const Graph::Update& update : graph_.updates)
      text_ += concat("  ", node(update.value), " -> ", node(update.target), " [style=dashed];\n");
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      text_ += concat("  output", i + 1, " [shape=box, label=", labelled(concat("output ", i + 1)), "];\n");
      text_ += concat("  ", node(graph_.outputs[i]), " -> output", i + 1, edge_label(graph_.outputs[i]), ";\n");
    }
    return text_ + "}\n";
  }

 private:
  std::string node(Ref ref) const {
    const auto at = static_cast<size_t>(ref.index);
    if (ref.of == Ref::Of::input) return concat("input", at + 1);
    return ref.of == Ref::Of::constant ? concat("constant", at + 1) : concat("step", makers_[at]);
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
    text_ += concat("  step", i + 1, " [shape=box, style=rounded, label=", labelled(concat(step.op->decl->name, origin)), "];\n");
    for (const Graph::Argument& argument : step.arguments)
      each_ref(argument, [&](Ref ref) { text_ += concat("  ", node(ref), " -> step", i + 1, edge_label(ref), ";\n"); });
    for (const Ref ref : step.writes) text_ += concat("  step", i + 1, " -> ", node(ref), " [style=dashed];\n");
  }

  const Graph& graph_;
  std::vector<size_t> makers_;  // of the results: numbers of steps, from 1
  std::string text_;
};

}  // namespace

std::string to_dot(const Graph& graph) { return Picture(graph).draw(); }

}  // namespace mt
