#include "bindings/lua/profile/profiler.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "engine/core/device.h"

namespace mt::lua {
namespace {

int number_of_thread() {
  thread_local const auto number = static_cast<int>(syscall(SYS_gettid));
  return number;
}

std::string shapes_of(const Call& call) {
  std::string text;
  const auto add = [&](const Tensor& t) { text = concat(text, text.empty() ? "" : ", ", t.sizes()); };
  for (const Value& value : call.args) {
    if (value.is_tensor()) add(*value.tensor);
    if (value.type == Value::Type::tensors) {
      for (int i = 0; i < value.count; ++i) add(*value.tensors[i]);
    }
  }
  return text;
}

}  // namespace

// An event for the lifetime of the object.
class Profiler::Measured {
 public:
  Measured(Profiler& profiler, int event) : profiler_(profiler), event_(event) {}
  ~Measured() { profiler_.end_event(event_); }
  Measured(const Measured&) = delete;
  Measured& operator=(const Measured&) = delete;

 private:
  Profiler& profiler_;
  const int event_;
};

void Profiler::begin(const Options& options) {
  clear();
  options_ = options;
  thread_ = number_of_thread();
  start_ = std::chrono::steady_clock::now();
  resume();
}

void Profiler::clear() {
  const std::lock_guard lock(mutex_);
  events_.clear();
  open_.clear();
  slices_.clear();
  memory_.clear();
  live_.clear();
  measured_ = 0;
  resumed_ = std::chrono::steady_clock::now();
}

void Profiler::resume() {
  if (is_on_) return;
  is_on_ = true;
  set_loop_observer(this);
  if (options_.memory) start_watch(*this);
  resumed_ = std::chrono::steady_clock::now();
}

void Profiler::pause() {
  if (!is_on_) return;
  measured_ = measured();
  is_on_ = false;
  set_loop_observer(nullptr);
  if (options_.memory) stop_watch(*this);
}

void Profiler::end() {
  while (!open_.empty()) end_event(open_.back());
  pause();
}

int64_t Profiler::measured() const {
  if (!is_on_) return measured_;
  return measured_ + std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - resumed_).count();
}

int Profiler::stack() {
  if (!options_.stacks) return 0;
  std::vector<int> frames = places_.stack();
  const std::string key(reinterpret_cast<const char*>(frames.data()), frames.size() * sizeof(int));
  const auto [found, is_new] = stack_numbers_.try_emplace(key, static_cast<int>(stacks_.size()));
  if (is_new) stacks_.push_back(std::move(frames));
  return found->second;
}

int Profiler::begin_event(Kind kind, std::string_view name, const Place& place) {
  const auto number = static_cast<int>(events_.size());
  const bool follows = place.forward != nullptr;  // the gradient of a call belongs to its line and module
  events_.push_back({kind, place.backward, places_.texts.number(name), open_.empty() ? -1 : open_.back(),
                     follows ? place.forward_line : place.line, follows ? place.forward_module : place.module, 0, stack(), 0, 0, 0});
  open_.push_back(number);
  events_.back().start = now();
  return number;
}

void Profiler::end_event(int event) {
  if (std::ranges::find(open_, event) == open_.end()) return;  // it was cleared
  const int64_t time = now();
  for (int last = -1; last != event;) {
    last = open_.back();
    open_.pop_back();
    events_[static_cast<size_t>(last)].end = time;
  }
}

int Profiler::begin_region(std::string_view name) { return begin_event(Kind::region, name, places_.here()); }

// Reading an element waits for the device.
void Profiler::wait_for(const Call& call) const {
  if (!options_.synchronize || call.device == cpu_device) return;
  for (const Tensor* const t : call.results) {
    const DeviceId device = settled_device(t->device());
    if (device == cpu_device || device == meta_device || t->numel() == 0) continue;
    read_element(*t, t->offset());
    return;
  }
}

void Profiler::run(Call& call) {
  if (!is_on_) return plan_op(call);
  const int event = begin_event(Kind::op, call.name(), places_.of(*call.op.decl));
  if (options_.shapes) events_[static_cast<size_t>(event)].shapes = places_.texts.number(shapes_of(call));
  const Measured measured(*this, event);
  plan_op(call);
  wait_for(call);
}

bool Profiler::run_unit(Unit kind, std::string_view name, bool (*unit)(void* data), void* data) {
  if (!is_on_) {
    unit(data);
    return true;
  }
  const int event = begin_event(kind == Unit::op ? Kind::op : Kind::unit, name, places_.here());
  bool has_run = true;
  {
    const Measured measured(*this, event);
    has_run = unit(data);
  }
  if (!has_run) events_.resize(static_cast<size_t>(event));
  return true;
}

void Profiler::ran(Time start, Time end) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (!open_.empty()) slices_.push_back({open_.back(), number_of_thread(), nanoseconds(start), nanoseconds(end)});
  } catch (...) {  // without memory, the profile lacks it
  }
}

void Profiler::allocated(const void* data, size_t bytes, DeviceId) noexcept {
  try {
    Live live{static_cast<int64_t>(bytes), 0, 0};
    if (open_.empty()) {
      const Place place = places_.here();
      live.line = place.line;
      live.module = place.module;
    } else {
      const Event& event = events_[static_cast<size_t>(open_.back())];
      live.line = event.line;
      live.module = event.module;
      for (const int open : open_) events_[static_cast<size_t>(open)].bytes += live.bytes;
    }
    const std::lock_guard lock(mutex_);
    live_[data] = live;
    memory_.push_back({now(), live.bytes, live.line, live.module});
  } catch (...) {
  }
}

void Profiler::released(const void* data) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(data);
    if (found == live_.end()) return;
    const Live live = found->second;
    live_.erase(found);
    memory_.push_back({now(), -live.bytes, live.line, live.module});
  } catch (...) {
  }
}

}  // namespace mt::lua
