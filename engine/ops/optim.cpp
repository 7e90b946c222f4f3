#include "engine/ops/optim.h"

#include <optional>
#include <vector>

namespace mt {
namespace {

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

// A tensor as kernels want it, contiguous and of the type that computes; most are, others are copied. store() brings results back.
class Staged {
 public:
  explicit Staged(const Tensor& t) : original_(t) {
    if (const DType dtype = compute_dtype(t.dtype()); t.dtype() != dtype || !t.is_contiguous())
      copy_.emplace(contiguous(to_dtype(t, dtype)));
  }
  const Tensor& tensor() const { return copy_ ? *copy_ : original_; }
  void store() const {
    if (copy_) copy(original_, *copy_);
    original_.touch();
  }

 private:
  const Tensor& original_;
  std::optional<Tensor> copy_;
};

}  // namespace

void plan_sgd_step(Call& call) {
  const Tensors parameters = call.tensors(0), gradients = call.tensors(1), buffers = call.tensors(2);
  const SgdRates rates{call.number(3), call.number(4), call.number(5), call.number(6), call.boolean(7)};
  check(call, 0, parameters, parameters);
  check(call, 1, parameters, gradients);
  const bool remembers = rates.momentum != 0;
  if (remembers) check(call, 2, parameters, buffers);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i]->numel() == 0) continue;
    const Staged x(*parameters[i]), gradient(*gradients[i]);
    std::optional<Staged> buffer;
    if (remembers) buffer.emplace(*buffers[i]);
    call.launch(SgdPlan{x.tensor(), gradient.tensor(), remembers ? &buffer->tensor() : nullptr, rates});
    x.store();
    if (remembers) buffer->store();
  }
}

void plan_adam_step(Call& call) {
  const Tensors parameters = call.tensors(0), gradients = call.tensors(1), means = call.tensors(2), squares = call.tensors(3);
  const AdamRates rates{call.number(4), call.number(5), call.number(6), call.number(7), call.number(8)};
  for (int list = 0; list < 4; ++list) check(call, list, parameters, call.tensors(list));
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i]->numel() == 0) continue;
    const Staged x(*parameters[i]), gradient(*gradients[i]), m(*means[i]), v(*squares[i]);
    call.launch(AdamPlan{x.tensor(), gradient.tensor(), m.tensor(), v.tensor(), rates});
    x.store();
    m.store();
    v.store();
  }
}

void plan_unscale(Call& call) {
  const Tensors gradients = call.tensors(0);
  const Tensor& found = call.tensor(1);
  if (!is_float(found.dtype()) || found.numel() != 1)
    call.fail_at(1, "a ", found.dtype(), " of sizes ", found.sizes(), " came, one of floats with one element was expected");
  check(call, 0, gradients, gradients);
  std::vector<Staged> staged;
  std::vector<Tensor> computed;
  staged.reserve(gradients.size());
  for (const Tensor* gradient : gradients) {
    if (gradient->numel() > 0) computed.push_back(staged.emplace_back(*gradient).tensor());
  }
  if (computed.empty()) return;
  const Tensor flag = to_dtype(found, DType::float32);
  call.launch(UnscalePlan{computed, flag, call.number(2)});
  for (const Staged& gradient : staged) gradient.store();
  if (flag.storage() != found.storage()) copy(found, flag);
  found.touch();
}

}  // namespace mt
