#include "engine/core/absent.h"

#include <algorithm>

#include "engine/core/error.h"

namespace mt {
namespace {

bool has_word(std::string_view words, std::string_view word) {
  for (size_t begin = 0; begin < words.size();) {
    const size_t end = std::min(words.find(' ', begin), words.size());
    if (words.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

bool is_absent(std::string_view op) {
  return std::ranges::any_of(absent_ops(), [&](const AbsentOp& absent) { return absent.name == op || has_word(absent.alias, op); });
}

void refuse_absent(std::string_view op) {
  if (is_absent(op)) throw Error(Status::unsupported, concat(op, ": not in this build (", small_build(), ")"));
}

}  // namespace mt
