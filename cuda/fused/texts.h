// The headers that sources of fused kernels include, as text: a machine that compiles such a source has no folder with them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mt::cuda {

struct DeviceText {
  const char *name, *text;
};

// By the names in #include, with the substitutes for the standard library and for CUDA's headers in cuda/fused/nvrtc.
std::span<const DeviceText> fused_texts();
uint64_t hash_of_texts();

// The files themselves; written by cmake/device_texts.cmake.
std::span<const DeviceText> device_files();

}  // namespace mt::cuda
