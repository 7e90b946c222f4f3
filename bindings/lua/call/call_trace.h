// Hooks of a Lua state, and the hook of libmoontorch.traceOps.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "bindings/lua/state/host_lua.h"
#include "engine/core/registry.h"

namespace mt::lua {

struct State;

// Sets the hook of a state, or removes it. While a hook is set that doesn't only observe, writes to elements run ops
// (lua/torch/index/watched.lua). Calls Lua.
void set_hook(lua_State* L, State& state, OpHook* hook);

// Records calls. A trace holds no tensors, because more references would change which tensors can be modified in place.
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
    std::vector<SeenTensor> results;  // after the call
    uint32_t given;
  };
  std::vector<SeenCall> seen;

  void run(Call& call) override;
};

void open_call_trace(lua_State* L, State& state);

}  // namespace mt::lua
