#include "engine/ops/optim.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mt {
namespace {

using Tensors = std::span<Tensor* const>;

DType compute_dtype(DType dtype) { return dtype == DType::float64 ? DType::float64 : DType::float32; }

// The addresses of a tensor's first and last element.
struct Extent {
  const std::byte *first, *last;
  explicit Extent(const Tensor& t) : first(t.bytes()), last(t.bytes()) {
    for (int d = 0; d < t.dim(); ++d) (t.stride(d) < 0 ? first : last) += (t.size(d) - 1) * t.stride(d) * size_of(t.dtype());
  }
};

// The memory of all tensors of a call, in the order of addresses. Each list is sorted alone, as most are in this order already, and merged
// with those before.
class Extents {
 public:
  explicit Extents(size_t count) { all_.reserve(count); }
  void add(const Tensor& t) {
    if (t.numel() > 0) all_.emplace_back(t);
  }
  void end_list() {
    const auto middle = all_.begin() + merged_;
    if (!std::ranges::is_sorted(middle, all_.end(), {}, &Extent::first)) std::ranges::sort(middle, all_.end(), {}, &Extent::first);
    std::ranges::inplace_merge(all_.begin(), middle, all_.end(), {}, &Extent::first);
    merged_ = std::ssize(all_);
  }
  // Whether no two tensors share memory, so that a step may process them in any order.
  bool are_apart() const {
    const auto meet = [](const Extent& a, const Extent& b) { return b.first <= a.last; };
    return std::ranges::adjacent_find(all_, meet) == all_.end();
  }

 private:
  std::vector<Extent> all_;
  std::ptrdiff_t merged_ = 0;
};

// Checks that the lists pair up: equally many tensors, each with the sizes of its parameter; and adds their extents.
void check(const Call& call, int list, Tensors parameters, Tensors tensors, Extents& extents) {
  if (tensors.size() != parameters.size()) call.fail_at(list, tensors.size(), " tensors, expected ", parameters.size(), ", as parameters");
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor &t = *tensors[i], &x = *parameters[i];
    if (!is_float(t.dtype())) call.fail_at<Status::dtype>(list, "tensor ", i + 1, " is a ", t.dtype(), ", expected one of floats");
    if (t.dtype() != x.dtype())
      call.fail_at<Status::dtype>(list, "tensor ", i + 1, " is a ", t.dtype(), ", expected a ", x.dtype(), " as the parameter");
    if (t.numel() != x.numel()) call.fail_at<Status::shape>(list, "tensor ", i + 1, " has sizes ", t.sizes(), ", expected ", x.sizes());
    if (list != 1 && t.overlaps_itself()) call.fail_at(list, "tensor ", i + 1, " was expanded: two of its elements are one in memory");
    extents.add(t);
  }
  extents.end_list();
}

// Whether kernels can use a tensor in place: contiguous and in the dtype of the computation.
bool is_ready(const Tensor& t) { return t.is_contiguous() && t.dtype() == compute_dtype(t.dtype()); }

// Calls step(first, last) for all `count` parameters at once if they don't share memory, else for one after the other.
template <class Step> void each_together(size_t count, bool apart, Step step) {
  if (apart) return step(size_t{0}, count);
  for (size_t i = 0; i < count; ++i) step(i, i + 1);
}

// The tensors of some parameters in the kernels' form, during the step on them: most can be used in place, others are copied. store()
// writes the copies back.
class StagedLists {
 public:
  const Tensor& read(const Tensor& t) { return is_ready(t) ? t : copied(t, false); }
  const Tensor& change(const Tensor& t) {
    changed_.push_back(&t);
    return is_ready(t) ? t : copied(t, true);
  }
  void store() const {
    for (const Copy& each : copies_) {
      if (each.changed) copy(*each.original, each.tensor);
    }
    for (const Tensor* t : changed_) t->touch();
  }

 private:
  struct Copy {
    const Tensor* original;
    Tensor tensor;
    bool changed;
  };
  // The result is valid until the next call.
  const Tensor& copied(const Tensor& t, bool changed) {
    return copies_.emplace_back(Copy{&t, contiguous(to_dtype(t, compute_dtype(t.dtype()))), changed}).tensor;
  }
  std::vector<Copy> copies_;
  std::vector<const Tensor*> changed_;
};

}  // namespace

void plan_sgd_step(Call& call) {
  const Tensors parameters = call.tensors(0), gradients = call.tensors(1), buffers = call.tensors(2);
  const SgdRates rates{call.number(3), call.number(4), call.number(5), call.number(6), call.boolean(7)};
  const bool remembers = rates.momentum != 0;
  Extents extents(3 * parameters.size());
  check(call, 0, parameters, parameters, extents);
  check(call, 1, parameters, gradients, extents);
  if (remembers) check(call, 2, parameters, buffers, extents);
  const Tensor none{};
  each_together(parameters.size(), extents.are_apart(), [&](size_t first, size_t last) {
    StagedLists staged;
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
  Extents extents(4 * parameters.size());
  for (int list = 0; list < 4; ++list) check(call, list, parameters, call.tensors(list), extents);
  each_together(parameters.size(), extents.are_apart(), [&](size_t first, size_t last) {
    StagedLists staged;
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
  Extents extents(gradients.size());
  check(call, 0, gradients, gradients, extents);
  const Tensor flag = to_dtype(found, DType::float32);
  each_together(gradients.size(), extents.are_apart(), [&](size_t first, size_t last) {
    StagedLists staged;
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
