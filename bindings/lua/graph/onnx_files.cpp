#include "bindings/lua/graph/onnx_files.h"

#include <deque>
#include <memory>

#include "bindings/lua/state/guarded.h"
#include "bindings/lua/state/table_fields.h"
#include "bindings/lua/values/boxes.h"
#include "bindings/lua/values/metatables.h"
#include "engine/onnx/write_model.h"

namespace mt::lua {
namespace {

using onnx::Attribute;

// Reads a model from tables. A model refers to texts, which the reader holds.
class ModelReader {
 public:
  explicit ModelReader(lua_State* L) : L_(L) {}

  // A graph {nodes =, initializers =, inputs =, outputs =} on top of the stack.
  onnx::GraphData graph() {
    if (lua_checkstack(L_, 20) == 0) fail("onnx", "graph", "graphs too deep within graphs, expected fewer");
    onnx::GraphData data;
    each("nodes", [&] { data.nodes.push_back(node()); });
    each("initializers", [&] { data.initializers.push_back(literal()); });
    each("inputs", [&] { data.inputs.push_back(value()); });
    each("outputs", [&] { data.outputs.push_back(value()); });
    return data;
  }

 private:
  // Calls f with each element of a list on top of the stack: the field of the table there.
  template <class F> void each(const char* field, F&& f) {
    lua_getfield(L_, -1, field);
    each_here(f);
    lua_pop(L_, 1);
  }
  template <class F> void each_here(F&& f) {
    const int count = static_cast<int>(lua_objlen(L_, -1));
    for (int i = 1; i <= count; ++i) {
      lua_rawgeti(L_, -1, i);
      f();
      lua_pop(L_, 1);
    }
  }

  std::string_view held(std::string text) { return texts_.emplace_back(std::move(text)); }
  std::string_view text() { return held(text_at(L_, -1)); }
  std::string_view text(const char* field) { return held(text_field(L_, lua_gettop(L_), field)); }
  int64_t integer() { return static_cast<int64_t>(lua_tonumber(L_, -1)); }

  // {op =, name =, inputs = names, outputs = names, attributes = by name}
  onnx::NodeData node() {
    onnx::NodeData data;
    data.op = text("op");
    data.name = text("name");
    each("inputs", [&] { data.inputs.push_back(text()); });
    each("outputs", [&] { data.outputs.push_back(text()); });
    each("attributes", [&] { data.attributes.push_back(attribute()); });
    return data;
  }

  // {name =, and one of: integer =, number =, string =, integers =, dtype =, graph =}
  Attribute attribute() {
    using Type = Attribute::Type;
    Attribute made;
    made.name = text("name");
    if (has("integer")) {
      made.type = Type::integer;
      made.integer = integer();
    } else if (has("number")) {
      made.type = Type::number;
      made.number = static_cast<float>(lua_tonumber(L_, -1));
    } else if (has("string")) {
      made.type = Type::string;
      made.string = text();
    } else if (has("integers")) {
      made.type = Type::integers;
      each_here([&] { made.integers.push_back(integer()); });
    } else if (has("dtype")) {
      made.type = Type::integer;
      made.integer = static_cast<int64_t>(element_type());
    } else {
      has("graph");
      made.type = Type::graph;
      made.graph = std::make_shared<const onnx::GraphData>(graph());
    }
    lua_pop(L_, 1);
    return made;
  }

  // Pushes a field; pops it again if it is nil.
  bool has(const char* field) {
    lua_getfield(L_, -1, field);
    if (!lua_isnil(L_, -1)) return true;
    lua_pop(L_, 1);
    return false;
  }

  onnx::ElementType element_type() {
    const std::string name = text_at(L_, -1);
    const auto dtype = find_dtype(name);
    const auto type = dtype ? onnx::element_type_of(*dtype) : onnx::ElementType::undefined;
    if (type == onnx::ElementType::undefined)
      fail<Status::unsupported>("onnx.save", {}, name, ", which is no type of elements in ONNX files");
    return type;
  }

  // {name =, tensor =, isScalar =}
  onnx::Literal literal() {
    onnx::Literal made;
    made.name = text("name");
    made.is_scalar = flag_field(L_, lua_gettop(L_), "isScalar");
    has("tensor");
    made.tensor = *test_tensor(L_, -1);
    if (onnx::element_type_of(made.tensor.dtype()) == onnx::ElementType::undefined)
      fail<Status::unsupported>("onnx.save", made.name, info(made.tensor.dtype()).name, ", which is no type of elements in ONNX files");
    lua_pop(L_, 1);
    return made;
  }

  // {name =, dtype =, sizes = nil, or numbers, and names of sizes that may differ}
  onnx::ValueInfo value() {
    onnx::ValueInfo made;
    made.name = text("name");
    made.is_tensor = true;
    has("dtype");
    made.type = static_cast<int64_t>(element_type());
    lua_pop(L_, 1);
    if (has("sizes")) {
      made.sizes.emplace();
      each_here([&] {
        onnx::Extent extent;
        if (lua_type(L_, -1) == LUA_TNUMBER)
          extent.size = integer();
        else
          extent.name = text();
        made.sizes->push_back(extent);
      });
      lua_pop(L_, 1);
    }
    return made;
  }

  lua_State* L_;
  std::deque<std::string> texts_;
};

// write(graph, path, version of the operator set, external)
int write_model_file(lua_State* L) {
  State& state = upvalue_state(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkstring(L, 2);
  lua_settop(L, 4);
  guarded(L, state, [&] {
    const std::string path = text_at(L, 2);
    if (path.find('\0') != std::string::npos) fail("onnx.save", "file", "a name with a zero byte, expected none");
    onnx::Model model;
    model.operator_sets.push_back({"", static_cast<int64_t>(lua_tonumber(L, 3))});
    const bool external = lua_toboolean(L, 4) != 0;
    lua_pushvalue(L, 1);
    ModelReader reader(L);
    model.graph = reader.graph();
    onnx::write_model(model, path, external, "onnx.save");
  });
  return 0;
}

}  // namespace

void add_onnx_files(lua_State* L, State& state) { add_function(L, state, "write", write_model_file); }

}  // namespace mt::lua
