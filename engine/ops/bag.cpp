#include "engine/ops/bag.h"

#include "engine/core/asynchronous.h"
#include "engine/ops/images.h"
#include "engine/ops/index.h"
#include "engine/ops/widened_dtype.h"

namespace mt {
namespace {

Tensor checked_offsets(const Call& call, int arg, int64_t positions) {
  const Tensor& given = call.tensor(arg);
  if (given.dim() != 1) call.fail_at<Status::shape>(arg, given.sizes(), ", expected a vector");
  if (given.dtype() != DType::int64) call.fail_at<Status::dtype>(arg, given.dtype(), ", expected torch.LongTensor");
  const Tensor offsets = contiguous(given);
  expect_elements(
      {{offsets, 1, positions + 1, 1, false},
       call.name(),
       call.argument(arg),
       [](int64_t offset, int64_t at, int64_t count) { return concat(offset, " at place ", at + 1, ", expected 1..", count + 1); },
       positions});
  return offsets;
}

// The operands of Bags; a plan does not keep them alive.
struct CheckedBags {
  Tensor index, offsets;
  int64_t count, length, padding;
  operator Bags() const { return {index, offsets, count, length, padding}; }  // NOLINT: implicit
};

// Bags of rows of a matrix with `rows` rows: arguments `arg` (index), `padding_arg`, and the next one (offsets).
CheckedBags checked_bags(const Call& call, int arg, int padding_arg, int64_t rows) {
  const Tensor& given = call.tensor(arg);
  const int dims = call.has(padding_arg + 1) ? 1 : 2;
  if (given.dim() != dims)
    call.fail_at<Status::shape>(arg, given.sizes(),
                                dims == 1 ? ", expected a vector with offsets" : ", expected (bags, length) without offsets");
  const int64_t padding = call.integer(padding_arg);
  if (padding < 0 || padding > rows) call.fail_at<Status::range>(padding_arg, padding, ", expected a row from 1 to ", rows, ", or 0");
  const Tensor index = checked_index(call, arg, rows);
  if (dims == 2) return {index, Tensor(), index.size(0), index.size(1), padding};
  const Tensor offsets = checked_offsets(call, padding_arg + 1, index.numel());
  return {index, offsets, offsets.numel(), 0, padding};
}

void expect_matrix(const Call& call, int arg) {
  if (call.tensor(arg).dim() != 2) call.fail_at<Status::shape>(arg, call.tensor(arg).sizes(), ", expected a matrix");
}

Tensor checked_factors(const Call& call, int arg, const CheckedBags& bags, bool average) {
  if (average && call.has(arg)) call.fail_at(arg, "a tensor, expected none with average");
  return values_of(call, arg, DType::float64, bags.index.numel());
}

}  // namespace

void plan_bag_sum(Call& call) {
  expect_matrix(call, 0);
  const Tensor& given = call.tensor(0);
  const DType dtype = float_for(given.dtype());
  const bool average = call.boolean(2);
  const CheckedBags bags = checked_bags(call, 1, 3, given.size(0));
  const Tensor factors = checked_factors(call, 5, bags, average), weight = contiguous(to_dtype(given, dtype));
  const Tensor out = call.output(0, dtype, Shape{bags.count, given.size(1)}, {.dense = true});
  if (out.numel() > 0) call.launch<BagSumPlan>(Bags(bags), weight, factors, out, average);
  call.finish(0, out);
}

void plan_bag_sum_grad(Call& call) {
  const Sizes sizes = call.sizes(1);
  if (sizes.size() != 2) call.fail_at<Status::shape>(1, sizes, ", expected the size of a matrix");
  checked_product(call.name(), sizes);
  const bool average = call.boolean(3);
  const CheckedBags bags = checked_bags(call, 2, 4, sizes[0]);
  const Tensor& given = call.tensor(0);
  const Shape expected{bags.count, sizes[1]};
  if (!std::ranges::equal(given.sizes(), Sizes(expected))) call.fail_at<Status::shape>(0, given.sizes(), ", expected ", Sizes(expected));
  const DType dtype = float_for(given.dtype()), inner = widened_dtype(dtype);
  const Tensor factors = checked_factors(call, 6, bags, average), g = contiguous(to_dtype(given, inner));
  const Tensor out = call.output(0, dtype, sizes, {.dense = true, .computed_in = inner});
  fill(out, ScalarValue{});
  if (out.numel() > 0) call.launch<BagSumGradPlan>(Bags(bags), g, factors, out, average);
  call.finish(0, out);
}

void plan_bag_max(Call& call) {
  expect_matrix(call, 0);
  const Tensor& given = call.tensor(0);
  const DType dtype = float_for(given.dtype());
  const CheckedBags bags = checked_bags(call, 1, 2, given.size(0));
  const Tensor weight = contiguous(to_dtype(given, dtype));
  const Shape sizes{bags.count, given.size(1)};
  const Tensor out = call.output(0, dtype, sizes, {.dense = true}), rows = call.output(1, DType::int64, sizes, {.dense = true});
  if (out.numel() > 0) call.launch<BagMaxPlan>(Bags(bags), weight, out, rows);
  call.finish(0, out);
  call.finish(1, rows);
}

}  // namespace mt
