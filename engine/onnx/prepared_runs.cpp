#include "engine/onnx/prepared_runs.h"

#include <algorithm>
#include <utility>

#include "engine/core/parallel.h"
#include "engine/core/processor.h"
#include "engine/passes/passes.h"

namespace mt::onnx {
namespace {

constexpr size_t most_forms = 4;
constexpr int64_t recent = 64;  // runs of the model: a form that was used in one of them stays

bool fits(const Prepared& run, std::span<const Value> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor &t = *inputs[i].tensor, &place = run.input(i);
    if (t.dtype() != place.dtype() || !t.same_sizes(place)) return false;
  }
  return true;
}

bool are_on_cpu(std::span<const Value> inputs) {
  return std::ranges::all_of(inputs, [](const Value& input) { return input.is_tensor() && input.tensor->device() == cpu_device; });
}

int most_runs() {
  static const int processors = count_processors();
  return processors;
}

}  // namespace

// The prepared run that a thread uses, if any.
class PreparedRuns::Lease {
 public:
  Lease(PreparedRuns& runs, const Executor& graph, const RunSettings& settings, std::span<const Value> inputs)
      : runs_(runs), graph_(graph), threads_(num_threads()) {
    std::shared_ptr<const Executor> executor;
    std::shared_ptr<PackedOperands> packed;
    {
      const std::scoped_lock lock(runs_.mutex_);
      if (!reserve()) return;
      const auto form = runs_.find(&graph_, threads_);
      executor = form->executor;
      packed = form->packed;
    }
    if (run_ == nullptr) make(std::move(executor), std::move(packed), settings, inputs);
  }

  ~Lease() {
    if (run_ == nullptr) return;
    const std::scoped_lock lock(runs_.mutex_);
    const auto form = runs_.find(&graph_, threads_);
    if (form != runs_.forms_.end() && form->executor == run_->executor()) form->idle.push_back(std::move(run_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Prepared* get() const { return run_.get(); }

 private:
  // Takes an idle run, or enters one that this thread will make; returns false if it may not.
  bool reserve() {
    ++runs_.runs_;
    const auto form = runs_.find(&graph_, threads_);
    if (form == runs_.forms_.end()) {
      if (std::ranges::find(runs_.refused_, &graph_) != runs_.refused_.end() || !runs_.has_room()) return false;
      runs_.forms_.push_back({&graph_, threads_, runs_.runs_});
      return true;
    }
    form->last_use = runs_.runs_;
    if (!form->idle.empty()) {
      run_ = std::move(form->idle.back());
      form->idle.pop_back();
      return true;
    }
    if (form->executor == nullptr || form->made >= most_runs()) return false;
    ++form->made;
    return true;
  }

  void make(std::shared_ptr<const Executor> executor, std::shared_ptr<PackedOperands> packed, const RunSettings& settings,
            std::span<const Value> inputs) {
    const bool is_first = executor == nullptr;
    try {
      if (is_first) {
        if (std::ranges::any_of(graph_.graph().steps, draws)) return cancel(is_first, true);
        executor = std::make_shared<const Executor>(for_inference(graph_.graph(), inputs));
        packed = std::make_shared<PackedOperands>();
      }
      run_ = std::make_unique<Prepared>(executor, inputs, settings, packed);
    } catch (const Error& e) {
      cancel(is_first, e.status() == Status::unsupported);
      if (e.status() == Status::interrupted) throw;
      return;
    } catch (...) {
      cancel(is_first, false);
      throw;
    }
    if (!is_first) return;
    const std::scoped_lock lock(runs_.mutex_);
    const auto form = runs_.find(&graph_, threads_);
    if (form == runs_.forms_.end()) return;
    form->executor = std::move(executor);
    form->packed = std::move(packed);
  }

  void cancel(bool is_first, bool refuse) {
    const std::scoped_lock lock(runs_.mutex_);
    if (refuse) runs_.refused_.push_back(&graph_);
    const auto form = runs_.find(&graph_, threads_);
    if (form == runs_.forms_.end()) return;
    if (is_first)
      runs_.forms_.erase(form);
    else
      --form->made;
  }

  PreparedRuns& runs_;
  const Executor& graph_;
  const int threads_;
  std::unique_ptr<Prepared> run_;
};

std::vector<PreparedRuns::Form>::iterator PreparedRuns::find(const Executor* graph, int threads) {
  return std::ranges::find_if(forms_, [&](const Form& form) { return form.graph == graph && form.threads == threads; });
}

// Whether there may be another form; the one that was not used for the longest time gives way, unless that was a short time.
bool PreparedRuns::has_room() {
  if (forms_.size() < most_forms) return true;
  const auto oldest = std::ranges::min_element(forms_, {}, &Form::last_use);
  if (runs_ - oldest->last_use <= recent) return false;
  forms_.erase(oldest);
  return true;
}

std::optional<std::vector<Tensor>> PreparedRuns::run(const Executor& graph, const RunSettings& settings, std::span<const Value> inputs) {
  if (settings.hook != nullptr || settings.default_device != cpu_device || !are_on_cpu(inputs)) return std::nullopt;
  const Lease lease(*this, graph, settings, inputs);
  if (lease.get() == nullptr || !fits(*lease.get(), inputs)) return std::nullopt;
  std::vector<const Tensor*> tensors;
  for (const Value& input : inputs) tensors.push_back(input.tensor);
  std::vector<Tensor> outputs;
  try {
    lease.get()->run(tensors);
    for (size_t i = 0; i < lease.get()->graph().outputs.size(); ++i) outputs.push_back(clone(lease.get()->output(i)));
  } catch (const Error& e) {
    if (e.status() == Status::interrupted || e.status() == Status::memory) throw;
    return std::nullopt;
  }
  return outputs;
}

}  // namespace mt::onnx
