#include "engine/core/recording.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <new>
#include <unordered_map>

#include "engine/core/replaced_arguments.h"

namespace mt {

// Records launches in one thread.
class Recorder {
 public:
  struct Operand {
    Storage* storage;
    int64_t offset;
    uint16_t position;
  };
  struct Step {
    Launch launch;
    std::vector<Operand> operands;
  };

  void add(std::string_view op, DeviceId device, const Kernel& kernel, const PlanRef& plan);
  void obstruct(std::string_view why) {
    if (is_strict) fail<Status::unsupported>("prepare", "", why, ", expected a step that can be repeated");
    if (obstacle.empty()) obstacle = why;
  }

  void hold(Storage* storage) { held.try_emplace(storage, StoragePtr::share(storage)); }

  bool is_strict = false;  // an obstacle raises an error at once
  std::string_view obstacle = {};
  std::vector<Step> steps = {};
  std::unordered_map<const Storage*, StoragePtr> held = {};  // the storages of all operands
};

namespace {

thread_local Recorder* current = nullptr;

// Also tells a recorder what can't be repeated.
template <class F> class RecordingVisitor final : public PlaceVisitor<F> {
 public:
  RecordingVisitor(F visit, Recorder& recorder) : PlaceVisitor<F>(std::move(visit)), recorder_(recorder) {}
  void answer() override { recorder_.obstruct("it waits for an answer of a kernel"); }
  void generator() override { recorder_.obstruct("it draws random numbers"); }

 private:
  Recorder& recorder_;
};

// Sets the thread's recorder for its lifetime.
class Scope {
 public:
  explicit Scope(Recorder* recorder) : outer_(std::exchange(current, recorder)) {}
  ~Scope() { current = outer_; }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Recorder* const outer_;
};

// For its lifetime, launches look for the thread's recorder.
class Announced {
 public:
  Announced() { detail::recorder_count.fetch_add(1, std::memory_order_relaxed); }
  ~Announced() { detail::recorder_count.fetch_sub(1, std::memory_order_relaxed); }
  Announced(const Announced&) = delete;
  Announced& operator=(const Announced&) = delete;
};

// A call with copies of its tensors that have positions.
class NumberedCall {
 public:
  explicit NumberedCall(const Call& call) : args_(call.args, [this](Tensor* t) { return numbered(t); }) {
    for (Tensor* const r : call.results) results_.push_back(numbered(r));
  }

  std::span<Value> args() { return args_.values(); }
  std::span<Tensor* const> results() const { return results_; }
  std::span<Tensor* const> by_position() const { return by_position_; }

 private:
  // A tensor that occurs twice in a call, such as a result that is an argument, gets one copy.
  Tensor* numbered(Tensor* original) {
    const auto known = std::find(originals_.begin(), originals_.end(), original);
    Tensor* const made =
        known == originals_.end() ? &made_.emplace_back(*original) : by_position_[static_cast<size_t>(known - originals_.begin())];
    originals_.push_back(original);
    by_position_.push_back(made);
    const auto position = static_cast<int>(by_position_.size());
    if (position > Tensor::most_positions) fail("recording", "tensors", "more than ", Tensor::most_positions, " in one call");
    if (known == originals_.end()) {
      made->set_tracked(original->tracked());
      made->set_position(position);
    }
    return made;
  }

