// The worker threads of parallel_for, shared by all callers.
//
// Caller and workers claim the tasks of a job one by one, each with one atomic step. So the caller executes every task that no worker has
// started, and waits only for running ones. On a busy machine a worker may start late, or be suspended inside a task.
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
    int processor;  // of the caller; workers avoid it
  };

  static constexpr int most_tasks = 256;

  ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  /// Calls job.fn(job.data, i) once for each i in 0..tasks, in the calling thread and at most tasks - 1 others, and returns when all calls
  /// have returned. Any number of threads may call it. If the system can't start threads, the caller runs all tasks.
  void run(const Job& job);

  /// While the count is positive, idle workers sleep at once, to leave the processors to threads of another library.
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
  std::atomic<int> used_slots_{0};  // slots that were ever used come first
  std::atomic<int> wanted_{0};      // number of workers that all jobs can use
  std::atomic<int> workers_{0}, spinning_{0}, sleeping_{0};
  static inline std::atomic<int> guests{0};
  std::atomic<Clock::rep> rest_until_{0};  // until then callers use no workers; 0: they use them
  std::atomic<uint32_t> bell_{0};          // futex on which workers sleep
  std::atomic<bool> stop_{false};
  std::mutex creation_;
  std::vector<std::thread> threads_;
};

}  // namespace mt
