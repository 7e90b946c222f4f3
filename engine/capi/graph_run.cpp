// Runs of graphs of the C interface. Everything is computed and checked before the outputs are written.
#include <algorithm>

#include "engine/arguments/messages.h"
#include "engine/capi/arguments.h"
#include "engine/capi/graph.h"
#include "engine/ops/calls.h"

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

void check_outputs(const Graph& graph, int32_t count, mt_tensor** outputs, const char* function) {
  const auto most = static_cast<int32_t>(graph.outputs.size());
  if (count < 0 || count > most) refuse_argument<Status::range>(function, "outputs", count, "0..", most);
  if (count > 0) take(outputs, function, "outputs");
}

void check_receiver(const Tensor& given, const Tensor& result, int32_t output, const char* function) {
  const std::string name = concat("output ", int64_t{output} + 1);
  const bool is_empty = given.dim() == 0;
  if (given.dtype() != result.dtype() || given.device() != result.device() || (!is_empty && !given.same_sizes(result)))
    refuse_argument<Status::shape>(function, name, concat(given.dtype(), " ", given.sizes()), result.dtype(), " ", result.sizes());
  if (given.overlaps_itself()) refuse_argument(function, name, "a tensor two of whose indices name one element", "separate elements");
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
  std::vector<mt_tensor*> fresh(static_cast<size_t>(n_outputs), nullptr);
  try {
    for (int32_t i = 0; i < n_outputs; ++i) {
      const auto at = static_cast<size_t>(i);
      if (outputs[i] == nullptr)
        fresh[at] = give(made[at]);
      else
        check_receiver(outputs[i]->tensor, made[at], i, function);
    }
    executor.update(settings, inputs, results.tensors());
  } catch (...) {
    for (mt_tensor* each : fresh) mt_tensor_release(each);
    throw;
  }
  for (int32_t i = 0; i < n_outputs; ++i) {
    const auto at = static_cast<size_t>(i);
    if (fresh[at] != nullptr)
      outputs[i] = fresh[at];
    else if (outputs[i]->tensor.dim() == 0)
      outputs[i]->tensor = made[at];
    else
      call_copy(settings.hook, outputs[i]->tensor, made[at]);
  }
}

}  // namespace
}  // namespace mt::capi

mt_status mt_graph_run(const mt_graph* graph, const mt_value* inputs, int32_t n_inputs, int32_t n_outputs, mt_tensor** outputs) {
  return mt::capi::guard([&] {
    constexpr const char* function = "mt_graph_run";
    const mt_graph& handle = mt::capi::finished(graph, function);
    const mt::Graph& g = handle.graph;
    mt::capi::check_outputs(g, n_outputs, outputs, function);
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
    mt::capi::check_outputs(g, n_outputs, outputs, function);
    if (n_inputs < 0) mt::refuse_argument<mt::Status::range>(function, "inputs", n_inputs, g.inputs.size());
    if (n_inputs > 0) mt::capi::take(inputs, function, "inputs");
    mt::capi::Lists lists;
    mt::capi::Inputs values(g.inputs.size());
    for (int32_t k = 0; k < n_inputs; ++k) {
      const std::string name = inputs[k].name != nullptr ? inputs[k].name : "";
      const auto found = std::ranges::find(g.inputs, name, &mt::Graph::Input::name);
      if (found == g.inputs.end() || name.empty()) {
        std::string known;
        for (size_t i = 0; i < g.inputs.size(); ++i) known += mt::concat(i > 0 ? ", " : "", mt::input_name(g, i));
        mt::refuse_argument(function, "inputs", mt::concat("one called ", name), known);
      }
      mt::Value& value = values[static_cast<size_t>(found - g.inputs.begin())];
      if (value.type != mt::Value::Type::none) mt::refuse_argument(function, name, "twice", "once");
      value = mt::capi::input_of(inputs[k].value, function, name, lists);
    }
    mt::capi::run(handle, values, n_outputs, outputs, function);
  });
}
