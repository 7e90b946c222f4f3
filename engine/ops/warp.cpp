#include "engine/ops/warp.h"

#include "engine/ops/images.h"

namespace mt {
namespace {

Filter read_filter(const Call& call, int i) {
  const std::string_view text = call.string(i);
  if (text == "nearest") return Filter::nearest;
  if (text == "bilinear") return Filter::bilinear;
  if (text == "bicubic") return Filter::bicubic;
  if (text == "lanczos") return Filter::lanczos;
  call.fail_at(i, "'", text, "', expected 'nearest', 'bilinear', 'bicubic' or 'lanczos'");
}

Border read_border(const Call& call, int i) {
  const std::string_view text = call.string(i);
  if (text == "clamp") return Border::clamp;
  if (text == "pad") return Border::pad;
  if (text == "zeros") return Border::zeros;
  call.fail_at(i, "'", text, "', expected 'clamp', 'pad' or 'zeros'");
}

int read_order(const Call& call, int i, Filter filter) {
  const int most = filter == Filter::lanczos ? 2 : 8;
  const int64_t order = call.integer(i);
  if (order < 0 || order > most) call.fail_at<Status::range>(i, order, ", expected an order of a derivative in 0..", most);
  return static_cast<int>(order);
}

// The dtype in which images and their field are computed.
DType inner_dtype(const Call& call, int arg) {
  const DType dtype = call.tensor(arg).dtype();
  if (dtype == DType::boolean) call.fail_at<Status::dtype>(arg, dtype, ", expected a tensor of numbers");
  return dtype == DType::uint8 || (is_float(dtype) && dtype != DType::float64) ? DType::float32 : DType::float64;
}

// Reads the arguments of both signatures: images t at 0, the field at 1, then the filter, offset, border, and from `last` the orders.
WarpShape read_shape(const Call& call, int filter, int last) {
  const Tensor &t = call.tensor(0), &field = call.tensor(1);
  if (t.dim() < 2 || t.dim() > 4)
    call.fail_at<Status::shape>(0, t.sizes(), ", expected images (height, width), (channels, height, width) or a batch of them");
  const bool each = field.dim() == 4;
  if ((field.dim() != 3 && !each) || field.size(each ? 1 : 0) != 2 || (each && (t.dim() != 4 || field.size(0) != t.size(0))))
    call.fail_at<Status::shape>(1, field.sizes(), ", expected a field (2, height, width)",
                                t.dim() == 4 ? concat(", or ", t.size(0), " of them,") : "");
  if (call.tensor(1).dtype() == DType::boolean) call.fail_at<Status::dtype>(1, DType::boolean, ", expected a tensor of numbers");
  WarpShape s;
  s.images = 1;
  for (int d = 0; d < t.dim() - 2; ++d) s.images *= t.size(d);
  s.images_of_field = each ? (t.size(0) > 0 ? s.images / t.size(0) : 1) : s.images;
  s.out_height = field.size(field.dim() - 2), s.out_width = field.size(field.dim() - 1);
  s.filter = read_filter(call, filter);
  s.offset = call.boolean(filter + 1);
  s.border = read_border(call, filter + 2);
  s.dy = read_order(call, last, s.filter), s.dx = read_order(call, last + 1, s.filter);
  return s;
}

Shape with_plane(const Tensor& t, int64_t height, int64_t width) {
  Shape sizes(t.sizes());
  sizes[t.dim() - 2] = height, sizes[t.dim() - 1] = width;
  return sizes;
}

}  // namespace

void plan_warp(Call& call) {
  WarpShape s = read_shape(call, 2, 6);
  const Tensor& x = call.tensor(0);
  s.height = x.size(x.dim() - 2), s.width = x.size(x.dim() - 1);
  if (s.plane() == 0) call.fail_at<Status::shape>(0, x.sizes(), ", expected images with elements");
  s.fill = s.is_derivative() ? 0 : call.number(5);
  const DType inner = inner_dtype(call, 0);
  const Tensor dense = dense_argument(call, 0, inner), field = dense_argument(call, 1, inner);
  const Tensor y = call.output(0, x.dtype(), with_plane(x, s.out_height, s.out_width), {.dense = true, .computed_in = inner});
  if (y.numel() > 0) call.launch<WarpPlan>(s, dense, field, y, Whole(x.dtype(), inner));
  call.finish(0, y);
}

void plan_warp_grad(Call& call) {
  WarpShape s = read_shape(call, 4, 7);
  const Tensor& g = call.tensor(0);
  if (g.size(g.dim() - 2) != s.out_height || g.size(g.dim() - 1) != s.out_width)
    call.fail_at<Status::shape>(0, g.sizes(), ", expected the field's ", s.out_height, " x ", s.out_width);
  s.height = expect_at_least(call, 2, 1), s.width = expect_at_least(call, 3, 1);
  const DType inner = image_dtype(call, 0, g.dtype());
  const Tensor dense = dense_argument(call, 0, inner), field = dense_argument(call, 1, inner);
  const Tensor x_grad = call.output(0, g.dtype(), with_plane(g, s.height, s.width), {.dense = true, .computed_in = inner});
  if (x_grad.numel() > 0) call.launch<WarpGradPlan>(s, dense, field, x_grad);
  call.finish(0, x_grad);
}

}  // namespace mt
