#include "engine/graph/prepared.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "engine/core/host_hooks.h"
#include "engine/core/image_layout.h"
#include "engine/graph/image_blocks.h"
#include "engine/graph/in_place.h"
#include "engine/graph/memory_plan.h"

namespace mt {
namespace {

using Ref = Graph::Ref;

// Calls f with each value to which a run of the graph writes.
template <class F> void each_write(const Graph& graph, F&& f) {
  for (const Graph::Step& step : graph.steps) std::ranges::for_each(step.writes, f);
  for (const Graph::Update& update : graph.updates) f(update.target);
}

void refuse_written_inputs(const Graph& graph, std::string_view function) {
  each_write(graph, [&](Ref ref) {
    if (ref.of == Ref::Of::input)
      fail<Status::unsupported>(function, name_of(graph, ref), "an input that the graph writes, expected writes to constants alone");
  });
}

void check_device(const Graph& graph, size_t i, const Tensor& input, std::string_view function) {
  if (input.device() != cpu_device)
    fail<Status::unsupported>(function, input_name(graph, i), "a tensor on ", device_name(input.device()), ", expected one on the CPU");
}

// Calls f with each constant to which a run of the graph writes.
template <class F> void each_written(const Graph& graph, F&& f) {
  each_write(graph, [&](Ref ref) {
    if (ref.of == Ref::Of::constant) f(graph.constants[static_cast<size_t>(ref.index)].tensor);
  });
}

// Refuses steps that run other ops for other elements. `outside`: the step whose body the graph is.
void refuse_branches(const Graph& graph, std::string_view function, const std::string& outside = {}) {
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    const Graph::Step& step = graph.steps[i];
    if (step.bodies.empty()) continue;
    const std::string origin = step.origin.empty() ? std::string() : concat(" (", step.origin, ")");
    const std::string place = concat(outside, outside.empty() ? "" : ", ", "step ", i + 1, origin, ", ", step.op->decl->name);
    if (step.op->decl->name != "scan")
      fail<Status::unsupported>(function, place, "steps that depend on elements, expected a graph whose runs have the same steps");
    refuse_branches(*step.bodies[0], function, place);
  }
}

// Restores the elements of the written constants at the end of its life.
class Restored {
 public:
  explicit Restored(const Graph& graph) {
    each_written(graph, [&](const Tensor& constant) { kept_.emplace_back(constant, clone(constant)); });
  }
  ~Restored() {
    for (const auto& [constant, before] : kept_) copy(constant, before);
  }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;

 private:
  std::vector<std::pair<Tensor, Tensor>> kept_;
};

}  // namespace

// Moves launches from the memory of the first run to its final place.
class Prepared::Layout {
 public:
  Layout(const Graph& graph, LaunchList& list, std::string_view function) : list_(list) {
    for (const Graph::Constant& constant : graph.constants) {
      Storage* const storage = constant.tensor.storage();
      if (storage == nullptr || places_.count(storage) != 0) continue;
      if (storage->device != cpu_device)
        fail<Status::unsupported>(function, constant.name, "a constant on ", device_name(storage->device), ", expected one on the CPU");
      places_[storage] = StoragePtr::adopt(storage->lend());
      places_[storage]->channels_last = storage->channels_last;
    }
  }

  // A value of the first run that is needed until the end.
  void keep(const Tensor& t) {
    use(t.storage(), static_cast<int32_t>(list_.launches.size()));
    ++holders_[t.storage()];
  }
  void keep_from_start(const Tensor& t) {
    use(t.storage(), 0);
    keep(t);
  }

