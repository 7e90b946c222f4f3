#include "engine/ops/quantize.h"

#include <algorithm>

#include "engine/ops/images.h"
#include "engine/ops/widened_dtype.h"

namespace mt {
namespace {

// The operands of QuantizedSlices; a plan does not keep them alive.
struct CheckedSlices {
  int64_t outer = 1, slices = 1, inner = 1;
  Tensor scale, zero;
  operator QuantizedSlices() const { return {outer, slices, inner, scale, zero}; }  // NOLINT: implicit
};

// Arguments from `first` on are scale, zero and axis, for a tensor of the sizes of x.
CheckedSlices checked_slices(const Call& call, const Tensor& x, int first, DType dtype) {
  CheckedSlices s;
  if (call.has(first + 2)) {
    const int axis = call.dim(first + 2, x.dim());
    for (int d = 0; d < x.dim(); ++d) (d < axis ? s.outer : d == axis ? s.slices : s.inner) *= x.size(d);
  } else {
    s.inner = x.numel();
  }
  s.scale = values_of(call, first, dtype, s.slices);
  s.zero = values_of(call, first + 1, DType::int32, s.slices);
  return s;
}

// The dtype in which floats are computed: that of x, if it is a float, and float32 for integers.
DType computed_dtype(const Tensor& x) { return x.dtype() == DType::float64 ? DType::float64 : DType::float32; }

void fake_quantize(Call& call, int x_arg, bool is_gradient) {
  const Tensor& given = call.tensor(x_arg);
  if (is_gradient && !std::ranges::equal(call.tensor(0).sizes(), given.sizes()))
    call.fail_at<Status::shape>(0, call.tensor(0).sizes(), ", expected ", given.sizes());
  const DType dtype = float_for(given.dtype()), inner = widened_dtype(dtype);
  const CheckedSlices slices = checked_slices(call, given, x_arg + 1, inner);
  const int64_t least = call.integer(x_arg + 4), most = call.integer(x_arg + 5);
  constexpr int64_t limit = int64_t{1} << 24;
  if (least < -limit || least > limit) call.fail_at<Status::range>(x_arg + 4, least, ", expected ", -limit, " to ", limit);
  if (most < least || most > limit) call.fail_at<Status::range>(x_arg + 5, most, ", expected ", least, " to ", limit);
  const Tensor x = contiguous(to_dtype(given, inner)), g = is_gradient ? contiguous(to_dtype(call.tensor(0), inner)) : Tensor();
  const Tensor out = call.output(0, dtype, given.sizes(), {.dense = true, .computed_in = inner});
  if (out.numel() > 0)
    call.launch<FakeQuantizePlan>(QuantizedSlices(slices), x, g, out, static_cast<double>(least), static_cast<double>(most));
  call.finish(0, out);
}

}  // namespace

void plan_quantize(Call& call) {
  const Tensor& given = call.tensor(0);
  const DType inner = computed_dtype(given), dtype = call.has(4) ? call.arg(4).dtype : DType::uint8;
  if (dtype != DType::uint8 && dtype != DType::int8)
    call.fail_at<Status::dtype>(4, dtype, ", expected torch.ByteTensor or torch.CharTensor");
  const CheckedSlices slices = checked_slices(call, given, 1, inner);
  const Tensor x = contiguous(to_dtype(given, inner));
  const Tensor q = call.output(0, dtype, given.sizes(), {.dense = true});
  if (q.numel() > 0) call.launch<QuantizePlan>(QuantizedSlices(slices), x, q);
  call.finish(0, q);
}

void plan_dequantize(Call& call) {
  const Tensor& given = call.tensor(0);
  const DType inner = computed_dtype(call.tensor(1));
  const CheckedSlices slices = checked_slices(call, given, 1, inner);
  const bool is_small = given.dtype() == DType::uint8 || given.dtype() == DType::int8;
  const Tensor q = contiguous(is_small ? given : to_dtype(given, DType::int32));
  const Tensor out = call.output(0, inner, given.sizes(), {.dense = true});
  if (out.numel() > 0) call.launch<DequantizePlan>(QuantizedSlices(slices), q, out);
  call.finish(0, out);
}

void plan_fake_quantize(Call& call) { fake_quantize(call, 0, false); }

void plan_fake_quantize_grad(Call& call) { fake_quantize(call, 1, true); }

void plan_int8_map(Call& call) {
  const Tensor& given = call.tensor(0);
  const Tensor& values = call.tensor(1);
  if (values.numel() != 256) call.fail_at<Status::shape>(1, values.sizes(), ", expected 256 elements");
  const Tensor x = contiguous(given.dtype() == DType::int8 ? given : to_dtype(given, DType::uint8));
  const Tensor table = contiguous(values);
  const Tensor out = call.output(0, values.dtype(), given.sizes(), {.dense = true});
  if (out.numel() > 0) call.launch<Int8MapPlan>(x, table, out);
  call.finish(0, out);
}

void plan_linear16(Call& call) {
  const Tensor &given = call.tensor(0), &weight = call.tensor(1);
  if (given.dim() == 0) call.fail_at<Status::shape>(0, given.sizes(), ", expected one dimension or more");
  if (weight.dim() != 2) call.fail_at<Status::shape>(1, weight.sizes(), ", expected 2 dimensions");
  const int64_t depth = weight.size(1), columns = weight.size(0);
  if (given.size(given.dim() - 1) != depth)
    call.fail_at<Status::shape>(0, given.sizes(), ", expected a last size of ", depth, ", that of the weight");
  const Tensor bias = values_of(call, 2, DType::float32, columns);
  Shape sizes(given.sizes());
  sizes[given.dim() - 1] = columns;
  const Tensor out = call.output(0, DType::float32, sizes, {.dense = true});
  if (out.numel() > 0) {
    const bool is_narrow = is_float(weight.dtype()) && size_of(weight.dtype()) == 2;
    const Tensor x = contiguous(to_dtype(given, DType::float32));
    const Tensor w = contiguous(is_narrow ? weight : to_dtype(weight, DType::float32));
    call.launch<Linear16Plan>(out.numel() / columns, depth, columns, x, w, bias, out);
  }
  call.finish(0, out);
}

}  // namespace mt
