// ONNX models of the C interface. Their runs are graphs behind the first one (engine/onnx/captured_runs.h).
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "engine/capi/call.h"
#include "engine/capi/graph.h"
#include "engine/capi/graph_results.h"
#include "engine/capi/named_inputs.h"
#include "engine/core/arguments.h"
#include "engine/core/device.h"
#include "engine/graph/shown.h"
#include "engine/onnx/captured_runs.h"
#include "engine/onnx/loaded_model.h"

namespace mt::capi {
namespace {

// A declaration of an input or output, for C.
struct Declared {
  explicit Declared(const onnx::ValueInfo& info) : name(info.name), has_sizes(info.is_tensor && info.sizes) {
    if (info.is_tensor) {
      if (const auto known = onnx::dtype_of_elements(info.type)) dtype = static_cast<mt_dtype>(*known);
    }
    if (!has_sizes) return;
    for (const onnx::Extent& extent : *info.sizes) sizes.push_back(extent.size && *extent.size >= 0 ? *extent.size : -1);
  }
  std::string name;
  mt_dtype dtype = -1;
  bool has_sizes;
  std::vector<int64_t> sizes;
};

}  // namespace
}  // namespace mt::capi

struct mt_onnx {
  explicit mt_onnx(mt::onnx::LoadedModel model) : loaded(std::move(model)), runs(*loaded.program) {
    for (const auto& info : loaded.program->inputs) inputs.emplace_back(info);
    for (const auto& info : loaded.program->outputs) outputs.emplace_back(info);
    for (const auto& [key, value] : loaded.metadata) metadata.insert_or_assign(std::string(key), value);
  }
  mt::onnx::LoadedModel loaded;
  std::vector<mt::capi::Declared> inputs, outputs;
  std::map<std::string, std::string, std::less<>> metadata;  // with zeros at the end, unlike the file's
  mutable mt::onnx::CapturedRuns runs;
};

namespace mt::capi {
namespace {

using onnx::NodeValue;

std::string shown(const Declared& declared) {
  const std::string dtype = declared.dtype >= 0 ? concat(static_cast<DType>(declared.dtype)) : std::string("a tensor");
  if (!declared.has_sizes) return dtype;
  return concat(dtype, " ", shown_sizes({DType(), declared.sizes}, "any"));
}

// A tensor of the caller as an input. One without dimensions in the model is a tensor with one element.
NodeValue tensor_input(const Tensor& t, const Declared& declared, const char* function) {
  const bool is_scalar = declared.has_sizes && declared.sizes.empty();
  bool fits = t.dim() > 0 && (declared.dtype < 0 || static_cast<DType>(declared.dtype) == t.dtype());
  if (is_scalar) {
    fits = fits && t.numel() == 1;
  } else if (declared.has_sizes) {
    fits = fits && static_cast<size_t>(t.dim()) == declared.sizes.size();
    for (int d = 0; fits && d < t.dim(); ++d) {
      const int64_t size = declared.sizes[static_cast<size_t>(d)];
      fits = size < 0 || size == t.size(d);
    }
  }
  if (!fits) refuse_argument<Status::shape>(function, declared.name, concat(t.dtype(), " ", t.sizes()), shown(declared));
  return {t, is_scalar};
}

NodeValue input_of(const mt_value& v, const Declared& declared, const char* function) {
  if (v.kind == MT_TENSOR) return tensor_input(take(v.as.tensor, function, declared.name.c_str()).tensor, declared, function);
  const bool is_list = v.kind == MT_TENSORS && v.count >= 0 && (v.count == 0 || v.as.tensors != nullptr);
  if (!is_list || declared.dtype >= 0)
    refuse_argument(function, declared.name, concat("a value of the kind ", v.kind), declared.dtype >= 0 ? "a tensor" : "tensors");
  auto items = std::make_shared<std::vector<NodeValue>>();
  for (int32_t k = 0; k < v.count; ++k) items->push_back({take(v.as.tensors[k], function, declared.name.c_str()).tensor});
  NodeValue list;
  list.items = std::move(items);
  return list;
}

// Adds values by name to those of the inputs, in order. `known`: their elements are the same in all runs.
void add_inputs(const mt_onnx& model, const mt_named_value* inputs, int32_t n_inputs, bool known, std::vector<NodeValue>& values,
                const char* function) {
  each_named_input(
      function, inputs, n_inputs, model.inputs.size(), [&](size_t i) { return model.inputs[i].name; },
      [&](size_t i, const std::string& name, const mt_value& v) {
        NodeValue& value = values[i];
        if (value.tensor.dim() > 0 || value.items != nullptr)
          refuse_argument(function, name, "an input that is also a constant", "one of both");
        if (v.kind == MT_NONE) return;
        value = input_of(v, model.inputs[i], function);
        value.is_known = known;
      });
}

void check_present(const mt_onnx& model, const std::vector<NodeValue>& values, const char* function) {
  for (size_t i = 0; i < model.loaded.program->required; ++i) {
    if (values[i].tensor.dim() == 0 && values[i].items == nullptr)
      refuse_argument(function, model.inputs[i].name, "nothing", shown(model.inputs[i]));
  }
}

RunSettings settings_of_thread() {
  RunSettings settings;
  settings.hook = thread_hook();
  settings.generators = &thread_generators();
  return settings;
}

// Outputs that no input, no other output and not the model shares.
std::vector<Tensor> separate(std::vector<NodeValue> outputs, const mt_onnx& model, const char* function) {
  std::vector<Tensor> made;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].items != nullptr) fail<Status::unsupported>(function, model.outputs[i].name, "a sequence, expected a tensor");
    made.push_back(std::move(outputs[i].tensor));
  }
  outputs.clear();
  for (Tensor& each : made) {
    if (each.storage() != nullptr && !each.storage()->is_unique()) each = clone(each);
  }
  return made;
}

