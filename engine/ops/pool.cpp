#include "engine/ops/pool.h"

#include <algorithm>
#include <limits>

#include "engine/core/asynchronous.h"
#include "engine/ops/images.h"

namespace mt {
namespace {

PoolAxis& axis(PoolShape& s, int dims, int i) {
  PoolAxis* const axes[] = {&s.d, &s.h, &s.w};
  return *axes[3 - dims + i];
}

int64_t size_of(const Tensor& t, int dims, int i) { return t.size(t.dim() - dims + i); }

void set_planes(PoolShape& s, const Tensor& t, int dims, ImageLayout layout) {
  s.planes = t.size(0);
  if (t.dim() == dims + 2) (layout == ImageLayout::channels_last ? s.channels : s.planes) *= t.size(1);
}

// The number of windows. Rounded up, the last one may extend beyond the image and its padding, even if it is the only one.
int64_t windows(const Call& call, const PoolAxis& axis, bool ceil) {
  const int64_t window = axis.dilation * (axis.kernel - 1) + 1, beyond = ceil ? axis.stride - 1 : 0;
  const int64_t room = axis.size + 2 * axis.pad - window + beyond;
  if (room < 0 || axis.size < 1)
    call.fail_at<Status::shape>(0, "a size of ", axis.size, " with padding ", axis.pad, ", expected at least ", window - beyond,
                                " of a window of ", window);
  const int64_t count = room / axis.stride + 1;
  return (count - 1) * axis.stride >= axis.size + axis.pad ? count - 1 : count;
}

// Reads the window, whose arguments start at `first`: kernels, strides, paddings, rounding; dilations at `dilated`, if not 0. The shape
// already has the sizes of the images.
void read_window(const Call& call, int first, int dims, int dilated, PoolShape& s) {
  for (int i = 0; i < dims; ++i) {
    PoolAxis& a = axis(s, dims, i);
    const int pad = first + 2 * dims + i;
    a.kernel = expect_at_least(call, first + i, 1);
    a.stride = call.has(first + dims + i) ? expect_at_least(call, first + dims + i, 1) : a.kernel;
    a.pad = expect_at_least(call, pad, 0);
    if (dilated != 0) a.dilation = expect_at_least(call, dilated + i, 1);
    if (2 * a.pad > a.kernel) call.fail_at<Status::range>(pad, a.pad, ", expected at most half of the kernel's ", a.kernel);
  }
  for (int i = 0; i < dims; ++i) {
    PoolAxis& a = axis(s, dims, i);
    a.out = windows(call, a, call.boolean(first + 3 * dims));
    // A window that extends beyond image and padding on both sides is the only one: the kernel drops taps beyond them.
    a.kernel = std::min(a.kernel, (a.size + 2 * a.pad - 1) / a.dilation + 1);
  }
}

PoolShape shape_of(const Tensor& x, int dims, ImageLayout layout) {
  PoolShape s;
  set_planes(s, x, dims, layout);
  for (int i = 0; i < dims; ++i) axis(s, dims, i).size = size_of(x, dims, i);
  return s;
}

// The sizes of t with those of its planes replaced: `of` each axis.
template <class F> Shape with_planes(const Tensor& t, PoolShape& s, int dims, F of) {
  Shape sizes(t.sizes());
  for (int i = 0; i < dims; ++i) sizes[t.dim() - dims + i] = of(axis(s, dims, i));
  return sizes;
}
Shape outputs(const Tensor& t, PoolShape& s, int dims) {
  return with_planes(t, s, dims, [](const PoolAxis& a) { return a.out; });
}
Shape inputs(const Tensor& t, PoolShape& s, int dims) {
  return with_planes(t, s, dims, [](const PoolAxis& a) { return a.size; });
}

// Kernels for channels last count positions in 32 bits.
ImageLayout layout_for_positions(const Tensor& x, int dims) {
  int64_t places = 1;
  for (int i = 0; i < dims; ++i) places *= size_of(x, dims, i);
  return places < std::numeric_limits<int32_t>::max() ? images_layout(x, dims) : ImageLayout::channels_first;
}

Tensor pooled(const Call& call, int result, DType dtype, DType inner, Sizes sizes, ImageLayout layout) {
  return call.output(result, dtype, sizes, {.layout = layout, .dense = true, .computed_in = inner});
}

}  // namespace

PoolShape max_pool_shape(const Call& call, int dims, ImageLayout layout) {
  PoolShape s = shape_of(call.tensor(0), dims, layout);
  read_window(call, 1, dims, 3 * dims + 2, s);
  return s;
}

PoolShape avg_pool_shape(const Call& call, int first, int dims, ImageLayout layout) {
  PoolShape s = shape_of(call.tensor(0), dims, layout);
  read_window(call, first, dims, 0, s);
  return s;
}

void plan_max_pool(Call& call, int dims) {
  const Tensor& x = call.tensor(0);
  expect_images(call, 0, x, dims);
  const DType inner = image_dtype(call, 0, x.dtype());
  const ImageLayout layout = layout_for_positions(x, dims);
  PoolShape s = max_pool_shape(call, dims, layout);
  const Shape sizes = outputs(x, s, dims);
  const Tensor values = pooled(call, 0, x.dtype(), inner, sizes, layout),
               indices = pooled(call, 1, DType::int64, DType::int64, sizes, layout);
  const Tensor dense = dense_images(call, 0, inner, layout);
  if (values.numel() > 0) call.launch<MaxPoolPlan>(s, dense, values, indices);
  call.finish(0, values);
  call.finish(1, indices);
}

void plan_max_pool_grad(Call& call, int dims) {
  const Tensor &g = call.tensor(0), &indices = call.tensor(1);
  expect_images(call, 0, g, dims);
  if (indices.dtype() != DType::int64) call.fail_at<Status::dtype>(1, indices.dtype(), ", expected ", DType::int64);
  if (!std::ranges::equal(indices.sizes(), g.sizes())) call.fail_at<Status::shape>(1, indices.sizes(), ", expected ", g.sizes());
  // If g is the gradient of a view, the indices still have the layout of x.
  const ImageLayout of_g = images_layout(g, dims), layout = of_g == ImageLayout::channels_last ? of_g : images_layout(indices, dims);
  PoolShape s;
  set_planes(s, g, dims, layout);
  for (int i = 0; i < dims; ++i) {
    axis(s, dims, i).size = expect_at_least(call, 2 + i, 1);
    axis(s, dims, i).out = size_of(g, dims, i);
  }
  const DType inner = image_dtype(call, 0, g.dtype());
  const Tensor x_grad = pooled(call, 0, g.dtype(), inner, inputs(g, s, dims), layout);
  const Tensor dense = dense_images(call, 0, inner, layout), dense_indices = dense_images(call, 1, DType::int64, layout);
  // The kernel checks the indices itself, unless the device checks them asynchronously.
  AsynchronousDevice* const device = dense_indices.numel() > 0 ? asynchronous(call.device) : nullptr;
  const ElementCheck check{{dense_indices, 1, s.plane(), 1, false},
                           call.name(),
                           call.argument(1),
                           [](int64_t, int64_t, int64_t plane) { return concat("an index out of range, expected 1..", plane); },
                           s.plane()};
  if (is_recording()) expect_elements(check);  // a separate step, which is replayed, too
  const bool is_checked = is_recording() || (device != nullptr && device->check_later(check));
  const MaxPoolGradPlan plan{s, dense, dense_indices, x_grad, Answer<bool>(!is_checked)};
  if (x_grad.numel() > 0) call.launch(plan);
  if (*plan.outside) call.fail_at<Status::range>(1, "an index out of range, expected 1..", s.plane());
  call.finish(0, x_grad);
}

void plan_avg_pool(Call& call, int dims) {
  const Tensor& x = call.tensor(0);
  expect_images(call, 0, x, dims);
  const DType inner = image_dtype(call, 0, x.dtype());
  const ImageLayout layout = images_layout(x, dims);
  PoolShape s = avg_pool_shape(call, 1, dims, layout);
  const Tensor y = pooled(call, 0, x.dtype(), inner, outputs(x, s, dims), layout);
  const Tensor dense = dense_images(call, 0, inner, layout);
  if (y.numel() > 0) call.launch<AvgPoolPlan>(s, call.boolean(3 * dims + 2), dense, y);
  call.finish(0, y);
}

void plan_avg_pool_grad(Call& call, int dims) {
  const Tensor& g = call.tensor(0);
  expect_images(call, 0, g, dims);
  const DType inner = image_dtype(call, 0, g.dtype());
  const SizePerAxis size(call, 1, dims, 1);
  const ImageLayout layout = images_layout(g, dims);
  PoolShape s;
  set_planes(s, g, dims, layout);
  for (int i = 0; i < dims; ++i) axis(s, dims, i).size = size[i];
  read_window(call, size.next(), dims, 0, s);
  const Shape expected = outputs(g, s, dims);
  if (!std::ranges::equal(g.sizes(), Sizes(expected))) call.fail_at<Status::shape>(0, g.sizes(), ", expected ", Sizes(expected));
  const Tensor x_grad = pooled(call, 0, g.dtype(), inner, inputs(g, s, dims), layout);
  const Tensor dense = dense_images(call, 0, inner, layout);
  if (x_grad.numel() > 0) call.launch<AvgPoolGradPlan>(s, call.boolean(size.next() + 3 * dims + 1), dense, x_grad);
  call.finish(0, x_grad);
}

}  // namespace mt
