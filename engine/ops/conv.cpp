// Shapes, dtypes and results of the convolutions.
#include "engine/ops/conv.h"

#include "engine/ops/images.h"

namespace mt {
#include "engine/ops/conv-inl.h"

namespace {

// The arguments that all three ops end with, from `first`.
void read_window(const Call& call, int first, ConvShape& s) {
  s.stride_h = expect_at_least(call, first, 1);
  s.stride_w = expect_at_least(call, first + 1, 1);
  s.pad_h = expect_at_least(call, first + 2, 0);
  s.pad_w = expect_at_least(call, first + 3, 0);
  s.dilation_h = expect_at_least(call, first + 4, 1);
  s.dilation_w = expect_at_least(call, first + 5, 1);
  s.groups = expect_at_least(call, first + 6, 1);
}

void expect_weight(const Call& call, int arg, const Tensor& weight) {
  if (weight.dim() != 4) call.fail_at(arg, weight.sizes(), " came, (out, in / groups, kernel height, kernel width) was expected");
}

// Checks what doesn't depend on the op: channels fall into groups, and the window fits into the padded image.
void check(const Call& call, int groups_arg, const ConvShape& s) {
  if (s.in % s.groups != 0 || s.out % s.groups != 0)
    call.fail_at(groups_arg, s.groups, " came, a divisor of ", s.in, " and ", s.out, " channels was expected");
  if (s.kernel_h < 1 || s.kernel_w < 1)
    fail(call.name(), "weight", "kernel ", s.kernel_h, " x ", s.kernel_w, " came, 1 x 1 or more was expected");
  const int64_t window_h = s.dilation_h * (s.kernel_h - 1) + 1, window_w = s.dilation_w * (s.kernel_w - 1) + 1;
  if (s.h + 2 * s.pad_h < window_h || s.w + 2 * s.pad_w < window_w)
    fail(call.name(), "weight", "a window of ", window_h, " x ", window_w, " came, padded images have only ", s.h + 2 * s.pad_h, " x ",
         s.w + 2 * s.pad_w);
}

// The sizes of images: `like` says whether there is a batch.
Shape images(const Tensor& like, int64_t batch, int64_t channels, int64_t h, int64_t w) {
  return like.dim() == 4 ? Shape{batch, channels, h, w} : Shape{channels, h, w};
}

struct Images {
  int64_t batch, channels, h, w;
  explicit Images(const Tensor& t)
      : batch(t.dim() == 4 ? t.size(0) : 1), channels(t.size(t.dim() - 3)), h(t.size(t.dim() - 2)), w(t.size(t.dim() - 1)) {}
};

void expect_result_sizes(const Call& call, const Images& g, const ConvShape& s) {
  if (g.channels != s.out || g.h != s.out_h() || g.w != s.out_w() || g.batch != s.batch)
    call.fail_at(0, call.tensor(0).sizes(), " came, ", Sizes(Shape{s.batch, s.out, s.out_h(), s.out_w()}), " was expected");
}

const ConvKernels& kernels(const Call& call) { return *static_cast<const ConvKernels*>(call.op.kernels); }

}  // namespace

void Conv2d::run(Call& call) {
  const Tensor &x = call.tensor(0), &weight = call.tensor(1);
  expect_images(call, 0, x);
  expect_weight(call, 1, weight);
  const Images in(x);
  ConvShape s{};
  s.batch = in.batch;
  s.in = in.channels;
  s.h = in.h;
  s.w = in.w;
  s.out = weight.size(0);
  s.kernel_h = weight.size(2);
  s.kernel_w = weight.size(3);
  read_window(call, 3, s);
  check(call, 9, s);
  if (weight.size(1) != s.in / s.groups)
    call.fail_at(1, weight.sizes(), " came, ", s.in / s.groups, " channels in dimension 2 were expected");
  if (call.has(2) && (call.tensor(2).dim() != 1 || call.tensor(2).size(0) != s.out))
    call.fail_at(2, call.tensor(2).sizes(), " came, [", s.out, "] was expected");
  const DType dtype = promote(x.dtype(), weight.dtype()), inner = image_dtype(call, 0, dtype);
  const ImageResult y(call, 0, dtype, inner, images(x, s.batch, s.out, s.out_h(), s.out_w()));
  const Tensor dense_x = dense_argument(call, 0, inner), dense_weight = dense_argument(call, 1, inner),
               bias = dense_argument(call, 2, inner);
  if (y.space().numel() > 0) kernels(call).run(inner, ConvPass::forward, s, dense_x.bytes(), dense_weight.bytes(), bias.bytes(), y.bytes());
  y.done();
}

void Conv2dInputGrad::run(Call& call) {
  const Tensor &g = call.tensor(0), &weight = call.tensor(1);
  expect_images(call, 0, g);
  expect_weight(call, 1, weight);
  const Images out(g);
  ConvShape s{};
  s.batch = out.batch;
  s.h = expect_at_least(call, 2, 1);
  s.w = expect_at_least(call, 3, 1);
  s.out = weight.size(0);
  s.kernel_h = weight.size(2);
  s.kernel_w = weight.size(3);
  read_window(call, 4, s);
  s.in = weight.size(1) * s.groups;
  check(call, 10, s);
  expect_result_sizes(call, out, s);
  const DType dtype = promote(g.dtype(), weight.dtype()), inner = image_dtype(call, 0, dtype);
  const ImageResult x(call, 0, dtype, inner, images(g, s.batch, s.in, s.h, s.w));
  const Tensor dense_g = dense_argument(call, 0, inner), dense_weight = dense_argument(call, 1, inner);
  if (x.space().numel() > 0) kernels(call).run(inner, ConvPass::input_grad, s, x.bytes(), dense_weight.bytes(), nullptr, dense_g.bytes());
  x.done();
}

void Conv2dWeightGrad::run(Call& call) {
  const Tensor &g = call.tensor(0), &x = call.tensor(1);
  expect_images(call, 0, g);
  expect_images(call, 1, x);
  const Images out(g), in(x);
  ConvShape s{};
  s.batch = in.batch;
  s.in = in.channels;
  s.h = in.h;
  s.w = in.w;
  s.out = out.channels;
  s.kernel_h = expect_at_least(call, 2, 1);
  s.kernel_w = expect_at_least(call, 3, 1);
  read_window(call, 4, s);
  check(call, 10, s);
  expect_result_sizes(call, out, s);
  const DType dtype = promote(g.dtype(), x.dtype()), inner = image_dtype(call, 0, dtype);
  const ImageResult weight(call, 0, dtype, inner, Shape{s.out, s.in / s.groups, s.kernel_h, s.kernel_w}),
      bias(call, 1, dtype, inner, Shape{s.out});
  const Tensor dense_g = dense_argument(call, 0, inner), dense_x = dense_argument(call, 1, inner);
  if (weight.space().numel() > 0)
    kernels(call).run(inner, ConvPass::weight_grad, s, dense_x.bytes(), weight.bytes(), bias.bytes(), dense_g.bytes());
  weight.done();
  bias.done();
}

}  // namespace mt
