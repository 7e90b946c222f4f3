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
#include <string_view>
#include <thread>
#include <vector>

#include "cuda/emulated/block.h"

namespace mt::cuda::emulated {

using Work = std::function<void(Block& block)>;

class Queue;

// Work of one or several streams in the order in which it was put there, which is one of those that the streams and events allow.
struct CapturedGraph {
  struct Member {
    Queue* queue;
    uint64_t works = 0, joined = 0;  // put there, and known to be done by who waited for an event
  };
  std::vector<Work> work;
  std::vector<Member> members;  // the first one is where the capture began

  Member& of(const Queue* queue);
};

// What was recorded last, and whether it has happened.
struct EventState {
  std::mutex lock;
  std::condition_variable changed;
  uint64_t recorded = 0, happened = 0;
  double time_ms = 0;
  bool timed = false;
  Queue* behind = nullptr;                  // the stream that it was recorded on
  std::shared_ptr<CapturedGraph> captured;  // and the capture that this was in
  uint64_t works_before = 0;                // of the stream in that capture
};

class Queue {
 public:
  Queue();
  ~Queue();

  void enqueue(Work work);
  void finish();           // when all that is enqueued has happened; raises what failed in it
  void settle() noexcept;  // the same, without a word of what failed
  bool is_done();
  void demand();  // what is enqueued by now is done without waiting for anybody
  // By the work that this thread runs for a queue, which failed.
  static void report(std::string_view op, const std::string& failure);

  // What is enqueued goes into the graph, until it is left.
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
