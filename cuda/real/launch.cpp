// The calls of CUDA's runtime library that cuda/launch.h needs before and after a launch.
#include "cuda/real/launch.h"

#include <cuda_runtime.h>

#include "cuda/real/status.h"

namespace mt::cuda {

void prepare_launch(Stream stream, size_t shared_bytes, const void* entry) {
  int device = 0;
  check(cudaGetDevice(&device), "the current device");
  if (device != stream.device) check(cudaSetDevice(stream.device), "choosing a device");
  constexpr size_t without_asking = 48 * 1024;
  if (shared_bytes > without_asking)
    check(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)), "shared memory");
}

void check_launch() { check(cudaPeekAtLastError(), "launching a kernel"); }

}  // namespace mt::cuda
