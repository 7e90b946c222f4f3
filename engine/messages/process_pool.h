// Processes that run jobs. The parent writes jobs into a socket, and the first idle process reads the next one. Each job carries a socket
// for its results. When the process that holds it dies, the system closes it: the parent notices the death at once, and knows which job it
// affects.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/messages/packet.h"

namespace mt::messages {

// One end of a pool's socket. Other children of the process must not inherit it, or readers would never see its end.
class End {
 public:
  End() = default;
  End(End&& other) noexcept : number_(other.release()) {}
  End& operator=(End other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  End(const End&) = delete;
  ~End();
  static void make_pair(End& first, End& second);

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

class ProcessPool {
 public:
  // Starts no process yet. Raises C++ errors, as all functions here do.
  explicit ProcessPool(int count);
  ~ProcessPool();  // ends all processes
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  int count() const { return static_cast<int>(workers_.size()); }
  bool is_of_this_process() const;

  // The pool as seen by one of its processes.
  class Place {
   public:
    Place(ProcessPool& pool, int number) : pool_(pool), number_(number) {}
    int number() const { return number_; }
    // Waits for a job; returns false when the pool is closed. The first job is the start of the process and has no message.
    bool next(Parcel& job);
    void answer(const Packet& results);

   private:
    ProcessPool& pool_;
    const int number_;
    Descriptor ticket_;  // of the current job
    uint64_t job_ = 0;
  };
  // Forks a process for a worker that has none. Returns true in the new process, with its place. `number` is the number of its first job.
  bool fork_one(std::unique_ptr<Place>& place, uint64_t& number);
  bool lacks_worker() const;

  // worker counts from 1; 0: any.
  uint64_t submit(const Message& message, int worker);
  struct Done {
    uint64_t number;
    int worker;
    bool failed;
    std::string error;
    Parcel results;
  };
  // Takes the finished job with this number, or any (0). Returns false if there is none yet.
  bool take(uint64_t number, Done& done);
  bool is_done(uint64_t number) const;
  // Processes events; waits at most this time for one.
  void look(int milliseconds);
  int queued(int worker) const;
  int done_count() const { return static_cast<int>(done_.size()); }

  void close(bool now);

 private:
  struct Worker {
    pid_t process = 0;  // 0: none
    End jobs;           // for jobs of this worker alone
    End taking;         // the worker's end, until the fork
  };
  struct Job {
    int worker = 0;  // that must run it; 0: any
    Packet packet;
    End ticket, its_ticket;
    bool sent = false;
    int births = 0;  // number of processes that ended after taking it and before starting it
  };

  void send_waiting();
  bool send(uint64_t number, Job& job);
  void look_at(uint64_t number, Job& job);
  void bury(int worker);
  void finish(uint64_t number, Done done);
  bool answered(uint64_t number, Job& job);

  const pid_t owner_;
  std::vector<Worker> workers_;
  End jobs_, taking_;
  std::atomic<uint64_t>* running_;  // by worker, in shared memory: the running job, 0: none
  std::map<uint64_t, Job> jobs_under_way_;
  std::deque<Done> done_;
  uint64_t last_number_ = 0;
};

// Describes how a process ended.
std::string ending_of(pid_t process, int status);

}  // namespace mt::messages
