// Prepared runs of graphs of the C interface.
#include "engine/graph/prepared.h"

#include <cstring>
#include <memory>
#include <vector>

#include "engine/capi/call.h"
#include "engine/capi/graph.h"
#include "engine/core/arguments.h"
#include "engine/passes/passes.h"

struct mt_prepared {
  explicit mt_prepared(std::unique_ptr<mt::Prepared> made) : prepared(std::move(made)), inputs(prepared->graph().inputs.size()) {}

  std::unique_ptr<mt::Prepared> prepared;
  std::vector<const mt::Tensor*> inputs;  // of the present run: only its thread uses them
};

namespace mt::capi {
namespace {

// The input that the caller set, a tensor; null for none.
Tensor* given_input(const mt_value* inputs, int32_t n_inputs, size_t i, const Graph& graph, const char* function) {
  if (n_inputs == 0 || inputs[i].kind == MT_NONE) return nullptr;
  const mt_value& v = inputs[i];
  if (v.kind != MT_TENSOR) refuse_argument(function, input_name(graph, i), concat("a value of the kind ", v.kind), "a tensor");
  if (v.as.tensor == nullptr) refuse_argument(function, input_name(graph, i), "NULL", "a tensor");
  return &v.as.tensor->tensor;
}

void check_count(const mt_value* inputs, int32_t n_inputs, size_t count, const char* function) {
  if (n_inputs == 0) return;
  if (n_inputs < 0 || static_cast<size_t>(n_inputs) != count)
    refuse_argument<Status::range>(function, "inputs", n_inputs, count, ", or 0 for none");
  take(inputs, function, "inputs");
}

// Zeros of the type that the graph declares for an input.
Tensor declared_zeros(const Graph& graph, size_t i, const char* function) {
  const std::optional<ValueType>& type = graph.inputs[i].type;
  if (!type) fail(function, input_name(graph, i), "an input without a type, expected a tensor for it");
  if (!type->has_known_sizes()) fail(function, input_name(graph, i), "an input of any size, expected a tensor for it");
  Tensor zeros = Tensor::empty(type->dtype, type->sizes);
  if (zeros.numel() > 0) std::memset(zeros.bytes(), 0, static_cast<size_t>(zeros.numel() * size_of(zeros.dtype())));
  return zeros;
}

// The inputs that the caller set, and zeros for the others.
std::vector<Tensor> samples_of(const mt_graph& handle, const mt_value* inputs, int32_t n_inputs, const char* function) {
  const Graph& graph = handle.graph;
  check_count(inputs, n_inputs, graph.inputs.size(), function);
  std::vector<Tensor> samples;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Tensor* const given = given_input(inputs, n_inputs, i, graph, function);
    samples.push_back(given != nullptr ? *given : declared_zeros(graph, i, function));
  }
  return samples;
}

void run(mt_prepared& handle, const mt_value* inputs, int32_t n_inputs, const char* function) {
  Prepared& prepared = *handle.prepared;
  const Graph& graph = prepared.graph();
  check_count(inputs, n_inputs, graph.inputs.size(), function);
  if (thread_hook() != nullptr && thread_hook()->captures())
    fail<Status::unsupported>(function, "run", "a prepared run inside a capture, expected ops");
  Prepared::Running running(prepared, function);
  for (size_t i = 0; i < handle.inputs.size(); ++i) {
    const Tensor* const given = given_input(inputs, n_inputs, i, graph, function);
    handle.inputs[i] = given != nullptr ? given : &prepared.input(i);
  }
  running.run(handle.inputs);
}

// A new handle for the memory of an input or output.
mt_tensor* memory_of(const mt_prepared* handle, const char* argument, int32_t i, bool is_input, const char* function) {
  const Prepared& prepared = *take(handle, function, "prepared").prepared;
  const size_t count = is_input ? prepared.graph().inputs.size() : prepared.graph().outputs.size();
  const auto at = static_cast<size_t>(i);
  if (i < 0 || at >= count) fail<Status::range>(function, argument, i, ", expected less than ", count);
  return give(is_input ? prepared.input(at) : prepared.output(at));
}

}  // namespace

mt_prepared* prepare(const mt_graph& handle, std::span<Tensor> samples, const char* function) {
  std::vector<Value> values;
  for (Tensor& sample : samples) values.emplace_back(sample);
  check_inputs(handle.graph, values, function);
  RunSettings settings;
  settings.generators = &thread_generators();
  settings.names_steps = true;
  auto form = std::make_shared<const Executor>(for_inference(handle.executor->graph(), values));
  return new mt_prepared(std::make_unique<Prepared>(std::move(form), values, settings, function));
}

}  // namespace mt::capi

using mt::capi::guard;
using mt::capi::take;

mt_status mt_graph_prepare(const mt_graph* graph, const mt_value* inputs, int32_t n_inputs, mt_prepared** out) {
  return guard([&] {
    constexpr const char* function = "mt_graph_prepare";
    const mt_graph& handle = mt::capi::finished(graph, function);
    take(out, function, "out");
    std::vector<mt::Tensor> samples = mt::capi::samples_of(handle, inputs, n_inputs, function);
    *out = mt::capi::prepare(handle, samples, function);
  });
}

mt_status mt_prepared_run(mt_prepared* prepared, const mt_value* inputs, int32_t n_inputs) {
  return guard([&] {
    constexpr const char* function = "mt_prepared_run";
    mt::capi::run(take(prepared, function, "prepared"), inputs, n_inputs, function);
  });
}

mt_status mt_prepared_input(const mt_prepared* prepared, int32_t input, mt_tensor** out) {
  return guard([&] {
    constexpr const char* function = "mt_prepared_input";
    take(out, function, "out");
    *out = mt::capi::memory_of(prepared, "input", input, true, function);
  });
}

mt_status mt_prepared_output(const mt_prepared* prepared, int32_t output, mt_tensor** out) {
  return guard([&] {
    constexpr const char* function = "mt_prepared_output";
    take(out, function, "out");
    *out = mt::capi::memory_of(prepared, "output", output, false, function);
  });
}

mt_status mt_prepared_clone(mt_prepared* prepared, mt_prepared** out) {
  return guard([&] {
    constexpr const char* function = "mt_prepared_clone";
    take(out, function, "out");
    *out = new mt_prepared(take(prepared, function, "prepared").prepared->clone(function));
  });
}

void mt_prepared_free(mt_prepared* prepared) { delete prepared; }
