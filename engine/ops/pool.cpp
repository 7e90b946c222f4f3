// Shapes, dtypes and results of pooling.
#include "engine/ops/pool.h"

#include "engine/ops/images.h"

namespace mt {
#include "engine/ops/pool-inl.h"

namespace {

const PoolKernels& kernels(const Call& call) { return *static_cast<const PoolKernels*>(call.op.kernels); }

// The window of all ops, which starts at argument `first`: kernel, stride, padding, rounding.
struct Window {
  int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
  bool ceil;

  Window(const Call& call, int first)
      : kernel_h(expect_at_least(call, first, 1)),
        kernel_w(expect_at_least(call, first + 1, 1)),
        stride_h(call.has(first + 2) ? expect_at_least(call, first + 2, 1) : kernel_h),
        stride_w(call.has(first + 3) ? expect_at_least(call, first + 3, 1) : kernel_w),
        pad_h(expect_at_least(call, first + 4, 0)),
        pad_w(expect_at_least(call, first + 5, 0)),
        ceil(call.boolean(first + 6)) {
    if (2 * pad_h > kernel_h) call.fail_at(first + 4, pad_h, " came, at most half of the kernel's ", kernel_h, " was expected");
    if (2 * pad_w > kernel_w) call.fail_at(first + 5, pad_w, " came, at most half of the kernel's ", kernel_w, " was expected");
  }
};

int64_t windows(const Call& call, int64_t size, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation, bool ceil) {
  const int64_t room = size + 2 * pad - dilation * (kernel - 1) - 1;
  if (room < 0 || size < 1)
    call.fail_at(0, "a size of ", size, " with padding ", pad, " came, at least the window's ", dilation * (kernel - 1) + 1,
                 " was expected");
  const int64_t count = (ceil ? room + stride - 1 : room) / stride + 1;
  return (count - 1) * stride >= size + pad ? count - 1 : count;
}

PoolShape pool_shape(const Call& call, int64_t planes, int64_t h, int64_t w, const Window& window, int64_t dilation_h, int64_t dilation_w) {
  return {.planes = planes,
          .h = h,
          .w = w,
          .out_h = windows(call, h, window.kernel_h, window.stride_h, window.pad_h, dilation_h, window.ceil),
          .out_w = windows(call, w, window.kernel_w, window.stride_w, window.pad_w, dilation_w, window.ceil),
          .kernel_h = window.kernel_h,
          .kernel_w = window.kernel_w,
          .stride_h = window.stride_h,
          .stride_w = window.stride_w,
          .pad_h = window.pad_h,
          .pad_w = window.pad_w,
          .dilation_h = dilation_h,
          .dilation_w = dilation_w};
}

int64_t height(const Tensor& t) { return t.size(t.dim() - 2); }
int64_t width(const Tensor& t) { return t.size(t.dim() - 1); }
int64_t planes(const Tensor& t) { return t.dim() == 4 ? t.size(0) * t.size(1) : t.size(0); }

Shape with_plane(const Tensor& t, int64_t h, int64_t w) {
  Shape sizes(t.sizes());
  sizes[t.dim() - 2] = h;
  sizes[t.dim() - 1] = w;
  return sizes;
}

}  // namespace

void MaxPool2d::run(Call& call) {
  const Tensor& x = call.tensor(0);
  expect_images(call, 0, x);
  const DType inner = image_dtype(call, 0, x.dtype());
  const PoolShape s =
      pool_shape(call, planes(x), height(x), width(x), Window(call, 1), expect_at_least(call, 8, 1), expect_at_least(call, 9, 1));
  const Shape sizes = with_plane(x, s.out_h, s.out_w);
  const ImageResult values(call, 0, x.dtype(), inner, sizes), indices(call, 1, DType::int64, DType::int64, sizes);
  const Tensor dense = dense_argument(call, 0, inner);
  if (values.space().numel() > 0) kernels(call).max(inner, s, dense.bytes(), values.bytes(), indices.space().data<int64_t>());
  values.done();
  indices.done();
}

void MaxPool2dGrad::run(Call& call) {
  const Tensor &g = call.tensor(0), &indices = call.tensor(1);
  expect_images(call, 0, g);
  if (indices.dtype() != DType::int64) call.fail_at(1, indices.dtype(), " came, ", DType::int64, " was expected");
  if (!std::ranges::equal(indices.sizes(), g.sizes())) call.fail_at(1, indices.sizes(), " came, ", g.sizes(), " was expected");
  const int64_t h = expect_at_least(call, 2, 1), w = expect_at_least(call, 3, 1);
  const DType inner = image_dtype(call, 0, g.dtype());
  const ImageResult x_grad(call, 0, g.dtype(), inner, with_plane(g, h, w));
  const Tensor dense = dense_argument(call, 0, inner), dense_indices = dense_argument(call, 1, DType::int64);
  if (x_grad.space().numel() > 0 &&
      !kernels(call).max_grad(inner, planes(g), h * w, height(g) * width(g), dense.bytes(), dense_indices.data<int64_t>(), x_grad.bytes()))
    call.fail_at(1, "an index came that is outside 1..", h * w);
  x_grad.done();
}

void AvgPool2d::run(Call& call) {
  const Tensor& x = call.tensor(0);
  expect_images(call, 0, x);
  const DType inner = image_dtype(call, 0, x.dtype());
  const PoolShape s = pool_shape(call, planes(x), height(x), width(x), Window(call, 1), 1, 1);
  const ImageResult y(call, 0, x.dtype(), inner, with_plane(x, s.out_h, s.out_w));
  const Tensor dense = dense_argument(call, 0, inner);
  if (y.space().numel() > 0) kernels(call).average(inner, s, call.boolean(8), dense.bytes(), y.bytes());
  y.done();
}

void AvgPool2dGrad::run(Call& call) {
  const Tensor& g = call.tensor(0);
  expect_images(call, 0, g);
  const DType inner = image_dtype(call, 0, g.dtype());
  const PoolShape s = pool_shape(call, planes(g), expect_at_least(call, 1, 1), expect_at_least(call, 2, 1), Window(call, 3), 1, 1);
  if (height(g) != s.out_h || width(g) != s.out_w)
    call.fail_at(0, g.sizes(), " came, planes of ", s.out_h, " x ", s.out_w, " were expected");
  const ImageResult x_grad(call, 0, g.dtype(), inner, with_plane(g, s.h, s.w));
  const Tensor dense = dense_argument(call, 0, inner);
  if (x_grad.space().numel() > 0) kernels(call).average_grad(inner, s, call.boolean(10), dense.bytes(), x_grad.bytes());
  x_grad.done();
}

}  // namespace mt
