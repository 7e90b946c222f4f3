#include "engine/ops/conv.h"

#include "engine/ops/images.h"

namespace mt {
namespace {

// Reads strides, paddings and dilations, one argument per axis, then groups: the last arguments of most of the ops.
void read_window(const Call& call, int first, int dims, ConvShape& s) {
  for (int i = 0; i < dims; ++i) {
    ConvAxis& axis = s.axis(dims, i);
    axis.stride = expect_at_least(call, first + i, 1);
    axis.pad = expect_at_least(call, first + dims + i, 0);
    axis.dilation = expect_at_least(call, first + 2 * dims + i, 1);
  }
  s.groups = expect_at_least(call, first + 3 * dims, 1);
}

void expect_weight(const Call& call, int arg, int dims) {
  if (call.tensor(arg).dim() != dims + 2)
    call.fail_at<Status::shape>(arg, call.tensor(arg).sizes(), ", expected ", dims + 2,
                                " dimensions: channels, channels of a group, kernel");
}

void expect_bias(const Call& call, int arg, int64_t channels) {
  if (call.has(arg) && (call.tensor(arg).dim() != 1 || call.tensor(arg).size(0) != channels))
    call.fail_at<Status::shape>(arg, call.tensor(arg).sizes(), ", expected [", channels, "]");
}

// Checks shared by all ops: the channels are divisible into groups, and the window fits into the padded image.
void check(const Call& call, int groups_arg, int dims, ConvShape& s) {
  if (s.in % s.groups != 0 || s.out % s.groups != 0)
    call.fail_at<Status::range>(groups_arg, s.groups, ", expected a divisor of ", s.in, " and ", s.out, " channels");
  bool some = true, fits = true;
  for (int i = 0; i < dims; ++i) {
    const ConvAxis& axis = s.axis(dims, i);
    some = some && axis.kernel >= 1;
    fits = fits && axis.window() <= axis.size + 2 * axis.pad;
  }
  if (some && fits) return;
  const auto each = [&](auto f) {
    Shape sizes;
    for (int i = 0; i < dims; ++i) sizes.push(f(s.axis(dims, i)));
    return sizes;
  };
  if (!some)
    fail<Status::shape>(call.name(), "weight", "a kernel of ", Sizes(each([](const ConvAxis& axis) { return axis.kernel; })),
                        ", expected at least 1 in each dimension");
  fail<Status::shape>(call.name(), "weight", "a window of ", Sizes(each([](const ConvAxis& axis) { return axis.window(); })),
                      ", expected at most the size of padded images, ",
                      Sizes(each([](const ConvAxis& axis) { return axis.size + 2 * axis.pad; })));
}

struct Images {
  int64_t batch, channels;
  const Tensor& tensor;
  int dims;
  ImageLayout layout;

  Images(const Call& call, int arg, int dims_) : tensor(call.tensor(arg)), dims(dims_), layout(images_layout(tensor, dims_)) {
    expect_images(call, arg, tensor, dims);
    batch = tensor.dim() == dims + 2 ? tensor.size(0) : 1;
    channels = tensor.size(tensor.dim() - dims - 1);
  }
  int64_t size(int i) const { return tensor.size(tensor.dim() - dims + i); }