  void plan(Prepared& prepared) {
    // What others hold, such as a table of a kernel, stays where it is.
    for (const StoragePtr& storage : list_.storages) {
      if (storage->references.load() > 1 + holders_[storage.get()]) places_.try_emplace(storage.get(), storage);
    }
    for (size_t i = 0; i < list_.launches.size(); ++i) {
      PlaceVisitor visitor([&](const OperandPlace& place) { use(place.storage, static_cast<int32_t>(i)); });
      list_.launches[i].visit(visitor);
    }
    const MemoryPlan memory = plan_memory(ranges_);
    prepared.bytes_ = memory.bytes;
    prepared.needed_bytes_ = mt::needed_bytes(ranges_);
    const StoragePtr block = StoragePtr::adopt(Storage::create(DType::uint8, memory.bytes));
    std::memset(static_cast<std::byte*>(block->data), 0, static_cast<size_t>(memory.bytes));  // booleans must be 0 or 1
    for (size_t i = 0; i < values_.size(); ++i) {
      const Storage& value = *values_[i];
      const StoragePtr place = StoragePtr::adopt(Storage::borrow(
          value.dtype, block->data + memory.offsets[i], value.size, [](void* whole) { static_cast<Storage*>(whole)->drop(); },
          block.get()));
      block->retain();  // for the place, which exists
      place->channels_last = value.channels_last;
      places_[values_[i]] = place;
    }
    PlaceVisitor visitor([&](OperandPlace& place) { place.storage = places_.at(place.storage).get(); });
    for (const Launch& launch : list_.launches) launch.visit(visitor);
    for (const auto& [before, place] : places_) prepared.storages_.push_back(place);
    prepared.launches_ = std::move(list_.launches);
  }

  Tensor moved(const Tensor& t) const {
    Tensor place(t);
    const auto found = places_.find(t.storage());
    if (found != places_.end()) place.set_storage(found->second, t.offset(), t.sizes(), t.strides());
    place.interpret_as(t.dtype());
    return place;
  }

 private:
  void use(Storage* storage, int32_t step) {
    if (storage == nullptr || places_.count(storage) != 0) return;
    const auto [known, is_new] = numbers_.try_emplace(storage, values_.size());
    if (is_new) {
      values_.push_back(storage);
      ranges_.push_back({storage->size * size_of(storage->dtype), step, step});
    }
    LiveRange& range = ranges_[known->second];
    range.first = std::min(range.first, step);
    range.last = std::max(range.last, step);
  }

  LaunchList& list_;
  std::unordered_map<const Storage*, StoragePtr> places_;  // by storage of the first run
  std::unordered_map<const Storage*, int64_t> holders_;    // references of kept values
  std::unordered_map<const Storage*, size_t> numbers_;
  std::vector<Storage*> values_;
  std::vector<LiveRange> ranges_;  // of the values
};

Prepared::Prepared(std::shared_ptr<const Executor> executor, std::span<const Value> inputs, const RunSettings& settings,
                   std::shared_ptr<PackedOperands> packed, std::string_view function)
    : executor_(std::move(executor)), packed_(std::move(packed)) {
  const Graph& graph = executor_->graph();
  check_inputs(graph, inputs, function);
  refuse_branches(graph, function);
  refuse_written_inputs(graph, function);
  std::vector<Tensor> first;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].type != Value::Type::tensor)
      fail<Status::unsupported>(function, input_name(graph, i), "an input of another kind, expected a tensor");
    check_device(graph, i, *inputs[i].tensor, function);
    first.push_back(copy_alike(*inputs[i].tensor, inputs[i].tensor->dtype()));
  }
  std::vector<Value> values;
  for (Tensor& t : first) values.emplace_back(t);
  std::vector<Tensor> last;
  const Restored constants(graph);
  LaunchList list([&] {
    GraphResults results(*executor_);
    executor_->run(settings, values, results.tensors());
    executor_->update(settings, values, results.tensors());
    for (size_t i = 0; i < graph.outputs.size(); ++i) last.push_back(executor_->output(i, values, results.tensors()));
  });
  PackingContext context{{}, {}, *packed_};
  for (const Graph::Constant& constant : graph.constants) context.constants.insert(constant.tensor.storage());
  each_written(graph, [&](const Tensor& constant) { context.constants.erase(constant.storage()); });
  for (const std::vector<Tensor>* const tensors : {&first, &last}) {
    for (const Tensor& t : *tensors) context.kept.insert(t.storage());
  }
  pack(list, context);
