// What ops on images (…, channels, height, width) share: dtypes, dimensions, and results in 16-bit floats.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// The dtype in which such an op computes for tensors of this one. Raises an error for integers.
DType image_dtype(const Call& call, int arg, DType dtype);

// Argument `arg`, contiguous and in `dtype`; an empty tensor where it was left out.
Tensor dense_argument(const Call& call, int arg, DType dtype);

// Checks for 3 dimensions, or 4, a batch.
void expect_images(const Call& call, int arg, const Tensor& t);

// An integer argument that must not be less than `least`, nor so large that sizes computed from it overflow.
int64_t expect_at_least(const Call& call, int arg, int64_t least);

// A result computed in another dtype than it has: `space` is contiguous, in the dtype that computes; done() puts it where it belongs.
class ImageResult {
 public:
  ImageResult(const Call& call, int result, DType dtype, DType computed_in, Sizes sizes);
  std::byte* bytes() const { return space_.bytes(); }
  const Tensor& space() const { return space_; }
  void done() const;

 private:
  const Call& call_;
  const int result_;
  Tensor out_, space_;
};

}  // namespace mt
