#include "engine/graph/capture.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "engine/arguments/convert.h"
#include "engine/core/device.h"
#include "engine/core/meta.h"
#include "engine/core/replaced_arguments.h"
#include "engine/graph/executor.h"
#include "engine/graph/verify.h"
#include "engine/ops/calls.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;

constexpr auto function = "capture";

bool equals(const Value& a, const Value& b) {
  if (a.type == Value::Type::string && b.type == Value::Type::string)
    return std::string_view(a.string, static_cast<size_t>(a.count)) == std::string_view(b.string, static_cast<size_t>(b.count));
  if (a.type == Value::Type::boolean && b.type == Value::Type::boolean) return a.boolean == b.boolean;
  const auto is_number = [](const Value& v) { return v.type == Value::Type::number || v.type == Value::Type::integer; };
  return is_number(a) && is_number(b) && a.as_double() == b.as_double();
}

// The position of a tensor's elements in its storage: offset, sizes, strides.
using Place = std::vector<int64_t>;
Place place_of(const Tensor& t) {
  Place place{t.offset()};
  place.insert(place.end(), t.sizes().begin(), t.sizes().end());
  place.insert(place.end(), t.strides().begin(), t.strides().end());
  return place;
}

uint64_t version_of(const Tensor& t) { return t.storage() != nullptr ? t.storage()->version.load() : 0; }

Argument list_argument(Sizes sizes) {
  Argument argument;
  argument.type = Argument::Type::sizes;
  for (const int64_t size : sizes) argument.sizes.push_back({{.number = size}});
  return argument;
}

Value dtype_value(DType dtype) {
  Value value;
  value.type = Value::Type::dtype;
  value.dtype = dtype;
  return value;
}

Argument integer_argument(int64_t n) {
  Value value;
  value.type = Value::Type::integer;
  value.integer = n;
  return Argument(value);
}

}  // namespace

Capture::Capture(Origin origin, Reads reads, bool is_any_size) : origin_(std::move(origin)), reads_(reads), is_any_size_(is_any_size) {}
Capture::~Capture() = default;

void Capture::add_input(std::string name, const Tensor& t) {
  seen_.insert(t.storage());
  inputs_.push_back({std::move(name), t});
}

Capture::Event Capture::event_of(const Call& call, std::string origin) {
  Event event{&call.op, {}, {}, {}, {}, call.given, {}, std::move(origin)};
  const Signature& signature = call.op.decl->signature;
  const auto add = [&](const Tensor& t) {
    event.tensors.push_back(t);
    event.tensors.back().set_tracked(false);
    return Ref{Ref::Of::input, static_cast<int32_t>(event.tensors.size()) - 1};
  };
  for (int i = 0; i < signature.count; ++i) {
    const Value& value = call.args[static_cast<size_t>(i)];
    const Param& p = signature.params[i];
    Argument& argument = event.arguments.emplace_back();
    Value standard;
    set_default(standard, p);
    if (equals(value, standard)) continue;
    switch (value.type) {
      case Value::Type::none:
        break;
      case Value::Type::tensor:
        argument = Argument(add(*value.tensor));
        break;
      case Value::Type::tensors:
        argument.type = Argument::Type::values;
        for (const Tensor* t : call.tensors(i)) argument.values.push_back(add(*t));
        break;
      case Value::Type::element:
        argument = Argument(value);
        break;
      case Value::Type::number:
      case Value::Type::integer:
        argument = Argument(value);
        if (!p.takes(kind_number)) make_whole(argument.immediate, call.name(), p.name);
        break;
      case Value::Type::boolean:
      case Value::Type::dtype:
        argument = Argument(value);
        break;
      case Value::Type::string:
        argument.type = Argument::Type::string;
        argument.text = call.string(i);
        break;
      case Value::Type::sizes:
        argument = list_argument(call.sizes(i));
        break;
      case Value::Type::generator:
        call.fail_at<Status::unsupported>(i, "a generator inside a capture, expected none: the graph draws from the default generator");
    }
  }
  name_default_dtype(call, event);
  return event;
}

