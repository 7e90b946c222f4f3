#include "engine/ops/images.h"

namespace mt {

DType image_dtype(const Call& call, int arg, DType dtype) {
  if (!is_float(dtype)) call.fail_at(arg, dtype, " came, a tensor of floats was expected");
  return dtype == DType::float64 ? DType::float64 : DType::float32;
}

Tensor dense_argument(const Call& call, int arg, DType dtype) {
  return call.has(arg) ? contiguous(to_dtype(call.tensor(arg), dtype)) : Tensor();
}

void expect_images(const Call& call, int arg, const Tensor& t) {
  if (t.dim() != 3 && t.dim() != 4) call.fail_at(arg, t.sizes(), " came, (channels, height, width), or a batch of it, was expected");
}

int64_t expect_at_least(const Call& call, int arg, int64_t least) {
  const int64_t value = call.integer(arg);
  constexpr int64_t most = 1 << 30;
  if (value < least || value > most) call.fail_at(arg, value, " came, a whole number in ", least, "..", most, " was expected");
  return value;
}

ImageResult::ImageResult(const Call& call, int result, DType dtype, DType computed_in, Sizes sizes)
    : call_(call), result_(result), out_(call.output(result, dtype, sizes)) {
  space_ = dtype == computed_in && out_.is_contiguous() ? out_ : Tensor::empty(computed_in, sizes);
}

void ImageResult::done() const {
  if (space_.numel() > 0 && space_.bytes() != out_.bytes()) copy(out_, space_);
  call_.finish(result_, out_);
}

}  // namespace mt
