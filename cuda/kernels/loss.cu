// Losses of class indices. One element per target is read or written.
#include "engine/ops/loss.h"

#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/normal.h"
#include "cuda/scratch.h"
#include "cuda/team.h"
#include "cuda/value.h"

namespace mt::cuda {

#include "engine/ops/loss-inl.h"

// The targets, for kernels: the element of the log-probabilities for each position, and its weight.
struct TargetElements {
  const int64_t* classes;
  const double* weights;
  int64_t ignore, class_count, inner, count;

  TargetElements(const Targets& targets, const Places& places)
      : classes(elements<int64_t>(targets.classes)),
        weights(targets.weights ? elements<double>(targets.weights) : nullptr),
        ignore(targets.ignore),
        class_count(places.classes),
        inner(places.inner),
        count(places.count()) {}

  // Returns false if the target is ignored or invalid.
  MT_DEVICE bool find(int64_t place, int64_t& element, double& weight) const {
    const int64_t c = classes[place] - 1;
    if (classes[place] == ignore || c < 0 || c >= class_count) return false;
    element = (place / inner * class_count + c) * inner + place % inner;
    weight = weights == nullptr ? 1 : weights[c];
    return true;
  }
};

// Sums of -weight * logp and of the weights; each block adds a part of the positions.
template <class T> struct NllKernel {
  TargetElements targets;
  const T* logp;
  T *loss, *total;
  Work work;
  TwoSums* partial;  // one per part; null if there is one part
  bool average, joins;

  MT_DEVICE TwoSums folded(int64_t part, int place) const {
    TwoSums sums;
    if (joins) {
      for (int64_t i = place; i < work.parts; i += work.teams.size) sums.add(partial[i].first, partial[i].second);
      return sums;
    }
    const int64_t begin = part * work.part_elements, stop = begin + work.part_elements, end = stop < work.n ? stop : work.n;
    for (int64_t i = begin + place; i < end; i += work.teams.size) {
      int64_t element;
      double weight;
      if (targets.find(i, element, weight)) sums.add(-weight * static_cast<double>(widen(logp[element])), weight);
    }
    return sums;
  }
  MT_DEVICE void operator()(Thread& t) const {
    const Shared<TwoSums> scratch = t.shared<TwoSums>(work.teams.shared_count());
    TwoSums sums = work.teams.team(t) == 0 ? folded(t.block(), work.teams.place(t)) : TwoSums();
    merge_team(t, work.teams, sums, scratch, [](TwoSums& into, const TwoSums& later) { into.add(later.first, later.second); });
    if (t.index() != 0) return;
    if (partial != nullptr && !joins) {
      partial[t.block()] = sums;
      return;
    }
    *loss = narrow<T>(average && sums.second != 0 ? sums.first / sums.second : sums.first);
    *total = narrow<T>(sums.second);
  }
};

template <class T> struct NllGradKernel {
  TargetElements targets;
  const double *gradient, *total;
  T* out;
  bool average;
  MT_DEVICE void operator()(Thread& t) const {
    const double scale = average && *total != 0 ? -*gradient / *total : -*gradient;
    for (int64_t i = t.global_index(); i < targets.count; i += t.global_threads()) {
      int64_t element;
      double weight;
      if (targets.find(i, element, weight)) out[element] = narrow<T>(scale * weight);
    }
  }
};

template <class F> void for_floats(DType dtype, F f) {
  dispatch<float_dtypes>(dtype, [&]<class T>(std::type_identity<T>) { f(T()); });
}

void run_nll_loss(const NllLossPlan& plan) {
  const Stream stream = op_stream();
  const Work work = Work::of(plan.places.count(), 1, false);
  const Scratch<TwoSums> partial(stream, work.parts > 1 ? work.parts : 0);
  const auto shared_bytes = static_cast<size_t>(work.teams.shared_count()) * sizeof(TwoSums);
  for_floats(plan.logp.dtype(), [&]<class T>(T) {
    NllKernel<T> kernel{TargetElements(plan.targets, plan.places),
                        elements<T>(plan.logp),
                        elements<T>(plan.loss),
                        elements<T>(plan.total),
                        work,
                        partial.data(),
                        plan.average,
                        false};
    launch(stream, work.parts, work.teams.threads(), shared_bytes, kernel);
    if (work.parts == 1) return;
    kernel.joins = true;
    launch(stream, 1, work.teams.threads(), shared_bytes, kernel);
  });
}

void run_nll_loss_grad(const NllLossGradPlan& plan) {
  const Stream stream = op_stream();
  driver::set_bytes(stream, plan.out.bytes(), 0, static_cast<size_t>(plan.out.numel() * size_of(plan.out.dtype())));
  for_floats(plan.out.dtype(), [&]<class T>(T) {
    launch_each(stream, plan.places.count(),
                NllGradKernel<T>{TargetElements(plan.targets, plan.places), elements<double>(plan.gradient), elements<double>(plan.total),
                                 elements<T>(plan.out), plan.average});
  });
}

KernelRows loss_rows() {
  static constexpr KernelRow rows[] = {{NllLoss::decl.name, kernel<&run_nll_loss>()},
                                       {NllLossGrad::decl.name, kernel<&run_nll_loss_grad>()}};
  return rows;
}

}  // namespace mt::cuda
