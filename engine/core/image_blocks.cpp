#include "engine/core/image_blocks.h"

#include <unordered_map>

namespace mt {
namespace {

using RunFn = decltype(Kernel::run);

std::unordered_map<RunFn, ImageKernel>& kernels() {
  static std::unordered_map<RunFn, ImageKernel> all;
  return all;
}

}  // namespace

void add_image_kernel(const Kernel& kernel, const ImageKernel& images) { kernels()[kernel.run] = images; }

const ImageKernel* image_kernel_of(const Launch& launch) {
  const auto found = kernels().find(launch.kernel().run);
  return found != kernels().end() ? &found->second : nullptr;
}

}  // namespace mt
