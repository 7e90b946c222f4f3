// The parts of a launch that don't depend on the kernel.
#pragma once

#include <cstddef>

#include "cuda/runtime/driver.h"

namespace mt::cuda {

void prepare_launch(Stream stream, size_t shared_bytes, const void* entry);
void check_launch();  // raises the error of the last launch

}  // namespace mt::cuda