// An op without tensors, and without an argument for the dtype of its result, gets the default dtype of the capture as an argument if runs
// and passes would assume another one.
void Capture::name_default_dtype(const Call& call, Event& event) {
  if (call.default_dtype == RunSettings().default_dtype || !event.tensors.empty() || call.given != 0) return;
  const Signature& signature = call.op.decl->signature;
  for (int i = 0; i < signature.count; ++i) {
    Argument& argument = event.arguments[static_cast<size_t>(i)];
    if (signature.params[i].takes(kind_dtype) && argument.type == Argument::Type::none)
      argument = Argument(dtype_value(call.default_dtype));
  }
}

void Capture::note_created(const Tensor& t) {
  if (t.storage() == nullptr || !seen_.insert(t.storage()).second) return;
  created_.insert(t.storage());
  if (is_body_) made_.push_back(t.storage_ptr());
}

void Capture::note_literal(const Tensor& t) {
  note_created(t);
  if (t.storage() != nullptr) literals_.insert_or_assign(t.storage(), Literal{t, clone(t)});
}

void Capture::run(Call& call) {
  const Decl& decl = *call.op.decl;
  const bool is_guarded = reads_ == Reads::guarded;
  const auto refuse = [&](std::string_view what, std::string_view expected) {
    fail<Status::unsupported>(decl.name, "", what, " inside a capture, expected ", expected);
  };
  if (decl.name == "expose") refuse("a pointer to elements", "ops, which the graph can repeat");
  if (decl.name == "touch") refuse("elements that the program writes", "ops, which the graph can repeat");
  if (decl.name == "read") {
    if (!is_guarded) refuse("an element that the program reads", "ops on tensors, or guards; the element may differ in each run");
    return add_guard(call.op, call.tensor(0), false);
  }
  if (decl.data_dependent && !is_guarded) refuse("sizes that depend on elements", "sizes that are the same in each run, or guards");
  const bool wants_number = call.as_number;
  call.as_number = false;
  Event event = event_of(call, origin_());
  if (needs_natural(call)) infer_natural(call, event);
  if (is_body_) keep_outside(call, event);
  std::vector<uint64_t> versions;
  for (const Tensor& t : event.tensors) versions.push_back(version_of(t));
  std::vector<Tensor> given_before;
  for (size_t r = 0; is_any_size_ && r < call.results.size(); ++r) {
    const bool is_given = (call.given >> r & 1) != 0;
    given_before.push_back(is_given ? *call.results[r] : Tensor());
    // Whether a module passes its last output again depends on the collector: such a tensor belongs to the run in any size.
    const Storage* const storage = given_before.back().storage();
    const bool is_only_result = storage != nullptr && std::ranges::find(event.tensors, storage, &Tensor::storage) == event.tensors.end();
    if (is_given && is_only_result && seen_.insert(storage).second) {
      event.resized |= uint32_t{1} << r;
      passed_.push_back(given_before.back().storage_ptr());
    }
  }
  plan_op(call);
  for (size_t r = 0; r < given_before.size(); ++r) {
    if ((call.given >> r & 1) != 0 && !given_before[r].same_sizes(*call.results[r])) event.resized |= uint32_t{1} << r;
  }
  const auto is_out_argument = [&](const Tensor& t) {
    for (size_t r = 0; r < call.results.size(); ++r) {
      if ((call.given >> r & 1) != 0 && call.results[r]->storage() == t.storage()) return true;
    }
    return false;
  };
  for (size_t i = 0; i < versions.size(); ++i) {
    const Tensor& t = event.tensors[i];
    if (version_of(t) != versions[i] && !is_out_argument(t)) event.written.push_back(static_cast<int32_t>(i));
  }
  if (call.results.empty() && event.written.empty()) refuse("an op without results", "ops that return or overwrite tensors");
  note_results(call, event);
  const bool is_condition = std::ranges::any_of(call.results, [](const Tensor* t) { return t->dtype() == DType::boolean; });
  if (!is_guarded && is_condition && (wants_number || call.as_number))
    refuse("a condition that the program tests", "guards, or a tensor of conditions; it may differ in each run");
  events_.push_back(std::move(event));
  const bool are_numbers = (wants_number || call.as_number) && !call.results.empty() && call.result(0).numel() == 1;
  call.as_number = is_guarded && are_numbers;
  if (is_guarded) guard_results(call, are_numbers);
}

void Capture::note(const Call& call, std::span<const int32_t> written, std::string origin) {
  Event event = event_of(call, std::move(origin));
  if (needs_natural(call)) infer_natural(call, event);
  event.written.assign(written.begin(), written.end());
  note_results(call, event);
  events_.push_back(std::move(event));
}

