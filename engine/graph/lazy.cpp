#include "engine/graph/lazy.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "engine/core/meta.h"
#include "engine/core/pending.h"
#include "engine/core/replaced_arguments.h"
#include "engine/graph/capture.h"
#include "engine/ops/calls.h"
#include "engine/passes/passes.h"

namespace mt {
namespace {

constexpr size_t most_calls = 1000, most_plans = 256;  // deferred at once; remembered
// Elements from which a sequence of calls is worth the passes, about a millisecond, before it recurs.
constexpr int64_t large = int64_t{1} << 20;

// Calls f with each tensor among the arguments.
template <class F> void each_argument(const Call& call, F&& f) {
  for (const Value& value : call.args) {
    if (value.is_tensor()) f(*value.tensor);
    for (int k = 0; value.type == Value::Type::tensors && k < value.count; ++k) f(*value.tensors[k]);
  }
}

// The same with the out arguments.
template <class F> void each_tensor(const Call& call, F&& f) {
  each_argument(call, f);
  for (size_t r = 0; r < call.results.size(); ++r) {
    if (call.is_given(static_cast<int>(r))) f(*call.results[r]);
  }
}

bool is_out_argument(const Call& call, const Tensor& t) {
  for (size_t r = 0; r < call.results.size(); ++r) {
    if (call.is_given(static_cast<int>(r)) && call.results[r]->storage() == t.storage()) return true;
  }
  return false;
}

bool takes_generator(const Signature& signature) {
  for (int i = 0; i < signature.count; ++i) {
    if (signature.params[i].takes(kind_generator)) return true;
  }
  return false;
}

// Whether a call on meta changes the number of elements of an out argument.
bool resizes(const Call& call) {
  if (call.given == 0) return false;
  Tensor natural[Signature::max_results];
  Tensor* results[Signature::max_results];
  for (size_t r = 0; r < call.results.size(); ++r) results[r] = &natural[r];
  Call other = call;
  other.results = {results, call.results.size()};
  other.given = 0;
  try {
    plan_op(other);
  } catch (const Error&) {
    return false;  // the op has the sizes of the out argument, or the call itself raises the error
  }
  for (size_t r = 0; r < call.results.size(); ++r) {
    if (call.is_given(static_cast<int>(r)) && natural[r].numel() != call.results[r]->numel()) return true;
  }
  return false;
}

int64_t bytes_of(const Storage& storage) { return storage.size * size_of(storage.dtype); }

template <class T> void append(std::string& key, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_sizes(std::string& key, Sizes sizes) {
  append(key, sizes.size());
  for (const int64_t size : sizes) append(key, size);
}

}  // namespace

// Pending storages are on meta while calls are planned.
class LazyCalls::OnMeta {
 public:
  explicit OnMeta(const std::deque<Known>& known) : known_(known) { move_to(meta_device); }
  ~OnMeta() { move_to(pending_device); }
  OnMeta(const OnMeta&) = delete;
  OnMeta& operator=(const OnMeta&) = delete;

 private:
  void move_to(DeviceId device) const {
    for (const Known& each : known_) {
      if (each.is_pending() && each.tensor.device() != cpu_device) each.tensor.storage()->device = device;
    }
  }

