// Pools of threads that run jobs: queues of messages, and waiting at both ends. A Worker, which the caller provides, executes the job.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <pthread.h>
#include <sys/types.h>

#include "bindings/lua/threads/wait.h"
#include "engine/messages/message.h"

namespace mt::lua {

struct Job {
  Message message;  // the function and its arguments; later its results
  uint64_t number = 0;
  int worker = 0;  // the worker that must run it, 0: any; later the one that ran it
  bool failed = false;
  std::string error;
  Job* next = nullptr;  // of the list that contains it
};

// First in, first out.
class JobList {
 public:
  void push(Job* job) {
    job->next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = job;
    last_ = job;
    ++count_;
  }
  int count() const { return count_; }
  bool has(uint64_t number) const;
  Job* pop() {
    Job* const job = first_;
    if (job == nullptr) return nullptr;
    first_ = job->next;
    --count_;
    return job;
  }
  // The job with this number, or nullptr.
  Job* take(uint64_t number);

 private:
  Job *first_ = nullptr, *last_ = nullptr;
  int count_ = 0;
};

// The initial environment of each thread of a pool.
struct Beginning {
  std::string folder;  // of Moontorch's Lua files; empty if the program contains them
  Message environment;
};

class Pool : public std::enable_shared_from_this<Pool> {
 public:
  // Executes jobs. Created and used in its thread.
  class Worker {
   public:
    virtual ~Worker() = default;
    virtual void run(Job& job) = 0;
    virtual void stop() noexcept = 0;  // from any thread: ends the running job with an error, as soon as possible
  };
  // Creates the worker of the thread with this number, from 1.
  using MakeWorker = std::unique_ptr<Worker> (*)(int number, const Beginning& beginning);

  // Raises C++ errors.
  static std::shared_ptr<Pool> start(int count, MakeWorker make_worker, Beginning beginning);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int count() const { return static_cast<int>(threads_.size()); }
  // Only the thread that owns the pool may call these.
  Job* spare_job();
  void recycle(Job* job);
  uint64_t submit(Job* job);
  // The aim of a wait: the next finished job, or the one with a number; or fewer than `room` jobs that wait for a worker, or for any.
  struct Wanted {
    uint64_t number = 0;
    int worker = 0, room = 0;
  };
  struct Came {
    Job* job;
    bool given_up;
  };
  Came wait(const Wanted& wanted, const Patience& patience);
  struct Counts {
    int queued, done;
  };
  Counts counts(int worker) const;  // jobs that wait for a worker, or for any worker (0)
  bool is_done(uint64_t number) const;
  // An eventfd for event loops: readable while a finished job has not been returned by `wait`. The pool closes it.
  int descriptor();

  enum class End : uint8_t { when_done, now };  // now: drops queued jobs and stops running ones
  // Returns whether all threads have ended. `now` waits only briefly.
  bool close(End end);
  bool is_of_this_process() const;

 private:
  struct Thread {
    pthread_t handle{};
    JobList jobs;  // jobs for this worker alone
    std::condition_variable wake;
    bool sleeps = false, runs = false;
    Worker* worker = nullptr;
    Pool* pool = nullptr;
  };

  Pool(int count, MakeWorker make_worker, Beginning beginning);
  void start_threads();
  static void* thread_main(void* thread);
  void work(Thread& self);
  Job* next_job(Thread& self, Job* finished);
  void tell_event_loop() const;
  const JobList& waiting(int worker) const { return worker > 0 ? threads_[static_cast<size_t>(worker) - 1].jobs : queued_; }

  const MakeWorker make_worker_;
  const Beginning beginning_;
  const pid_t process_;
  mutable std::mutex mutex_;
  std::deque<Thread> threads_;
  JobList queued_, done_;
  std::condition_variable done_wake_, ended_wake_;
  bool owner_sleeps_ = false, owner_wants_room_ = false, closing_ = false, dropping_ = false;
  int alive_ = 0;
  int descriptor_ = -1;
  uint64_t last_number_ = 0;
  bool joined_ = false;
  std::deque<Job> jobs_;  // owns all jobs
  JobList spare_;
};

}  // namespace mt::lua
