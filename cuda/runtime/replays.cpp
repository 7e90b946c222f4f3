#include "cuda/runtime/replays.h"

#include <map>
#include <mutex>

#include "cuda/kernels/draws.h"
#include "cuda/runtime/context.h"
#include "cuda/runtime/device.h"

namespace mt::cuda {
namespace {

// The current captures, by the handles of their streams.
struct Capture {
  const uint64_t* number;
  bool* draws;
};
struct Captures {
  std::mutex lock;
  std::map<void*, Capture> of;
};

Captures& captures() {
  static auto& all = *new Captures;
  return all;
}

}  // namespace

Replays::Replays(Stream stream) : stream_(stream), memory_(device(stream.device).allocator().allocate(sizeof(uint64_t))) {
  if (memory_.data == nullptr) raise_no_memory("the device has no memory left for a graph");
  driver::set_bytes(stream, memory_.data, 0, sizeof(uint64_t));
  driver::synchronize(stream);  // replays may be on other streams
  const std::lock_guard guard(captures().lock);
  captures().of[stream.handle] = {static_cast<uint64_t*>(memory_.data), &draws_};
}

void Replays::end() noexcept {
  const std::lock_guard guard(captures().lock);
  const auto own = captures().of.find(stream_.handle);
  if (own != captures().of.end() && own->second.draws == &draws_) captures().of.erase(own);
}

void Replays::count(Stream stream) {
  if (draws_) count_replay(stream, driver::reachable(static_cast<uint64_t*>(memory_.data)));
}

Replays::~Replays() {
  end();
  device(stream_.device).allocator().release(memory_);
}

const uint64_t* replays_on(Stream stream) {
  if (!driver::is_capturing(stream)) return nullptr;
  const std::lock_guard guard(captures().lock);
  const auto capture = captures().of.find(stream.handle);
  if (capture == captures().of.end()) raise("a graph is captured here that began on another stream: random numbers are drawn on that one");
  *capture->second.draws = true;
  return driver::reachable(capture->second.number);
}

}  // namespace mt::cuda
