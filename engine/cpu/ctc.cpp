// The CPU's kernels of connectionist temporal classification: the forward and backward recursions of section 4.1 of Graves et al. (2006),
// on probabilities with separate exponents, which need no logarithms. Threads share the samples. The states are the blanks before, between
// and behind the labels, and the labels: state i of the blanks is before label i.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/ctc.cpp"
#include <hwy/foreach_target.h>  // before the code that is compiled several times

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/built.h"
#include "engine/core/parallel.h"
#include "engine/cpu/functions-inl.h"

#include "engine/cpu/scaled-inl.h"
#include "engine/ops/ctc.h"

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

#include "engine/ops/ctc-inl.h"

using V = Simd<double>;

// Numbers in memory, one for each label or blank, all mantissas before all exponents.
class Numbers {
 public:
  Numbers(double* mantissas, int64_t width) : mantissas_(mantissas), exponents_(mantissas + width) {}
  MT_FN Scaled at(int64_t i) const { return {V(hn::LoadU(V::D(), mantissas_ + i)), V(hn::LoadU(V::D(), exponents_ + i))}; }
  MT_FN void set(int64_t i, const Scaled& number) const {
    hn::StoreU(number.mantissa.v, V::D(), mantissas_ + i);
    hn::StoreU(number.exponent.v, V::D(), exponents_ + i);
  }
  void set_one(int64_t i) const {
    mantissas_[i] = 1;
    exponents_[i] = 0;
  }
  double mantissa(int64_t i) const { return mantissas_[i]; }
  double exponent(int64_t i) const { return exponents_[i]; }

 private:
  double *mantissas_, *exponents_;
};

struct States {
  Numbers blanks, labels;
};

// The memory for one sample: rows of numbers, 0 at first, and then its other arrays. Vectors that begin one place before the first number
// or after the last one stay inside.
class Rows {
 public:
  Rows(double* memory, int64_t labels, int64_t rows) : memory_(memory), rows_(rows), count_(count_for(labels)) {
    for (double* p = memory; p < others(); p += 2 * width()) {
      std::fill_n(p, width(), 0.0);
      std::fill_n(p + width(), width(), Scaled::of_zero);
    }
  }
  Numbers operator[](int64_t row) const { return {memory_ + 2 * row * width() + lanes(), width()}; }
  States states(int64_t pair) const { return {(*this)[2 * pair], (*this)[2 * pair + 1]}; }
  static int64_t lanes() { return static_cast<int64_t>(hn::Lanes(V::D())); }
  int64_t count() const { return count_; }  // of numbers in a row, whole vectors: all blanks and more
  int64_t width() const { return width_for(count_); }
  double* others() const { return memory_ + 2 * rows_ * width(); }

  static int64_t memory_for(int64_t labels, int64_t rows) { return (2 * rows + other_arrays) * width_for(count_for(labels)); }

 private:
  static constexpr int64_t other_arrays = 3;
  static int64_t count_for(int64_t labels) { return (labels / lanes() + 1) * lanes(); }
  static int64_t width_for(int64_t count) { return count + 2 * lanes(); }

  double* memory_;
  int64_t rows_, count_;
};

// One sample: what its recursions read.
template <class T> class Sample {
 public:
  Sample(const CtcInput& input, const Rows& rows, int64_t n)
      : steps(input.steps.data<int64_t>()[n]),
        labels(input.lengths.data<int64_t>()[n]),
        targets_(input.targets.data<int64_t>() + n * input.targets.size(1)),
        logp_(input.logp.data<T>() + n * input.logp.size(2)),
        stride_(input.logp.size(1) * input.logp.size(2)),
        blank_(input.blank),
        logarithms_(rows.others()),
        skips_(logarithms_ + rows.width()),
        scratch_(skips_ + rows.width()) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::fill_n(logarithms_, 2 * rows.width(), -infinity);
    for (int64_t i = 1; i < labels; ++i) skips_[i] = targets_[i] != targets_[i - 1] ? 0 : -infinity;
  }

  int64_t label(int64_t i) const { return targets_[i] - 1; }
  double* scratch() const { return scratch_; }  // for a number of each label, in whole vectors

  // A number of label i - 1 as label i gets it: 0 if the labels are equal, because there must be a blank between them.
  MT_FN Scaled without_blank(const Scaled& number, int64_t i) const {
    return {number.mantissa, number.exponent + V(hn::LoadU(V::D(), skips_ + i))};
  }

  // Sets the probabilities of the labels in a step; returns that of the blank, in all lanes.
  Scaled probabilities(int64_t t, const Numbers& of_labels) {
    const T* const row = logp_ + t * stride_;
    for (int64_t i = 0; i < labels; ++i) logarithms_[i] = checked(row[label(i)]);
    for (int64_t i = 0; i < labels; i += static_cast<int64_t>(hn::Lanes(V::D())))
      of_labels.set(i, scaled_exp(V(hn::LoadU(V::D(), logarithms_ + i))));
    return scaled_exp(V(checked(row[blank_])));
  }
  bool valid() const { return valid_; }  // whether all logarithms so far are those of probabilities

  const int64_t steps, labels;

 private:
  double checked(T logp) {
    const auto x = static_cast<double>(logp);
    if (x < 1e290) return x;
    valid_ = false;
    return 0;
  }

  const int64_t* targets_;
  const T* logp_;
  int64_t stride_, blank_;
  double *logarithms_, *skips_;  // of each label, -infinity behind the last one: log-probabilities, and what without_blank() adds
  double* scratch_;
  bool valid_ = true;
};