  // The sizes of images with other channels and sizes; they have a batch dimension if these have one.
  template <class F> Shape like(int64_t new_channels, F size_of) const {
    Shape sizes;
    if (tensor.dim() == dims + 2) sizes.push(batch);
    sizes.push(new_channels);
    for (int i = 0; i < dims; ++i) sizes.push(size_of(i));
    return sizes;
  }
};

// Checks that argument 0 has the sizes of the result of a convolution with this shape.
void expect_result_sizes(const Call& call, const Images& g, ConvShape& s) {
  bool same = g.channels == s.out && g.batch == s.batch;
  for (int i = 0; i < g.dims; ++i) same = same && g.size(i) == s.axis(g.dims, i).out();
  if (!same)
    call.fail_at<Status::shape>(0, g.tensor.sizes(), ", expected ", Sizes(g.like(s.out, [&](int i) { return s.axis(g.dims, i).out(); })));
}

// The fields of the shape that follow from a gradient and the weight.
ConvShape shape_of_result(const Call& call, const Images& g) {
  expect_weight(call, 1, g.dims);
  ConvShape s;
  s.batch = g.batch;
  s.out = call.tensor(1).size(0);
  for (int i = 0; i < g.dims; ++i) s.axis(g.dims, i).kernel = call.tensor(1).size(2 + i);
  return s;
}

// Sets result 0 to the gradient of x; `bias_arg` is an argument that is added to it, or -1.
void run_input_grad(Call& call, const Images& g, ConvShape& s, int bias_arg) {
  const DType dtype = promote(g.tensor.dtype(), call.tensor(1).dtype()), inner = image_dtype(call, 0, dtype);
  const Tensor x = call.output(0, dtype, g.like(s.in, [&](int i) { return s.axis(g.dims, i).size; }),
                               {.layout = g.layout, .dense = true, .computed_in = inner});
  const Tensor dense_g = dense_images(call, 0, inner, g.layout), dense_weight = dense_argument(call, 1, inner),
               bias = bias_arg >= 0 ? dense_argument(call, bias_arg, inner) : Tensor();
  if (x.numel() > 0) call.launch<ConvPlan>(ConvPass::input_grad, s, g.layout, x, dense_weight, bias, dense_g);
  call.finish(0, x);
}

// The operands of a forward pass, checked. The arguments from `window` on are strides, paddings, dilations and groups.
struct Forward {
  ConvShape shape;
  ImageLayout layout;
  DType inner;
  Tensor x, weight, bias, y;

