#include <string_view>

#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"

namespace mt {
namespace {

using Argument = Graph::Argument;

// Whether a kernel copies arguments 1 and 2 unless they are contiguous.
bool is_convolution(std::string_view op) { return op.starts_with("conv") && op.find("grad") == std::string_view::npos; }

}  // namespace

Graph settle_constants(const Graph& graph) {
  Graph result = graph;
  for (Graph::Step& step : result.steps) {
    const std::string_view op = step.op->decl->name;
    const bool is_norm = op == "batchNorm";
    if (!is_norm && !is_convolution(op)) continue;
    const size_t last = is_norm ? 4 : 2;
    for (size_t i = 1; i <= last && i < step.arguments.size(); ++i) {
      Argument& argument = step.arguments[i];
      if (argument.type != Argument::Type::value || argument.value.of != Graph::Ref::Of::constant || is_written(graph, argument.value))
        continue;
      const Tensor& t = result.constants[static_cast<size_t>(argument.value.index)].tensor;
      const DType dtype = is_norm ? DType::float64 : t.dtype();
      if (t.device() != cpu_device || !is_float(t.dtype()) || (t.is_contiguous() && t.dtype() == dtype)) continue;
      argument = add_constant(result, contiguous(to_dtype(t, dtype)));
    }
  }
  return remove_unused_constants(result);
}

}  // namespace mt