void Capture::note_results(const Call& call, Event& event) {
  for (const Tensor& t : event.tensors) seen_.insert(t.storage());
  for (const Tensor* result : call.results) {
    note_created(*result);
    event.results.push_back(*result);
    event.results.back().set_tracked(false);
  }
}

bool Capture::is_input(const Tensor& t) const {
  return t.storage() != nullptr && std::ranges::any_of(inputs_, [&](const Named& input) { return input.tensor.storage() == t.storage(); });
}

// Before a call of a body: keeps the elements of memory from outside that the op may overwrite.
void Capture::keep_outside(const Call& call, const Event& event) {
  const std::string_view op = call.op.decl->name;
  const auto keep = [&](const Tensor& t) {
    const bool is_outside = t.storage() != nullptr && !created_.contains(t.storage()) && !is_input(t) && !before_.contains(t.storage());
    if (!is_outside) return;
    const Tensor whole = whole_of(t.storage_ptr());
    before_.emplace(t.storage(), std::pair(whole, clone(whole)));
  };
  for (size_t r = 0; r < call.results.size() && op != "set" && op != "as_strided"; ++r) {
    if ((call.given >> r & 1) == 0) continue;
    if (is_input(*call.results[r]))
      fail<Status::unsupported>(op, "", "a write to an argument of a body", event.origin.empty() ? "" : concat(" (", event.origin, ")"),
                                ", expected one that returns new values");
    keep(*call.results[r]);
  }
  const bool overwrites_arguments = call.results.empty() || op == "batchNorm";
  for (size_t i = 0; overwrites_arguments && i < event.tensors.size(); ++i) keep(event.tensors[i]);
}

void Capture::restore() const {
  for (const auto& [storage, elements] : before_) copy(elements.first, elements.second);
}

std::vector<StoragePtr> Capture::release() {
  events_.clear();
  inputs_.clear();
  literals_.clear();
  before_.clear();
  passed_.clear();
  std::vector<StoragePtr> held = std::move(made_);
  std::erase_if(held, [](const StoragePtr& storage) { return storage->references.load() == 1; });
  for (auto& [storage, pointer] : foreign_) held.push_back(pointer);
  return held;
}

void Capture::note_foreign(std::vector<StoragePtr> storages) {
  for (StoragePtr& storage : storages) {
    const Storage* const key = storage.get();
    foreign_.emplace(key, std::move(storage));
  }
}

void Capture::run_control(Call& call, const Control& control) {
  Event event = event_of(call, origin_());
  event.bodies = control.graphs();
  call.hook = nullptr;
  control.run(call);
  note_results(call, event);
  events_.push_back(std::move(event));
}

void Capture::guard_results(const Call& call, bool are_numbers) {
  for (const Tensor* result : call.results) {
    if (result->storage() == nullptr) continue;
    if (are_numbers)
      add_guard(call.op, *result, false);
    else if (call.op.decl->data_dependent)
      add_guard(call.op, *result, true);
  }
}

void Capture::add_guard(const Op& op, const Tensor& read, bool sizes) {
  Event event{&op, {}, {read}, {}, {}, 0, {}, origin_()};
  event.tensors[0].set_tracked(false);
  const Tensor elements = sizes ? Tensor::empty(read.dtype(), read.sizes()) : clone(on_host(read));
  event.guard = Guard{elements, sizes, event.origin};
  seen_.insert(read.storage());
  events_.push_back(std::move(event));
}

// Whether the results that the graph's step would have may differ from those of the call: there are out arguments, or the default dtype is
// not that of runs, and the op has no argument for it.
bool Capture::needs_natural(const Call& call) {
  const auto& parameters = call.op.decl->signature.params;
  return call.given != 0 || (call.default_dtype != RunSettings().default_dtype &&
                             std::ranges::none_of(parameters, [](const Param& p) { return p.takes(kind_dtype); }));
}

