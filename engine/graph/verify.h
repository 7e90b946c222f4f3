// Checks graphs that come from outside: texts, files, hosts and passes.
#pragma once

#include "engine/graph/graph.h"

namespace mt {

// The most parts that a size expression may have.
inline constexpr size_t most_size_tokens = 64;

// Raises an error, which names the step, unless values are defined before they are used, arguments have kinds that their ops accept, size
// expressions are complete, and names are unique.
void verify(const Graph& graph);

}  // namespace mt
