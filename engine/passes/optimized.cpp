#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"

namespace mt {

Graph optimized(const Graph& graph) {
  const Graph simple = merge_common_steps(simplify_algebra(merge_common_steps(with_bodies(graph, optimized))));
  return fuse(write_in_place(remove_dead_steps(simple)));
}

}  // namespace mt
