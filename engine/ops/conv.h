// The plan of convolutions in 1, 2 and 3 dimensions, of their gradients and of transposed convolutions.
#pragma once

#include <array>
#include <utility>

#include "engine/core/image_layout.h"
#include "engine/core/registry.h"
#include "engine/ops/rectifier.h"

namespace mt {

// One dimension of the images, over which the kernel moves. All fields are int64_t, so that a shape can be a key.
struct ConvAxis {
  int64_t size = 1, kernel = 1, stride = 1, pad = 0, dilation = 1;

  int64_t window() const { return dilation * (kernel - 1) + 1; }
  int64_t out() const {
    const int64_t room = size + 2 * pad - window();
    return (stride == 1 ? room : room / stride) + 1;  // called often, and a division takes longer than everything else
  }
  bool plain() const { return kernel == 1 && stride == 1 && pad == 0; }
};

// x (batch, in, depth, height, width), weight (out, in / groups, kernels), y (batch, out, outs). For images with fewer dimensions, the
// first axes have size 1.
struct ConvShape {
  static constexpr int max_dims = 3;
  int64_t batch = 0, in = 0, out = 0, groups = 1;
  std::array<ConvAxis, max_dims> axes;

  ConvAxis& axis(int dims, int i) { return axes[max_dims - dims + i]; }
  int64_t image() const { return axes[0].size * axes[1].size * axes[2].size; }       // elements of a channel of x
  int64_t points() const { return axes[0].out() * axes[1].out() * axes[2].out(); }   // elements of a channel of y
  int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }  // elements of a kernel
  int64_t patch() const { return in / groups * taps(); }                             // elements of x that contribute to one of y
  int64_t work() const { return batch * out * points() * patch(); }
  // The same convolution with images that are one element wide seen as images of one row: kernels are fastest along rows.
  ConvShape along_rows() const {
    ConvShape s = *this;
    const ConvAxis& across = axes[2];
    if (across.size == 1 && across.kernel == 1 && across.pad == 0) std::swap(s.axes[1], s.axes[2]);
    return s;
  }
};

// The result of a pass: y from x and weight; x from y and weight; weight from x and y.
enum class ConvPass : int64_t { forward, input_grad, weight_grad };

// One convolution y = x * weight; `pass` selects what is computed. x, weight and y are float32 or float64, all the same. They are
// contiguous, or x and y have the given layout without gaps. bias, of the same dtype, may be without storage; forward adds bias (out) to y,
// input_grad adds bias (in) to x (for transposed convolutions), weight_grad writes the sums of y's channels to bias (out).
struct ConvPlan {
  ConvPass pass;
  ConvShape shape;
  ImageLayout layout;
  Operand x, weight, bias, y;
};

// A forward pass, and what follows it element by element: y = relu(y + added), up to a largest value. `added` may be without storage.
struct ConvUnitPlan {
  ConvPlan conv;
  Operand added;
  Rectifier relu;
};

// conv2d_unit, which passes create: conv2d with arguments `added` and `relu` after the bias, and `most` at the end. Programs have no
// function for it.
const Op& conv_unit_op();
void plan_conv_unit(Call& call);

// dims: number of dimensions of the images, 1 to 3.
void plan_conv(Call& call, int dims);
void plan_conv_input_grad(Call& call, int dims);
void plan_conv_weight_grad(Call& call, int dims);
void plan_conv_transpose(Call& call, int dims);

}  // namespace mt
