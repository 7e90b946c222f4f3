// Runs of fused loops on a device, by kernels that are compiled at the first run of a program and a form.
#pragma once

#include "engine/ops/fused_launch.h"

namespace mt::cuda {

// Finds the kernel: in memory, in a file, or by the compiler. Returns false if there is none.
bool prepare_fused(int device, const FusedLaunch& launch);
void run_fused(int device, const FusedLaunch& launch);  // on the current stream, after prepare_fused

std::string last_fused_log();  // what the compiler said about the last source that it refused

}  // namespace mt::cuda
