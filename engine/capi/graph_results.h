// The results of a run for the caller's pointers: new handles, and tensors of the caller that receive elements.
#pragma once

#include <span>
#include <vector>

#include "engine/capi/handle.h"
#include "engine/core/registry.h"

namespace mt::capi {

// Raises an error unless the caller may have asked for `count` of `most` outputs.
void check_outputs(size_t most, int32_t count, mt_tensor** outputs, const char* function);

// Checks all outputs before one is written: between construction and set(), nothing of the caller's has changed.
class GraphResultHandles {
 public:
  GraphResultHandles(std::span<const Tensor> made, int32_t count, mt_tensor** outputs, const char* function);
  ~GraphResultHandles();
  GraphResultHandles(const GraphResultHandles&) = delete;
  GraphResultHandles& operator=(const GraphResultHandles&) = delete;
  void set(OpHook* hook);

 private:
  std::span<const Tensor> made_;
  mt_tensor** outputs_;
  std::vector<mt_tensor*> fresh_;  // by output; NULL if a tensor of the caller receives it
};

}  // namespace mt::capi
