#include "engine/ops/optim.h"

#include <optional>

#include "engine/core/parallel.h"

namespace mt {
namespace {

// Elements a thread should have at least: some 10 us of work.
constexpr int64_t step_grain = 32768;

using Tensors = std::span<Tensor* const>;

DType compute_dtype(DType dtype) { return dtype == DType::float64 ? DType::float64 : DType::float32; }

// The lists must pair up: equally many tensors, each like its parameter.
void check(const Call& call, int list, Tensors parameters, Tensors tensors) {
  if (tensors.size() != parameters.size())
    call.fail_at(list, tensors.size(), " tensors came, ", parameters.size(), " were expected, as parameters");
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor &t = *tensors[i], &x = *parameters[i];
    if (!is_float(t.dtype())) call.fail_at(list, "tensor ", i + 1, " is a ", t.dtype(), ", expected one of floats");
    if (t.dtype() != x.dtype()) call.fail_at(list, "tensor ", i + 1, " is a ", t.dtype(), ", expected a ", x.dtype(), " as the parameter");
    if (t.numel() != x.numel()) call.fail_at(list, "tensor ", i + 1, " has sizes ", t.sizes(), ", expected ", x.sizes());
    if (list != 1 && t.overlaps_itself()) call.fail_at(list, "tensor ", i + 1, " was expanded: two of its elements are one in memory");
  }
}

// A tensor as the loops want it, contiguous and of the type that computes; most are, others are copied. store() brings results back.
class Staged {
 public:
  explicit Staged(const Tensor& t) : original_(t) {
    if (const DType dtype = compute_dtype(t.dtype()); t.dtype() != dtype || !t.is_contiguous())
      copy_.emplace(contiguous(to_dtype(t, dtype)));
  }
  template <class T> T* data() const { return (copy_ ? *copy_ : original_).data<T>(); }
  void store() const {
    if (copy_) copy(original_, *copy_);
    original_.touch();
  }

 private:
  const Tensor& original_;
  std::optional<Tensor> copy_;
};

template <class Rates, class Loop, class T> void run_loop(Loop loop, const Tensor& x, const Tensor& gradient, const Tensor* first,
                                                          const Tensor* second, const Rates& rates, std::type_identity<T>) {
  const Staged p(x), g(gradient);
  std::optional<Staged> a, b;
  if (first) a.emplace(*first);
  if (second) b.emplace(*second);
  T* const xs = p.template data<T>();
  const T* const gs = g.template data<T>();
  T* const as = a ? a->template data<T>() : nullptr;
  T* const bs = b ? b->template data<T>() : nullptr;
  parallel_for(x.numel(), step_grain, [&](int64_t begin, int64_t end) {
    if constexpr (std::is_same_v<Rates, SgdRates>)
      loop(xs + begin, gs + begin, as ? as + begin : nullptr, end - begin, rates);
    else
      loop(xs + begin, gs + begin, as + begin, bs + begin, end - begin, rates);
  });
  p.store();
  if (a) a->store();
  if (b) b->store();
}

template <class Loops, class Rates>
void run_step(const Loops& loops, const Tensor& x, const Tensor& gradient, const Tensor* first, const Tensor* second, const Rates& rates) {
  if (x.numel() == 0) return;
  if (compute_dtype(x.dtype()) == DType::float32) {
    run_loop(loops.f32, x, gradient, first, second, rates, std::type_identity<float>());
  } else {
    run_loop(loops.f64, x, gradient, first, second, rates, std::type_identity<double>());
  }
}

}  // namespace

void run_sgd_step(Call& call) {
  const Tensors parameters = call.tensors(0), gradients = call.tensors(1), buffers = call.tensors(2);
  const SgdRates rates{call.number(3), call.number(4), call.number(5), call.number(6), call.boolean(7)};
  check(call, 0, parameters, parameters);
  check(call, 1, parameters, gradients);
  const bool remembers = rates.momentum != 0;
  if (remembers) check(call, 2, parameters, buffers);
  const auto& loops = *static_cast<const SgdLoops*>(call.op.kernel.data);
  for (size_t i = 0; i < parameters.size(); ++i) {
    run_step(loops, *parameters[i], *gradients[i], remembers ? buffers[i] : nullptr, nullptr, rates);
  }
}

void run_adam_step(Call& call) {
  const Tensors parameters = call.tensors(0), gradients = call.tensors(1), means = call.tensors(2), squares = call.tensors(3);
  const AdamRates rates{call.number(4), call.number(5), call.number(6), call.number(7), call.number(8)};
  for (int list = 0; list < 4; ++list) check(call, list, parameters, call.tensors(list));
  const auto& loops = *static_cast<const AdamLoops*>(call.op.kernel.data);
  for (size_t i = 0; i < parameters.size(); ++i) run_step(loops, *parameters[i], *gradients[i], means[i], squares[i], rates);
}

}  // namespace mt
