// The plain thread pool behind parallel_for where there is no OpenMP runtime, or where ThreadSanitizer could not see into it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace mt {

class ThreadPool {
 public:
  using TaskFn = void (*)(void* job, int task);

  ThreadPool() = default;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  /// Calls fn(job, i) for each i in 0..tasks, task 0 in the calling thread; returns when all are done. One caller at a time: others wait.
  /// A system that gives no more threads makes it slower, not wrong. `fn` must not throw.
  void run(int tasks, TaskFn fn, void* job);

 private:
  void work();

  std::mutex entry_;  // held by the caller whose job runs
  std::mutex mutex_;  // guards all below
  std::condition_variable wake_, done_;
  std::vector<std::thread> workers_;
  TaskFn fn_ = nullptr;
  void* job_ = nullptr;
  int next_ = 0, tasks_ = 0, pending_ = 0;
  bool stop_ = false;
};

}  // namespace mt
