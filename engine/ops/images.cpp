#include "engine/ops/images.h"

#include "engine/ops/widened_dtype.h"

namespace mt {

DType image_dtype(const Call& call, int arg, DType dtype) {
  if (!is_float(dtype)) call.fail_at<Status::dtype>(arg, dtype, ", expected a tensor of floats");
  return widened_dtype(dtype);
}

Tensor dense_argument(const Call& call, int arg, DType dtype) {
  return call.has(arg) ? contiguous(to_dtype(call.tensor(arg), dtype)) : Tensor();
}

Tensor values_of(const Call& call, int arg, DType dtype, int64_t count) {
  if (!call.has(arg)) return Tensor();
  if (call.tensor(arg).numel() != count) call.fail_at<Status::shape>(arg, call.tensor(arg).sizes(), ", expected [", count, "]");
  return dense_argument(call, arg, dtype);
}

Tensor values_output(const Call& call, int result, DType dtype, int64_t count) {
  return call.output(result, dtype, Sizes(&count, 1), {.dense = true, .computed_in = DType::float64});
}

Tensor dense_images(const Call& call, int arg, DType dtype, ImageLayout layout) { return with_layout(call.tensor(arg), dtype, layout); }

void expect_images(const Call& call, int arg, const Tensor& t, int sizes) {
  static constexpr const char* expected[] = {"width", "height, width", "depth, height, width"};
  if (t.dim() != sizes + 1 && t.dim() != sizes + 2)
    call.fail_at<Status::shape>(arg, t.sizes(), ", expected (channels, ", expected[sizes - 1], "), or a batch of it");
}

ImageLayout images_layout(const Tensor& t, int sizes) { return t.dim() == sizes + 2 ? layout_of(t) : ImageLayout::channels_first; }

int64_t expect_at_least(const Call& call, int arg, int64_t least) {
  const int64_t value = call.integer(arg);
  if (value < least || value > most_of_a_size)
    call.fail_at<Status::range>(arg, value, ", expected a whole number in ", least, "..", most_of_a_size);
  return value;
}

SizePerAxis::SizePerAxis(const Call& call, int arg, int axes, int64_t least) : next_(arg + axes) {
  if (call.arg(arg).type != Value::Type::sizes) {
    for (int i = 0; i < axes; ++i) values_[i] = expect_at_least(call, arg + i, least);
    return;
  }
  next_ = arg + 1;
  const Sizes given = call.sizes(arg);
  if (static_cast<int>(given.size()) != axes) call.fail_at<Status::shape>(arg, given, ", expected ", axes, " sizes");
  for (int i = 0; i < axes; ++i) {
    values_[i] = given[static_cast<size_t>(i)];
    if (values_[i] < least || values_[i] > most_of_a_size)
      call.fail_at<Status::range>(arg, given, ", expected whole numbers in ", least, "..", most_of_a_size);
  }
}

ImageLayout layout_of_operands(const Call& call, Sizes sizes) {
  for (const Value& v : call.args) {
    if (v.is_tensor() && std::ranges::equal(v.tensor->sizes(), sizes)) return layout_of(*v.tensor);
  }
  return ImageLayout::channels_first;
}

}  // namespace mt
