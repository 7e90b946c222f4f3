// Connectionist temporal classification by the recursions of Graves et al. (2006), section 4.1, in logarithms: a block computes a sample,
// and its threads the states of a step: blank, label 1, blank, ..., label S, blank.
#include "engine/ops/ctc.h"

#include <algorithm>
#include <limits>

#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/scratch.h"
#include "cuda/value.h"

namespace mt::cuda {

#include "engine/ops/ctc-inl.h"

namespace {

constexpr int threads_of_sample = 128;

MT_DEVICE double log_sum(double a, double b, double c) {
  const double high = a > b ? (a > c ? a : c) : (b > c ? b : c);
  if (!(high > -std::numeric_limits<double>::infinity())) return a + b + c;  // -infinity, or NaN
  return high + std::log(std::exp(a - high) + std::exp(b - high) + std::exp(c - high));
}

// One sample of a call. Elements that the call's checks reject later don't lead out of memory.
template <class T> struct CtcSample {
  const T* logp;
  const int64_t* targets;
  int64_t steps, states, stride, classes, blank;

  MT_DEVICE int64_t class_of(int64_t state) const {
    const int64_t label = state % 2 == 0 ? blank : targets[state / 2] - 1;
    return label < 0 || label >= classes ? 0 : label;
  }
  MT_DEVICE double logarithm(int64_t t, int64_t state) const { return static_cast<double>(logp[t * stride + class_of(state)]); }
  // Whether an alignment may pass from a state to the second next one.
  MT_DEVICE bool skips_to(int64_t state) const { return state % 2 == 1 && state > 1 && class_of(state) != class_of(state - 2); }
};

// The logarithms of probabilities of `width` states for each sample of a block: `rows` rows for steps.
struct CtcRows {
  double* memory;
  int64_t rows, width;
  MT_DEVICE double* row(Thread& t, int64_t i) const { return memory + (t.block() * rows + i) * width; }
  MT_DEVICE static double at(const double* row, int64_t state, int64_t states) {
    return state < 0 || state >= states ? -std::numeric_limits<double>::infinity() : row[state];
  }
};

template <class T> struct CtcKernel {
  const T* logp;
  const int64_t *targets, *steps, *lengths;
  int64_t all_steps, samples, classes, most_labels, blank;
  bool zero_infinity;
  CtcRows rows;

  explicit CtcKernel(const CtcInput& input, const CtcRows& own)
      : logp(elements<T>(input.logp)),
        targets(elements<int64_t>(input.targets)),
        steps(elements<int64_t>(input.steps)),
        lengths(elements<int64_t>(input.lengths)),
        all_steps(input.logp.size(0)),
        samples(input.logp.size(1)),
        classes(input.logp.size(2)),
        most_labels(input.targets.size(1)),
        blank(input.blank),
        zero_infinity(input.zero_infinity),
        rows(own) {}

  static MT_DEVICE int64_t within(int64_t i, int64_t most) { return i < 0 ? 0 : i > most ? most : i; }
  MT_DEVICE CtcSample<T> sample(int64_t n) const {
    return {logp + n * classes,
            targets + n * most_labels,
            within(steps[n], all_steps),
            2 * within(lengths[n], most_labels) + 1,
            samples * classes,
            classes,
            blank};
  }

  // Computes the probabilities of all states up to each step; row i of `kept` rows holds those after i steps, modulo `kept`. Returns the
  // loss, in every thread.
  MT_DEVICE double forward(Thread& t, const CtcSample<T>& s, int64_t kept) const {
    constexpr double never = -std::numeric_limits<double>::infinity();
    double* const start = rows.row(t, 0);
    for (int64_t i = t.index(); i < s.states; i += t.threads()) start[i] = i == 0 ? 0 : never;
    t.barrier();
    for (int64_t step = 0; step < s.steps; ++step) {
      const double* const from = rows.row(t, step % kept);
      double* const to = rows.row(t, (step + 1) % kept);
      for (int64_t i = t.index(); i < s.states; i += t.threads()) {
        const double skipped = s.skips_to(i) ? from[i - 2] : never;
        to[i] = log_sum(from[i], CtcRows::at(from, i - 1, s.states), skipped) + s.logarithm(step, i);
      }
      t.barrier();
    }
    const double* const last = rows.row(t, s.steps % kept);
    const double loss = -log_sum(last[s.states - 1], CtcRows::at(last, s.states - 2, s.states), never);
    t.barrier();
    return loss;
  }
};

template <class T> struct CtcLossKernel : CtcKernel<T> {
  T* out;
  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t n = t.block(); n < this->samples; n += t.blocks()) {
      const double loss = this->forward(t, this->sample(n), this->rows.rows);
      const bool is_zero = this->zero_infinity && loss == std::numeric_limits<double>::infinity();
      if (t.index() == 0) out[n] = is_zero ? T(0) : static_cast<T>(loss);
    }
  }
};

