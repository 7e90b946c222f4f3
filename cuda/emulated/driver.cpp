// Implements cuda/runtime/driver.h on the host.
#include "cuda/runtime/driver.h"

#include <cxxabi.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cuda/emulated/devices.h"
#include "cuda/emulated/launch.h"
#include "cuda/emulated/memory.h"
#include "cuda/runtime/context.h"
#include "cuda/runtime/fork.h"
#include "engine/core/sanitizer.h"

namespace mt::cuda {
namespace emulated {
namespace {

std::atomic<uint64_t> launches{1};

// The queues of all streams; their threads end with the process.
struct Streams {
  std::mutex lock;
  std::vector<std::pair<int, std::unique_ptr<Queue>>> queues;
  ~Streams() {
    // The threads exist in the parent alone: a child can't join them, nor destroy the objects that they wait for.
    if (is_unusable_child()) {
      static const auto* const abandoned = new auto(std::move(queues));
      static_cast<void>(abandoned);
    }
    queues.clear();
  }
};
Streams& streams() {
  static Streams all;
  return all;
}

Queue& queue(Stream stream) { return *static_cast<Queue*>(stream.handle); }
// Shared, because work on a stream holds its events.
using EventHandle = std::shared_ptr<EventState>;
EventHandle& state(Event event) { return *static_cast<EventHandle*>(event.handle); }

void refuse_while_capturing(const Queue& queue, const char* what) {
  if (queue.capture() != nullptr) raise(std::string(what) + " while the stream is being captured: it would wait for the device");
}

double now_ms() { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

uint64_t seed_of_orders() {
  static const char* const text = std::getenv("MOONTORCH_EMULATED_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

}  // namespace

std::string kernel_name(const char* mangled) {
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = text == nullptr ? mangled : text;
  std::free(text);
  return name;
}

void enqueue(Stream stream, Work work) { queue(stream).enqueue(std::move(work)); }

void run(std::string_view op, Block& block, const Launch& launch) {
  const std::string failure = block.run(launch, mixed(seed_of_orders() * 0x9e3779b97f4a7c15 + launches.fetch_add(1)));
  if (!failure.empty()) Queue::report(op, kernel_name(launch.name) + failure.substr(std::strlen(launch.name)));
}

}  // namespace emulated

namespace driver {

using mt::cuda::emulated::EventHandle;
using mt::cuda::emulated::EventState;
using mt::cuda::emulated::Queue;
using mt::cuda::emulated::queue;
using mt::cuda::emulated::refuse_while_capturing;
using mt::cuda::emulated::state;
using CaptureHandle = std::shared_ptr<mt::cuda::emulated::CapturedGraph>;

extern const bool is_emulated = true;

std::string missing() { return {}; }
int device_count() { return mt::cuda::emulated::device_count(); }

const Properties& properties(int) {
  static const Properties all{.name = "emulated device",
                              .major = 9,
                              .minor = 0,
                              .multiprocessors = 4,
                              .clock_khz = 1000000,
                              .memory_clock_khz = 1000000,
                              .memory_bus_bits = 128,
                              .total_memory = mt::cuda::emulated::memory_bytes(),
                              .shared_per_block = mt::cuda::emulated::Block::most_shared_bytes,
                              .l2_cache = size_t{1} << 20,
                              .threads_per_multiprocessor = 2048};
  return all;
}
int driver_version() { return 13000; }
int runtime_version() { return 13000; }

void* allocate(int device, size_t bytes) { return mt::cuda::emulated::allocate_memory(device, bytes); }
void release(int device, void* memory) noexcept {
  const std::lock_guard guard(mt::cuda::emulated::streams().lock);
  for (const auto& [of, stream] : mt::cuda::emulated::streams().queues) {  // like cudaFree: waits for pending work on the device
    if (of == device) stream->settle();
  }
  mt::cuda::emulated::release_memory(device, memory);
}
void memory_info(int device, size_t& free, size_t& total) {
  free = mt::cuda::emulated::free_memory(device);
  total = mt::cuda::emulated::memory_bytes();
}
void* allocate_pinned(size_t bytes) { return mt::cuda::emulated::allocate_pinned(bytes); }
void release_pinned(void* memory) noexcept {
  const std::lock_guard guard(mt::cuda::emulated::streams().lock);
  for (const auto& [of, stream] : mt::cuda::emulated::streams().queues) stream->settle();
  mt::cuda::emulated::release_pinned(memory);
}

Stream create_stream(int device, int) {
  mt::cuda::emulated::Streams& all = mt::cuda::emulated::streams();
  const std::lock_guard guard(all.lock);
  all.queues.emplace_back(device, std::make_unique<mt::cuda::emulated::Queue>());
  return {device, all.queues.back().second.get()};
}
void destroy_stream(Stream stream) noexcept {
  mt::cuda::emulated::Streams& all = mt::cuda::emulated::streams();
  const std::lock_guard guard(all.lock);
  std::erase_if(all.queues, [&](const auto& entry) { return entry.second.get() == stream.handle; });
}
void synchronize(Stream stream) {
  count(Count::synchronization);
  refuse_while_capturing(queue(stream), "a synchronisation");
  queue(stream).finish();
}
void synchronize_device(int device) {
  count(Count::synchronization);
  const std::lock_guard guard(mt::cuda::emulated::streams().lock);
  for (const auto& [of, stream] : mt::cuda::emulated::streams().queues) {
    if (of == device) refuse_while_capturing(*stream, "a synchronisation of the device");
  }
  for (const auto& [of, stream] : mt::cuda::emulated::streams().queues) {
    if (of == device) stream->finish();
  }
}
bool is_done(Stream stream) {
  refuse_while_capturing(queue(stream), "a question whether it is done");
  queue(stream).demand();
  return queue(stream).is_done();
}

Event create_event(int device, bool timed) {
  auto* const handle = new EventHandle(std::make_shared<mt::cuda::emulated::EventState>());
  (*handle)->timed = timed;
  return {device, handle};
}
void destroy_event(Event event) noexcept { delete &state(event); }
void record(Event event, Stream stream) {
  const EventHandle own = state(event);
  Queue& behind = queue(stream);
  uint64_t number = 0;
  {
    const std::lock_guard guard(own->lock);
    own->behind = &behind;
    own->captured = behind.capture();
    if (own->captured) {
      own->works_before = own->captured->of(&behind).works;
      return;
    }
    number = ++own->recorded;
  }
  behind.enqueue([own, number](auto&) {
    const std::lock_guard guard(own->lock);
    own->happened = std::max(own->happened, number);
    own->time_ms = mt::cuda::emulated::now_ms();
    own->changed.notify_all();
  });
}
void wait(Stream stream, Event event) {
  const EventHandle own = state(event);
  Queue& waiting = queue(stream);
  uint64_t number = 0;
  {
    const std::lock_guard guard(own->lock);
    if (own->captured) {  // a stream that waits for captured work joins the capture
      if (waiting.capture() == nullptr) waiting.join_capture(own->captured);
      if (waiting.capture() != own->captured) raise("an event of one capture for a stream of another");
      auto& member = own->captured->of(own->behind);
      member.joined = std::max(member.joined, own->works_before);
      return;
    }
    number = own->recorded;
    if (number == 0 || own->behind == &waiting) return;
    if (waiting.capture() != nullptr) raise("an event from outside for a stream that is being captured");
  }
  waiting.enqueue([own, number](auto&) {
    std::unique_lock guard(own->lock);
    if (own->happened < number) own->behind->demand();
    own->changed.wait(guard, [&] { return own->happened >= number; });
  });
}
void synchronize(Event event) {
  count(Count::synchronization);
  EventState& own = *state(event);
  std::unique_lock guard(own.lock);
  if (own.captured) raise("an event that is part of a capture: it would be waited for");
  if (own.happened == own.recorded) return;
  own.behind->demand();
  const uint64_t number = own.recorded;
  own.changed.wait(guard, [&] { return own.happened >= number; });
}
bool is_done(Event event) {
  EventState& own = *state(event);
  const std::lock_guard guard(own.lock);
  if (own.captured) raise("an event that is part of a capture");
  if (own.happened < own.recorded) own.behind->demand();
  return own.happened >= own.recorded;
}
double elapsed_ms(Event from, Event to) {
  for (const Event event : {from, to}) {
    EventState& own = *state(event);
    const std::lock_guard guard(own.lock);
    if (!own.timed) raise("an event that keeps no time");
    if (own.recorded == 0 || own.happened < own.recorded) raise("an event that has not happened");
  }
  return state(to)->time_ms - state(from)->time_ms;
}

void copy_to_device(Stream stream, void* to, const void* host, size_t bytes) {
  count(Count::copy_to_device);
  count(Count::bytes_to_device, bytes);
  void* const at = reachable(to);
  if (mt::cuda::emulated::is_pinned(host)) {
    queue(stream).enqueue([=](auto&) { std::memcpy(at, host, bytes); });
    return;
  }
  refuse_while_capturing(queue(stream), "a copy from memory that is not pinned");
  std::shared_ptr<std::byte[]> own(new std::byte[bytes]);
  std::memcpy(own.get(), host, bytes);
  queue(stream).enqueue([=](auto&) { std::memcpy(at, own.get(), bytes); });
}
void copy_to_host(Stream stream, void* host, const void* from, size_t bytes) {
  count(Count::copy_to_host);
  count(Count::bytes_to_host, bytes);
  const void* const at = reachable(from);
  const bool waits = !mt::cuda::emulated::is_pinned(host);
  if (waits) refuse_while_capturing(queue(stream), "a copy to memory that is not pinned");
  queue(stream).enqueue([=](auto&) { std::memcpy(host, at, bytes); });
  if (waits) synchronize(stream);
}
void copy_within(Stream stream, void* to, const void* from, size_t bytes) {
  queue(stream).enqueue([to = reachable(to), from = reachable(from), bytes](auto&) { std::memmove(to, from, bytes); });
}
void copy_to_peer(Stream stream, void* to, int, const void* from, size_t bytes) { copy_within(stream, to, from, bytes); }
void set_bytes(Stream stream, void* to, int byte, size_t bytes) {
  queue(stream).enqueue([to = reachable(to), byte, bytes](auto&) { std::memset(to, byte, bytes); });
}
bool can_access_peer(int, int) { return true; }
void set_peer_access(int, int, bool) {}

void begin_capture(Stream stream) {
  if (is_capturing(stream)) raise("a stream that is being captured already");
  queue(stream).join_capture(std::make_shared<mt::cuda::emulated::CapturedGraph>());
}
Graph end_capture(Stream stream) {
  const CaptureHandle graph = queue(stream).capture();
  if (graph == nullptr || graph->members.front().queue != &queue(stream)) raise("a stream where no capture began");
  bool joined = true;
  for (const auto& member : graph->members) {
    member.queue->leave_capture();
    joined = joined && (member.queue == &queue(stream) || member.joined == member.works);
  }
  if (!joined) raise("another stream's work was captured, and the stream where the capture began has not waited for it");
  return {stream.device, new CaptureHandle(graph)};
}
bool is_capturing(Stream stream) { return queue(stream).capture() != nullptr; }
void replay(Graph graph, Stream stream) {
  count(Count::launch);
  for (const auto& work : (*static_cast<CaptureHandle*>(graph.handle))->work) queue(stream).enqueue(work);
}
void destroy_graph(Graph graph) noexcept { delete static_cast<CaptureHandle*>(graph.handle); }

void set_usable(Stream stream, void* data, size_t used, size_t size) {
  queue(stream).enqueue([at = reachable(data), used, size](auto&) { mt::set_usable(at, used, size); });
}

}  // namespace driver
}  // namespace mt::cuda
