// Status codes of CUDA's runtime library.
#pragma once

#include <cuda_runtime.h>

#include <string_view>

namespace mt::cuda {

void check(cudaError_t status, std::string_view what);  // raises an error that names the failed operation, `what`

}  // namespace mt::cuda
