#include "engine/ops/optim.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace mt {
namespace {

using Tensors = std::span<Tensor* const>;

DType compute_dtype(DType dtype) { return dtype == DType::float64 ? DType::float64 : DType::float32; }

// Checks that the lists pair up: equally many tensors, each with the sizes of its parameter.
void check(const Call& call, int list, Tensors parameters, Tensors tensors) {
  if (tensors.size() != parameters.size()) call.fail_at(list, tensors.size(), " tensors, expected ", parameters.size(), ", as parameters");
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor &t = *tensors[i], &x = *parameters[i];
    if (!is_float(t.dtype())) call.fail_at<Status::dtype>(list, "tensor ", i + 1, " is a ", t.dtype(), ", expected one of floats");
    if (t.dtype() != x.dtype())
      call.fail_at<Status::dtype>(list, "tensor ", i + 1, " is a ", t.dtype(), ", expected a ", x.dtype(), " as the parameter");
    if (t.numel() != x.numel()) call.fail_at<Status::shape>(list, "tensor ", i + 1, " has sizes ", t.sizes(), ", expected ", x.sizes());
    if (list != 1 && t.overlaps_itself()) call.fail_at(list, "tensor ", i + 1, " was expanded: two of its elements are one in memory");
  }
}

// A tensor in the kernels' form, contiguous and in the dtype of the computation: most are, others are copied. store() writes them back.
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

// The addresses of a tensor's first and last element.
struct Extent {
  const std::byte *first, *last;
  explicit Extent(const Tensor& t) : first(t.bytes()), last(t.bytes()) {
    for (int d = 0; d < t.dim(); ++d) (t.stride(d) < 0 ? first : last) += (t.size(d) - 1) * t.stride(d) * size_of(t.dtype());
  }
};

// Whether no two tensors of the lists share memory, so that a step may process them in any order.
bool are_apart(std::initializer_list<Tensors> lists) {
  std::vector<Extent> extents;
  for (const Tensors& list : lists) {
    for (const Tensor* t : list) {
      if (t->numel() > 0) extents.emplace_back(*t);
    }
  }
  std::ranges::sort(extents, {}, &Extent::first);
  const auto meet = [](const Extent& a, const Extent& b) { return b.first <= a.last; };
  return std::ranges::adjacent_find(extents, meet) == extents.end();
}

// Calls step(first, last) for all `count` parameters at once if they don't share memory, else for one after the other.
template <class Step> void each_together(size_t count, bool apart, Step step) {
  if (apart) return step(size_t{0}, count);
  for (size_t i = 0; i < count; ++i) step(i, i + 1);
}

// The staged tensors of some parameters, during the step on them.
class StagedLists {
 public:
  explicit StagedLists(size_t most) { staged_.reserve(most); }
  const Tensor& read(const Tensor& t) { return staged_.emplace_back(Staged(t), false).first.tensor(); }
  const Tensor& change(const Tensor& t) { return staged_.emplace_back(Staged(t), true).first.tensor(); }
  void store() const {
    for (const auto& [tensor, changed] : staged_) {
      if (changed) tensor.store();
    }
  }

 private:
  std::vector<std::pair<Staged, bool>> staged_;
};

}  // namespace

void plan_sgd_step(Call& call) {
  const Tensors parameters = call.tensors(0), gradients = call.tensors(1), buffers = call.tensors(2);
  const SgdRates rates{call.number(3), call.number(4), call.number(5), call.number(6), call.boolean(7)};
  check(call, 0, parameters, parameters);
  check(call, 1, parameters, gradients);
  const bool remembers = rates.momentum != 0;
  if (remembers) check(call, 2, parameters, buffers);
  const bool apart = are_apart({parameters, gradients, remembers ? buffers : Tensors()});
  const Tensor none{};
  each_together(parameters.size(), apart, [&](size_t first, size_t last) {
    StagedLists staged(3 * (last - first));
    SgdPlan plan{{}, rates};
    plan.parameters.reserve(last - first);
    for (size_t i = first; i < last; ++i) {
      if (parameters[i]->numel() == 0) continue;
      plan.parameters.push_back({staged.change(*parameters[i]), staged.read(*gradients[i]), remembers ? staged.change(*buffers[i]) : none});
    }
    if (!plan.parameters.empty()) call.launch(plan);
    staged.store();
  });
}

void plan_adam_step(Call& call) {
  const Tensors parameters = call.tensors(0), gradients = call.tensors(1), means = call.tensors(2), squares = call.tensors(3);
  const AdamRates rates{call.number(4), call.number(5), call.number(6), call.number(7), call.number(8)};
  for (int list = 0; list < 4; ++list) check(call, list, parameters, call.tensors(list));
  each_together(parameters.size(), are_apart({parameters, gradients, means, squares}), [&](size_t first, size_t last) {
    StagedLists staged(4 * (last - first));
    AdamPlan plan{{}, rates};
    plan.parameters.reserve(last - first);
    for (size_t i = first; i < last; ++i) {
      if (parameters[i]->numel() == 0) continue;
      plan.parameters.push_back(
          {staged.change(*parameters[i]), staged.read(*gradients[i]), staged.change(*means[i]), staged.change(*squares[i])});
    }
    if (!plan.parameters.empty()) call.launch(plan);
    staged.store();
  });
}

void plan_unscale(Call& call) {
  const Tensors gradients = call.tensors(0);
  const Tensor& found = call.tensor(1);
  if (!is_float(found.dtype()) || found.numel() != 1)
    call.fail_at<Status::dtype>(1, "a ", found.dtype(), " of sizes ", found.sizes(), ", expected one of floats with one element");
  check(call, 0, gradients, gradients);
  const Tensor flag = to_dtype(found, DType::float32);
  each_together(gradients.size(), are_apart({gradients}), [&](size_t first, size_t last) {
    StagedLists staged(last - first);
    UnscalePlan plan{{}, flag, call.number(2)};
    for (size_t i = first; i < last; ++i) {
      if (gradients[i]->numel() > 0) plan.gradients.push_back(staged.change(*gradients[i]));
    }
    if (!plan.gradients.empty()) call.launch(plan);
    staged.store();
  });
  if (flag.storage() != found.storage()) copy(found, flag);
  found.touch();
}

}  // namespace mt
