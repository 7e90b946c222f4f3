#include "engine/graph/guarded.h"

#include "engine/core/error.h"
#include "engine/passes/passes.h"

namespace mt {

GraphParts parts_of(const Graph& captured, size_t outputs) {
  const Split parts = split(remove_dead_steps(merge_common_steps(simplify_algebra(captured))), outputs);
  return {std::make_shared<const Executor>(remove_unused_constants(optimized(parts.first))),
          std::make_shared<const Executor>(remove_unused_constants(optimized(parts.second)))};
}

bool hold(std::span<const Guard> guards, const Executor& checks, const RunSettings& settings, std::span<const Value> inputs,
          Tensor* results) {
  try {
    checks.run(settings, inputs, results);
  } catch (const Error& e) {
    if (e.status() == Status::interrupted || e.status() == Status::memory) throw;
    return false;
  }
  for (size_t i = 0; i < guards.size(); ++i) {
    if (!guards[i].holds(checks.output(i, inputs, results))) return false;
  }
  return true;
}

}  // namespace mt