mt_graph* graph_of(const mt_onnx& model, const std::vector<NodeValue>& values) {
  if (thread_hook() != nullptr && thread_hook()->captures())
    fail<Status::unsupported>("mt_onnx_graph", "model", "a capture inside a capture, expected mt_onnx_run");
  return finished_handle(onnx::graph_of(*model.loaded.program, settings_of_thread(), values, model.loaded.graph_names));
}

std::vector<NodeValue> values_of(const mt_onnx& model, const mt_named_value* inputs, int32_t n_inputs, const mt_named_value* constants,
                                 int32_t n_constants, const char* function) {
  std::vector<NodeValue> values(model.inputs.size());
  add_inputs(model, inputs, n_inputs, false, values, function);
  add_inputs(model, constants, n_constants, true, values, function);
  check_present(model, values, function);
  return values;
}

const Declared* declared(const mt_onnx* model, std::vector<Declared> mt_onnx::*list, int32_t i) {
  if (model == nullptr || i < 0 || static_cast<size_t>(i) >= (model->*list).size()) return nullptr;
  return &(model->*list)[static_cast<size_t>(i)];
}

int32_t count(const mt_onnx* model, std::vector<Declared> mt_onnx::*list) {
  return model != nullptr ? static_cast<int32_t>((model->*list).size()) : 0;
}
const char* name_of(const Declared* value) { return value != nullptr ? value->name.c_str() : nullptr; }
mt_dtype dtype_of(const Declared* value) { return value != nullptr ? value->dtype : -1; }
int32_t ndim_of(const Declared* value) { return value != nullptr && value->has_sizes ? static_cast<int32_t>(value->sizes.size()) : -1; }
const int64_t* sizes_of(const Declared* value) { return value != nullptr && value->has_sizes ? value->sizes.data() : nullptr; }

}  // namespace
}  // namespace mt::capi

using mt::capi::declared;
using mt::capi::guard;
using mt::capi::take;

mt_status mt_onnx_load(const char* path, mt_onnx** out) {
  return guard([&] {
    constexpr const char* function = "mt_onnx_load";
    take(path, function, "path");
    take(out, function, "out");
    *out = new mt_onnx(mt::onnx::load_model(std::string(path), function));
  });
}

mt_status mt_onnx_read(const void* data, size_t bytes, mt_onnx** out) {
  return guard([&] {
    constexpr const char* function = "mt_onnx_read";
    const auto* const first = static_cast<const std::byte*>(data);
    take(first, function, "data");
    take(out, function, "out");
    *out = new mt_onnx(mt::onnx::load_model(std::span(first, bytes), "data", function));
  });
}

void mt_onnx_free(mt_onnx* model) { delete model; }

