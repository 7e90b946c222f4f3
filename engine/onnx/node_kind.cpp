#include "engine/onnx/node_kind.h"

#include <map>

namespace mt::onnx {
namespace {

const std::map<std::string_view, const NodeKind*>& kinds() {
  static const auto all = [] {
    std::map<std::string_view, const NodeKind*> found;
    for (const auto family : {attention_kinds, control_kinds, convolution_kinds, elementwise_kinds, loss_kinds, normalization_kinds,
                              pooling_kinds, product_kinds, quantization_kinds, random_kinds, recurrent_kinds, reduction_kinds,
                              resize_kinds, sampling_kinds, selection_kinds, sequence_kinds, shape_kinds, signal_kinds, text_kinds}) {
      for (const NodeKind& kind : family()) found.emplace(kind.op, &kind);
    }
    return found;
  }();
  return all;
}

}  // namespace

const NodeKind* find_node_kind(std::string_view domain, std::string_view op) {
  if (!domain.empty()) return nullptr;
  const auto found = kinds().find(op);
  return found != kinds().end() ? found->second : nullptr;
}

std::string_view known_ops_shown() {
#ifdef MT_BUILT_NAMES
  return "those of the models for which bin/minimal made this build";
#else
  return "ops of docs/packages/onnx.md";
#endif
}

std::vector<std::string_view> node_kind_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, kind] : kinds()) names.push_back(name);
  return names;
}

}  // namespace mt::onnx
