#include "engine/ops/histogram.h"

#include "engine/ops/common_dtype.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace mt {
namespace {

// Equal bounds are replaced by the least and the largest element.
std::optional<Bounds> given_bounds(const Call& call) {
  const Bounds b{call.number(2), call.number(3)};
  if (!(b.min <= b.max) || !std::isfinite(b.max - b.min)) {
    call.fail_at<Status::range>(3, b.max, ", expected a bound not below ", b.min, ", both finite");
  }
  return b.min == b.max ? std::nullopt : std::optional(b);
}

int64_t given_bins(const Call& call) {
  const int64_t bins = call.integer(1);
  if (bins < 1) call.fail_at<Status::range>(1, bins, ", expected 1 or more");
  return bins;
}

// Counts `rows` rows of argument 0 into a result of these sizes.
void count_parts(Call& call, int64_t rows, int64_t bins, Sizes sizes) {
  const std::optional<Bounds> bounds = given_bounds(call);
  const Tensor x = contiguous(to_dtype(call.tensor(0), float_for(call.tensor(0).dtype())));
  const Tensor out = call.output(0, x.dtype(), sizes, {.dense = true});
  if (out.numel() > 0) {
    const HistogramPlan plan{x, out, rows, x.numel() / rows, bins, bounds.has_value(), bounds.value_or(Bounds{}), Answer<Bounds>(!bounds)};
    call.launch(plan);
    const Bounds& of_data = plan.of_data;
    if (!std::isfinite(of_data.min) || !std::isfinite(of_data.max)) {
      call.fail_at(0, "elements from ", of_data.min, " to ", of_data.max, ", expected finite ones or given bounds");
    }
  }
  call.finish(0, out);
}

}  // namespace

void plan_histc(Call& call) {
  const int64_t bins = given_bins(call);
  count_parts(call, 1, bins, Shape{bins});
}

void plan_bhistc(Call& call) {
  const Tensor& x = call.tensor(0);
  if (x.dim() != 2) call.fail_at<Status::shape>(0, x.sizes(), ", expected a matrix");
  const int64_t bins = given_bins(call);
  count_parts(call, x.size(0), bins, Shape{x.size(0), bins});
}

void plan_bincount(Call& call) {
  const Tensor& given = call.tensor(0);
  if (is_float(given.dtype()) || given.dtype() == DType::boolean)
    call.fail_at<Status::dtype>(0, given.dtype(), ", expected a tensor of integers");
  int64_t length = call.has(1) ? call.integer(1) : 0;
  if (length < 0) call.fail_at<Status::range>(1, length, ", expected 0 or more");
  const Tensor x = contiguous(to_dtype(given, DType::int64));
  const BincountPlan limits{BincountPass::limits, x};
  if (x.numel() > 0) call.launch(limits);
  if (x.numel() > 0 && limits.least < 1) {
    const int64_t at = find_outside(x, 1, INT64_MAX);
    call.fail_at<Status::range>(0, "element ", read_element(x, x.offset() + at).as<int64_t>(), ", expected whole numbers from 1");
  }
  length = std::max<int64_t>(length, limits.greatest);
  const bool weighted = call.has(2);
  if (weighted && call.tensor(2).numel() != x.numel()) {
    call.fail_at<Status::shape>(2, call.tensor(2).sizes(), ", expected as many elements as ", given.sizes(), " has");
  }
  if (length >= INT64_C(1) << 60)
    call.fail_at<Status::range>(0, "element ", length, ", a count for each number up to it would not fit in memory");
  const DType dtype = weighted ? float_for(call.tensor(2).dtype()) : DType::int64;
  const Tensor weights = weighted ? contiguous(to_dtype(call.tensor(2), DType::float64)) : Tensor();
  const Tensor out = call.output(0, dtype, Shape{length}, {.dense = true, .computed_in = weighted ? DType::float64 : DType::int64});
  if (x.numel() > 0)
    call.launch<BincountPlan>(BincountPass::count, x, weights, out);
  else
    fill(out, ScalarValue::of(int64_t{0}));  // all bits are 0 in float64, too
  call.finish(0, out);
}

void plan_searchsorted(Call& call) {
  const Tensor& given = call.tensor(0);
  const Value& wanted = call.arg(1);
  const DType number = is_float(given.dtype()) ? given.dtype() : DType::float64;
  const Tensor values = wanted.is_tensor() ? *wanted.tensor : one_element(Value(wanted.as_double()), number, call.device);
  if (given.dim() == 0) call.fail_at<Status::shape>(0, "a tensor without dimensions, expected a vector");
  bool fits = given.dim() == 1 || given.dim() == values.dim();
  for (int d = 0; fits && given.dim() > 1 && d < given.dim() - 1; ++d) fits = given.size(d) == values.size(d);
  if (!fits) call.fail_at<Status::shape>(1, values.sizes(), ", expected the sizes of ", given.sizes(), " but for the last");
  const DType dtype = common_dtype(call, given.dtype(), values.dtype());
  const Tensor sorted = contiguous(to_dtype(given, dtype)), x = contiguous(to_dtype(values, dtype));
  const Tensor out = call.output(0, DType::int64, x.sizes(), {.dense = true});
  if (x.numel() > 0) {
    const int64_t m = given.dim() > 1 ? x.size(x.dim() - 1) : x.numel();
    call.launch<SearchPlan>(sorted, x, out, given.size(given.dim() - 1), m, call.boolean(2));
  }
  call.finish(0, out);
}

}  // namespace mt
