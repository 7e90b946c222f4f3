// Hooks of a Lua state, and the one behind libmoontorch.traceOps.
#pragma once

#include <variant>

#include "bindings/lua/state/state.h"

namespace mt::lua {

// Has calls of ops go through a hook, or none, and writes to elements run ops meanwhile (lua/torch/index/watched.lua). Calls Lua.
void set_hook(lua_State* L, State& state, OpHook* hook);

// What a hook is told of a call, kept as values: a trace holds no tensor, as who else holds one decides what may be written in place.
struct CallTrace final : OpHook {
  struct SeenTensor {
    const Tensor* tensor;
    const Storage* storage;
    DType dtype;
    int64_t offset;
    std::vector<int64_t> sizes, strides;
  };
  using SeenValue = std::variant<std::monostate, double, bool, std::string, std::vector<int64_t>, SeenTensor, std::vector<SeenTensor>>;
  struct SeenCall {
    const Decl* decl;
    std::vector<SeenValue> arguments;
    std::vector<SeenTensor> results;  // as the call left them
    uint32_t given;
  };
  std::vector<SeenCall> seen;

  void run(Call& call) override;
};

void open_call_trace(lua_State* L, State& state);

}  // namespace mt::lua
