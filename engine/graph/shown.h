// Parts of a graph as text, for its own language, for Lua and for messages.
#pragma once

#include "engine/graph/graph.h"

namespace mt {

std::string shown_number(double number);                                       // the shortest text that reads back to it; inf, nan
std::string shown_complex(const Value& element);                               // "1+2i", with both parts
std::string quoted(std::string_view text);                                     // in single quotes, with \n, \r, \0, \' and \\ where needed
int64_t shown_integer(int64_t n, const Param& p);                              // as a caller counts it: dimensions and positions from 1
bool is_counted(const Param& p);                                               // whether its numbers are dimensions or positions
std::string shown_sizes(const ValueType& type, std::string_view unknown);      // "[2, 3]", with `unknown` for any size
std::string shown_sizes(const Graph::Input& input, std::string_view unknown);  // of its type, with names: "[batch, 3]"

}  // namespace mt
