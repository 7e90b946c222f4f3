// A plain backward pass along the tape: the gradients under way, and the nodes that they are for.
#pragma once

#include "bindings/lua/native_tape.h"

namespace mt::lua {

// Where a node waits is its *place*: the position of its gradient here, of the node itself in the Lua table `nodes`, and the number in
// the node's slot for its gradient. Places count from 1.
struct Pass {
  struct Waiting {
    double number;
    int place;
  };

  std::vector<Tensor> gradients;
  std::vector<int> free, leaves;
  std::vector<Waiting> line;  // a heap: the newest node first
  Tensor made;                // by the program that has just run
  int nodes = LUA_NOREF;
  bool retain = false, unchecked = false;
  bool selective = false, needs = false;  // a table of wanted nodes was given, one of nodes worth running
  uint64_t number = 0;                    // of the pass, in the order in which they began; 0 once it has ended
  double since = 0;                       // of a selective pass: what was recorded up to here is left out

  Tensor& gradient(int place) { return gradients[static_cast<size_t>(place) - 1]; }
};

}  // namespace mt::lua
