// Equidistant numbers, computed in double and then converted.
#include "engine/ops/sequence.h"

#include "cuda/kernels/register.h"
#include "cuda/launch.h"
#include "cuda/value.h"

namespace mt::cuda {
namespace {

#include "engine/ops/sequence-inl.h"

template <class T> struct SequenceKernel {
  T* out;
  int64_t n;
  double first, step, parts, last;
  bool has_last, powers;

  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      const double value = has_last && i == n - 1 ? last : first + step * static_cast<double>(i) / parts;
      out[i] = converted<T>(powers ? std::pow(10.0, value) : value);
    }
  }
};

void run_sequence(const SequencePlan& plan) {
  dispatch(plan.out.dtype(), [&]<class T>(std::type_identity<T>) {
    launch_each(op_stream(), plan.out.numel(),
                SequenceKernel<T>{elements<T>(plan.out), plan.out.numel(), plan.first, plan.step, plan.parts, plan.last, plan.has_last,
                                  plan.powers});
  });
}

}  // namespace

KernelRows sequence_rows() {
  static constexpr KernelRow rows[] = {{Range::decl.name, kernel<&run_sequence>()},
                                       {Arange::decl.name, kernel<&run_sequence>()},
                                       {Linspace::decl.name, kernel<&run_sequence>()},
                                       {Logspace::decl.name, kernel<&run_sequence>()}};
  return rows;
}

}  // namespace mt::cuda
