// Batches of images whose channels lie in blocks, as kernels of oneDNN prefer: (batch, channels / block, points, block). Kernels of
// prepared runs say which images they accept in this layout; engine/graph/image_blocks.h chooses.
#pragma once

#include <optional>
#include <vector>

#include "engine/core/recording.h"

namespace mt {

// The sizes of images; 0: unknown. A launch of elementwise kernels knows none, and one of pooling the points alone.
struct ImageSizes {
  int64_t batch = 0, channels = 0, points = 0;
  bool operator==(const ImageSizes&) const = default;
};

// Images that a launch reads or writes: all of a storage, or adjacent channels of such images.
struct ImageOperand {
  const Storage* storage;
  ImageSizes sizes;            // of all images in the storage
  int64_t first = 0, end = 0;  // the channels that the launch uses; 0, 0: all
};

struct ImageUse {
  std::vector<ImageOperand> operands;
  // Blocks that the kernel accepts in addition to channels first, for each operand. Empty: any block that divides the channels, the same
  // for all operands, whose batches and channels are equal unless they are known.
  std::vector<int64_t> blocks;
};

struct ImageKernel {
  // The launch's images. Nothing if the kernel accepts channels first alone.
  std::optional<ImageUse> (*use)(const Launch& launch);
  // Makes the launch use blocks for an operand. Null if all layouts are alike for it.
  void (*set)(const Launch& launch, size_t operand, int64_t block);
};

// Says how launches with the kernel's function use images, at start-up.
void add_image_kernel(const Kernel& kernel, const ImageKernel& images);
const ImageKernel* image_kernel_of(const Launch& launch);  // or null

}  // namespace mt
