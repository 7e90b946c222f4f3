#include "engine/graph/shown.h"

#include <charconv>
#include <cmath>

namespace mt {

std::string shown_number(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  char text[32];
  return {text, std::to_chars(std::begin(text), std::end(text), number).ptr};
}

std::string shown_complex(const Value& element) {
  const auto number = element.as<Complex<double>>();
  return concat(shown_number(number.re), std::signbit(number.im) && !std::isnan(number.im) ? "" : "+", shown_number(number.im), "i");
}

std::string quoted(std::string_view text) {
  std::string shown = "'";
  for (const char c : text) {
    const char escaped = c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\0' ? '0' : c;
    if (escaped != c || c == '\'' || c == '\\') shown += '\\';
    shown += escaped;
  }
  return shown + "'";
}

bool is_counted(const Param& p) { return !p.takes(kind_number) && p.takes(kind_dim | kind_index); }

int64_t shown_integer(int64_t n, const Param& p) {
  const bool counts_from_1 = is_counted(p) && (n >= 0 || !p.takes(kind_dim));  // negative dimensions count from the last
  return counts_from_1 ? n + 1 : n;
}

std::string shown_sizes(const ValueType& type, std::string_view unknown) {
  return shown_sizes(Graph::Input{.name = {}, .type = type}, unknown);
}

std::string shown_sizes(const Graph::Input& input, std::string_view unknown) {
  std::string text = "[";
  for (size_t d = 0; d < input.type->sizes.size(); ++d) {
    const int64_t size = input.type->sizes[d];
    const std::string_view name = input.name_of_size(d);
    if (text.size() > 1) text += ", ";
    text += size == ValueType::unknown_size ? std::string(name.empty() ? unknown : name) : std::to_string(size);
  }
  return text + "]";
}

}  // namespace mt
