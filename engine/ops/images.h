// What plans of ops on images share, which have channels and 1 to 3 dimensions (…, channels, depth, height, width): dtypes, dimensions and
// layouts.
#pragma once

#include "engine/core/image_layout.h"
#include "engine/core/registry.h"

namespace mt {

// The plan of an op on images of that many dimensions.
template <void (*plan)(Call&, int), int dims> void plan_in(Call& call) { plan(call, dims); }

// The dtype in which such an op computes for tensors of this one. Raises an error for integers.
DType image_dtype(const Call& call, int arg, DType dtype);

// Argument `arg`, contiguous and in `dtype`; an empty tensor where it was left out.
Tensor dense_argument(const Call& call, int arg, DType dtype);

// The same for images laid out so.
Tensor dense_images(const Call& call, int arg, DType dtype, ImageLayout layout);

// An argument of that many values, one a channel or a row, in this dtype; without storage where it was left out.
Tensor values_of(const Call& call, int arg, DType dtype, int64_t count);

// The result for such values, which are computed in float64.
Tensor values_output(const Call& call, int result, DType dtype, int64_t count);

// Checks that t is (channels, sizes…), with that many sizes, or a batch of it.
void expect_images(const Call& call, int arg, const Tensor& t, int sizes);

// How such images lie: only those of a batch have channels last, since what is so laid out counts its dimension 2 as channels.
ImageLayout images_layout(const Tensor& t, int sizes);

// The largest size, stride or padding: sizes computed from it don't overflow.
constexpr int64_t most_of_a_size = 1 << 30;

// An integer argument that must not be less than `least` nor more than most_of_a_size.
int64_t expect_at_least(const Call& call, int arg, int64_t least);

// One size an axis: each an argument of its own, from `arg` on, or all in one that takes sizes.
class SizePerAxis {
 public:
  SizePerAxis(const Call& call, int arg, int axes, int64_t least);
  int64_t operator[](int i) const { return values_[i]; }
  int next() const { return next_; }  // the argument after them

 private:
  int64_t values_[3] = {};
  int next_;
};

// That of the first operand with the sizes of the result.
ImageLayout layout_of_operands(const Call& call, Sizes sizes);

}  // namespace mt
