#include "engine/ops/optim.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "engine/ops/widened_dtype.h"

namespace mt {
namespace {

using Tensors = std::span<Tensor* const>;

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

// Checks that a list pairs up with the parameters: equally many tensors, each with as many elements and the dtype.
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

// Checks the states of all parameters in one tensor.
void check_whole(const Call& call, int list, Tensors parameters, const Tensor& whole) {
  int64_t total = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& x = *parameters[i];
    total += x.numel();
    if (whole.dtype() != x.dtype())
      call.fail_at<Status::dtype>(list, "a single ", whole.dtype(), ", expected a ", x.dtype(), " as parameter ", i + 1);
  }
  if (whole.numel() != total)
    call.fail_at<Status::shape>(list, "a single tensor of ", whole.numel(), " elements, expected ", total, ", as many as the parameters");
  if (whole.overlaps_itself()) call.fail_at(list, "a single tensor that was expanded: two of its elements are one in memory");
}

bool are_apart(std::initializer_list<Tensors> lists) {
  size_t count = 0;
  for (const Tensors list : lists) count += list.size();
  Extents extents(count);
  for (const Tensors list : lists) {
    for (const Tensor* t : list) extents.add(*t);
    extents.end_list();
  }
  return extents.are_apart();
}

// Whether no other tensor uses the memory.
bool is_alone(const Tensor& t) { return t.storage() != nullptr && t.storage()->is_unique() && t.storage()->resizable; }

// Whether kernels can use a tensor in place: contiguous and in the dtype of the computation.
bool is_ready(const Tensor& t) { return t.is_contiguous() && t.dtype() == widened_dtype(t.dtype()); }

// The tensors of some parameters in the kernels' form, during the step on them: most can be used in place, others are copied. store()
// writes the copies back.
class StagedLists {
 public:
  Address read(const Tensor& t) { return is_ready(t) ? Address(t) : copied(t, false); }
  Address change(const Tensor& t) {
    changed_.push_back(&t);
    return is_ready(t) ? Address(t) : copied(t, true);
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
  Address copied(const Tensor& t, bool changed) {
    return Address(copies_.emplace_back(Copy{&t, contiguous(to_dtype(t, widened_dtype(t.dtype()))), changed}).tensor);
  }
  std::vector<Copy> copies_;
  std::vector<const Tensor*> changed_;
};

bool is_wide(const Tensor& t) { return t.dtype() == DType::float64; }

// The lists of a step after the checks.
struct StepLists {
  Tensors parameters, gradients;
  std::array<Tensors, most_states> states;
};

// Adds the parameters and gradients to the plan in one pass, if they are as most lists of optimisers: each is ready for the kernels and the
// only tensor of its storage, the parameters are different tensors, and no gradient is one of them, as these are tracked. So no two share
// memory. Returns false, for a list that is not like that, after it has added some. General checks would take longer than the step does on
// small tensors.
bool add_usual(const Value& list, const StepLists& lists, StepPlan& plan) {
  if (!list.distinct || lists.gradients.size() != lists.parameters.size()) return false;
  for (size_t i = 0; i < lists.parameters.size(); ++i) {
    const Tensor &x = *lists.parameters[i], &gradient = *lists.gradients[i];
    const int64_t n = x.numel();
    if (!is_float(x.dtype()) || gradient.dtype() != x.dtype() || gradient.numel() != n || !is_ready(x) || !is_ready(gradient)) return false;
    if (n == 0) continue;
    if (!is_alone(x) || !is_alone(gradient) || !x.tracked() || gradient.tracked()) return false;
    plan.parameters.push_back({Address(x), Address(gradient), n, is_wide(x)});
  }
  return true;
}

// Launches a step whose parameters add_usual has added, with the states of all parameters in one tensor.
void launch_usual(const Call& call, const StepLists& lists, StepPlan& plan) {
  for (size_t k = 0; k < most_states; ++k) {
    for (const Tensor* whole : lists.states[k]) plan.states[k].push_back(Address(*whole));
  }
  if (!plan.parameters.empty()) call.launch(plan);
  for (const Tensor* x : lists.parameters) x->touch();
  for (const Tensors states : lists.states) {
    for (const Tensor* whole : states) whole->touch();
  }
}

// Launches the step of parameters that share no memory.
void launch_step(const Call& call, const StepLists& lists, StepPlan& plan) {
  StagedLists staged;
  plan.parameters.reserve(lists.parameters.size());
  for (size_t k = 0; k < most_states; ++k) {
    const bool is_whole = lists.states[k].size() == 1;
    plan.states[k].reserve(lists.states[k].size());
    for (size_t i = 0; i < lists.states[k].size(); ++i) {
      if (is_whole || lists.parameters[i]->numel() > 0) plan.states[k].push_back(staged.change(*lists.states[k][i]));
    }
  }
  for (size_t i = 0; i < lists.parameters.size(); ++i) {
    const Tensor& x = *lists.parameters[i];
    if (x.numel() > 0) plan.parameters.push_back({staged.change(x), staged.read(*lists.gradients[i]), x.numel(), is_wide(x)});
  }
  if (!plan.parameters.empty()) call.launch(plan);
  staged.store();
}

// Launches a step for one parameter after the other.
void launch_steps(const Call& call, const StepLists& lists, const StepPlan& plan) {
  std::array<Tensor, most_states> wholes, parts;
  for (size_t k = 0; k < most_states; ++k) {
    if (lists.states[k].size() == 1) wholes[k] = contiguous(*lists.states[k][0]);
  }
  int64_t at = 0;
  for (size_t i = 0; i < lists.parameters.size(); ++i) {
    StepLists one{lists.parameters.subspan(i, 1), lists.gradients.subspan(i, 1), {}};
    const int64_t n = lists.parameters[i]->numel(), stride = 1;
    std::array<Tensor*, most_states> held;
    for (size_t k = 0; k < most_states; ++k) {
      if (lists.states[k].size() > 1) {
        one.states[k] = lists.states[k].subspan(i, 1);
      } else if (!lists.states[k].empty()) {
        parts[k] = wholes[k];
        parts[k].set_geometry(wholes[k].offset() + at, {&n, 1}, {&stride, 1});
        held[k] = &parts[k];
        one.states[k] = {&held[k], 1};
      }
    }
    StepPlan step = plan;
    launch_step(call, one, step);
    at += n;
  }
  for (size_t k = 0; k < most_states; ++k) {
    if (lists.states[k].size() == 1 && wholes[k].storage() != lists.states[k][0]->storage()) {
      copy(*lists.states[k][0], wholes[k]);
      lists.states[k][0]->touch();
    }
  }
}

// Checks the lists of a call and launches the step. `states` are the positions of the lists of states that the variant uses.
void plan_step(const Call& call, std::initializer_list<int> states, int variant, std::initializer_list<double> numbers) {
  StepLists lists{call.tensors(0), call.tensors(1), {}};
  const size_t count = lists.parameters.size();
  StepPlan plan{variant, {}, {}, {}};
  plan.parameters.reserve(count);
  std::ranges::copy(numbers, plan.numbers.begin());
  size_t used = 0;
  bool are_wholes = true;
  for (const int list : states) {
    const Tensors tensors = call.tensors(list);
    are_wholes = are_wholes && count > 1 && tensors.size() == 1 && is_ready(*tensors[0]);
    for (size_t k = 0; k < used && are_wholes; ++k) are_wholes = lists.states[k][0]->storage() != tensors[0]->storage();
    lists.states[used++] = tensors;
  }
  const bool is_usual = are_wholes && add_usual(call.arg(0), lists, plan);
  if (!is_usual) {
    plan.parameters = {};
    check(call, 0, lists.parameters, lists.parameters);
    check(call, 1, lists.parameters, lists.gradients);
  }
  used = 0;
  for (const int list : states) {
    const Tensors tensors = lists.states[used++];
    if (count > 1 && tensors.size() == 1)
      check_whole(call, list, lists.parameters, *tensors[0]);
    else
      check(call, list, lists.parameters, tensors);
  }
  if (is_usual)
    launch_usual(call, lists, plan);
  else if (count < 2 || are_apart({lists.parameters, lists.gradients, lists.states[0], lists.states[1], lists.states[2]}))
    launch_step(call, lists, plan);
  else
    launch_steps(call, lists, plan);
}

// Calls launch(gradients) for the list of gradients of a call that changes these alone, in each entry as x and as gradient: for all at once
// if they don't share memory, else for one after the other.
template <class Launch> void launch_gradients(const Call& call, Launch launch) {
  const Tensors all = call.tensors(0);
  check(call, 0, all, all);
  const size_t step = are_apart({all}) ? std::max<size_t>(all.size(), 1) : 1;
  for (size_t i = 0; i < all.size(); i += step) {
    StagedLists staged;
    OperandList<StepParameter> gradients;
    for (const Tensor* gradient : all.subspan(i, step)) {
      if (gradient->numel() == 0) continue;
      const Address x = staged.change(*gradient);
      gradients.push_back({x, x, gradient->numel(), is_wide(*gradient)});
    }
    if (!gradients.empty()) launch(std::move(gradients));
    staged.store();
  }
}

}  // namespace

void plan_sgd_step(Call& call) {
  const double rate = call.number(3), momentum = call.number(4), decay = call.number(6);
  if (momentum == 0) return plan_step(call, {}, 0, {rate, decay});
  plan_step(call, {2}, call.boolean(7) ? 2 : 1, {rate, decay, momentum, 1 - call.number(5)});
}

void plan_adam_step(Call& call) {
  const double beta1 = call.number(5), beta2 = call.number(6);
  plan_step(call, {2, 3}, 0, {beta1, 1 - beta1, beta2, 1 - beta2, call.number(8), call.number(9), call.number(4), call.number(7)});
}

void plan_amsgrad_step(Call& call) {
  const double beta1 = call.number(6), beta2 = call.number(7);
  plan_step(call, {2, 3, 4}, 0, {beta1, 1 - beta1, beta2, 1 - beta2, call.number(9), call.number(10), call.number(5), call.number(8)});
}

void plan_nadam_step(Call& call) {
  const double beta1 = call.number(7), beta2 = call.number(8);
  plan_step(call, {2, 3}, 0,
            {beta1, 1 - beta1, beta2, 1 - beta2, call.number(10), call.number(11), call.number(4), call.number(5), call.number(6),
             call.number(9)});
}

void plan_radam_step(Call& call) {
  const double beta1 = call.number(6), beta2 = call.number(7);
  plan_step(call, {2, 3}, call.boolean(5) ? 1 : 0,
            {beta1, 1 - beta1, beta2, 1 - beta2, call.number(9), call.number(10), call.number(4), call.number(8)});
}

void plan_adamax_step(Call& call) {
  const double beta1 = call.number(5);
  plan_step(call, {2, 3}, 0, {call.number(4), beta1, 1 - beta1, call.number(6), call.number(7), call.number(8)});
}

void plan_rmsprop_step(Call& call) {
  const double alpha = call.number(6), momentum = call.number(9);
  const std::initializer_list<double> numbers{call.number(5), alpha, 1 - alpha, call.number(7), call.number(8), momentum};
  const bool centered = call.boolean(10);
  if (momentum == 0) return centered ? plan_step(call, {2, 3}, 1, numbers) : plan_step(call, {2}, 0, numbers);
  return centered ? plan_step(call, {2, 3, 4}, 3, numbers) : plan_step(call, {2, 4}, 2, numbers);
}

void plan_adagrad_step(Call& call) { plan_step(call, {2}, 0, {call.number(3), call.number(4), call.number(5)}); }

void plan_adadelta_step(Call& call) {
  const double rho = call.number(5);
  plan_step(call, {2, 3}, 0, {call.number(4), rho, 1 - rho, call.number(6), call.number(7)});
}

void plan_lion_step(Call& call) {
  const double beta1 = call.number(4), beta2 = call.number(5);
  plan_step(call, {2}, 0, {call.number(3), beta1, 1 - beta1, beta2, 1 - beta2, call.number(6)});
}

void plan_asgd_step(Call& call) { plan_step(call, {2}, 0, {call.number(3), call.number(4), call.number(5), call.number(6)}); }

void plan_rprop_step(Call& call) { plan_step(call, {2, 3}, 0, {call.number(4), call.number(5), call.number(6), call.number(7)}); }

void plan_unscale(Call& call) {
  const Tensor& found = call.tensor(1);
  if (!is_float(found.dtype()) || found.numel() != 1)
    call.fail_at<Status::dtype>(1, "a ", found.dtype(), " of sizes ", found.sizes(), ", expected one of floats with one element");
  const Tensor flag = to_dtype(found, DType::float32);
  launch_gradients(call, [&](OperandList<StepParameter>&& gradients) { call.launch<UnscalePlan>(gradients, flag, call.number(2)); });
  if (flag.storage() != found.storage()) copy(found, flag);
  found.touch();
}

void plan_clip_values(Call& call) {
  launch_gradients(call, [&](OperandList<StepParameter>&& gradients) {
    StepPlan plan{0, std::move(gradients), {}, {}};
    plan.numbers[0] = call.number(1);
    call.launch(plan);
  });
}

}  // namespace mt
