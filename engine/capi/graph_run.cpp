// Runs of graphs of the C interface. Everything is computed and checked before the outputs are written.
#include "engine/arguments/messages.h"
#include "engine/capi/arguments.h"
#include "engine/capi/graph.h"
#include "engine/capi/graph_results.h"
#include "engine/capi/named_inputs.h"

namespace mt::capi {
namespace {

using Inputs = std::vector<Value>;

struct Lists {
  std::vector<std::vector<Tensor*>> tensors;  // of the inputs that are lists
};

// A value of the caller as the input of a graph.
Value input_of(const mt_value& v, const char* function, const std::string& name, Lists& lists) {
  Value value;
  const auto check_list = [&](const void* data, int32_t most) {
    if (v.count < 0 || v.count > most || (v.count > 0 && data == nullptr))
      refuse_argument<Status::range>(function, name, concat("a list of ", v.count), "as many elements as its count says");
    value.count = v.count;
  };
  switch (v.kind) {
    case MT_NONE:
      return value;
    case MT_TENSOR:
      if (v.as.tensor == nullptr) refuse_argument(function, name, "NULL", "a tensor");
      return Value(v.as.tensor->tensor);
    case MT_NUMBER:
      return Value(v.as.number);
    case MT_BOOLEAN:
      value.type = Value::Type::boolean;
      value.boolean = v.as.boolean != 0;
      return value;
    case MT_STRING:
      check_list(v.as.string, INT32_MAX);
      value.type = Value::Type::string;
      value.string = v.as.string;
      return value;
    case MT_SIZES:
      check_list(v.as.sizes, max_dims);
      value.type = Value::Type::sizes;
      value.sizes = v.as.sizes;
      return value;
    case MT_TENSORS: {
      check_list(v.as.tensors, INT32_MAX);
      std::vector<Tensor*>& list = lists.tensors.emplace_back();
      for (int32_t k = 0; k < v.count; ++k) {
        if (v.as.tensors[k] == nullptr) refuse_argument(function, name, "NULL in a list", "tensors");
        list.push_back(&v.as.tensors[k]->tensor);
      }
      value.type = Value::Type::tensors;
      value.tensors = list.data();
      return value;
    }
    default:
      break;
  }
  if ((kinds_of(v) & number_kinds) == 0) refuse_argument(function, name, concat("a value of the kind ", v.kind), "an input of the graph");
  value.type = Value::Type::integer;
  value.integer = v.as.integer;
  return value;
}

// An input that nothing was given for may be absent only if it is optional.
void check_present(const Graph& graph, std::span<const Value> inputs, const char* function) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].type == Value::Type::none && !graph.inputs[i].optional)
      refuse_argument(function, input_name(graph, i), "nothing", kinds_shown(graph.inputs[i].kinds));
  }
}

void run(const mt_graph& handle, const Inputs& inputs, int32_t n_outputs, mt_tensor** outputs, const char* function) {
  const Executor& executor = *handle.executor;
  const Graph& graph = executor.graph();
  check_present(handle.graph, inputs, function);
  check_inputs(handle.graph, inputs, function);
  RunSettings settings;
  settings.hook = thread_hook();
  settings.generators = &thread_generators();
  settings.names_steps = true;
  GraphResults results(executor);
  executor.run(settings, inputs, results.tensors());
  std::vector<Tensor> made;
  for (size_t i = 0; i < graph.outputs.size(); ++i) made.push_back(executor.separate_output(i, inputs, results.tensors()));
  GraphResultHandles handles(made, n_outputs, outputs, function);
  executor.update(settings, inputs, results.tensors());
  handles.set(settings.hook);
}

}  // namespace
}  // namespace mt::capi

mt_status mt_graph_run(const mt_graph* graph, const mt_value* inputs, int32_t n_inputs, int32_t n_outputs, mt_tensor** outputs) {
  return mt::capi::guard([&] {
    constexpr const char* function = "mt_graph_run";
    const mt_graph& handle = mt::capi::finished(graph, function);
    const mt::Graph& g = handle.graph;
    mt::capi::check_outputs(g.outputs.size(), n_outputs, outputs, function);
    if (n_inputs < 0 || static_cast<size_t>(n_inputs) != g.inputs.size())
      mt::refuse_argument<mt::Status::range>(function, "inputs", n_inputs, g.inputs.size());
    if (n_inputs > 0) mt::capi::take(inputs, function, "inputs");
    mt::capi::Lists lists;
    mt::capi::Inputs values;
    for (size_t i = 0; i < g.inputs.size(); ++i) values.push_back(mt::capi::input_of(inputs[i], function, mt::input_name(g, i), lists));
    mt::capi::run(handle, values, n_outputs, outputs, function);
  });
}

mt_status mt_graph_run_named(const mt_graph* graph, const mt_named_value* inputs, int32_t n_inputs, int32_t n_outputs,
                             mt_tensor** outputs) {
  return mt::capi::guard([&] {
    constexpr const char* function = "mt_graph_run_named";
    const mt_graph& handle = mt::capi::finished(graph, function);
    const mt::Graph& g = handle.graph;
    mt::capi::check_outputs(g.outputs.size(), n_outputs, outputs, function);
    mt::capi::Lists lists;
    mt::capi::Inputs values(g.inputs.size());
    mt::capi::each_named_input(
        function, inputs, n_inputs, g.inputs.size(), [&](size_t i) { return g.inputs[i].name; },
        [&](size_t i, const std::string& name, const mt_value& v) { values[i] = mt::capi::input_of(v, function, name, lists); });
    mt::capi::run(handle, values, n_outputs, outputs, function);
  });
}
