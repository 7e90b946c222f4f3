// The table of the plug-in's kernels: each family of engine/ops has a file here with a function that lists its kernels.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "engine/core/kernel.h"

namespace mt::cuda {

struct KernelRow {
  std::string_view op;
  Kernel kernel;
};
using KernelRows = std::span<const KernelRow>;

// All rows: those of each file NAME.cu that defines a function NAME_rows() (cmake/families.cmake).
std::span<const KernelRows> all_kernel_rows();

}  // namespace mt::cuda
