#include "bindings/lua/graph/lua_source.h"

#include <algorithm>

#include "engine/graph/shown.h"

namespace mt::lua {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;
using Token = Graph::SizeToken;

constexpr auto function = "graph";

class Writer {
 public:
  explicit Writer(const Graph& graph) : graph_(graph) {}

  std::string write() {
    return "local torch, c, control = ...\nlocal inf, nan = 1 / 0, 0 / 0\nlocal complex = require('ffi').typeof 'complex'\nreturn " +
           write_function() + "\n";
  }

 private:
  std::string write_function() {
    text_ = "function(...)\n  local x, v = {...}, {}\n";
    for (const Graph::Step& step : graph_.steps) {
      if (!is_update(step)) write_step(step);
    }
    text_ += "  return ";
    for (size_t i = 0; i < graph_.outputs.size(); ++i) text_ += concat(i > 0 ? ", " : "", name(graph_.outputs[i]));
    return text_ + "\nend";
  }

  // Values are in tables: a function has at most 200 local variables.
  static std::string name(Ref ref) {
    const char* const table = ref.of == Ref::Of::input ? "x" : ref.of == Ref::Of::constant ? "c" : "v";
    return concat(table, "[", ref.index + 1, "]");
  }

  // Whether a step only writes to an input or a constant, which is left out like an update. Raises an error if a later step reads it.
  bool is_update(const Graph::Step& step) const {
    const auto is_original = [](Ref ref) { return ref.of != Ref::Of::result; };
    if (std::ranges::none_of(step.writes, is_original) || step.results() > 0) return false;
    for (auto later = &step + 1; later != graph_.steps.data() + graph_.steps.size(); ++later) {
      for (const Argument& argument : later->arguments) {
        each_ref(argument, [&](Ref ref) {
          if (std::ranges::find(step.writes, ref) != step.writes.end())
            fail(function, step.op->decl->name, "a write that ", later->op->decl->name, " reads, expected none after the last step");
        });
      }
    }
    return true;
  }

  // The first form of functions with all arguments of the step: Lua has no arguments by name.
  static const Form* complete_form(const Graph::Step& step) {
    const Signature& signature = step.op->decl->signature;
    for (const Form& form : step.op->forms) {
      bool fits = !form.method_only;
      for (int i = 0; i < signature.count && fits; ++i) {
        const bool is_in_form = std::find(form.params, form.params + form.count, i) != form.params + form.count;
        fits = step.has(i) ? is_in_form : !is_in_form || signature.params[i].optional;
      }
      if (fits) return &form;
    }
    return nullptr;
  }

  void write_step(const Graph::Step& step) {
    if (!step.bodies.empty()) return write_control(step);
    text_ += "  ";
    for (int r = 0; r < step.results(); ++r) text_ += concat(r > 0 ? ", " : "", name({Ref::Of::result, step.first + r}));
    text_ += concat(step.results() > 0 ? " = torch." : "torch.", step.op->decl->name, "(");
    const Form* const form = complete_form(step);
    if (form == nullptr)
      fail(function, step.op->decl->name, "arguments that no function of Lua accepts together, expected those of one of its forms");
    if (step.into) {
      text_ += concat("torch.", info(step.into->dtype).torch, "Tensor(");
      for (size_t d = 0; d < step.into->sizes.size(); ++d) text_ += concat(d > 0 ? ", " : "", step.into->sizes[d]);
      text_ += ")";
    }
    int count = form->count;
    while (count > 0 && !step.has(form->params[count - 1])) --count;
    for (int k = 0; k < count; ++k) {
      const uint8_t i = form->params[k];
      text_ += (k > 0 || step.into ? ", " : "") + shown_at(step, i);
    }
    text_ += ")\n";
  }

  static std::string name_list(std::span<const Ref> values) {
    std::string text = "{";
    for (const Ref ref : values) text += concat(text.size() > 1 ? ", " : "", name(ref));
    return text + "}";
  }

