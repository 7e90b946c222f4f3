// Graphs as text, which people read and write, and which parses back to an equal graph:
//
//     graph(x: tensor, n: number) {
//       constant weight: float32[10, 3]
//       a: float32[4, 10] = mm(x, t(weight))   -- train.lua:12
//       b, c = max(a, 2)
//       update weight = cmul(weight, n)
//       return b, c
//     }
//
// An argument is a name, a number, true, false, 'a string', none, a call, a list {x, y} or {2, size(x, 1)}, or name = argument. size(x) is
// all sizes of x, size(x, d) one of them; numbers and sizes have +, -, * and // (division that rounds down). times(x, n) is mul(x, n), but
// x itself if n is 1. Numbers that are dimensions or positions count from 1. f(x)[2] is the second result of an op.
#pragma once

#include <functional>

#include "engine/graph/graph.h"

namespace mt {

std::string to_text(const Graph& graph);

struct ParseOptions {
  std::string_view function = "graph", argument = "text";  // for messages
  // Inputs whose declaration has no kind get that of the one with their name here; others get the kinds of the arguments that they serve.
  std::span<const Graph::Input> inputs = {};
  // Returns the tensor of a constant, which must have the type that the text declares; without it, constants are refused.
  std::function<Tensor(std::string_view name)> constant = {};
};

// Parses a graph. Raises an error that says where the text is wrong.
Graph parse_graph(std::string_view text, const ParseOptions& options = {});

// Parses an expression: the graph that returns its value. Its inputs are those of the options.
Graph parse_expression(std::string_view text, const ParseOptions& options = {});

}  // namespace mt
