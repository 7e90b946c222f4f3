// The compiler of a device for sources of fused kernels, and the kernels that it makes. Implemented by cuda/real/compiler.cpp with NVRTC,
// by cuda/emulated/compiler.cpp with the host's compiler.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuda/runtime/driver.h"
#include "engine/ops/fused_launch.h"

namespace mt::cuda::compiler {

// The compiler, its version, its options and the architecture of a device: kernels of the same source differ if these do. Empty: there is
// none.
const std::string& identity(int device);
// An image of the kernel; nothing on an error, which `log` tells.
std::optional<std::vector<std::byte>> compile(const std::string& source, int device, std::string& log);
// A kernel that devices of the same identity can launch, until the process ends. Null if the image is of no use.
void* load(std::span<const std::byte> image, int device);
void launch(Stream stream, void* kernel, int64_t blocks, int threads, std::span<const std::byte> arguments);

// Whether a device without a compiler runs the steps one after another for each element, in one launch: emulated devices do.
extern const bool has_interpreter;
void interpret(Stream stream, const FusedLaunch& launch);

}  // namespace mt::cuda::compiler
