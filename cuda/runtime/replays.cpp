#include "cuda/runtime/replays.h"

#include <map>
#include <mutex>

#include "cuda/kernels/draws.h"
#include "cuda/runtime/context.h"

namespace mt::cuda {
namespace {

// The captures that are going on, by the handles of their streams.
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

Replays::Replays(Stream stream) : stream_(stream), number_(static_cast<uint64_t*>(driver::allocate(stream.device, sizeof(uint64_t)))) {
  if (number_ == nullptr) raise_no_memory("the device has no memory left for a graph");
  driver::set_bytes(stream, number_, 0, sizeof(uint64_t));
  const std::lock_guard guard(captures().lock);
  captures().of[stream.handle] = {number_, &draws_};
}

void Replays::end() noexcept {
  const std::lock_guard guard(captures().lock);
  const auto own = captures().of.find(stream_.handle);
  if (own != captures().of.end() && own->second.number == number_) captures().of.erase(own);
}

void Replays::count(Stream stream) {
  if (draws_) count_replay(stream, driver::reachable(number_));
}

Replays::~Replays() {
  end();
  driver::release(stream_.device, number_);
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
