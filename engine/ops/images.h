// Shared code of plans for ops on images, which have channels and 1 to 3 dimensions (…, channels, depth, height, width): dtypes, dimensions
// and layouts.
#pragma once

#include "engine/core/image_layout.h"
#include "engine/core/registry.h"

namespace mt {

// The plan of an op on images with `dims` dimensions.
template <void (*plan)(Call&, int), int dims> void plan_in(Call& call) { plan(call, dims); }

// The dtype in which such an op computes for tensors of `dtype`. Raises an error for integers.
DType image_dtype(const Call& call, int arg, DType dtype);

// Argument `arg`, contiguous and in `dtype`; an empty tensor if it was left out.
Tensor dense_argument(const Call& call, int arg, DType dtype);

// The same for images in the given layout.
Tensor dense_images(const Call& call, int arg, DType dtype, ImageLayout layout);

// An argument of `count` values, one per channel or row, in `dtype`; without storage if it was left out.
Tensor values_of(const Call& call, int arg, DType dtype, int64_t count);

// The result for `count` values, which are computed in float64.
Tensor values_output(const Call& call, int result, DType dtype, int64_t count);

// Checks that t is (channels, sizes…), with `sizes` sizes, or a batch of it.
void expect_images(const Call& call, int arg, const Tensor& t, int sizes);

// The layout of such images: only batches can have channels last, because channels-last tensors count dimension 2 as the channels.
ImageLayout images_layout(const Tensor& t, int sizes);

// The largest size, stride or padding: sizes computed from it don't overflow.
constexpr int64_t most_of_a_size = 1 << 30;

// An integer argument that must not be less than `least` nor more than most_of_a_size.
int64_t expect_at_least(const Call& call, int arg, int64_t least);

// One size per axis: separate arguments, from `arg` on, or one argument of kind sizes.
class SizePerAxis {
 public:
  SizePerAxis(const Call& call, int arg, int axes, int64_t least);
  int64_t operator[](int i) const { return values_[i]; }
  int next() const { return next_; }  // the argument after these

 private:
  int64_t values_[3] = {};
  int next_;
};

// The layout of the first operand with the sizes of the result.
ImageLayout layout_of_operands(const Call& call, Sizes sizes);

}  // namespace mt
