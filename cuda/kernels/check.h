// Checks of elements in stream order, whose outcome the host finds in its own memory.
#pragma once

#include <cstdint>

#include "cuda/runtime/driver.h"
#include "engine/core/device.h"

namespace mt::cuda {

// The first check of a device that failed. In pinned memory.
struct FailedCheck {
  uint32_t failed;  // 1: the rest is set
  uint32_t check;   // its number
  int64_t position, value;
};

// What the blocks of a check join their results in, one for each stream.
struct CheckArea {
  static constexpr int64_t none = 0x7f7f7f7f7f7f7f7f;  // no position
  int64_t first = none;
  uint32_t blocks_done = 0;
  uint32_t taken = 0;  // in the first area: a check of the device has failed, and the host has not looked
};

// Notes in `out` the first element of the plan, as find() would give it. `area` and `first_area` are addresses as tensors have.
void launch_check(const FindPlan& plan, Stream stream, CheckArea* area, CheckArea* first_area, FailedCheck* out, uint32_t check);

}  // namespace mt::cuda
