// Files of graphs: the text, and the elements of the constants, which are mapped and not copied. docs/graph.md describes the format.
#pragma once

#include <string>
#include <string_view>

#include "engine/graph/graph.h"

namespace mt {

// Writes a file, or replaces it when the new one is complete. Errors have the name of the function.
void save_graph(const Graph& graph, const std::string& path, std::string_view function);

// Reads a file; runs nothing. Raises an error for a file that is damaged, is no graph, or has ops that this library lacks.
Graph load_graph(const std::string& path, std::string_view function);

}  // namespace mt