// Sets the probabilities of the labels up to a step, by the state in it, from those before the step.
template <class T>
void forward(const Sample<T>& sample, const Rows& rows, const States& from, const States& to, const Numbers& labels, const Scaled& blank) {
  for (int64_t i = 0; i < rows.count(); i += rows.lanes()) {
    const Scaled before = from.blanks.at(i), earlier = from.labels.at(i - 1);
    to.blanks.set(i, (before + earlier) * blank);
    to.labels.set(i, sum(from.labels.at(i), before, sample.without_blank(earlier, i)) * labels.at(i));
  }
}

// Sets the probabilities of the labels behind a step, by the state in it, from those of the next step, which become products with its
// probabilities.
template <class T>
void backward(const Sample<T>& sample, const Rows& rows, const States& from, const States& to, const Numbers& labels, const Scaled& blank) {
  for (int64_t i = 0; i < rows.count(); i += rows.lanes()) {
    from.blanks.set(i, from.blanks.at(i) * blank);
    from.labels.set(i, from.labels.at(i) * labels.at(i));
  }
  for (int64_t i = 0; i < rows.count(); i += rows.lanes()) {
    const Scaled own = from.labels.at(i);
    to.blanks.set(i, from.blanks.at(i) + own);
    to.labels.set(i, sum(own, from.blanks.at(i + 1), sample.without_blank(from.labels.at(i + 1), i + 1)));
  }
}

// The probability of all labels, in the first lane.
template <class T> Scaled total_of(const Sample<T>& sample, const States& last) {
  return last.blanks.at(sample.labels) + last.labels.at(sample.labels - 1);
}

double loss_of(const Scaled& total, bool valid) {
  const double mantissa = hn::GetLane(total.mantissa.v);
  if (!valid) return std::numeric_limits<double>::quiet_NaN();
  if (mantissa == 0) return std::numeric_limits<double>::infinity();
  return -(std::log(mantissa) + hn::GetLane(total.exponent.v) * 0.693147180559945309417);
}

constexpr int64_t rows_of_loss = 5;

template <class T> void loss_of_sample(const CtcLossPlan& plan, int64_t n, double* memory) {
  const Rows rows(memory, plan.input.lengths.data<int64_t>()[n], rows_of_loss);
  Sample<T> sample(plan.input, rows, n);
  rows.states(0).blanks.set_one(0);
  for (int64_t t = 0; t < sample.steps; ++t) {
    const Scaled blank = sample.probabilities(t, rows[4]);
    forward(sample, rows, rows.states(t % 2), rows.states((t + 1) % 2), rows[4], blank);
  }
  const double loss = loss_of(total_of(sample, rows.states(sample.steps % 2)), sample.valid());
  plan.out.data<T>()[n] = std::isinf(loss) && plan.input.zero_infinity ? T(0) : static_cast<T>(loss);
}

// Subtracts from a row of the gradient: g times the shares of the states in the total, where `up_to` and `behind` are the probabilities up
// to the step and behind it.
template <class T> void subtract_shares(const Sample<T>& sample, const Rows& rows, const States& up_to, const States& behind,
                                        const Scaled& total, double g, int64_t blank, T* row) {
  const V factor = V(g) / V(hn::GetLane(total.mantissa.v)), exponent(hn::GetLane(total.exponent.v));
  const auto shares = [&](const Scaled& a, const Scaled& b) {
    // A share is at most 1; mantissas are at least 1, that of the total below 4. Sums of exponents above 2^53 are rounded.
    const V power(hn::Min((a.exponent + b.exponent).v, (exponent + V(2)).v));
    return a.mantissa * b.mantissa * factor * scaled_numbers::share(power, exponent);
  };
  V of_blank(0);
  for (int64_t i = 0; i < rows.count(); i += rows.lanes()) of_blank = of_blank + shares(up_to.blanks.at(i), behind.blanks.at(i));
  double* const of_labels = sample.scratch();
  for (int64_t i = 0; i < sample.labels; i += rows.lanes())
    hn::StoreU(shares(up_to.labels.at(i), behind.labels.at(i)).v, V::D(), of_labels + i);
  row[blank] -= static_cast<T>(hn::GetLane(hn::SumOfLanes(V::D(), of_blank.v)));
  for (int64_t i = 0; i < sample.labels; ++i) row[sample.label(i)] -= static_cast<T>(of_labels[i]);
}

