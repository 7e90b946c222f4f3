// The signature of an op, written as "[res] x:tensor y:tensor|number alpha:number=1" and parsed at compile time.
//   [res] or [values indices]   the results, for which callers may pass out arguments
//   name:kind|kind              a required argument
//   name:kind=default           an optional one
//   name:kind?                  an optional one without a default
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "engine/core/kind.h"

namespace mt {

struct Param {
  std::string_view name;
  uint16_t kinds = 0;
  bool optional = false;
  bool has_default = false;
  double default_number = 0;      // kind_number, kind_int, kind_index and kind_dim (as the engine counts), kind_boolean
  std::string_view default_text;  // kind_string

  constexpr bool takes(uint16_t kind) const { return (kinds & kind) != 0; }
  constexpr bool takes_counted_list() const { return takes(kind_dims | kind_indices); }
};

struct Signature {
  static constexpr int max_params = 14, max_results = 3;

  Param params[max_params];
  int count = 0;
  std::string_view results[max_results];
  int result_count = 0;

  constexpr Signature() = default;
  // Throws a const char* with the error; in a constant expression the program then does not compile.
  constexpr Signature(const char* literal) : Signature(std::string_view(literal)) {}  // NOLINT: a literal is a signature
  explicit constexpr Signature(std::string_view text) {                               // NOLINT: a text is a signature
    size_t at = 0;
    if (!text.empty() && text[0] == '[') {
      const size_t close = text.find(']');
      if (close == std::string_view::npos) throw "[ without ]";
      size_t begin = 1;
      while (begin < close) {
        size_t end = begin;
        while (end < close && text[end] != ' ') ++end;
        if (result_count == max_results) throw "too many results";
        results[result_count++] = text.substr(begin, end - begin);
        begin = end + 1;
      }
      at = close + 1;
    }
    while (at < text.size()) {
      if (text[at] == ' ') {
        ++at;
        continue;
      }
      size_t end = at;
      while (end < text.size() && text[end] != ' ') ++end;
      if (count == max_params) throw "too many arguments";
      params[count++] = parse(text.substr(at, end - at));
      at = end;
    }
  }

  constexpr int find(std::string_view name) const {
    for (int i = 0; i < count; ++i) {
      if (params[i].name == name) return i;
    }
    return -1;
  }

 private:
  static constexpr Param parse(std::string_view word) {
    Param p;
    const size_t colon = word.find(':');
    if (colon == std::string_view::npos) throw "an argument is name:kind";
    p.name = word.substr(0, colon);
    std::string_view kinds = word.substr(colon + 1);
    if (const size_t equals = kinds.find('='); equals != std::string_view::npos) {
      p.optional = p.has_default = true;
      const std::string_view value = kinds.substr(equals + 1);
      kinds = kinds.substr(0, equals);
      if (value == "true")
        p.default_number = 1;
      else if (value == "false")
        p.default_number = 0;
      else if (value == "last")
        p.default_number = -1;
      else if (value == "first")
        p.default_number = 0;
      else if (value == "inf")
        p.default_number = std::numeric_limits<double>::infinity();
      else if (value == "-inf")
        p.default_number = -std::numeric_limits<double>::infinity();
      else if (value[0] == '-' || value[0] == '.' || (value[0] >= '0' && value[0] <= '9'))
        p.default_number = number(value);
      else
        p.default_text = value;
    } else if (kinds.ends_with('?')) {
      p.optional = true;
      kinds.remove_suffix(1);
    }
    while (!kinds.empty()) {
      const size_t bar = kinds.find('|');
      p.kinds |= kind(kinds.substr(0, bar));
      kinds = bar == std::string_view::npos ? std::string_view() : kinds.substr(bar + 1);
    }
    return p;
  }

  static constexpr uint16_t kind(std::string_view word) {
    for (const KindNames& names : kind_names) {
      if (names.word == word) return names.kinds;
    }
    throw "unknown kind of argument";
  }

  static constexpr double number(std::string_view text) {
    double value = 0, scale = 1, sign = 1, power = 0, power_sign = 1;
    bool fraction = false, exponent = false;
    for (const char c : text) {
      if (c == '-')
        (exponent ? power_sign : sign) = -1;
      else if (c == '.')
        fraction = true;
      else if (c == 'e')
        exponent = true;
      else if (exponent)
        power = power * 10 + (c - '0');
      else {
        value = value * 10 + (c - '0');
        if (fraction) scale *= 10;
      }
    }
    double tens = 1;
    for (; power > 0; --power) tens *= 10;
    return power_sign < 0 ? sign * value / (scale * tens) : sign * value / scale * tens;
  }
};

}  // namespace mt
