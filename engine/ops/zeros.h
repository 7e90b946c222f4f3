// A result of zeros, which an op adds to or writes parts of.
#pragma once

#include <cstring>

#include "engine/core/iterator.h"
#include "engine/core/registry.h"

namespace mt {

inline Tensor zero_output(const Call& call, DType dtype, Sizes sizes) {
  const Tensor out = call.output(0, dtype, sizes);
  if (out.numel() == 0) return out;
  const auto element = static_cast<size_t>(size_of(dtype));
  if (out.is_contiguous()) {
    std::memset(out.bytes(), 0, static_cast<size_t>(out.numel()) * element);
  } else {
    const Tensor zero = Tensor::empty(dtype, {1});
    std::memset(zero.bytes(), 0, element);
    copy(out, expand_to(zero, out.sizes()));
  }
  return out;
}

}  // namespace mt