#ifndef MT_WITHOUT_IMAGE_BLOCKS
  choose_image_blocks(list, context);
#endif
  compute_in_place(list, context);
  Layout layout(graph, list, function);
  for (const Tensor& t : first) layout.keep_from_start(t);
  for (const Tensor& t : last) layout.keep(t);
  layout.plan(*this);
  each_written(graph, [this](const Tensor& constant) { written_.push_back(constant); });
  for (const Tensor& t : first) inputs_.push_back(layout.moved(t));
  for (const Tensor& t : last) outputs_.push_back(layout.moved(t));
  for (size_t i = 0; i < first.size(); ++i) {
    if (first[i].numel() > 0) copy(inputs_[i], first[i]);
  }
}

std::unique_ptr<Prepared> Prepared::clone(std::string_view function) {
  const Running running(*this, function);  // nothing writes to the inputs meanwhile
  std::vector<Tensor> samples = inputs_;
  std::vector<Value> values;
  for (Tensor& t : samples) values.emplace_back(t);
  return std::make_unique<Prepared>(executor_, values, RunSettings(), packed_, function);
}

bool Prepared::is_place(size_t i, const Tensor& t) const { return t.storage() == inputs_[i].storage() && t.same_geometry(inputs_[i]); }

void Prepared::check(std::span<const Tensor* const> inputs, std::string_view function) const {
  if (inputs.size() != inputs_.size()) fail<Status::shape>(function, "run", inputs.size(), " inputs, expected ", inputs_.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor &t = *inputs[i], &place = inputs_[i];
    check_device(graph(), i, t, function);
    if (t.dtype() == place.dtype() && t.same_sizes(place)) continue;
    fail<Status::shape>(function, input_name(graph(), i), t.dtype(), " ", t.sizes(), ", expected ", place.dtype(), " ", place.sizes(),
                        ", for which the run was prepared");
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Storage* const storage = inputs[i]->storage();
    if (storage == nullptr || storage->resizable || is_place(i, *inputs[i])) continue;  // places can't be resized
    for (size_t k = 0; k < inputs_.size(); ++k) {
      if (!is_place(k, *inputs[k]) && may_overlap(*inputs[i], inputs_[k]))
        fail(function, input_name(graph(), i), "memory from which runs read ", input_name(graph(), k), ", expected other memory");
    }
  }
}

Prepared::Running::Running(Prepared& prepared, std::string_view function) : prepared_(prepared), function_(function) {
  if (prepared.is_running_.exchange(true, std::memory_order_acquire))
    fail(function, "run", "another thread runs it, expected one at a time; prepare a run for each thread");
}

void Prepared::Running::run(std::span<const Tensor* const> inputs) {
  prepared_.check(inputs, function_);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!prepared_.is_place(i, *inputs[i])) copy(prepared_.inputs_[i], *inputs[i]);
  }
  for (const Launch& launch : prepared_.launches_) launch.run();
  prepared_.touch_written();
}

void Prepared::run(std::span<const Tensor* const> inputs, std::string_view function) { Running(*this, function).run(inputs); }

std::vector<std::pair<std::string_view, double>> Prepared::profile() {
  const Running running(*this, "prepare");
  std::vector<std::pair<std::string_view, double>> times;
  for (const Launch& launch : launches_) {
    const double before = read_clock(ClockKind::monotonic);
    launch.run();
    times.emplace_back(launch.op(), read_clock(ClockKind::monotonic) - before);
  }
  touch_written();
  return times;
}

void Prepared::touch_written() const {
  for (const Tensor& t : outputs_) t.touch();
  for (const Tensor& t : written_) t.touch();
}

}  // namespace mt
