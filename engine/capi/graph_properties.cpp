// What a graph of the C interface consists of.
#include <algorithm>
#include <cstring>

#include "engine/capi/graph.h"
#include "engine/graph/text.h"

using mt::Graph;
using mt::Status;
using mt::ValueType;
using mt::capi::guard;
using mt::capi::take;

namespace {

template <class T> const T* element(const std::vector<T>& list, int32_t i) {
  return i >= 0 && static_cast<size_t>(i) < list.size() ? &list[static_cast<size_t>(i)] : nullptr;
}

// The declared type of an input; null for none.
const ValueType* input_type(const mt_graph* graph, int32_t i) {
  const Graph::Input* input = graph != nullptr ? element(graph->graph.inputs, i) : nullptr;
  return input != nullptr && input->type ? &*input->type : nullptr;
}

const ValueType* output_type(const mt_graph* graph, int32_t i) {
  const auto* type = graph != nullptr ? element(graph->types, i) : nullptr;
  return type != nullptr && *type ? &**type : nullptr;
}

const Graph::Step* step_of(const mt_graph* graph, int32_t i) { return graph != nullptr ? element(graph->graph.steps, i) : nullptr; }

template <class T> int32_t count_of(const std::vector<T>& list) { return static_cast<int32_t>(list.size()); }

mt_dtype dtype_of(const ValueType* type) { return type != nullptr ? static_cast<mt_dtype>(type->dtype) : -1; }
int32_t ndim_of(const ValueType* type) { return type != nullptr ? count_of(type->sizes) : -1; }
const int64_t* sizes_of(const ValueType* type) { return type != nullptr ? type->sizes.data() : nullptr; }

}  // namespace

int32_t mt_graph_input_count(const mt_graph* graph) { return graph != nullptr ? count_of(graph->graph.inputs) : 0; }

const char* mt_graph_input_name(const mt_graph* graph, int32_t input) {
  const Graph::Input* found = graph != nullptr ? element(graph->graph.inputs, input) : nullptr;
  return found != nullptr ? found->name.c_str() : nullptr;
}

mt_dtype mt_graph_input_dtype(const mt_graph* graph, int32_t input) { return dtype_of(input_type(graph, input)); }
int32_t mt_graph_input_ndim(const mt_graph* graph, int32_t input) { return ndim_of(input_type(graph, input)); }
const int64_t* mt_graph_input_sizes(const mt_graph* graph, int32_t input) { return sizes_of(input_type(graph, input)); }
int32_t mt_graph_output_count(const mt_graph* graph) { return graph != nullptr ? count_of(graph->graph.outputs) : 0; }
mt_dtype mt_graph_output_dtype(const mt_graph* graph, int32_t output) { return dtype_of(output_type(graph, output)); }
int32_t mt_graph_output_ndim(const mt_graph* graph, int32_t output) { return ndim_of(output_type(graph, output)); }
const int64_t* mt_graph_output_sizes(const mt_graph* graph, int32_t output) { return sizes_of(output_type(graph, output)); }
int32_t mt_graph_constant_count(const mt_graph* graph) { return graph != nullptr ? count_of(graph->graph.constants) : 0; }

const char* mt_graph_constant_name(const mt_graph* graph, int32_t constant) {
  const Graph::Constant* found = graph != nullptr ? element(graph->graph.constants, constant) : nullptr;
  return found != nullptr ? found->name.c_str() : nullptr;
}

int32_t mt_graph_step_count(const mt_graph* graph) { return graph != nullptr ? count_of(graph->graph.steps) : 0; }

const char* mt_graph_step_op(const mt_graph* graph, int32_t step) {
  const Graph::Step* found = step_of(graph, step);
  return found != nullptr ? found->op->decl->name.data() : nullptr;
}

const char* mt_graph_step_origin(const mt_graph* graph, int32_t step) {
  const Graph::Step* found = step_of(graph, step);
  return found != nullptr ? found->origin.c_str() : nullptr;
}

mt_status mt_graph_constant_tensor(const mt_graph* graph, int32_t constant, mt_tensor** out) {
  return guard([&] {
    constexpr const char* function = "mt_graph_constant_tensor";
    take(out, function, "out");
    const auto& constants = take(graph, function, "graph").graph.constants;
    const Graph::Constant* found = element(constants, constant);
    if (found == nullptr) mt::fail<Status::range>(function, "constant", constant, ", expected less than ", constants.size());
    *out = mt::capi::give(found->tensor);
  });
}

mt_status mt_graph_text(const mt_graph* graph, size_t bytes, char* text, size_t* length) {
  return guard([&] {
    constexpr const char* function = "mt_graph_text";
    const std::string whole = mt::to_text(take(graph, function, "graph").graph);
    if (bytes > 0) {
      const size_t copied = std::min(bytes - 1, whole.size());
      std::memcpy(&take(text, function, "text"), whole.data(), copied);
      text[copied] = '\0';
    }
    if (length != nullptr) *length = whole.size();
  });
}