  std::deque<Tensor> made_;
  std::vector<Tensor*> originals_, by_position_, results_;
  ReplacedArguments args_;  // its construction numbers the tensors above
};

}  // namespace

void Launch::FreePlan::operator()(void* plan) const {
  type->destroy(plan);
  ::operator delete(plan, std::align_val_t(type->alignment));
}

Launch::Launch(std::string_view op, DeviceId device, const Kernel& kernel, const PlanRef& plan)
    : op_(op), device_(device), kernel_(kernel), plan_(nullptr, FreePlan{&plan.type}) {
  void* const memory = ::operator new(plan.type.size, std::align_val_t(plan.type.alignment));
  try {
    plan.type.copy(memory, plan.plan);
  } catch (...) {
    ::operator delete(memory, std::align_val_t(plan.type.alignment));
    throw;
  }
  plan_.reset(memory);
}

void Launch::run(void* plan) const {
  if (op_.empty() || device_ == cpu_device)
    kernel_.run(plan, kernel_.data);
  else
    device(device_).launch(op_, kernel_, {type(), plan});
}

void Launch::run_moved(OperandVisitor& visitor) const {
  const PlanType& type = this->type();
  void* memory = __builtin_alloca(type.size + type.alignment);
  size_t room = type.size + type.alignment;
  void* const plan = std::align(type.alignment, type.size, memory, room);
  type.copy(plan, plan_.get());
  const std::unique_ptr<void, void (*)(void*)> ends(plan, type.destroy);
  type.visit(plan, visitor);
  run(plan);
}

void Recorder::add(std::string_view op, DeviceId device, const Kernel& kernel, const PlanRef& plan) {
  Step step{Launch(op, device, kernel, plan), {}};
  RecordingVisitor visitor(
      [&](const OperandPlace& p) {
        step.operands.push_back({p.storage, p.offset, p.position});
        hold(p.storage);
      },
      *this);
  step.launch.visit(visitor);
  steps.push_back(std::move(step));
}

LaunchList::LaunchList(const std::function<void()>& program) {
  Recorder recorder;
  recorder.is_strict = true;
  {
    const Announced announced;
    const Scope scope(&recorder);
    program();
  }
  for (Recorder::Step& step : recorder.steps) launches.push_back(std::move(step.launch));
  for (auto& [storage, held] : recorder.held) storages.push_back(std::move(held));
}

RecordedStep::RecordedStep(std::string_view op, DeviceId device, const Kernel& kernel, const PlanRef& plan) : outer_(current) {
  if (outer_ == nullptr) return;
  outer_->add(op, device, kernel, plan);
  current = nullptr;
}

RecordedStep::~RecordedStep() { current = outer_; }

void detail::record_host_read() {
  if (current != nullptr) current->obstruct("the host reads elements");
}

namespace {

// The tensor of which an operand is a view, or -1: the one at the operand's position, else the last with its storage.
int owner(std::span<const Tensor> tensors, const Storage* storage, uint16_t position) {
  const auto is_of = [&](int tensor) { return tensors[static_cast<size_t>(tensor)].storage() == storage; };
  int tensor = position - 1;
  if (tensor >= 0 && is_of(tensor)) return tensor;
  for (tensor = static_cast<int>(tensors.size()) - 1; tensor >= 0 && !is_of(tensor);) --tensor;
  return tensor;
}

}  // namespace

bool is_unique_but_recorded(const Storage& storage) {
  const int64_t recorders = current != nullptr && current->held.count(&storage) != 0 ? 1 : 0;
  return storage.references.load(std::memory_order_acquire) == 1 + recorders;
}

Recording::Recording(Call& call) : op_(call.name()) {
  NumberedCall numbered(call);
  Recorder recorder;
  Call inner = call;
  inner.args = numbered.args();
  inner.results = numbered.results();
  inner.hook = nullptr;
  std::vector<Tensor> tensors;
  for (const Tensor* const t : numbered.by_position()) tensors.push_back(*t);
  const size_t first_result = tensors.size() - call.results.size();
  {
    const Announced announced;
    const Scope scope(&recorder);
    plan_op(inner);
  }
  for (size_t r = 0; r < call.results.size(); ++r) {
    const Tensor& result = *numbered.results()[r];
    tensors[first_result + r] = result;
    results_.push_back(static_cast<int>(first_result + r));
    const bool tracked = call.results[r]->tracked();
    *call.results[r] = result;
    call.results[r]->set_position(0);
    call.results[r]->set_tracked(tracked);
  }
  call.device = inner.device;
  call.as_number = inner.as_number;
  obstacle_ = recorder.obstacle;
  for (Recorder::Step& step : recorder.steps) {
    std::vector<Place>& places = steps_.emplace_back(Step{std::move(step.launch), {}}).places;
    for (const Recorder::Operand& operand : step.operands) {
      const int tensor = owner(tensors, operand.storage, operand.position);
      if (tensor < 0) temporaries_.push_back(StoragePtr::share(operand.storage));
      const Tensor* const t = tensor < 0 ? nullptr : &tensors[static_cast<size_t>(tensor)];
      places.push_back({tensor, t == nullptr ? 0 : operand.offset - t->offset() * size_of(t->dtype())});
    }
  }
  for (const Tensor& t : tensors) like_.emplace_back(t.dtype(), t.device()).set_geometry(0, t.sizes(), t.strides());
}

void Recording::run(const Step& step, std::span<Tensor* const> tensors) {
  PlaceVisitor visitor([&, next = step.places.begin()](OperandPlace& place) mutable {
    const Place& at = *next++;
    if (at.tensor < 0) return;
    const Tensor& t = *tensors[static_cast<size_t>(at.tensor)];
    place.storage = t.storage();
    place.offset = t.offset() * size_of(t.dtype()) + at.offset;
  });
  step.launch.run_moved(visitor);
}

void Recording::replay(std::span<Tensor* const> tensors) const {
  if (!obstacle_.empty()) fail(op_, "recording", "it can't be replayed: ", obstacle_);
  if (tensors.size() != like_.size()) fail(op_, "tensors", tensors.size(), ", expected ", like_.size());
  for (size_t i = 0; i < like_.size(); ++i) {
    const Tensor &t = *tensors[i], &like = like_[i];
    if (t.dtype() != like.dtype() || t.device() != like.device() || !t.same_sizes(like) || !std::ranges::equal(t.strides(), like.strides()))
      fail<Status::shape>(op_, "tensors", "tensor ", Dim{static_cast<int64_t>(i)}, ": ", t.dtype(), " ", t.sizes(), ", expected ",
                          like.dtype(), " ", like.sizes(), " with strides ", like.strides());
  }
  for (const Step& step : steps_) run(step, tensors);
  for (const int r : results_) tensors[static_cast<size_t>(r)]->touch();
}

}  // namespace mt