// Determines the results that a step would have.
void Capture::infer_natural(const Call& call, Event& event) {
  if (event.op->decl->sharing == Sharing::view) return;
  std::deque<Tensor> on_meta;
  ReplacedArguments arguments(call.args, [&](Tensor* t) { return &on_meta.emplace_back(without_elements(*t)); });
  for (Value& value : arguments.values()) {
    if (names_place(value)) name_device(value, meta_device);
  }
  Tensor* results[Signature::max_results];
  event.natural.resize(call.results.size());
  for (size_t r = 0; r < call.results.size(); ++r) results[r] = &event.natural[r];
  Call natural{call.op, arguments.values(), {results, call.results.size()}, 0, RunSettings().default_dtype, call.generators};
  natural.default_device = meta_device;
  try {
    plan_op(natural);
  } catch (const Error&) {
    event.natural.clear();  // the out argument is needed
  }
}

// Builds the graph from the events. The value of a tensor is found by its memory: a storage and a place in it.
class Capture::Builder {
 public:
  explicit Builder(const Capture& capture) : capture_(capture) {}

  Graph build(std::span<const Tensor> outputs) {
    for (const Named& input : capture_.inputs_) add_input(input);
    for (const Event& event : capture_.events_) note_places(event);
    for (event_ = capture_.events_.data(); event_ != capture_.events_.data() + capture_.events_.size(); ++event_) add(*event_);
    event_ = nullptr;
    for (const Tensor& output : outputs) graph_.outputs.push_back(read(output));
    for (const Storage* storage : order_) add_update(memories_.at(storage));
    return std::move(graph_);
  }

 private:
  // A value that was valid for a place at a version of the memory, and the call that makes it again if it is a view.
  struct Known {
    Ref ref;
    int64_t version = 0;
    const Event* view = nullptr;
    Tensor source;  // of the view: its first argument
  };
  // The memory of a storage. `root` is the value of all elements that the program uses.
  struct Memory {
    bool existed = false, has_root = false, has_several_places = false;
    bool is_resized = false;  // by a capture for any size
    int64_t version = 0;
    Tensor root;                // its place
    Ref value;                  // of the root, now
    std::optional<Ref> before;  // the input or constant that the root is, for memory that existed
    std::map<Place, Known> known;
    std::set<Place> derived;  // of views that calls have taken
  };

  [[noreturn]] void refuse(std::string_view what, std::string_view expected) const {
    const std::string at = event_ != nullptr && !event_->origin.empty() ? concat(" (", event_->origin, ")") : std::string();
    fail<Status::unsupported>(function, event_ != nullptr ? event_->op->decl->name : "outputs", what, at, ", expected ", expected);
  }

  void add_input(const Named& named) {
    const Tensor& t = named.tensor;
    if (t.storage() == nullptr) fail(function, "inputs", named.name, " without elements, expected tensors with elements");
    Memory& memory = memory_of(t);
    if (memory.has_root) fail(function, "inputs", "two that share memory, ", named.name, " and another one, expected separate memory");
    const ValueType type{t.dtype(), {t.sizes().begin(), t.sizes().end()}};
    memory.existed = true;
    memory.root = t;
    memory.has_root = true;
    memory.value = {Ref::Of::input, static_cast<int32_t>(graph_.inputs.size())};
    memory.before = memory.value;
    graph_.inputs.push_back({named.name, kind_tensor, false, type});
    memory.known[place_of(t)] = {memory.value, 0, nullptr, {}};
  }

  Memory& memory_of(const Tensor& t) {
    const auto [at, is_new] = memories_.try_emplace(t.storage());
    if (is_new) {
      at->second.existed = !capture_.created_.contains(t.storage()) && !capture_.is_foreign(t);
      order_.push_back(t.storage());
    }
    return at->second;
  }

  // Determines the memory that existed before and is used in places which are no views of each other: its root is all of the storage.
  void note_places(const Event& event) {
    const auto note = [&](const Tensor& t) {
      if (t.storage() == nullptr) return;
      Memory& memory = memory_of(t);
      if (!memory.existed || memory.before) return;
      const Place place = place_of(t);
      if (!memory.has_root) {
        memory.root = t;
        memory.has_root = true;
      } else if (place != place_of(memory.root) && !memory.derived.contains(place)) {
        memory.has_several_places = true;
      }
    };
    for (const Tensor& t : event.tensors) note(t);
    if (event.op->decl->name == "set") return;
    for (size_t r = 0; r < event.results.size(); ++r) {
      const Tensor& t = event.results[r];
      if (is_view(event, r))
        memory_of(t).derived.insert(place_of(t));
      else
        note(t);
    }
  }