constexpr int64_t rows_of_gradient(int64_t steps) { return 2 * (steps + 3) + 1; }

template <class T> void gradient_of_sample(const CtcLossGradPlan& plan, int64_t n, double* memory) {
  const CtcInput& input = plan.input;
  const int64_t all_steps = input.logp.size(0), samples = input.logp.size(1), classes = input.logp.size(2);
  const auto row = [&](int64_t t) { return plan.out.data<T>() + (t * samples + n) * classes; };
  for (int64_t t = 0; t < all_steps; ++t) std::fill_n(row(t), classes, T(0));
  const int64_t steps = input.steps.data<int64_t>()[n];
  const Rows rows(memory, input.lengths.data<int64_t>()[n], rows_of_gradient(steps));
  Sample<T> sample(input, rows, n);
  const Numbers labels = rows[2 * (steps + 3)];
  rows.states(0).blanks.set_one(0);
  for (int64_t t = 0; t < steps; ++t) {
    const Scaled blank = sample.probabilities(t, labels);
    forward(sample, rows, rows.states(t), rows.states(t + 1), labels, blank);
  }
  const Scaled total = total_of(sample, rows.states(steps));
  const double loss = loss_of(total, sample.valid());
  if (!std::isfinite(loss)) {
    if (std::isinf(loss) && input.zero_infinity) return;
    for (int64_t t = 0; t < std::max<int64_t>(steps, 1); ++t) std::fill_n(row(t), classes, std::numeric_limits<T>::quiet_NaN());
    return;
  }
  const auto behind = [&](int64_t t) { return rows.states(steps + 1 + t % 2); };
  if (steps > 0) {
    behind(steps - 1).blanks.set_one(sample.labels);
    if (sample.labels > 0) behind(steps - 1).labels.set_one(sample.labels - 1);
  }
  const auto g = static_cast<double>(plan.g.data<T>()[n]);
  for (int64_t t = steps - 1; t >= 0; --t) {
    subtract_shares(sample, rows, rows.states(t + 1), behind(t), total, g, input.blank, row(t));
    if (t == 0) break;
    const Scaled blank = sample.probabilities(t, labels);
    backward(sample, rows, behind(t), behind(t - 1), labels, blank);
  }
}

// Calls in_float(plan, sample, memory) or in_double for all samples. All memory is there before the first result is written.
template <class Plan> void each_sample(const Plan& plan, int64_t rows, void (*in_float)(const Plan&, int64_t, double*),
                                       void (*in_double)(const Plan&, int64_t, double*)) {
  const CtcInput& input = plan.input;
  constexpr int64_t worth_a_thread = 4096;  // states
  const int64_t samples = input.logp.size(1), labels = input.targets.size(1), states = samples * input.logp.size(0) * (2 * labels + 1);
  const int64_t parts = std::clamp<int64_t>(states / worth_a_thread, 1, std::min<int64_t>(samples, num_threads()));
  const int64_t size = Rows::memory_for(labels, rows);
  const Tensor memory = Tensor::empty(DType::float64, {parts, size});
  const auto f = plan.out.dtype() == DType::float32 ? in_float : in_double;
  parallel_ranges(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      for (int64_t n = part; n < samples; n += parts) {
        look_for_interrupt();
        f(plan, n, memory.data<double>() + part * size);
      }
    }
  });
}

void run_ctc_loss(const CtcLossPlan& plan) { each_sample(plan, rows_of_loss, loss_of_sample<float>, loss_of_sample<double>); }
void run_ctc_loss_grad(const CtcLossGradPlan& plan) {
  each_sample(plan, rows_of_gradient(plan.input.logp.size(0)), gradient_of_sample<float>, gradient_of_sample<double>);
}

constexpr Row rows_of_ops[] = {{&CtcLoss::decl, &plan_ctc_loss, kernel<&run_ctc_loss>()},
                               {&CtcLossGrad::decl, &plan_ctc_loss_grad, kernel<&run_ctc_loss_grad>()}};

}  // namespace

std::span<const Row> ctc_rows() { return built_rows<rows_of_ops>(); }

}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/cpu/register.h"

namespace mt {
HWY_EXPORT(ctc_rows);
namespace cpu {
std::span<const Row> ctc_rows() { return HWY_DYNAMIC_DISPATCH(ctc_rows)(); }
}  // namespace cpu
}  // namespace mt
#endif