  Forward(const Call& call, int dims, int window) {
    const Images in(call, 0, dims);
    const Tensor& given = call.tensor(1);
    expect_weight(call, 1, dims);
    ConvShape& s = shape;
    layout = in.layout;
    s.batch = in.batch;
    s.in = in.channels;
    s.out = given.size(0);
    for (int i = 0; i < dims; ++i) {
      s.axis(dims, i).size = in.size(i);
      s.axis(dims, i).kernel = given.size(2 + i);
    }
    read_window(call, window, dims, s);
    check(call, window + 3 * dims, dims, s);
    if (given.size(1) != s.in / s.groups)
      call.fail_at<Status::shape>(1, given.sizes(), ", expected ", s.in / s.groups, " channels in dimension 2");
    expect_bias(call, 2, s.out);
    const DType dtype = promote(in.tensor.dtype(), given.dtype());
    inner = image_dtype(call, 0, dtype);
    y = call.output(0, dtype, in.like(s.out, [&](int i) { return s.axis(dims, i).out(); }),
                    {.layout = in.layout, .dense = true, .computed_in = inner});
    x = dense_images(call, 0, inner, in.layout);
    weight = dense_argument(call, 1, inner);
    bias = dense_argument(call, 2, inner);
  }
};

}  // namespace

void plan_conv(Call& call, int dims) {
  const Forward f(call, dims, 3);
  if (f.y.numel() > 0) call.launch<ConvPlan>(ConvPass::forward, f.shape, f.layout, f.x, f.weight, f.bias, f.y);
  call.finish(0, f.y);
}

void plan_conv_unit(Call& call) {
  const Forward f(call, 2, 5);
  if (call.has(3) && !call.tensor(3).same_sizes(f.y)) call.fail_at<Status::shape>(3, call.tensor(3).sizes(), ", expected ", f.y.sizes());
  const Tensor added = call.has(3) ? dense_images(call, 3, f.inner, f.layout) : Tensor();
  if (f.y.numel() > 0)
    call.launch(
        ConvUnitPlan{{ConvPass::forward, f.shape, f.layout, f.x, f.weight, f.bias, f.y}, added, {call.boolean(4), call.number(12)}});
  call.finish(0, f.y);
}

void plan_conv_input_grad(Call& call, int dims) {
  const Images out(call, 0, dims);
  ConvShape s = shape_of_result(call, out);
  const SizePerAxis size(call, 2, dims, 1);
  for (int i = 0; i < dims; ++i) s.axis(dims, i).size = size[i];
  read_window(call, size.next(), dims, s);
  s.in = call.tensor(1).size(1) * s.groups;
  check(call, size.next() + 3 * dims, dims, s);
  expect_result_sizes(call, out, s);
  run_input_grad(call, out, s, -1);
}

void plan_conv_weight_grad(Call& call, int dims) {
  const Images out(call, 0, dims), in(call, 1, dims);
  ConvShape s;
  s.batch = in.batch;
  s.in = in.channels;
  s.out = out.channels;
  const SizePerAxis kernel(call, 2, dims, 1);
  for (int i = 0; i < dims; ++i) {
    s.axis(dims, i).size = in.size(i);
    s.axis(dims, i).kernel = kernel[i];
  }
  read_window(call, kernel.next(), dims, s);
  check(call, kernel.next() + 3 * dims, dims, s);
  expect_result_sizes(call, out, s);
  Shape weight_sizes{s.out, s.in / s.groups};
  for (int i = 0; i < dims; ++i) weight_sizes.push(kernel[i]);
  const DType dtype = promote(out.tensor.dtype(), in.tensor.dtype()), inner = image_dtype(call, 0, dtype);
  const OutputOptions options{.dense = true, .computed_in = inner};
  const Tensor weight = call.output(0, dtype, weight_sizes, options), bias = call.output(1, dtype, Sizes(&s.out, 1), options);
  const Tensor dense_g = dense_images(call, 0, inner, in.layout), dense_x = dense_images(call, 1, inner, in.layout);
  if (s.out > 0) call.launch<ConvPlan>(ConvPass::weight_grad, s, in.layout, dense_x, weight, bias, dense_g);
  call.finish(0, weight);
  call.finish(1, bias);
}

// x is the result of the convolution whose gradient this is.
void plan_conv_transpose(Call& call, int dims) {
  const Images x(call, 0, dims);
  ConvShape s = shape_of_result(call, x);
  int at = 3;
  for (int i = 0; i < dims; ++i) {
    s.axis(dims, i).stride = expect_at_least(call, at + i, 1);
    s.axis(dims, i).pad = expect_at_least(call, at + dims + i, 0);
  }
  at += 2 * dims;
  const bool has_adj = call.has(at);
  const SizePerAxis adj = has_adj ? SizePerAxis(call, at, dims, 0) : SizePerAxis(call, at, 0, 0);
  at = has_adj ? adj.next() : at + 1;
  for (int i = 0; i < dims; ++i) s.axis(dims, i).dilation = expect_at_least(call, at + i, 1);
  s.groups = expect_at_least(call, at + dims, 1);
  s.in = call.tensor(1).size(1) * s.groups;
  if (x.channels != s.out) call.fail_at<Status::shape>(1, call.tensor(1).sizes(), ", expected ", x.channels, " channels in dimension 1");
  for (int i = 0; i < dims; ++i) {
    ConvAxis& axis = s.axis(dims, i);
    if (adj[i] >= axis.stride) fail<Status::range>(call.name(), "adj", adj[i], ", expected less than the stride, ", axis.stride);
    if (x.size(i) < 1) call.fail_at<Status::shape>(0, x.tensor.sizes(), ", expected images with elements");
    axis.size = (x.size(i) - 1) * axis.stride - 2 * axis.pad + axis.window() + adj[i];
    if (axis.size < 1) fail(call.name(), "pad", axis.pad, ", it leaves ", axis.size, " elements of the result");
  }
  check(call, at + dims, dims, s);
  expect_bias(call, 2, s.in);
  run_input_grad(call, x, s, 2);
}

}  // namespace mt
