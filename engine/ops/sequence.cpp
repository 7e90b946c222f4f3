#include "engine/ops/sequence.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "engine/cpu/iterator.h"
#include "engine/ops/create.h"

namespace mt {
namespace {

constexpr double longest = 0x1p62;

// Writes a run of n elements of a sequence, from element begin on.
template <class E> void fill_run(E* to, const SequenceLoops& loops, const Sequence& sequence, int64_t begin, int64_t n) {
  if constexpr (std::is_same_v<E, double>) {
    loops.doubles(to, sequence, begin, n);
  } else if constexpr (std::is_same_v<E, float>) {
    loops.floats(to, sequence, begin, n);
  } else {
    double values[256];
    for (int64_t i = 0; i < n; i += std::ssize(values)) {
      const int64_t count = std::min<int64_t>(std::ssize(values), n - i);
      loops.doubles(values, sequence, begin + i, count);
      for (int64_t k = 0; k < count; ++k) to[i + k] = element_from<E>(values[k]);
    }
  }
}

// Result 0 of n elements: a vector, but a result of n elements keeps its sizes. fill(p, begin, end) writes elements of p, where they follow
// each other.
template <class Fill> void make_vector(Call& call, int64_t n, DType dtype, Fill&& fill) {
  const bool keeps = call.is_given(0) && call.result(0).numel() == n && n > 0;
  const Shape sizes = keeps ? Shape(call.result(0).sizes()) : Shape{n};
  const Tensor out = call.output(0, dtype, sizes);
  if (n > 0) {
    const Tensor dense = out.is_contiguous() ? out : Tensor::empty(dtype, sizes);
    dispatch(dtype, [&]<class E>(std::type_identity<E>) {
      parallel_for(n, pointwise_grain, [&](int64_t begin, int64_t end) { fill(dense.data<E>(), begin, end); });
    });
    if (!out.is_contiguous()) copy(out, dense);
  }
  call.finish(0, out);
}

void make_sequence(Call& call, int64_t n, DType dtype, const Sequence& sequence) {
  const auto& loops = *static_cast<const SequenceLoops*>(call.op.kernel.data);
  make_vector(call, n, dtype, [&]<class E>(E* p, int64_t begin, int64_t end) { fill_run(p + begin, loops, sequence, begin, end - begin); });
}

// What linspace and logspace are asked for: result 0 of n elements from first to last, both exact.
struct Spaced {
  double last;
  int64_t n;
  DType dtype;
  Sequence sequence;
};

Spaced read_spaced(Call& call) {
  const double first = call.number(0), last = call.number(1);
  const int64_t n = call.integer(2);
  const DType dtype = wanted_dtype(call, 3);
  if (n < 1) call.fail_at(2, n, " came, 1 or more was expected");
  if (n == 1 && first != last) call.fail_at(2, "1 value can't go from ", first, " to ", last);
  return {last, n, dtype, {first, last - first, static_cast<double>(n - 1)}};
}

}  // namespace

void run_range(Call& call) {
  const double first = call.number(0), last = call.number(1), step = call.number(2);
  const DType dtype = wanted_dtype(call, 3);
  if (step == 0 || !std::isfinite(step)) call.fail_at(2, step, " came, a step other than 0 was expected");
  if (step > 0 ? !(first <= last) : !(first >= last)) call.fail_at(2, step, " came, which doesn't lead from ", first, " to ", last);
  const double count = std::floor((last - first) / step) + 1;
  if (!(count < longest)) call.fail_at(1, "from ", first, " to ", last, " there are too many values");
  make_sequence(call, static_cast<int64_t>(count), dtype, {first, step, 1});
}

void run_arange(Call& call) {
  const double first = call.number(0), last = call.number(1), step = call.number(2);
  const DType dtype = wanted_dtype(call, 3);
  if (step == 0 || !std::isfinite(step)) call.fail_at(2, step, " came, a step other than 0 was expected");
  const double count = std::ceil((last - first) / step);
  if (!(count < longest)) call.fail_at(1, "from ", first, " to ", last, " there are too many values");
  make_sequence(call, count > 0 ? static_cast<int64_t>(count) : 0, dtype, {first, step, 1});
}

void run_linspace(Call& call) {
  const auto& loops = *static_cast<const SequenceLoops*>(call.op.kernel.data);
  const Spaced spaced = read_spaced(call);
  make_vector(call, spaced.n, spaced.dtype, [&]<class E>(E* p, int64_t begin, int64_t end) {
    const bool ends = end == spaced.n;
    fill_run(p + begin, loops, spaced.sequence, begin, end - begin - ends);
    if (ends) p[end - 1] = element_from<E>(spaced.last);
  });
}

void run_logspace(Call& call) {
  const auto& loops = *static_cast<const SequenceLoops*>(call.op.kernel.data);
  const Spaced spaced = read_spaced(call);
  make_vector(call, spaced.n, spaced.dtype, [&]<class E>(E* p, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      double exponent = spaced.last;
      if (i < spaced.n - 1) loops.doubles(&exponent, spaced.sequence, i, 1);
      p[i] = element_from<E>(std::pow(10.0, exponent));
    }
  });
}

}  // namespace mt
