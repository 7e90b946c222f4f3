// The CPU's kernels of losses. They read or write one element per target: memory bounds the time, so one thread does the work.
#include "engine/ops/loss.h"
#include "engine/core/built.h"

#include <cstring>

#include "engine/cpu/register.h"

namespace mt::cpu {
namespace {

#include "engine/ops/loss-inl.h"

// Calls each(element, weight) for every position whose target is not ignored.
template <class Each> void for_targets(const Places& places, const Targets& targets, Each each) {
  const auto* classes = targets.classes.data<int64_t>();
  const auto* weights = targets.weights.data<double>();
  for (int64_t i = 0; i < places.count(); ++i) {
    const int64_t c = classes[i] - 1;
    if (classes[i] != targets.ignore) each(places.element(i, c), weights == nullptr ? 1.0 : weights[c]);
  }
}

void run_nll_loss(const NllLossPlan& plan) {
  dispatch<float_dtypes>(plan.logp.dtype(), [&]<class T>(std::type_identity<T>) {
    const T* logp = plan.logp.data<T>();
    double sum = 0, total = 0;
    for_targets(plan.places, plan.targets, [&](int64_t element, double weight) {
      total += weight;
      sum -= weight * static_cast<Compute<T>>(logp[element]);
    });
    if (plan.average && total != 0) sum /= total;
    *plan.loss.data<T>() = convert_element<T>(sum);
    *plan.total.data<T>() = convert_element<T>(total);
  });
}

void run_nll_loss_grad(const NllLossGradPlan& plan) {
  const double total = *plan.total.data<double>();
  double scale = -*plan.gradient.data<double>();
  if (plan.average && total != 0) scale /= total;
  std::memset(plan.out.bytes(), 0, static_cast<size_t>(plan.out.numel() * size_of(plan.out.dtype())));
  dispatch(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    T* out = plan.out.data<T>();
    for_targets(plan.places, plan.targets, [&](int64_t element, double weight) { out[element] = convert_element<T>(scale * weight); });
  });
}

constexpr Row rows[] = {{&NllLoss::decl, &plan_nll_loss, kernel<&run_nll_loss>()},
                        {&NllLossGrad::decl, &plan_nll_loss_grad, kernel<&run_nll_loss_grad>()}};

}  // namespace

std::span<const Row> loss_rows() { return built_rows<rows>(); }

}  // namespace mt::cpu
