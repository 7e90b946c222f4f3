// Around a launch of a kernel: what is independent of the kernel.
#pragma once

#include <cstddef>

#include "cuda/runtime/driver.h"

namespace mt::cuda {

void prepare_launch(Stream stream, size_t shared_bytes, const void* entry);
void check_launch();  // raises what the launch that was just made says

}  // namespace mt::cuda
