// The hook behind libmoontorch.traceOps.
#pragma once

#include "bindings/lua/state/state.h"

namespace mt::lua {

struct CallTrace final : OpHook {
  std::vector<std::string_view> seen;

  void run(Call& call) override;
};

void open_call_trace(lua_State* L, State& state);

}  // namespace mt::lua
