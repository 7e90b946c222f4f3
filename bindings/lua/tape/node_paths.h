// The nodes that a backward pass for some wanted ones must run.
#pragma once

#include <vector>

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

// Room for a search. It is kept apart from the function's frame, which Lua errors may leave.
struct PathSearch {
  struct Met {
    double number;
    int first_edge, edges;  // in `edges`
    bool released, reaches;
  };
  std::vector<Met> met;
  std::vector<int> edges, order;  // positions in `met`
};

// onPaths(roots, wanted) -> the nodes on some path from a root to a wanted one (both included), as keys, and a node where a path may have
// been, as it was released
int nodes_on_paths(lua_State* L);

}  // namespace mt::lua
