// The plan of a recorded copy (copy() in device.h).
#pragma once

#include "engine/core/kernel.h"
#include "engine/core/operand.h"

namespace mt {

struct CopyPlan {
  Operand dst, src;
};
const Kernel& copy_kernel();

}  // namespace mt
