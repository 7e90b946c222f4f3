// What a device provides for the convolutions in conv-inl.h; shapes, dtypes and results are dealt with before.
#pragma once

#include "engine/core/image_layout.h"
#include "engine/core/registry.h"

namespace mt {

// One direction in which the kernel moves over images. All int64_t, so that a shape serves as a key.
struct ConvAxis {
  int64_t size = 1, kernel = 1, stride = 1, pad = 0, dilation = 1;

  int64_t window() const { return dilation * (kernel - 1) + 1; }
  int64_t out() const {
    const int64_t room = size + 2 * pad - window();
    return (stride == 1 ? room : room / stride) + 1;  // asked for often: a division takes longer than all the rest
  }
  bool plain() const { return kernel == 1 && stride == 1 && pad == 0; }
};

// x (batch, in, depth, height, width), weight (out, in / groups, kernels), y (batch, out, outs). Of images with fewer dimensions, the first
// axes are of size 1.
struct ConvShape {
  static constexpr int max_dims = 3;
  int64_t batch = 0, in = 0, out = 0, groups = 1;
  ConvAxis axes[max_dims];

  ConvAxis& axis(int dims, int i) { return axes[max_dims - dims + i]; }
  int64_t image() const { return axes[0].size * axes[1].size * axes[2].size; }       // elements of a channel of x
  int64_t points() const { return axes[0].out() * axes[1].out() * axes[2].out(); }   // elements of a channel of y
  int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }  // elements of a kernel
  int64_t patch() const { return in / groups * taps(); }                             // elements of x that make one of y
  int64_t work() const { return batch * out * points() * patch(); }
};

// forward writes y; input_grad writes x from weight and y; weight_grad writes weight, and bias where it isn't null, from x and y.
enum class ConvPass : int64_t { forward, input_grad, weight_grad };

struct ConvKernels {
  // All operands are float32 or float64 and contiguous, x and y in that layout; bias may be null.
  void (*run)(DType dtype, ConvPass pass, const ConvShape& shape, ImageLayout layout, std::byte* x, std::byte* weight, std::byte* bias,
              std::byte* y);
  // Adds bias[c] to the elements of each channel c of y (batch, channels, points).
  void (*add_bias)(DType dtype, int64_t batch, int64_t channels, int64_t points, const std::byte* bias, std::byte* y);
};

}  // namespace mt
