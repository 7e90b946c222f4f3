// The arguments of a call with other tensors.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "engine/core/registry.h"

namespace mt {

// Copies arguments; replace(tensor) returns the tensor for each one, also for those in lists, in the order of the arguments.
class ReplacedArguments {
 public:
  template <class F> ReplacedArguments(std::span<const Value> args, F&& replace) : values_(args.begin(), args.end()) {
    for (Value& v : values_) {
      if (v.is_tensor()) v.tensor = replace(v.tensor);
      if (v.type != Value::Type::tensors) continue;
      std::vector<Tensor*>& list = lists_.emplace_back();
      for (int i = 0; i < v.count; ++i) list.push_back(replace(v.tensors[i]));
      v.tensors = list.data();
    }
  }
  ReplacedArguments(const ReplacedArguments&) = delete;
  ReplacedArguments& operator=(const ReplacedArguments&) = delete;

  std::span<Value> values() { return values_; }

 private:
  std::vector<Value> values_;
  std::deque<std::vector<Tensor*>> lists_;
};

}  // namespace mt
