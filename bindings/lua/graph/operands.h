// Values on Lua's stack as the inputs of a graph.
#pragma once

#include <vector>

#include "bindings/lua/state/host_lua.h"
#include "engine/graph/executor.h"

namespace mt::lua {

struct State;

// The memory of lists among the inputs of running graphs; it is used again.
class OperandLists {
 public:
  std::vector<int64_t>& sizes() { return next(sizes_, used_sizes_); }
  std::vector<Tensor*>& tensors() { return next(tensors_, used_tensors_); }
  void clear() { used_sizes_ = used_tensors_ = 0; }

 private:
  template <class T> static T& next(std::vector<T>& lists, size_t& used) {
    if (used == lists.size()) lists.emplace_back();
    return lists[used++];
  }
  std::vector<std::vector<int64_t>> sizes_;
  std::vector<std::vector<Tensor*>> tensors_;
  size_t used_sizes_ = 0, used_tensors_ = 0;
};

// The value at a stack index as an input of these kinds; Value::Type::none for nil, and for values that no kind accepts. The value refers
// to the stack and to the lists.
Value operand_at(lua_State* L, int index, uint16_t kinds, OperandLists& lists);

RunSettings run_settings(const State& state);

}  // namespace mt::lua
