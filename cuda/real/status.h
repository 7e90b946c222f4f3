// What CUDA's runtime library answers.
#pragma once

#include <cuda_runtime.h>

#include <string_view>

namespace mt::cuda {

void check(cudaError_t status, std::string_view what);  // raises an error that says what was being done

}  // namespace mt::cuda