  // Whether a result is a new view of the first argument.
  static bool is_view(const Event& event, size_t r) {
    if (r != 0 || (event.given & 1) != 0 || event.op->decl->name == "as_strided" || event.op->decl->sharing == Sharing::none ||
        event.tensors.empty())
      return false;
    return event.results[0].storage() != nullptr && event.results[0].storage() == event.tensors[0].storage();
  }

  // The constant of memory that existed before.
  void make_constant(Memory& memory) {
    if (memory.has_several_places || memory.root.overlaps_itself()) memory.root = whole_of(memory.root.storage_ptr());
    memory.value = add_constant(memory.root);
    memory.before = memory.value;
    memory.known[place_of(memory.root)] = {memory.value, memory.version, nullptr, {}};
  }

  Ref add_constant(const Tensor& t) {
    const auto is_taken = [&](const std::string& name) {
      return std::ranges::find(graph_.inputs, name, &Graph::Input::name) != graph_.inputs.end();
    };
    std::string name = concat("c", graph_.constants.size() + 1);
    while (is_taken(name)) name += "_";
    graph_.constants.push_back({name, t});
    return {Ref::Of::constant, static_cast<int32_t>(graph_.constants.size()) - 1};
  }

  // Elements that were never set are 0.
  void ensure_root(const Tensor& t, Memory& memory) {
    if (memory.existed && !memory.before) {
      if (!memory.has_root) memory.root = t;
      make_constant(memory);
      memory.has_root = true;
    }
    if (memory.has_root) return;
    if (const auto literal = capture_.literals_.find(t.storage()); literal != capture_.literals_.end()) {
      memory.root = literal->second.tensor;
      memory.has_root = true;
      memory.value = add_constant(literal->second.elements);
      return;
    }
    if (capture_.is_foreign(t)) refuse("a tensor that a body of control flow has computed", "results of the step");
    memory.root = t.is_contiguous() && t.numel() == t.storage()->size ? t : whole_of(t.storage_ptr());
    memory.has_root = true;
    memory.value = filled(memory.root, Argument(Value(0.0)));
  }

  // A new value like t of one number.
  Ref filled(const Tensor& t, Argument number) {
    Value dtype = dtype_value(t.dtype());
    if (t.device() != cpu_device && capture_.reads_ != Reads::pending) name_device(dtype, t.device());
    return append(op_named("full"), {list_argument(t.sizes()), std::move(number), Argument(dtype)}, origin());
  }

  Ref converted(Ref ref, DType from, DType to) {
    return from == to ? ref : append(op_named("to"), {Argument(ref), Argument(dtype_value(to))}, origin());
  }

  // The value of a tensor now.
  Ref read(const Tensor& t) {
    if (t.storage() == nullptr) return add_constant(t);
    Memory& memory = memory_of(t);
    const Place place = place_of(t);
    if (const auto found = memory.known.find(place); found != memory.known.end() && found->second.version == memory.version)
      return found->second.ref;
    ensure_root(t, memory);
    if (place == place_of(memory.root)) return memory.value;
    Known& known = memory.known[place];
    known.ref = known.view != nullptr ? taken_again(known) : part_of(memory, t);
    known.version = memory.version;
    return known.ref;
  }

  Ref taken_again(const Known& known) {
    std::vector<Argument> arguments = known.view->arguments;
    arguments[0] = Argument(read(known.source));
    return append(*known.view->op, std::move(arguments), known.view->origin);
  }

  void expect_contiguous_root(const Memory& memory, const Tensor& t) const {
    const int64_t offset = t.offset() - memory.root.offset();
    int64_t last = offset;
    for (int d = 0; d < t.dim(); ++d) last += (t.size(d) - 1) * t.stride(d);
    if (!memory.root.is_contiguous() || offset < 0 || (t.numel() > 0 && last >= memory.root.numel()))
      refuse("a tensor that shares memory with one of another layout", "contiguous tensors and views of them");
  }

  // A view of the root with the geometry of t.
  Ref part_of(const Memory& memory, const Tensor& t) {
    expect_contiguous_root(memory, t);
    if (t.is_contiguous() && t.numel() == memory.root.numel())
      return append(op_named("view"), {Argument(memory.value), list_argument(t.sizes())}, origin());
    return append(
        op_named("strided_view"),
        {Argument(memory.value), list_argument(t.sizes()), list_argument(t.strides()), integer_argument(t.offset() - memory.root.offset())},
        origin());
  }

