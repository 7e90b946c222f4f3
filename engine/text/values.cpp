#include "engine/text/values.h"

#include <locale.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace mt::text {
namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool same_word(std::string_view text, std::string_view word) {
  return text.size() == word.size() && std::equal(text.begin(), text.end(), word.begin(), [](char a, char b) { return lower(a) == b; });
}

bool read_word(std::string_view text, double& value) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  if (same_word(text, "nan")) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (same_word(text, "inf") || same_word(text, "infinity")) {
    value = std::numeric_limits<double>::infinity();
  } else {
    return false;
  }
  if (negative && !std::isnan(value)) value = -value;
  return true;
}

// from_chars reports infinite, zero and subnormal results alike as out of range; strtod in the C locale distinguishes them.
double at_the_limits(std::string_view text) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  return strtod_l(std::string(text).c_str(), nullptr, plain);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool read_integer(std::string_view text, int64_t& value) {
  const char *p = text.data(), *end = p + text.size();
  if (p != end && *p == '+') {
    if (++p == end || !is_digit(*p)) return false;
  }
  const auto [stop, error] = std::from_chars(p, end, value);
  return error == std::errc() && stop == end;
}

bool join_thousands(std::string_view text, char thousands, char decimal, std::string& digits) {
  if (thousands == '\0' || text.find(thousands) == text.npos) return false;
  size_t at = text[0] == '-' || text[0] == '+' ? 1 : 0, in_group = 0, groups = 0;
  digits.assign(text, 0, at);
  for (; at < text.size() && (is_digit(text[at]) || text[at] == thousands); ++at) {
    if (is_digit(text[at])) {
      digits += text[at];
      if (++in_group > 3) return false;
      continue;
    }
    if (groups == 0 ? in_group == 0 : in_group != 3) return false;
    ++groups;
    in_group = 0;
  }
  if (groups == 0 || in_group != 3) return false;
  if (at < text.size() && text[at] != decimal && lower(text[at]) != 'e') return false;
  digits.append(text.substr(at));
  return true;
}

bool read_real(std::string_view text, char decimal, double& value) {
  std::string changed;
  if (decimal != '.' && text.find(decimal) != text.npos) {
    if (text.find('.') != text.npos) return false;
    changed = text;
    *std::find(changed.begin(), changed.end(), decimal) = '.';
    text = changed;
  }
  const char *p = text.data(), *end = p + text.size();
  if (p != end && *p == '+') ++p;
  const char* first = p != end && *p == '-' && p == text.data() ? p + 1 : p;
  if (first == end || !(is_digit(*first) || *first == '.')) return read_word(text, value);
  const auto [stop, error] = std::from_chars(p, end, value);
  if (stop != end) return false;
  if (error == std::errc::result_out_of_range) value = at_the_limits({p, static_cast<size_t>(end - p)});
  return error != std::errc::invalid_argument;
}

bool read_boolean(std::string_view text, bool& value) {
  value = same_word(text, "true");
  return value || same_word(text, "false");
}

bool is_missing(std::string_view text) {
  if (text.empty()) return true;
  if (text.size() > 4) return false;
  static constexpr std::array<std::string_view, 7> words{"na", "n/a", "#n/a", "nan", "null", "none", "<na>"};
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) { return same_word(text, word); });
}

}  // namespace mt::text
