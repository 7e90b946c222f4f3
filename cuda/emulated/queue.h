// An emulated stream: a thread of its own, which does what is enqueued in order, and as late as it can: when somebody waits for it, or when
// much has piled up. A missing synchronisation shows as a wrong result.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cuda/emulated/block.h"

namespace mt::cuda::emulated {

using Work = std::function<void(Block& block)>;

// What was recorded last, and whether it has happened.
struct EventState {
  std::mutex lock;
  std::condition_variable changed;
  uint64_t recorded = 0, happened = 0;
  double time_ms = 0;
  class Queue* behind = nullptr;  // the stream that it was recorded on
};

struct CapturedGraph {
  std::vector<Work> work;
};

class Queue {
 public:
  Queue();
  ~Queue();

  void enqueue(Work work);
  void finish();           // when all that is enqueued has happened; raises what failed in it
  void settle() noexcept;  // the same, without a word of what failed
  bool is_done();
  void demand();                            // what is enqueued by now is done without waiting for anybody
  void report(const std::string& failure);  // by work that failed

  void begin_capture() { capture_ = std::make_unique<CapturedGraph>(); }
  std::unique_ptr<CapturedGraph> end_capture() { return std::move(capture_); }
  bool is_capturing() const { return capture_ != nullptr; }

 private:
  static constexpr size_t most_waiting = 4096;

  void run();

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  uint64_t enqueued_ = 0, done_ = 0, demanded_ = 0;
  bool ends_ = false;
  std::string failure_;
  std::unique_ptr<CapturedGraph> capture_;
  std::thread thread_;
};

}  // namespace mt::cuda::emulated
