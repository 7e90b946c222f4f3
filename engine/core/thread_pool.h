// The threads behind parallel_for, shared by all threads that call it.
//
// Whoever works on a job claims its tasks one by one, each by one atomic step: so the caller does whatever no worker has begun, and waits
// for tasks that workers have begun alone. On a machine where others keep the processors busy, a worker may run late, or stop amid a task.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace mt {

class ThreadPool {
 public:
  using Clock = std::chrono::steady_clock;
  using TaskFn = void (*)(void* data, int task);

  struct Job {
    TaskFn fn;  // must not throw
    void* data;
    int tasks;
    int processor;  // the caller's, which workers leave to it
  };

  static constexpr int most_tasks = 256;

  ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  /// Calls job.fn(job.data, i) once for each i in 0..tasks, in the calling thread and in at most tasks - 1 others; returns when all calls
  /// have returned. Any number of threads may call it. A system that gives no more threads makes it slower, not wrong.
  void run(const Job& job);

  /// While more are added than taken away, workers without a job sleep at once: threads of another library want the processors.
  static void add_guests(int n) { guests.fetch_add(n, std::memory_order_relaxed); }

 private:
  struct Slot;

  Slot* take_slot();
  void have_workers(int own, int all);
  void wake(int wanted);
  void work(int number);
  bool rests_at(Clock::time_point now);
  bool has_job() const;
  bool help_any(int number);
  static int run_tasks(Slot& slot, uint32_t generation, int tasks, int home);

  const std::unique_ptr<Slot[]> slots_;
  std::atomic<int> used_slots_{0};  // those that were ever taken come first
  std::atomic<int> wanted_{0};      // workers, by all jobs
  std::atomic<int> workers_{0}, spinning_{0}, sleeping_{0};
  static inline std::atomic<int> guests{0};
  std::atomic<Clock::rep> rest_until_{0};  // 0: callers want workers
  std::atomic<uint32_t> bell_{0};          // workers sleep on it
  std::atomic<bool> stop_{false};
  std::mutex creation_;
  std::vector<std::thread> threads_;
};

}  // namespace mt