  // A tensor has a new value; `is_new`: it is a new result, with memory of its own.
  void write(const Tensor& t, Ref ref, bool is_new) {
    Memory& memory = memory_of(t);
    const Place place = place_of(t);
    if (t.overlaps_itself()) refuse("a write to a tensor that overlaps itself", "tensors whose elements are separate");
    const bool is_whole = t.is_contiguous() && t.offset() == 0 && t.numel() == t.storage()->size;
    if (memory.existed && memory.is_resized && !memory.before && t.is_contiguous()) {
      memory = Memory();
      is_new = true;
    }
    if (!memory.existed && (is_new || (is_whole && !memory.has_root))) {
      memory.root = t;
      memory.has_root = true;
      memory.value = ref;
    } else {
      ensure_root(t, memory);
      memory.value = changed(memory, t, ref);
    }
    ++memory.version;
    Known& known = memory.known[place];
    known.ref = ref;
    known.version = memory.version;
  }

  // The value of the root after a write to the place of t.
  Ref changed(const Memory& memory, const Tensor& t, Ref ref) {
    const Tensor& root = memory.root;
    if (place_of(t) == place_of(root)) return ref;
    if (root.is_contiguous() && t.is_contiguous() && t.offset() == root.offset() && t.numel() == root.numel())
      return append(op_named("view"), {Argument(ref), list_argument(root.sizes())}, origin());
    expect_contiguous_root(memory, t);
    return append(op_named("strided_scatter"),
                  {Argument(memory.value), Argument(ref), list_argument(t.sizes()), list_argument(t.strides()),
                   integer_argument(t.offset() - root.offset())},
                  origin());
  }

  static const Op& op_named(std::string_view name) { return *Registry::instance().find(name); }
  const std::string& origin() const {
    static const std::string none;
    return event_ != nullptr ? event_->origin : none;
  }

  // Appends a step with canonical arguments.
  Ref append(const Op& op, std::vector<Argument> arguments, const std::string& origin) {
    arguments.resize(static_cast<size_t>(op.decl->signature.count));
    Graph::Step step;
    step.op = &op;
    step.first = graph_.result_count();
    step.arguments = std::move(arguments);
    step.origin = origin;
    graph_.steps.push_back(std::move(step));
    return {Ref::Of::result, graph_.steps.back().first};
  }

  void add(const Event& event) {
    if (event.guard) return graph_.outputs.push_back(read(event.tensors[0]));
    const Decl& decl = *event.op->decl;
    for (size_t r = 0; r < event.results.size(); ++r) {
      if ((event.resized >> r & 1) != 0 && event.results[r].storage() != nullptr) memory_of(event.results[r]).is_resized = true;
    }
    if (decl.name == "set" || decl.name == "as_strided") return;  // a tensor is found by its place
    if (decl.name == "resize" || decl.name == "resize_storage") return resize(event);
    // An op that writes to its first argument, and does not read it.
    const bool overwrites = decl.name == "copy" || decl.name == "fill" || decl.name == "zero";
    if (overwrites && (event.given & 1) != 0) return overwrite(event);
    const std::vector<Ref> copies = copies_of(event);
    std::vector<Argument> arguments = event.arguments;
    for (Argument& argument : arguments) {
      each_ref(argument, [&](Ref& ref) {
        const auto written = std::ranges::find(event.written, ref.index);
        const bool is_written = written != event.written.end();
        ref =
            is_written ? copies[static_cast<size_t>(written - event.written.begin())] : read(event.tensors[static_cast<size_t>(ref.index)]);
      });
    }
    const Ref first = append(*event.op, std::move(arguments), event.origin);
    graph_.steps.back().writes = copies;
    graph_.steps.back().bodies = event.bodies;
    for (size_t i = 0; i < copies.size(); ++i) write(event.tensors[static_cast<size_t>(event.written[i])], copies[i], false);
    if ((event.given & 1) != 0 && needs_out_argument(event)) {
      const Tensor& result = event.results[0];
      graph_.steps.back().into = ValueType{result.dtype(), {result.sizes().begin(), result.sizes().end()}};
      return write(result, first, false);
    }
    for (size_t r = 0; r < event.results.size(); ++r) {
      const Tensor& result = event.results[r];
      if (result.storage() == nullptr) continue;
      const Ref ref{Ref::Of::result, first.index + static_cast<int32_t>(r)};
      const bool is_given = (event.given >> r & 1) != 0;
      if (!is_view(event, r))
        write(result, !event.natural.empty() ? adapted(ref, event.natural[r], result) : ref, !is_given);
      else
        note_view(result, ref, event);
    }
  }

