// A result of zeros, which an op adds to or writes parts of.
#pragma once

#include <cstring>

#include "engine/cpu/iterator.h"
#include "engine/ops/images.h"

namespace mt {

inline Tensor zero_output(const Call& call, DType dtype, Sizes sizes, ImageLayout layout = ImageLayout::channels_first) {
  const Tensor out = image_output(call, 0, dtype, sizes, layout);
  if (out.numel() == 0) return out;
  const auto element = static_cast<size_t>(size_of(dtype));
  if (lies_without_gaps(out)) {
    std::memset(out.bytes(), 0, static_cast<size_t>(out.numel()) * element);
  } else {
    const Tensor zero = Tensor::empty(dtype, {1});
    std::memset(zero.bytes(), 0, element);
    copy(out, expand_to(zero, out.sizes()));
  }
  return out;
}

}  // namespace mt