// Rows: after 0..steps steps, then two for the probabilities behind a step, then the shares of the states.
template <class T> struct CtcGradKernel : CtcKernel<T> {
  const T* g;
  T* out;  // zeros

  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t n = t.block(); n < this->samples; n += t.blocks()) {
      const CtcSample<T> s = this->sample(n);
      const double loss = this->forward(t, s, this->all_steps + 1);
      T* const gradient = out + n * this->classes;
      if (loss - loss == 0)
        backward(t, s, loss, static_cast<double>(g[n]), gradient);
      else if (loss != loss || !this->zero_infinity)
        fill(t, s, gradient);
    }
  }

  MT_DEVICE void fill(Thread& t, const CtcSample<T>& s, T* gradient) const {
    for (int64_t step = 0; step < (s.steps > 1 ? s.steps : 1); ++step) {
      for (int64_t c = t.index(); c < s.classes; c += t.threads()) gradient[step * s.stride + c] = std::numeric_limits<T>::quiet_NaN();
    }
  }

  MT_DEVICE void backward(Thread& t, const CtcSample<T>& s, double loss, double factor, T* gradient) const {
    constexpr double never = -std::numeric_limits<double>::infinity();
    double* const shares = this->rows.row(t, this->all_steps + 3);
    for (int64_t step = s.steps - 1; step >= 0; --step) {
      const double *const up_to = this->rows.row(t, step + 1), *const next = this->rows.row(t, this->all_steps + 1 + (step + 1) % 2);
      double* const behind = this->rows.row(t, this->all_steps + 1 + step % 2);
      for (int64_t i = t.index(); i < s.states; i += t.threads()) {
        const auto through = [&](int64_t j) { return j < s.states ? next[j] + s.logarithm(step + 1, j) : never; };
        behind[i] = step == s.steps - 1
                        ? (i >= s.states - 2 ? 0 : never)
                        : log_sum(through(i), through(i + 1), i + 2 < s.states && s.skips_to(i + 2) ? through(i + 2) : never);
        shares[i] = std::exp(up_to[i] + behind[i] + loss);
      }
      t.barrier();
      add_shares(t, s, shares, -factor, gradient + step * s.stride);
      t.barrier();
    }
  }

  // The thread of a class's first state adds the shares of all its states.
  MT_DEVICE void add_shares(Thread& t, const CtcSample<T>& s, const double* shares, double factor, T* gradient) const {
    for (int64_t i = t.index(); i < s.states; i += t.threads()) {
      const int64_t own = s.class_of(i);
      bool is_first = true;
      for (int64_t j = 0; j < i && is_first; ++j) is_first = s.class_of(j) != own;
      if (!is_first) continue;
      double sum = 0;
      for (int64_t j = i; j < s.states; ++j) sum += s.class_of(j) == own ? shares[j] : 0;
      gradient[own] = static_cast<T>(factor * sum);
    }
  }
};

// Calls f(type, rows, blocks) with memory for the rows of as many samples as have room at once.
template <class F> void with_rows(const CtcInput& input, int64_t rows, F f) {
  constexpr int64_t most_numbers = int64_t{1} << 26;
  const Stream stream = op_stream();
  const int64_t width = 2 * input.targets.size(1) + 1;
  const int64_t blocks = std::clamp<int64_t>(most_numbers / (rows * width), 1, input.logp.size(1));
  const Scratch<double> memory(stream, blocks * rows * width);
  const CtcRows own{memory.data(), rows, width};
  if (input.logp.dtype() == DType::float32)
    f(stream, float(), own, blocks);
  else
    f(stream, double(), own, blocks);
}

}  // namespace

void run_ctc_loss(const CtcLossPlan& plan) {
  with_rows(plan.input, 2, [&]<class T>(Stream stream, T, const CtcRows& rows, int64_t blocks) {
    launch(stream, blocks, threads_of_sample, 0, CtcLossKernel<T>{CtcKernel<T>(plan.input, rows), elements<T>(plan.out)});
  });
}

void run_ctc_loss_grad(const CtcLossGradPlan& plan) {
  with_rows(plan.input, plan.input.logp.size(0) + 4, [&]<class T>(Stream stream, T, const CtcRows& rows, int64_t blocks) {
    driver::set_bytes(stream, plan.out.bytes(), 0, static_cast<size_t>(plan.out.numel()) * sizeof(T));
    launch(stream, blocks, threads_of_sample, 0,
           CtcGradKernel<T>{CtcKernel<T>(plan.input, rows), elements<T>(plan.g), elements<T>(plan.out)});
  });
}

KernelRows ctc_rows() {
  static constexpr KernelRow rows[] = {{CtcLoss::decl.name, kernel<&run_ctc_loss>()},
                                       {CtcLossGrad::decl.name, kernel<&run_ctc_loss_grad>()}};
  return rows;
}

}  // namespace mt::cuda
