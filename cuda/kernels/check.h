// Checks of elements in stream order. They write their result to host memory.
#pragma once

#include <cstdint>

#include "cuda/runtime/driver.h"
#include "engine/core/device.h"

namespace mt::cuda {

// The first failed check of a device, in pinned memory.
struct FailedCheck {
  uint32_t failed;  // 1: the other fields are set
  uint32_t check;   // its number
  int64_t position, value;
};

// Memory in which the blocks of a check combine their results: one area for each stream.
struct CheckArea {
  static constexpr int64_t none = 0x7f7f7f7f7f7f7f7f;  // no position
  int64_t first = none;
  uint32_t blocks_done = 0;
  uint32_t taken = 0;  // in the first area: a check of the device has failed, and the host has not read it yet
};

// Writes the first element that matches the plan, as from find(), to `out`. `area` and `first_area` are addresses as in tensors.
void launch_check(const FindPlan& plan, Stream stream, CheckArea* area, CheckArea* first_area, FailedCheck* out, uint32_t check);

}  // namespace mt::cuda
