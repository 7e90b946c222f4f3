#include "engine/core/error.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "engine/core/counting.h"

namespace mt {

void append(std::string& text, std::string_view part) { text += part; }
void append(std::string& text, const char* part) { text += part; }
void append(std::string& text, int part) { text += std::to_string(part); }
void append(std::string& text, int64_t part) { text += std::to_string(part); }
void append(std::string& text, size_t part) { text += std::to_string(part); }
void append(std::string& text, Dim part) { text += std::to_string(part.value + 1); }

void append(std::string& text, double part) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.14g", part);
  text += buffer;
}

void append(std::string& text, Sizes part) {
  text += '[';
  for (size_t i = 0; i < part.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(part[i]);
  }
  text += ']';
}

void append(std::string& text, Counted part) { text += std::to_string(counted_from_1(part.value)); }

void append(std::string& text, CountedList part) {
  std::vector<int64_t> shown(part.values.size());
  std::ranges::transform(part.values, shown.begin(), [](int64_t value) { return counted_from_1(value); });
  append(text, Sizes(shown));
}

void raise(Status status, std::string message) { throw Error(status, std::move(message)); }

void broken_invariant(const char* condition, const char* file, int line) {
  raise(Status::internal, concat("Moontorch's own check failed, please report it: ", condition, " (", file, ":", line, ")"));
}

}  // namespace mt
