#include "engine/arguments/messages.h"

#include "engine/core/arguments.h"

namespace mt {
namespace {

// "(x: tensor, [y: tensor or number])": arguments by their numbers in the signature.
void append_form(std::string& text, const Signature& signature, std::span<const uint8_t> params) {
  text += "(";
  const char* separator = "";
  for (const uint8_t i : params) {
    const Param& p = signature.params[i];
    text += separator;
    separator = ", ";
    append(text, concat(p.optional ? "[" : "", p.name, ": ", kinds_shown(p.kinds), p.optional ? "]" : ""));
  }
  text += ")";
}

}  // namespace

std::string kinds_shown(uint16_t kinds) {
  std::string text;
  for (const KindNames& names : kind_names) {
    if ((kinds & names.kinds) != names.kinds) continue;
    kinds = static_cast<uint16_t>(kinds & ~names.kinds);
    if (!text.empty()) text += " or ";
    text += names.shown;
  }
  return text;
}

std::string expected_forms(const Op& op) {
  std::string text;
  for (const Form& form : op.forms) {
    if (!text.empty()) text += " or ";
    append_form(text, op.decl->signature, {form.params, form.count});
  }
  return text;
}

std::string expected_patterns(const Op& op, std::span<const Pattern> patterns) {
  std::string text;
  const auto list = [&](bool with_result) {
    for (const Pattern& p : patterns) {
      if ((p[0].target < 0) != with_result) continue;
      uint8_t params[Signature::max_params];
      size_t listed = 0;
      for (int s = 0; s < p.size(); ++s) {
        if (p[s].target >= 0) params[listed++] = static_cast<uint8_t>(p[s].target);
      }
      if (!text.empty()) text += " or ";
      if (with_result) append(text, concat("x:", op.decl->name));
      append_form(text, op.decl->signature, {params, listed});
    }
  };
  list(false);
  if (text.empty()) list(true);  // such as x:exponential(lambda); for other ops these orders say nothing new
  return text;
}

void refuse_arguments(std::string_view op, std::string_view actual, std::string_view expected) {
  refuse_argument(op, "arguments", concat("(", actual, ")"), expected);
}

void refuse_kind(std::string_view op, const Param& p, std::string_view actual) {
  refuse_argument(op, p.name, actual, kinds_shown(p.kinds));
}

}  // namespace mt
