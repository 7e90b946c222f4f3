#include "engine/graph/infer.h"
#include "engine/passes/passes.h"
#include "engine/passes/rewrite.h"

namespace mt {
namespace {

#ifdef MT_WITHOUT_FUSED_ATTENTION
Graph with_attention(const Graph& graph) { return graph; }
#else
Graph with_attention(const Graph& graph) { return fold_constants(fuse_attention(graph)); }
#endif

// The passes that need no constants: a body has none.
Graph body_for_inference(const Graph& body) {
  Graph typed = with_bodies(body, body_for_inference);
  for (Graph::Step& step : typed.steps) step.fusion = 0;
  typed = look_past_writes(typed);
  typed.result_types = infer_types(typed);
  return fuse(remove_dead_steps(fuse_conv_units(with_attention(typed))));
}

}  // namespace

Graph for_inference(const Graph& graph, std::span<const Value> inputs) {
  Graph typed = with_bodies(graph, body_for_inference);
  for (Graph::Step& step : typed.steps) step.fusion = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].is_tensor()) continue;
    const Tensor& t = *inputs[i].tensor;
    typed.inputs[i].type = ValueType{t.dtype(), {t.sizes().begin(), t.sizes().end()}};
  }
  typed = look_past_writes(typed);
  typed.result_types = infer_types(typed);
  const Graph folded = fold_affine_steps(with_attention(fold_constants(typed)));
  return fuse(remove_dead_steps(settle_constants(fuse_conv_units(folded))));
}

}  // namespace mt
