// An emulated stream: a thread that does the enqueued work in order, and as late as possible: when another thread waits for it, or when the
// queue is long. So a missing synchronisation leads to a wrong result.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cuda/emulated/block.h"

namespace mt::cuda::emulated {

using Work = std::function<void(Block& block)>;

class Queue;

// The work of one or several streams, in the order of enqueueing, which is a valid order for the streams and events.
struct CapturedGraph {
  struct Member {
    Queue* queue;
    uint64_t works = 0, joined = 0;  // number of its works, and of those before an event for which a stream waits
  };
  std::vector<Work> work;
  std::vector<Member> members;  // the first one began the capture

  Member& of(const Queue* queue);
};

// The last recording of an event, and whether it is complete.
struct EventState {
  std::mutex lock;
  std::condition_variable changed;
  uint64_t recorded = 0, happened = 0;
  double time_ms = 0;
  bool timed = false;
  Queue* behind = nullptr;                  // the stream of the recording
  std::shared_ptr<CapturedGraph> captured;  // the capture of that stream
  uint64_t works_before = 0;                // works of the stream in the capture before the recording
};

class Queue {
 public:
  Queue();
  ~Queue();

  void enqueue(Work work);
  void finish();           // waits until all enqueued work is done; raises its first error
  void settle() noexcept;  // the same without raising errors
  bool is_done();
  void demand();  // starts the enqueued work, without waiting for it
  // Called by failed work, in the queue's thread.
  static void report(std::string_view op, const std::string& failure);

  // Until leave_capture(), work is added to the graph.
  void join_capture(std::shared_ptr<CapturedGraph> graph);
  void leave_capture() { capture_ = nullptr; }
  const std::shared_ptr<CapturedGraph>& capture() const { return capture_; }

 private:
  static constexpr size_t most_waiting = 4096;

  void run();

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  uint64_t enqueued_ = 0, done_ = 0, demanded_ = 0;
  bool ends_ = false;
  std::string failure_, failed_op_;
  std::shared_ptr<CapturedGraph> capture_;
  std::thread thread_;
};

}  // namespace mt::cuda::emulated
