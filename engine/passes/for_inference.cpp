#include "engine/graph/infer.h"
#include "engine/passes/passes.h"

namespace mt {

Graph for_inference(const Graph& graph, std::span<const Value> inputs) {
  Graph typed = graph;
  for (Graph::Step& step : typed.steps) step.fusion = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].is_tensor()) continue;
    const Tensor& t = *inputs[i].tensor;
    typed.inputs[i].type = ValueType{t.dtype(), {t.sizes().begin(), t.sizes().end()}};
  }
  typed = look_past_writes(typed);
  typed.result_types = infer_types(typed);
  const Graph folded = fold_batch_norms(fold_constants(typed));
  return fuse(remove_dead_steps(fuse_conv_units(folded)));
}

}  // namespace mt
