#include "engine/core/recording.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <new>

#include "engine/core/replaced_arguments.h"

namespace mt {

// Records one call in one thread.
class Recorder {
 public:
  explicit Recorder(Recording& recording) : recording_(recording) {}

  void add(std::string_view op, DeviceId device, const Kernel& kernel, const PlanRef& plan);
  void obstruct(std::string_view why) {
    if (recording_.obstacle_.empty()) recording_.obstacle_ = why;
  }
  // After the call: finds the tensors of which the operands are views.
  void resolve(std::span<const Tensor> tensors);

 private:
  struct Operand {
    StoragePtr storage;
    int64_t offset;
    uint16_t position;
  };

  Recording& recording_;
  std::vector<std::vector<Operand>> operands_;  // by step
};

namespace {

thread_local Recorder* current = nullptr;

template <class F> class PlaceVisitor final : public OperandVisitor {
 public:
  explicit PlaceVisitor(F visit, Recorder* recorder = nullptr) : visit_(visit), recorder_(recorder) {}

  void place(OperandPlace& place) override { visit_(place); }
  void answer() override {
    if (recorder_ != nullptr) recorder_->obstruct("it waits for an answer of a kernel");
  }
  void generator() override {
    if (recorder_ != nullptr) recorder_->obstruct("it draws random numbers");
  }

 private:
  F visit_;
  Recorder* recorder_;
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

void Recording::FreePlan::operator()(void* plan) const {
  type->destroy(plan);
  ::operator delete(plan, std::align_val_t(type->alignment));
}

void Recorder::add(std::string_view op, DeviceId device, const Kernel& kernel, const PlanRef& plan) {
  void* const memory = ::operator new(plan.type.size, std::align_val_t(plan.type.alignment));
  try {
    plan.type.copy(memory, plan.plan);
  } catch (...) {
    ::operator delete(memory, std::align_val_t(plan.type.alignment));
    throw;
  }
  std::unique_ptr<void, Recording::FreePlan> kept(memory, Recording::FreePlan{&plan.type});
  std::vector<Operand>& operands = operands_.emplace_back();
  PlaceVisitor visitor([&](const OperandPlace& p) { operands.push_back({StoragePtr::share(p.storage), p.offset, p.position}); }, this);
  plan.type.visit(kept.get(), visitor);
  recording_.steps_.push_back({op, device, kernel, std::move(kept), {}});
}

void Recorder::resolve(std::span<const Tensor> tensors) {
  const auto is_of = [&](int tensor, const Storage* storage) { return tensors[static_cast<size_t>(tensor)].storage() == storage; };
  const int count = static_cast<int>(tensors.size());
  for (size_t s = 0; s < operands_.size(); ++s) {
    for (const Operand& operand : operands_[s]) {
      const Storage* const storage = operand.storage.get();
      int tensor = operand.position - 1;
      if (tensor < 0 || !is_of(tensor, storage)) {
        for (tensor = count - 1; tensor >= 0 && !is_of(tensor, storage);) --tensor;
      }
      if (tensor < 0) {
        recording_.temporaries_.push_back(operand.storage);
        recording_.steps_[s].places.push_back({-1, 0});
      } else {
        const Tensor& t = tensors[static_cast<size_t>(tensor)];
        recording_.steps_[s].places.push_back({tensor, operand.offset - t.offset() * size_of(t.dtype())});
      }
    }
  }
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

Recording::Recording(Call& call) : op_(call.name()) {
  NumberedCall numbered(call);
  Recorder recorder(*this);
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
  recorder.resolve(tensors);
  for (const Tensor& t : tensors) like_.emplace_back(t.dtype(), t.device()).set_geometry(0, t.sizes(), t.strides());
}

// Uses a copy of the plan on the stack, so that the recording stays unchanged and several threads can replay it.
void Recording::run(const Step& step, std::span<Tensor* const> tensors) {
  const PlanType& type = *step.plan.get_deleter().type;
  void* memory = __builtin_alloca(type.size + type.alignment);
  size_t room = type.size + type.alignment;
  void* const plan = std::align(type.alignment, type.size, memory, room);
  type.copy(plan, step.plan.get());
  const std::unique_ptr<void, void (*)(void*)> ends(plan, type.destroy);
  PlaceVisitor visitor([&, next = step.places.begin()](OperandPlace& place) mutable {
    const Place& at = *next++;
    if (at.tensor < 0) return;
    const Tensor& t = *tensors[static_cast<size_t>(at.tensor)];
    place.storage = t.storage();
    place.offset = t.offset() * size_of(t.dtype()) + at.offset;
  });
  type.visit(plan, visitor);
  if (step.op.empty() || step.device == cpu_device)
    step.kernel.run(plan, step.kernel.data);
  else
    device(step.device).launch(step.op, step.kernel, {type, plan});
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
