#include "bindings/lua/graph/onnx_models.h"

#include <memory>
#include <span>
#include <string>

#include "bindings/lua/graph/onnx_files.h"
#include "bindings/lua/graph/operands.h"
#include "bindings/lua/state/collector_pacing.h"
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/lua_values.h"
#include "bindings/lua/state/table_fields.h"
#include "bindings/lua/values/boxes.h"
#include "bindings/lua/values/metatables.h"
#include "bindings/lua/values/owned.h"
#include "engine/onnx/loaded_model.h"
#include "engine/onnx/needs.h"
#include "engine/onnx/node_kind.h"
#include "engine/onnx/run.h"

namespace mt::lua {
namespace {

struct ModelClass {
  using Pointer = std::shared_ptr<const onnx::LoadedModel>;
  static constexpr uint64_t magic = 0x6d74'4f6e'6e78'4d6f;
  static constexpr auto metatable = "moontorch.onnx", expected = "expected an ONNX model";
};

// load(path) -> a model
int load_model(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checkstring(L, 1);
  auto& pointer = push_owned<ModelClass>(L);
  guarded(L, state,
          [&] { pointer = std::make_shared<const onnx::LoadedModel>(onnx::load_model(std::string(lua_tostring(L, 1)), "onnx.load")); });
  return 1;
}

// Pushes a list of {name =, graphName = from a list that may be empty, dtype = (nil: no tensor, or one without a dtype), elements = the
// name of their type, sizes = numbers, and names or "?" for unknown ones}.
void push_values(lua_State* L, const std::vector<onnx::ValueInfo>& values, std::span<const std::string> graph_names) {
  lua_createtable(L, static_cast<int>(values.size()), 0);
  for (size_t i = 0; i < values.size(); ++i) {
    const onnx::ValueInfo& value = values[i];
    lua_createtable(L, 0, 5);
    set_text(L, "name", value.name);
    if (i < graph_names.size()) set_text(L, "graphName", graph_names[i]);
    const auto dtype = value.is_tensor ? onnx::dtype_of_elements(value.type) : std::nullopt;
    if (dtype) set_text(L, "dtype", info(*dtype).name);
    set_text(L, "elements", value.is_tensor ? onnx::shown_element_type(value.type) : "no tensor");
    if (value.sizes) {
      lua_createtable(L, static_cast<int>(value.sizes->size()), 0);
      for (size_t d = 0; d < value.sizes->size(); ++d) {
        const onnx::Extent& extent = (*value.sizes)[d];
        if (extent.size)
          lua_pushnumber(L, static_cast<double>(*extent.size));
        else if (extent.name.empty())
          lua_pushliteral(L, "?");
        else
          lua_pushlstring(L, extent.name.data(), extent.name.size());
        lua_rawseti(L, -2, static_cast<int>(d) + 1);
      }
      lua_setfield(L, -2, "sizes");
    }
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
}

// values(model) -> its inputs, its outputs, the number of inputs that are required
int model_values(lua_State* L) {
  const onnx::LoadedModel& loaded = *check_owned<ModelClass>(L, 1);
  luaL_checkstack(L, 8, "onnx: values");
  push_values(L, loaded.program->inputs, loaded.graph_names);
  push_values(L, loaded.program->outputs, {});
  lua_pushinteger(L, static_cast<lua_Integer>(loaded.program->required));
  return 3;
}

// metadata(model) -> texts by key
int model_metadata(lua_State* L) {
  const onnx::LoadedModel& loaded = *check_owned<ModelClass>(L, 1);
  lua_createtable(L, 0, static_cast<int>(loaded.metadata.size()));
  for (const auto& [key, value] : loaded.metadata) {
    lua_pushlstring(L, key.data(), key.size());
    lua_pushlstring(L, value.data(), value.size());
    lua_rawset(L, -3);
  }
  return 1;
}

// The value at a stack index: a tensor, or a list of tensors for a sequence; nothing for nil.
onnx::NodeValue value_at(lua_State* L, int index, const onnx::ValueInfo& declared) {
  if (const Tensor* t = test_tensor(L, index)) return {*t, declared.sizes && declared.sizes->empty()};
  onnx::NodeValue value;
  if (!lua_istable(L, index)) return value;
  auto items = std::make_shared<std::vector<onnx::NodeValue>>();
  for (int i = 1; i <= static_cast<int>(lua_objlen(L, index)); ++i) {
    lua_rawgeti(L, index, i);
    const Tensor* t = test_tensor(L, -1);
    if (t == nullptr) fail("onnx", declared.name, luaL_typename(L, -1), " in a sequence, expected tensors");
    items->push_back({*t});
    lua_pop(L, 1);
  }
  value.items = std::move(items);
  return value;
}

// run(model, {position of an input = true}, inputs...) -> the outputs; nil for an input that is left out. The elements of inputs in the
// table are the same in all runs of a graph that is captured. Inputs that the model declares without dimensions have one element.
int run_model(lua_State* L) {
  State& state = upvalue_state(L);
  const onnx::LoadedModel& loaded = *check_owned<ModelClass>(L, 1);
  const onnx::Program& program = *loaded.program;
  luaL_checktype(L, 2, LUA_TTABLE);
  constexpr int first = 3;  // the position of the inputs
  const int given = lua_gettop(L) - first + 1, count = static_cast<int>(program.outputs.size());
  luaL_checkstack(L, count + 10, "onnx: run");
  for (int i = 0; i < count; ++i) push_raw_tensor(L, state);
  const auto pushed = [&](int i) -> Tensor& { return *test_tensor(L, given + first + i); };
  guarded(L, state, [&] {
    std::vector<onnx::NodeValue> inputs;
    for (int i = 0; i < given && static_cast<size_t>(i) < program.inputs.size(); ++i) {
      inputs.push_back(value_at(L, i + first, program.inputs[static_cast<size_t>(i)]));
      lua_rawgeti(L, 2, i + 1);
      inputs.back().is_known = lua_toboolean(L, -1) != 0;
      lua_pop(L, 1);
    }
    auto outputs = onnx::run(program, run_settings(state), std::move(inputs));
    for (int i = 0; i < count; ++i) {
      if (outputs[static_cast<size_t>(i)].items != nullptr)
        fail<Status::unsupported>("onnx", program.outputs[static_cast<size_t>(i)].name, "a sequence, expected a tensor as output");
      pushed(i) = outputs[static_cast<size_t>(i)].tensor;
    }
  });
  for (int i = 0; i < count; ++i) {
    set_class(L, state, given + first + i, pushed(i));
    state.collector.note_allocation(L, pushed(i));
  }
  return count;
}

// needs(model) -> the names of the ops of its nodes, the names of the dtypes of its tensors
int model_needs(lua_State* L) {
  State& state = upvalue_state(L);
  const onnx::LoadedModel& loaded = *check_owned<ModelClass>(L, 1);
  const auto push = [L](std::string_view name, int i) {
    lua_pushlstring(L, name.data(), name.size());
    lua_rawseti(L, -2, i);
  };
  lua_newtable(L);
  lua_newtable(L);
  guarded(L, state, [&] {
    const onnx::Needs needs = onnx::needs_of(*loaded.program);
    for (int i = 0; i < dtype_count; ++i) {
      if (needs.dtypes.contains(static_cast<DType>(i))) push(info(static_cast<DType>(i)).name, static_cast<int>(lua_objlen(L, -1)) + 1);
    }
    lua_insert(L, -2);
    for (const std::string_view op : needs.ops) push(op, static_cast<int>(lua_objlen(L, -1)) + 1);
    lua_insert(L, -2);
  });
  return 2;
}

// ops() -> the names of the ops
int op_names(lua_State* L) {
  const auto names = onnx::node_kind_names();
  lua_createtable(L, static_cast<int>(names.size()), 0);
  for (size_t i = 0; i < names.size(); ++i) {
    lua_pushlstring(L, names[i].data(), names[i].size());
    lua_rawseti(L, -2, static_cast<int>(i) + 1);
  }
  return 1;
}

}  // namespace

void add_onnx_models(lua_State* L, State& state) {
  lua_createtable(L, 0, 7);
  push_owned_metatable<ModelClass>(L);
  lua_setfield(L, -2, "metatable");
  add_function(L, state, "load", load_model);
  add_function(L, state, "values", model_values);
  add_function(L, state, "metadata", model_metadata);
  add_function(L, state, "run", run_model);
  add_function(L, state, "needs", model_needs);
  add_function(L, state, "ops", op_names);
#ifndef MT_WITHOUT_ONNX_WRITER
  add_onnx_files(L, state);
#endif
  lua_setfield(L, -2, "onnx");
}

}  // namespace mt::lua
