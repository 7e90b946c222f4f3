#include "cuda/runtime/graphs.h"

#include <algorithm>

#include "cuda/runtime/context.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/pinned.h"
#include "cuda/runtime/streams.h"

namespace mt::cuda {

CapturedWork::CapturedWork(int device) : stream_(current_stream(device)), pool_(mt::cuda::device(device).allocator().begin_graph()) {
  try {
    replays_.emplace(stream_);
    driver::begin_capture(stream_);
  } catch (...) {
    mt::cuda::device(device).allocator().end_capture();
    mt::cuda::device(device).allocator().forget_graph(pool_);
    throw;
  }
  graph_was_made();
}

void CapturedWork::end() {
  if (!capturing_) raise("a graph whose capture has ended");
  capturing_ = false;
  replays_->end();
  mt::cuda::device(stream_.device).allocator().end_capture();
  graph_ = driver::end_capture(stream_);
}

void CapturedWork::replay() {
  if (graph_.handle == nullptr) raise("a graph that was not captured to its end");
  const Stream stream = current_stream(stream_.device);
  driver::replay(graph_, stream);
  replays_->count(stream);
  if (std::ranges::find(replayed_on_, stream) == replayed_on_.end()) replayed_on_.push_back(stream);
}

// Later work on the capture's stream that reuses the graph's memory must wait for replays on other streams.
void CapturedWork::stop() noexcept {
  try {
    if (capturing_) end();
    for (const Stream& stream : replayed_on_) hold_up(stream_, stream);
  } catch (...) {  // a failed capture leaves no graph, and a failed device no work
  }
}

CapturedWork::~CapturedWork() {
  stop();
  if (graph_.handle != nullptr) driver::destroy_graph(graph_);
  mt::cuda::device(stream_.device).allocator().forget_graph(pool_);
  graph_is_gone();
}

}  // namespace mt::cuda
