#include "engine/passes/passes.h"

namespace mt {

Graph optimized(const Graph& graph) {
  return fuse(write_in_place(remove_dead_steps(merge_common_steps(simplify_algebra(merge_common_steps(graph))))));
}

}  // namespace mt
