// Graphs as pictures: the language of Graphviz.
#pragma once

#include <string>

#include "engine/graph/graph.h"

namespace mt {

// A directed graph for the program dot: inputs, constants, steps and outputs are nodes, values are edges.
std::string to_dot(const Graph& graph);

}  // namespace mt
