// Graphs as text.
#include "engine/core/arguments.h"
#include "engine/core/device.h"
#include "engine/graph/control.h"
#include "engine/graph/shown.h"
#include "engine/graph/text.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;
using SizeToken = Graph::SizeToken;

std::string shown_dtype(const Value& value) {
  if (value.count > 0) return concat(info(value.dtype).name, " on ", device_name(static_cast<DeviceId>(value.count - 1)));
  if (value.count == 0) return std::string(info(value.dtype).name);
  std::string text;
  append_type(text, value.dtype, static_cast<KindId>(-1 - value.count), "Tensor");
  return text;
}

std::string shown_type(const ValueType& type) { return std::string(info(type.dtype).name) + shown_sizes(type, "?"); }

std::string shown_kinds(uint16_t kinds) {
  std::string text;
  for (const KindNames& names : kind_names) {
    if ((kinds & names.kinds) != names.kinds) continue;
    kinds = static_cast<uint16_t>(kinds & ~names.kinds);
    if (!text.empty()) text += '|';
    text += names.word;
  }
  return text;
}

class Printer {
 public:
  explicit Printer(const Graph& graph, std::string indent = {}) : graph_(graph), indent_(std::move(indent)) {}

  // `word`: before the inputs.
  std::string print(std::string_view word = "graph") {
    text_ = concat(indent_, word, "(");
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      const Graph::Input& input = graph_.inputs[i];
      if (i > 0) text_ += ", ";
      text_ += name(Ref{Ref::Of::input, static_cast<int32_t>(i)}) + ": ";
      text_ += input.type ? std::string(info(input.type->dtype).name) + shown_sizes(input, "?") : shown_kinds(input.kinds);
      if (input.optional) text_ += "?";
    }
    text_ += ") {\n";
    for (size_t i = 0; i < graph_.constants.size(); ++i) {
      const Ref ref{Ref::Of::constant, static_cast<int32_t>(i)};
      text_ += concat(indent_, "  constant ", name(ref), ": ", shown_type(*graph_.type_of(ref)), "\n");
    }
    int32_t fusion = 0;
    const auto change_to = [&](int32_t next) {
      if (next == fusion) return;
      if (fusion != 0) text_ += indent_ + "  }\n";
      if (next != 0) text_ += indent_ + "  fused {\n";
      fusion = next;
    };
    for (const Graph::Step& step : graph_.steps) {
      change_to(step.fusion);
      if (fusion != 0) text_ += "  ";
      print_step(step);
    }
    change_to(0);
    for (const Graph::Update& update : graph_.updates)
      text_ += concat(indent_, "  update ", name(update.target), " = ", name(update.value), "\n");
    if (!graph_.outputs.empty()) text_ += indent_ + "  return ";
    for (size_t i = 0; i < graph_.outputs.size(); ++i) text_ += concat(i > 0 ? ", " : "", name(graph_.outputs[i]));
    return text_ + (graph_.outputs.empty() ? "" : "\n") + indent_ + "}\n";
  }

 private:
  std::string name(Ref ref) const { return name_of(graph_, ref); }

  void print_step(const Graph::Step& step) {
    text_ += indent_ + "  ";
    for (int r = 0; r < step.results(); ++r) {
      const Ref ref{Ref::Of::result, step.first + r};
      text_ += concat(r > 0 ? ", " : "", name(ref));
      if (const auto type = graph_.type_of(ref)) text_ += concat(": ", shown_type(*type));
    }
    text_ += concat(step.results() > 0 ? " = " : "", step.times ? "times" : step.op->decl->name, "(");
    const bool in_order = step.times || is_in_order(graph_, step);
    size_t count = step.arguments.size();
    while (count > 0 && step.arguments[count - 1].type == Argument::Type::none) --count;
    bool is_first = true;
    for (size_t i = 0; i < count; ++i) {
      const Param& p = step.op->decl->signature.params[i];
      const Argument& argument = step.arguments[i];
      if (!in_order && argument.type == Argument::Type::none) continue;
      if (!is_first) text_ += ", ";
      is_first = false;
      if (!in_order) text_ += concat(p.name, " = ");
      text_ += shown(argument, p);
    }
    text_ += ")";
    if (step.into) text_ += " into " + shown_type(*step.into);
    for (size_t i = 0; i < step.writes.size(); ++i) text_ += concat(i == 0 ? " writes " : ", ", name(step.writes[i]));
    if (!step.bodies.empty()) text_ += " {";
    if (!step.origin.empty()) text_ += concat("  -- ", step.origin);
    text_ += "\n";
    if (step.bodies.empty()) return;
    const auto names = body_names(*step.op);
    for (size_t b = 0; b < step.bodies.size(); ++b) text_ += Printer(*step.bodies[b], indent_ + "    ").print(names[b]);
    text_ += indent_ + "  }\n";
  }

  std::string shown(const Argument& argument, const Param& p) const {
    switch (argument.type) {
      case Argument::Type::none:
        return "none";
      case Argument::Type::immediate:
        return shown_immediate(argument.immediate, p);
      case Argument::Type::string:
        return quoted(argument.text);
      case Argument::Type::value:
        return (argument.negative ? "-" : "") + name(argument.value);
      case Argument::Type::size:
        return shown_size(argument.sizes[0], is_counted(p));
      case Argument::Type::sizes_of:
        return concat("size(", name(argument.value), ")");
      case Argument::Type::values:
      case Argument::Type::sizes:
        break;
    }
    std::string text = "{";
    for (const Ref ref : argument.values) text += concat(text.size() > 1 ? ", " : "", name(ref));
    for (const Graph::SizeExpression& expression : argument.sizes)
      text += concat(text.size() > 1 ? ", " : "", shown_size(expression, p.takes_counted_list()));
    return text + "}";
  }

  static std::string shown_immediate(const Value& value, const Param& p) {
    switch (value.type) {
      case Value::Type::boolean:
        return value.boolean ? "true" : "false";
      case Value::Type::dtype:
        return quoted(shown_dtype(value));
      case Value::Type::integer:
        return std::to_string(shown_integer(value.integer, p));
      case Value::Type::element:
        return shown_complex(value);
      default:
        return shown_number(value.number);
    }
  }

  // Lists and numbers that count from 0 are shown counted from 1.
  std::string shown_size(Graph::SizeExpression expression, bool counts_from_1) const {
    using Type = SizeToken::Type;
    const size_t length = expression.size();
    if (counts_from_1 && length == 1 && expression[0].type == Type::number) {
      if (expression[0].number >= 0) ++expression[0].number;
    } else if (counts_from_1) {
      if (length >= 3 && expression[length - 1].type == Type::subtract && expression[length - 2] == SizeToken{.number = 1}) {
        expression.resize(length - 2);
      } else {
        expression.push_back({.number = 1});
        expression.push_back({.type = Type::add});
      }
    }
    struct Part {
      std::string text;
      int binding;  // 1: a sum, 2: a product, 3: neither
    };
    std::vector<Part> stack;
    const auto bracketed = [](const Part& part, int least) { return part.binding < least ? "(" + part.text + ")" : part.text; };
    for (const SizeToken& token : expression) {
      if (token.type == Type::number) {
        stack.push_back({std::to_string(token.number), token.number < 0 ? 1 : 3});
      } else if (token.type == Type::extent) {
        stack.push_back({concat("size(", name(token.tensor), ", ", token.dim < 0 ? token.dim : token.dim + 1, ")"), 3});
      } else {
        const Part right = std::move(stack.back());
        stack.pop_back();
        const bool is_sum = token.type == Type::add || token.type == Type::subtract;
        const int binding = is_sum ? 1 : 2;
        const char* const sign = token.type == Type::add        ? " + "
                                 : token.type == Type::subtract ? " - "
                                 : token.type == Type::multiply ? " * "
                                                                : " // ";
        stack.back() = {bracketed(stack.back(), binding) + sign + bracketed(right, binding + 1), binding};
      }
    }
    return stack.back().text;
  }

  const Graph& graph_;
  const std::string indent_;
  std::string text_;
};

}  // namespace

std::string to_text(const Graph& graph) { return Printer(graph).print(); }

}  // namespace mt
