#include "cuda/runtime/checks.h"

#include <atomic>

#include "cuda/runtime/context.h"
#include "cuda/runtime/streams.h"

namespace mt::cuda {

// Uses a separate stream, so that it doesn't become part of a captured graph.
void DeferredChecks::prepare() {
  const std::vector<CheckArea> fresh(most_streams);
  const size_t bytes = fresh.size() * sizeof(CheckArea);
  void* const areas = driver::allocate(device_, bytes);
  void* const failed = driver::allocate_pinned(sizeof(FailedCheck));
  if (areas == nullptr || failed == nullptr) raise_no_memory("the device has no memory left for checks");
  const Stream stream = driver::create_stream(device_);
  driver::copy_to_device(stream, areas, fresh.data(), bytes);
  driver::synchronize(stream);
  driver::destroy_stream(stream);
  areas_ = static_cast<CheckArea*>(areas);
  failed_ = new (failed) FailedCheck{};
}

uint32_t DeferredChecks::number_of(const Kind& kind) {
  const auto [entry, is_new] = numbers_.emplace(kind, static_cast<uint32_t>(kinds_.size()));
  if (is_new) kinds_.push_back(kind);
  return entry->second;
}

CheckArea* DeferredChecks::area_of(Stream stream) {
  const size_t index = streams_.emplace(stream.handle, streams_.size()).first->second;
  return index < most_streams ? areas_ + index : nullptr;
}

bool DeferredChecks::make(const ElementCheck& check, Stream stream) {
  const std::lock_guard guard(lock_);
  if (areas_ == nullptr) prepare();
  CheckArea* const area = area_of(stream);
  if (area == nullptr) return false;
  launch_check(check.find, stream, area, areas_, failed_, number_of({check.op, check.argument, check.words, check.number}));
  return true;
}

void DeferredChecks::report() {
  FailedCheck found;
  Kind kind;
  {
    const std::lock_guard guard(lock_);
    if (failed_ == nullptr || std::atomic_ref(failed_->failed).load(std::memory_order_acquire) == 0) return;
    found = *failed_;
    kind = kinds_[found.check];
    failed_->failed = 0;
    driver::set_bytes(current_stream(device_), &areas_->taken, 0, sizeof areas_->taken);
  }
  std::string text(kind.argument);
  raise_later(Status::invalid, kind.op, text.append(": ").append(kind.words(found.value, found.position, kind.number)));
}

}  // namespace mt::cuda