int32_t mt_onnx_input_count(const mt_onnx* model) { return mt::capi::count(model, &mt_onnx::inputs); }
int32_t mt_onnx_required_count(const mt_onnx* model) {
  return model != nullptr ? static_cast<int32_t>(model->loaded.program->required) : 0;
}
const char* mt_onnx_input_name(const mt_onnx* model, int32_t i) { return mt::capi::name_of(declared(model, &mt_onnx::inputs, i)); }
mt_dtype mt_onnx_input_dtype(const mt_onnx* model, int32_t i) { return mt::capi::dtype_of(declared(model, &mt_onnx::inputs, i)); }
int32_t mt_onnx_input_ndim(const mt_onnx* model, int32_t i) { return mt::capi::ndim_of(declared(model, &mt_onnx::inputs, i)); }
const int64_t* mt_onnx_input_sizes(const mt_onnx* model, int32_t i) { return mt::capi::sizes_of(declared(model, &mt_onnx::inputs, i)); }
int32_t mt_onnx_output_count(const mt_onnx* model) { return mt::capi::count(model, &mt_onnx::outputs); }
const char* mt_onnx_output_name(const mt_onnx* model, int32_t i) { return mt::capi::name_of(declared(model, &mt_onnx::outputs, i)); }
mt_dtype mt_onnx_output_dtype(const mt_onnx* model, int32_t i) { return mt::capi::dtype_of(declared(model, &mt_onnx::outputs, i)); }
int32_t mt_onnx_output_ndim(const mt_onnx* model, int32_t i) { return mt::capi::ndim_of(declared(model, &mt_onnx::outputs, i)); }
const int64_t* mt_onnx_output_sizes(const mt_onnx* model, int32_t i) { return mt::capi::sizes_of(declared(model, &mt_onnx::outputs, i)); }
const char* mt_onnx_metadata(const mt_onnx* model, const char* key) {
  if (model == nullptr || key == nullptr) return nullptr;
  const auto found = model->metadata.find(std::string_view(key));
  return found != model->metadata.end() ? found->second.c_str() : nullptr;
}

mt_status mt_onnx_run(const mt_onnx* model, const mt_named_value* inputs, int32_t n_inputs, int32_t n_outputs, mt_tensor** outputs) {
  return guard([&] {
    constexpr const char* function = "mt_onnx_run";
    const mt_onnx& handle = take(model, function, "model");
    mt::capi::check_outputs(handle.outputs.size(), n_outputs, outputs, function);
    const mt::RunSettings settings = mt::capi::settings_of_thread();
    const auto values = mt::capi::values_of(handle, inputs, n_inputs, nullptr, 0, function);
    const auto made = mt::capi::separate(handle.runs.run(settings, values), handle, function);
    mt::capi::GraphResultHandles(made, n_outputs, outputs, function).set(settings.hook);
  });
}

mt_status mt_onnx_graph(const mt_onnx* model, const mt_named_value* inputs, int32_t n_inputs, const mt_named_value* constants,
                        int32_t n_constants, mt_graph** out) {
  return guard([&] {
    constexpr const char* function = "mt_onnx_graph";
    const mt_onnx& handle = take(model, function, "model");
    take(out, function, "out");
    *out = mt::capi::graph_of(handle, mt::capi::values_of(handle, inputs, n_inputs, constants, n_constants, function));
  });
}

mt_status mt_onnx_prepare(const mt_onnx* model, const mt_named_value* inputs, int32_t n_inputs, const mt_named_value* constants,
                          int32_t n_constants, mt_prepared** out) {
  return guard([&] {
    constexpr const char* function = "mt_onnx_prepare";
    const mt_onnx& handle = take(model, function, "model");
    take(out, function, "out");
    const auto values = mt::capi::values_of(handle, inputs, n_inputs, constants, n_constants, function);
    const std::unique_ptr<mt_graph, void (*)(mt_graph*)> graph(mt::capi::graph_of(handle, values), mt_graph_free);
    std::vector<mt::Tensor> samples;
    for (const auto& value : values) {
      if (value.tensor.dim() > 0 && !value.is_known) samples.push_back(value.tensor);
    }
    *out = mt::capi::prepare(*graph, samples, function);
    mt::trim_devices();
  });
}