  const std::deque<Known>& known_;
};

// Pending tensors of a call are on meta while it is planned. A call that is not deferred leaves no trace.
class LazyCalls::Attempt {
 public:
  Attempt(LazyCalls& lazy, Call& call) : lazy_(lazy), call_(call), key_size_(lazy.key_.size()) { move_to(meta_device); }
  ~Attempt() {
    move_to(pending_device);
    if (has_succeeded_) return;
    lazy_.key_.resize(key_size_);
    for (size_t r = 0; r < call_.results.size(); ++r) {
      if (!call_.is_given(static_cast<int>(r))) *call_.results[r] = Tensor();
    }
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  void succeeded() { has_succeeded_ = true; }

 private:
  void move_to(DeviceId device) const {
    each_tensor(call_, [&](const Tensor& t) {
      if (lazy_.find_pending(t) != nullptr) t.storage()->device = device;
    });
  }

  LazyCalls& lazy_;
  Call& call_;
  const size_t key_size_;
  bool has_succeeded_ = false;
};

LazyCalls::LazyCalls(std::function<Line()> line) : line_(std::move(line)) { settings_.names_lines = true; }
LazyCalls::~LazyCalls() = default;

void LazyCalls::forget() {
  calls_.clear();
  values_.clear();
  tensors_.clear();
  written_.clear();
  sizes_.clear();
  characters_.clear();
  known_.clear();
  by_storage_.clear();
  key_.clear();
}

void LazyCalls::run(Call& call) {
  if (call.generators != nullptr && call.default_dtype != settings_.default_dtype) {  // calls of the engine itself have no default
    compute_pending();
    settings_.default_dtype = call.default_dtype;
  }
  if (can_defer(call) && defer(call)) {
    if (call.as_number || calls_.size() >= most_calls) compute_pending();
    return;
  }
  // A read and a view of a computed tensor change nothing.
  const bool changes = call.name() != "read" && !(call.op.decl->sharing == Sharing::view && call.given == 0);
  bool waits = false;
  each_tensor(call, [&](const Tensor& t) {
    waits = waits || (t.storage() != nullptr && (changes ? by_storage_.contains(t.storage()) : find_pending(t) != nullptr));
  });
  if (waits) compute_pending();
  if (call.name() == "expose") note_exposed(call.tensor(0));
  plan_op(call);
}

const LazyCalls::Known* LazyCalls::find_pending(const Tensor& t) const {
  const auto found = by_storage_.find(t.storage());
  return found != by_storage_.end() && known_[found->second].is_pending() ? &known_[found->second] : nullptr;
}

bool LazyCalls::can_defer(const Call& call) const {
  const Decl& decl = *call.op.decl;
  if (call.as_number || call.results.empty() || call.op.family.empty() || decl.data_dependent || decl.crosses_devices ||
      takes_generator(decl.signature))
    return false;
  if (std::ranges::any_of(call.args, [](const Value& value) { return value.type == Value::Type::element; })) return false;
  bool is_possible = true, has_tensor = false;
  each_tensor(call, [&](const Tensor& t) {
    has_tensor = true;
    if (!is_possible || t.storage() == nullptr) {
      is_possible = false;
    } else if (t.device() != cpu_device) {
      is_possible = find_pending(t) != nullptr;
    } else if (!exposed_.empty()) {
      is_possible = std::ranges::find(exposed_, t.storage(), &StoragePtr::get) == exposed_.end();
    }
  });
  if (!is_possible || !has_tensor) return false;
  for (size_t r = 0; r < call.results.size(); ++r) {
    if (call.is_given(static_cast<int>(r)) && find_pending(*call.results[r]) == nullptr) return false;
  }
  // A view of a computed tensor is computed, too.
  return decl.sharing == Sharing::none || (call.given == 0 && call.args[0].is_tensor() && find_pending(call.tensor(0)) != nullptr);
}

size_t LazyCalls::find_or_add(const Tensor& t) {
  const auto found = by_storage_.find(t.storage());
  const size_t first = found != by_storage_.end() ? found->second : none;
  if (first != none && known_[first].is_pending()) return first;
  for (size_t i = first; i != none; i = known_[i].next) {
    if (known_[i].computed.same_geometry(t)) return i;
  }
  known_.push_back({without_elements(t), t, first});
  known_.back().computed.set_tracked(false);
  return by_storage_[t.storage()] = known_.size() - 1;
}

// Returns false, and changes nothing, if the call must run at once.
bool LazyCalls::defer(Call& call) {
  std::vector<size_t> known;  // of the tensors of the arguments
  ReplacedArguments args(call.args, [&](Tensor* t) {
    known.push_back(find_or_add(*t));
    Known& each = known_[known.back()];
    return each.is_pending() ? t : &each.tensor;
  });
  Call on_meta = call;
  on_meta.args = args.values();
  on_meta.hook = nullptr;
  on_meta.default_dtype = settings_.default_dtype;
  on_meta.device = on_meta.default_device = meta_device;
  Attempt attempt(*this, call);
  append_call(on_meta, known);
  std::vector<Tensor> arguments;  // as they are now: an argument that is an out argument, too, may get other sizes
  std::vector<uint64_t> versions;
  each_argument(on_meta, [&](const Tensor& t) {
    arguments.push_back(t);
    versions.push_back(t.storage()->version.load());
  });
  try {
    if (resizes(on_meta)) return false;
    plan_op(on_meta);
  } catch (const Error&) {
    return false;  // the call itself raises the error, or reads elements
  }
  std::vector<int32_t> written;
  int32_t i = 0;
  bool overwrites_computed = false;
  each_argument(on_meta, [&](const Tensor& t) {
    const auto at = static_cast<size_t>(i++);
    if (t.storage()->version.load() == versions[at] || is_out_argument(on_meta, t)) return;
    overwrites_computed = overwrites_computed || !known_[known[at]].is_pending();
    written.push_back(i - 1);
  });
  if (overwrites_computed) return false;
  call.as_number = on_meta.as_number;
  note(on_meta, std::move(arguments), known, written);
  attempt.succeeded();
  return true;
}

// Calls with the same key have the same graph.
void LazyCalls::append_tensor(const Tensor& t, size_t known) {
  append(key_, known);
  const Tensor& whole = known_[known].tensor;
  const bool is_whole = !known_[known].is_pending() || (t.same_geometry(whole) && t.offset() == whole.offset());
  append(key_, is_whole);
  if (is_whole) return;
  append(key_, t.offset());
  append_sizes(key_, t.sizes());
  append_sizes(key_, t.strides());
}

void LazyCalls::append_call(const Call& call, std::span<const size_t> known) {
  append(key_, &call.op);
  append(key_, call.given);
  size_t tensor = 0;
  for (const Value& value : call.args) {
    append(key_, value.type);
    switch (value.type) {
      case Value::Type::none:
      case Value::Type::generator:
      case Value::Type::element:
        break;
      case Value::Type::tensor:
        append_tensor(*value.tensor, known[tensor++]);
        break;
      case Value::Type::tensors:
        append(key_, value.count);
        for (int k = 0; k < value.count; ++k) append_tensor(*value.tensors[k], known[tensor++]);
        break;
      case Value::Type::number:
        append(key_, value.number);
        break;
      case Value::Type::integer:
        append(key_, value.integer);
        break;
      case Value::Type::boolean:
        append(key_, value.boolean);
        break;
      case Value::Type::dtype:
        append(key_, value.dtype);
        break;
      case Value::Type::string:
        append(key_, value.count);
        key_.append(value.string, static_cast<size_t>(value.count));
        break;
      case Value::Type::sizes:
        append_sizes(key_, {value.sizes, static_cast<size_t>(value.count)});
        break;
    }
  }
  for (size_t r = 0; r < call.results.size(); ++r) {
    const Tensor& result = *call.results[r];
    if (call.is_given(static_cast<int>(r))) append_tensor(result, by_storage_.at(result.storage()));
  }
}

void LazyCalls::note(const Call& call, std::vector<Tensor> arguments, std::span<const size_t> known, std::span<const int32_t> written) {
  calls_.push_back({&call.op, call.given, values_.size(), tensors_.size(), written_.size(), line_()});
  written_.insert(written_.end(), written.begin(), written.end());
  for (const Value& value : call.args) {
    if (value.type == Value::Type::sizes)
      sizes_.insert(sizes_.end(), value.sizes, value.sizes + value.count);
    else if (value.type == Value::Type::string)
      characters_.append(value.string, static_cast<size_t>(value.count));
    values_.push_back(value);
  }
  for (size_t i = 0; i < arguments.size(); ++i) add_tensor(std::move(arguments[i]), known[i]);
  for (size_t r = 0; r < call.results.size(); ++r) {
    const Tensor& result = *call.results[r];
    size_t at = none;
    if (result.storage() != nullptr) {
      const auto [found, is_new] = by_storage_.try_emplace(result.storage(), known_.size());
      at = found->second;
      if (is_new) known_.emplace_back();
      Tensor& whole = known_[at].tensor;
      if (is_new) {
        whole = result;
        whole.set_tracked(false);
        result.storage()->device = pending_device;
        bytes_ += bytes_of(*result.storage()) / 4;
      }
      add_tensor(result, at);
    } else {
      tensors_.push_back(result);
    }
  }
}

void LazyCalls::add_tensor(Tensor t, size_t known) {
  t.set_tracked(false);
  tensors_.push_back(std::move(t));
  ++known_[known].references;
}

void LazyCalls::note_exposed(const Tensor& t) {
  if (t.storage() == nullptr) return;
  std::erase_if(exposed_, [](const StoragePtr& storage) { return storage->is_unique(); });
  exposed_.push_back(t.storage_ptr());
}

// The pending storages that somebody else holds.
std::vector<size_t> LazyCalls::needed() const {
  std::vector<size_t> needed;
  for (size_t i = 0; i < known_.size(); ++i) {
    const Known& known = known_[i];
    if (!known.is_pending()) continue;
    if (known.tensor.storage()->references.load(std::memory_order_acquire) > known.references + 1) needed.push_back(i);
  }
  return needed;
}

int64_t LazyCalls::pending_bytes() const {
  int64_t bytes = 0;
  for (const Known& known : known_) {
    if (known.is_pending()) bytes += bytes_of(*known.tensor.storage());
  }
  return bytes;
}

std::string LazyCalls::key_of(std::span<const size_t> outputs) const {
  std::string key = key_;
  for (size_t i = 0; i < known_.size(); ++i) {
    if (known_[i].is_pending()) continue;
    append(key, i);
    append(key, known_[i].tensor.dtype());
    append_sizes(key, known_[i].tensor.sizes());
  }
  append(key, settings_.default_dtype);
  for (const size_t output : outputs) append(key, output);
  append(key, outputs.size());
  return key;
}

Graph LazyCalls::graph_of(std::span<const size_t> outputs) const {
  const OnMeta planned(known_);
  Capture capture({}, Capture::Reads::pending);
  for (size_t i = 0; i < known_.size(); ++i) {
    if (!known_[i].is_pending()) capture.add_input(concat("x", i + 1), known_[i].tensor);
  }
  const int64_t* sizes = sizes_.data();
  const char* characters = characters_.data();
  std::vector<Tensor> tensors = tensors_;
  std::deque<std::vector<Tensor*>> lists;
  for (size_t i = 0; i < calls_.size(); ++i) {
    const Deferred& deferred = calls_[i];
    const auto count = static_cast<size_t>(deferred.op->decl->signature.count);
    std::vector<Value> values(values_.begin() + static_cast<std::ptrdiff_t>(deferred.first_value),
                              values_.begin() + static_cast<std::ptrdiff_t>(deferred.first_value + count));
    Tensor* next = tensors.data() + deferred.first_tensor;
    for (Value& value : values) {
      if (value.type == Value::Type::tensor) {
        value.tensor = next++;
      } else if (value.type == Value::Type::tensors) {
        std::vector<Tensor*>& list = lists.emplace_back();
        for (int k = 0; k < value.count; ++k) list.push_back(next++);
        value.tensors = list.data();
      } else if (value.type == Value::Type::sizes) {
        value.sizes = std::exchange(sizes, sizes + value.count);
      } else if (value.type == Value::Type::string) {
        value.string = std::exchange(characters, characters + value.count);
      }
    }
    Tensor* results[Signature::max_results];
    const auto made = static_cast<size_t>(deferred.op->decl->signature.result_count);
    for (size_t r = 0; r < made; ++r) results[r] = next++;
    Call call{*deferred.op, values, {results, made}, deferred.given, settings_.default_dtype};
    const size_t end = i + 1 < calls_.size() ? calls_[i + 1].first_written : written_.size();
    std::string line = deferred.line.file != nullptr ? concat(*deferred.line.file, ":", deferred.line.number) : std::string();
    capture.note(call, std::span(written_).subspan(deferred.first_written, end - deferred.first_written), std::move(line));
  }
  std::vector<Tensor> wanted;
  for (const size_t output : outputs) wanted.push_back(known_[output].tensor);
  return remove_dead_steps(capture.finish(wanted));
}

// Returns the graph that computes some pending results, optimised if that is worth it.
std::shared_ptr<const Executor> LazyCalls::plan_for(std::span<const size_t> outputs) {
  std::string key = key_of(outputs);
  const auto known = plans_.find(key);
  if (known != plans_.end() && known->second != nullptr) return known->second;
  int64_t elements = 0;
  for (const Known& each : known_) elements += each.is_pending() ? each.tensor.numel() : 0;
  const bool is_worth_passes = known != plans_.end() || elements >= large;
  const Graph graph = graph_of(outputs);
  auto executor = std::make_shared<const Executor>(is_worth_passes ? optimized(graph) : graph);
  if (plans_.size() >= most_plans) plans_.clear();
  plans_[std::move(key)] = is_worth_passes ? executor : nullptr;
  return executor;
}

namespace {

// A pending result gets the elements of a value, and its memory if nothing else uses that.
void settle_as(const Tensor& pending, Tensor value) {
  Storage& storage = *pending.storage();
  const bool is_whole =
      value.offset() == 0 && pending.offset() == 0 && value.same_sizes(pending) && std::ranges::equal(value.strides(), pending.strides());
  StoragePtr memory = value.storage_ptr();
  if (is_whole) {
    value.clear();
    const bool is_channels_last = memory->channels_last;
    if (storage.settle_with(memory)) {
      storage.channels_last = is_channels_last;
      return;
    }
    value = Tensor::over(memory, 0, pending.sizes(), pending.strides());
  }
  memory = StoragePtr();
  settle(storage, cpu_device);
  copy(pending, value);
}

}  // namespace

void LazyCalls::compute(const Executor& executor, std::span<const size_t> outputs) {
  std::vector<Value> inputs;
  std::vector<Tensor> computed;  // alive during the run
  computed.reserve(known_.size());
  for (const Known& known : known_) {
    if (!known.is_pending()) inputs.emplace_back(computed.emplace_back(known.computed));
  }
  std::vector<Tensor> values;
  {
    GraphResults results(executor);
    executor.run(settings_, inputs, results.tensors());
    for (size_t i = 0; i < outputs.size(); ++i) values.push_back(executor.output(i, inputs, results.tensors()));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& pending = known_[outputs[i]].tensor;
    settle_as(pending, std::move(values[i]));
    bytes_ += bytes_of(*pending.storage()) / 4 * 3;
  }
}

// Computes each result by its own graph: the error of one does not concern those that don't depend on it.
void LazyCalls::compute_apart(std::span<const size_t> outputs) {
  for (const size_t output : outputs) {
    if (known_[output].tensor.device() != pending_device) continue;
    try {
      compute(Executor(graph_of({&output, 1})), {&output, 1});
    } catch (const Error&) {
      continue;
    }
  }
}

void LazyCalls::compute_pending() {
  if (calls_.empty()) return;
  const std::vector<size_t> outputs = needed();
  if (!outputs.empty()) {
    try {
      compute(*plan_for(outputs), outputs);
    } catch (const Error& e) {
      if (e.status() == Status::interrupted) throw;
      compute_apart(outputs);
      forget();
      throw;
    }
  }
  forget();
}

void LazyCalls::end_scope() {
  exposed_.clear();
  compute_pending();
}

}  // namespace mt