  // Appends copies of the arguments that an op overwrites: they become the new values of these arguments.
  std::vector<Ref> copies_of(const Event& event) {
    std::vector<Ref> copies;
    for (const int32_t i : event.written)
      copies.push_back(append(op_named("clone"), {Argument(read(event.tensors[static_cast<size_t>(i)]))}, event.origin));
    return copies;
  }

  // Whether an op gets the sizes of its result from the out argument, as x:uniform() does.
  static bool needs_out_argument(const Event& event) {
    return event.natural.empty() || event.natural[0].numel() != event.results[0].numel();
  }

  void note_view(const Tensor& view, Ref ref, const Event& event) {
    Memory& memory = memory_of(view);
    const Place place = place_of(view);
    Known& known = memory.known[place];
    known.ref = ref;
    known.version = memory.version;
    if (place == place_of(event.tensors[0])) return;  // it can't be taken again from itself
    known.view = &event;
    known.source = event.tensors[0];
  }

  // The value that an out argument gets for a result: with its dtype and its sizes.
  Ref adapted(Ref ref, const Tensor& natural, const Tensor& result) {
    ref = converted(ref, natural.dtype(), result.dtype());
    if (!natural.same_sizes(result)) ref = append(op_named("view"), {Argument(ref), list_argument(result.sizes())}, origin());
    return ref;
  }

  void resize(const Event& event) {
    const Tensor& t = event.results[0];
    if (t.storage() == nullptr) return;
    Memory& memory = memory_of(t);
    if (capture_.is_any_size_ && memory.existed && !memory.before) return;
    if (!memory.has_root || t.numel() <= memory.root.numel()) return;
    if (memory.existed) refuse("a tensor of the program that grows", "tensors that have their sizes before the capture");
    memory.has_root = false;  // its elements are undefined
    memory.known.clear();
    ++memory.version;
  }

  // copy, fill and zero: x gets new elements, of the sizes and the dtype that it has.
  void overwrite(const Event& event) {
    const Tensor& to = event.results[0];
    Ref ref;
    if (event.op->decl->name == "copy") {
      const Tensor& from = event.tensors[1];
      ref = converted(read(from), from.dtype(), to.dtype());
      if (!from.same_sizes(to))
        ref = append(op_named(from.numel() == to.numel() ? "reshape" : "expand"), {Argument(ref), list_argument(to.sizes())}, event.origin);
      ref = separate(ref);
    } else {
      Argument number(Value(0.0));
      if (event.op->decl->name == "fill") number = event.arguments[1];
      each_ref(number, [&](Ref& each) { each = read(event.tensors[static_cast<size_t>(each.index)]); });
      ref = filled(to, std::move(number));
    }
    write(to, ref, false);
  }

  // Whether a value may share memory that an update changes: an input, a constant, or a view.
  bool is_aliased(Ref ref) const {
    if (ref.of != Ref::Of::result) return true;
    for (const Graph::Step& step : graph_.steps) {
      if (ref.index < step.first || ref.index >= step.first + step.results()) continue;
      return step.op->decl->sharing != Sharing::none;
    }
    return false;
  }

  // A value with the same elements that shares no memory with inputs and constants, which updates change.
  Ref separate(Ref ref) { return is_aliased(ref) ? append(op_named("clone"), {Argument(ref)}, origin()) : ref; }

  void add_update(const Memory& memory) {
    if (memory.before && *memory.before != memory.value) graph_.updates.push_back({*memory.before, separate(memory.value)});
  }

  const Capture& capture_;
  const Event* event_ = nullptr;
  Graph graph_;
  std::unordered_map<const Storage*, Memory> memories_;
  std::vector<const Storage*> order_;
};

Graph Capture::finish(std::span<const Tensor> outputs, std::vector<Guard>* guards) const {
  Graph graph = Builder(*this).build(outputs);
  verify(graph);
  for (size_t i = 0; guards != nullptr && i < events_.size(); ++i) {
    if (events_[i].guard) guards->push_back(*events_[i].guard);
  }
  return graph;
}

}  // namespace mt
