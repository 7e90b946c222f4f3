// Layouts of batches of images in memory: channels first, as in Torch7, or channels last.
#pragma once

#include "engine/core/tensor.h"

namespace mt {

// 64 bits, like sizes of a shape, so that structs with both have no padding and can be compared as bytes.
enum class ImageLayout : int64_t { channels_first, channels_last };

// channels_last for tensors (n, channels, sizes…), with 2 or 3 sizes, from channelsLast or from an op on such a tensor. Tensors that a
// program permuted don't count: results of ops on them are contiguous, as in Torch7.
ImageLayout layout_of(const Tensor& t);

// Whether t's elements are adjacent in memory: it is contiguous or channels last.
bool lies_without_gaps(const Tensor& t);

// Uninitialised. channels_last needs 4 or 5 dimensions.
Tensor empty_images(DType dtype, Sizes sizes, ImageLayout layout, DeviceId device = cpu_device);

// Returns x if it has this dtype and layout without gaps, else a copy.
Tensor with_layout(const Tensor& x, DType dtype, ImageLayout layout);

// Returns a copy in this dtype: channels last if x is, else contiguous.
Tensor copy_alike(const Tensor& x, DType dtype);

}  // namespace mt
