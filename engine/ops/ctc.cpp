#include "engine/ops/ctc.h"

#include <algorithm>

#include "engine/core/asynchronous.h"
#include "engine/ops/widened_dtype.h"

namespace mt {
namespace {

// Argument `arg`, int64 and contiguous, whose elements are from `least` to `most`.
Tensor whole_numbers(const Call& call, int arg, Sizes sizes, int64_t least, int64_t most) {
  const Tensor& given = call.tensor(arg);
  if (!std::ranges::equal(given.sizes(), sizes)) call.fail_at<Status::shape>(arg, given.sizes(), ", expected ", sizes);
  const Tensor numbers = contiguous(to_dtype(given, DType::int64));
  expect_elements({{numbers, least, most, least, false},
                   call.name(),
                   call.argument(arg),
                   least == 0 ? [](int64_t v, int64_t at, int64_t most) { return concat(v, " at place ", at + 1, ", expected 0..", most); }
                              : [](int64_t v, int64_t at, int64_t most) { return concat(v, " at place ", at + 1, ", expected 1..", most); },
                   most});
  return numbers;
}

// Arguments first.. of a call: log-probabilities, targets, steps, lengths, blank, zeroInfinity. Operands of a plan don't keep tensors
// alive.
struct Input {
  Tensor logp, targets, steps, lengths;
  int64_t blank;
  bool zero_infinity;

  CtcInput operands() const { return {logp, targets, steps, lengths, blank, zero_infinity}; }
};

Input checked_input(const Call& call, int first, DType dtype) {
  const Tensor &logp = call.tensor(first), &targets = call.tensor(first + 1);
  if (logp.dim() != 3 || logp.size(2) == 0)
    call.fail_at<Status::shape>(first, logp.sizes(), ", expected (steps, batch, classes) with at least one class");
  const int64_t samples = logp.size(1), classes = logp.size(2);
  if (targets.dim() != 2 || targets.size(0) != samples)
    call.fail_at<Status::shape>(first + 1, targets.sizes(), ", expected (", samples, ", most labels)");
  const int64_t blank = call.integer(first + 4);
  if (blank < 0 || blank >= classes) call.fail_at<Status::range>(first + 4, blank + 1, ", expected 1..", classes);
  return {contiguous(to_dtype(logp, dtype)),
          whole_numbers(call, first + 1, targets.sizes(), 1, classes),
          whole_numbers(call, first + 2, Shape{samples}, 0, logp.size(0)),
          whole_numbers(call, first + 3, Shape{samples}, 0, targets.size(1)),
          blank,
          call.boolean(first + 5)};
}

}  // namespace

void plan_ctc_loss(Call& call) {
  const DType dtype = float_for(call.tensor(0).dtype()), computed = widened_dtype(dtype);
  const Input input = checked_input(call, 0, computed);
  const Tensor out = call.output(0, dtype, Shape{call.tensor(0).size(1)}, {.dense = true, .computed_in = computed});
  if (out.numel() > 0) call.launch<CtcLossPlan>(input.operands(), out);
  call.finish(0, out);
}

void plan_ctc_loss_grad(Call& call) {
  const Tensor& logp = call.tensor(1);
  const DType dtype = float_for(logp.dtype()), computed = widened_dtype(dtype);
  const Input input = checked_input(call, 1, computed);
  const Shape samples{logp.size(1)};
  if (!std::ranges::equal(call.tensor(0).sizes(), Sizes(samples)))
    call.fail_at<Status::shape>(0, call.tensor(0).sizes(), ", expected ", samples);
  const Tensor g = contiguous(to_dtype(call.tensor(0), computed));
  const Tensor out = call.output(0, dtype, logp.sizes(), {.dense = true, .computed_in = computed});
  if (out.numel() > 0) call.launch<CtcLossGradPlan>(input.operands(), g, out);
  call.finish(0, out);
}

}  // namespace mt
