// Where a batch of images has its channels in memory: first, as Torch7 lays them, or last.
#pragma once

#include "engine/core/tensor.h"

namespace mt {

// As wide as the sizes of a shape, so that it may be part of a key of plain bytes.
enum class ImageLayout : int64_t { channels_first, channels_last };

// channels_last for (n, channels, sizes…) of 2 or 3 sizes that channelsLast, or an op on such a tensor, has laid out so. What a program
// permuted itself doesn't count: the results of ops on it are contiguous, as in Torch7.
ImageLayout layout_of(const Tensor& t);

// Whether t's elements lie side by side: it is contiguous, or has its channels last.
bool lies_without_gaps(const Tensor& t);

// Uninitialised. Channels can be last where there are 4 or 5 dimensions.
Tensor empty_images(DType dtype, Sizes sizes, ImageLayout layout, DeviceId device = cpu_device);

// x itself where it has that dtype and lies so without gaps, else a copy.
Tensor with_layout(const Tensor& x, DType dtype, ImageLayout layout);

// A copy in that dtype, with its channels last where x has them so, else contiguous.
Tensor copy_alike(const Tensor& x, DType dtype);

}  // namespace mt
