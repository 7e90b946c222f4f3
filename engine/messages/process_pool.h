// Processes that run jobs. The parent puts jobs into a socket from which the first process that is free takes one, and each job brings a
// socket of its own, by which its results come back. When whoever has that ends, the system closes it: so a death is seen at once, and it
// is known which job it ended.
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

// An end of a pool's socket. No other child of the process has it: it would keep alive what waits for its end.
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
  // No process runs yet. Raises C++ errors, as all here.
  explicit ProcessPool(int count);
  ~ProcessPool();  // ends all
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  int count() const { return static_cast<int>(workers_.size()); }
  bool is_of_this_process() const;

  // The process's side of the pool, in the process itself.
  class Place {
   public:
    Place(ProcessPool& pool, int number) : pool_(pool), number_(number) {}
    int number() const { return number_; }
    // Waits for a job; false when the pool is no more. The start of a process is its first one, and has no message.
    bool next(Parcel& job);
    void answer(const Packet& results);

   private:
    ProcessPool& pool_;
    const int number_;
    Descriptor ticket_;  // of the job at hand
    uint64_t job_ = 0;
  };
  // Forks a process for each worker that has none: true in the new process, with its place. `number` is the job that its start is.
  bool fork_one(std::unique_ptr<Place>& place, uint64_t& number);
  bool lacks_worker() const;

  // worker: from 1, 0: any.
  uint64_t submit(const Message& message, int worker);
  struct Done {
    uint64_t number;
    int worker;
    bool failed;
    std::string error;
    Parcel results;
  };
  // The job of a number, or any that is done, 0. False where none is yet.
  bool take(uint64_t number, Done& done);
  bool is_done(uint64_t number) const;
  // Looks after what has come, for so many milliseconds if there is nothing.
  void look(int milliseconds);
  int queued(int worker) const;
  int done_count() const { return static_cast<int>(done_.size()); }

  void close(bool now);

 private:
  struct Worker {
    pid_t process = 0;  // 0: none
    End jobs;           // for jobs that it alone may take
    End taking;         // its end, until it is forked
  };
  struct Job {
    int worker = 0;  // that is to run it
    Packet packet;
    End ticket, its_ticket;
    bool sent = false;
    int births = 0;  // how often a process that had taken it ended before it began
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
  std::atomic<uint64_t>* running_;  // by worker, in memory that they share: the job that it has begun, 0: none
  std::map<uint64_t, Job> jobs_under_way_;
  std::deque<Done> done_;
  uint64_t last_number_ = 0;
};

// How a process ended, in words.
std::string ending_of(pid_t process, int status);

}  // namespace mt::messages
