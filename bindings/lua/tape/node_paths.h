// The nodes that a backward pass for some wanted nodes must run.
#pragma once

#include <vector>

#include "bindings/lua/state/host_lua.h"

namespace mt::lua {

// Memory for a search. It is not in the frame of the function, because errors of Lua would skip destructors.
struct PathSearch {
  struct Met {
    double number;
    int first_edge, edges;  // in `edges`
    bool released, reaches;
  };
  std::vector<Met> met;
  std::vector<int> edges, order;  // positions in `met`
};

// onPaths(roots, wanted) -> the nodes on any path from a root to a wanted node (both included), as keys; and a released node, through which
// a path may have led, if there is one
int nodes_on_paths(lua_State* L);

}  // namespace mt::lua
