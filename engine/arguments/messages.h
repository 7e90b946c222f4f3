// The messages about arguments that fit no order of an op, or no kind of an argument: "op: argument: actual, expected ...".
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/arguments/match.h"

namespace mt {

// "tensor or number"
std::string kinds_shown(uint16_t kinds);

// The arguments that an op accepts: "(x: tensor) or (x: tensor, [dim: dimension])". Omits the results of patterns.
std::string expected_forms(const Op& op);
std::string expected_patterns(const Op& op, std::span<const Pattern> patterns);

// "add: arguments: (torch.FloatTensor [3], string), expected (x: tensor, y: tensor or number)"
[[noreturn]] void refuse_arguments(std::string_view op, std::string_view actual, std::string_view expected);

// Raises the error of an argument with none of the kinds that the op accepts.
[[noreturn]] void refuse_kind(std::string_view op, const Param& p, std::string_view actual);

// Raises the error with the arguments of a list, which list.append(text, at) writes for each of the first `count`.
template <class List> [[noreturn]] void refuse_list(const Op& op, const List& list, int count, std::string_view expected) {
  std::string actual;
  for (int at = 1; at <= count; ++at) {
    if (at > 1) actual += ", ";
    list.append(actual, at);
  }
  refuse_arguments(op.decl->name, actual, expected);
}

}  // namespace mt