  // control(op, {bodies}, {state or operands}, {sequences}, {invariants}, option)
  void write_control(const Graph::Step& step) {
    text_ += "  ";
    for (int r = 0; r < step.results(); ++r) text_ += concat(r > 0 ? ", " : "", name({Ref::Of::result, step.first + r}));
    text_ += concat(" = control('", step.op->decl->name, "', {");
    for (size_t b = 0; b < step.bodies.size(); ++b) text_ += (b > 0 ? ", " : "") + Writer(*step.bodies[b]).write_function();
    const bool is_cond = step.op->decl->name == "cond", is_scan = step.op->decl->name == "scan";
    const size_t state = is_cond ? 1 : 0, invariants = is_scan ? 2 : 1, option = is_cond ? 0 : is_scan ? 3 : 2;
    text_ += concat("}, ", name_list(step.arguments[state].values), ", ", is_scan ? name_list(step.arguments[1].values) : "{}", ", ",
                    is_cond ? "{}" : name_list(step.arguments[invariants].values), ", ",
                    shown(step.arguments[option], step.op->decl->signature.params[option]), ")\n");
  }

  // Arguments that a step with results overwrites are copies.
  std::string shown_at(const Graph::Step& step, size_t i) const {
    const Argument& argument = step.arguments[i];
    const bool is_result = i == 0 && !step.into && step.op->decl->method == Method::always_in_place;
    const bool is_written = argument.type == Argument::Type::value && std::ranges::find(step.writes, argument.value) != step.writes.end();
    const std::string text = shown(argument, step.op->decl->signature.params[i]);
    return is_result || is_written ? concat("torch.clone(", text, ")") : text;
  }

  std::string shown(const Argument& argument, const Param& p) const {
    switch (argument.type) {
      case Argument::Type::none:
        return "nil";
      case Argument::Type::immediate:
        return shown_immediate(argument.immediate, p);
      case Argument::Type::string:
        return quoted(argument.text);
      case Argument::Type::value:
        return (argument.negative ? "-" : "") + name(argument.value);
      case Argument::Type::size:
        return shown_size(argument.sizes[0]) + (is_counted(p) ? " + 1" : "");
      case Argument::Type::sizes_of:
        return concat(name(argument.value), ":size()");
      case Argument::Type::values:
      case Argument::Type::sizes:
        break;
    }
    std::string text = "{";
    for (const Ref ref : argument.values) text += concat(text.size() > 1 ? ", " : "", name(ref));
    for (const Graph::SizeExpression& size : argument.sizes) {
      const bool is_negative = size.size() == 1 && size[0].number < 0;
      text += concat(text.size() > 1 ? ", " : "", shown_size(size), p.takes_counted_list() && !is_negative ? " + 1" : "");
    }
    return text + "}";
  }

  static std::string shown_immediate(const Value& value, const Param& p) {
    switch (value.type) {
      case Value::Type::boolean:
        return value.boolean ? "true" : "false";
      case Value::Type::dtype:
        if (value.count > 0) fail(function, p.name, "a dtype on a device, expected one of the CPU");
        return quoted(info(value.dtype).name);
      case Value::Type::integer:
        return std::to_string(shown_integer(value.integer, p));
      case Value::Type::element: {
        const auto number = value.as<Complex<double>>();
        return concat("complex(", shown_number(number.re), ", ", shown_number(number.im), ")");
      }
      default:
        return shown_number(value.number);
    }
  }

  static std::string shown_size(const Graph::SizeExpression& expression) {
    std::vector<std::string> stack;
    for (const Token& token : expression) {
      if (token.type == Token::Type::number) {
        stack.push_back(token.number < 0 ? concat("(", token.number, ")") : std::to_string(token.number));
      } else if (token.type == Token::Type::extent) {
        stack.push_back(concat(name(token.tensor), ":size(", token.dim < 0 ? token.dim : token.dim + 1, ")"));
      } else {
        const std::string right = std::move(stack.back());
        stack.pop_back();
        const bool divides = token.type == Token::Type::divide;
        const char* const sign = token.type == Token::Type::add        ? " + "
                                 : token.type == Token::Type::subtract ? " - "
                                 : divides                             ? " / "
                                                                       : " * ";
        stack.back() = concat(divides ? "math.floor(" : "(", stack.back(), sign, right, ")");
      }
    }
    return stack.back();
  }

  const Graph& graph_;
  std::string text_;
};

}  // namespace

std::string lua_source(const Graph& graph) { return Writer(graph).write(); }

}  // namespace mt::lua
