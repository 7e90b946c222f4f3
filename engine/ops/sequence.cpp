#include "engine/ops/sequence.h"
#include <optional>

#include <cmath>
#include <optional>

#include <optional>
#include "engine/ops/create.h"

namespace mt {
namespace {

constexpr double longest = 0x1p62;

struct Formula {
  double first, step, parts;
  std::optional<double> last;
  bool powers = false;
};

// Sets result 0 to n elements: a vector, but an out argument of n elements keeps its sizes.
void make_sequence(Call& call, int64_t n, DType dtype, const Formula& f) {
  const bool keeps = call.is_given(0) && call.result(0).numel() == n && n > 0;
  const Shape sizes = keeps ? Shape(call.result(0).sizes()) : Shape{n};
  const Tensor out = call.output(0, dtype, sizes, {.dense = true});
  if (n > 0) call.launch<SequencePlan>(out, f.first, f.step, f.parts, f.last.has_value(), f.last.value_or(0), f.powers);
  call.finish(0, out);
}

// Plans linspace and logspace: n elements from first to last, both exact.
void plan_spaced(Call& call, bool powers) {
  const double first = call.number(0), last = call.number(1);
  const int64_t n = call.integer(2);
  const DType dtype = wanted_dtype(call, 3);
  if (n < 1) call.fail_at<Status::range>(2, n, ", expected 1 or more");
  if (n == 1 && first != last) call.fail_at<Status::range>(2, "1 value can't go from ", first, " to ", last);
  make_sequence(call, n, dtype, {first, last - first, static_cast<double>(n - 1), last, powers});
}

}  // namespace

void plan_range(Call& call) {
  const double first = call.number(0), last = call.number(1), step = call.number(2);
  const DType dtype = wanted_dtype(call, 3);
  if (step == 0 || !std::isfinite(step)) call.fail_at<Status::range>(2, step, ", expected a step other than 0");
  if (step > 0 ? !(first <= last) : !(first >= last))
    call.fail_at<Status::range>(2, step, ", expected a step that leads from ", first, " to ", last);
  const double count = std::floor((last - first) / step) + 1;
  if (!(count < longest)) call.fail_at<Status::range>(1, "from ", first, " to ", last, " there are too many values");
  make_sequence(call, static_cast<int64_t>(count), dtype, {first, step, 1, std::nullopt});
}

void plan_arange(Call& call) {
  const double first = call.number(0), last = call.number(1), step = call.number(2);
  const DType dtype = wanted_dtype(call, 3);
  if (step == 0 || !std::isfinite(step)) call.fail_at<Status::range>(2, step, ", expected a step other than 0");
  const double count = std::ceil((last - first) / step);
  if (!(count < longest)) call.fail_at<Status::range>(1, "from ", first, " to ", last, " there are too many values");
  make_sequence(call, count > 0 ? static_cast<int64_t>(count) : 0, dtype, {first, step, 1, std::nullopt});
}

void plan_linspace(Call& call) { plan_spaced(call, false); }
void plan_logspace(Call& call) { plan_spaced(call, true); }

}  // namespace mt
