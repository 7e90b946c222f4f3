#include "packages/distributed/progress.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "packages/distributed/limit.h"

namespace mt::distributed {
namespace {

// Pauses between two looks. Transfers on one machine take microseconds, so that the first looks follow each other. Then the thread sleeps,
// at first shortly: other ranks may need its core, and the system runs a thread that has slept before those that use a core all the time,
// but not one that has yielded it. The library's thread, for which no caller waits, sleeps longer from the start: each of its looks
// interrupts the program's computation.
class Pause {
 public:
  explicit Pause(bool in_background) : in_background_(in_background) {}
  void reset() { begun_ = 0; }
  void operator()() {
    const double time = now();
    if (begun_ == 0) begun_ = time;
    const double passed = time - begun_;
    if (passed < 20e-6 && !in_background_) return;
    static thread_local const int sleeps_exactly = prctl(PR_SET_TIMERSLACK, 1000);  // nanoseconds; 50 microseconds by default
    (void)sleeps_exactly;
    const long least = in_background_ ? 100000 : 1000;  // nanoseconds
    const timespec nap{0, passed < 2e-3 ? least : passed < 0.1 ? std::max(least, 20000L) : 500000};
    nanosleep(&nap, nullptr);
  }

 private:
  bool in_background_;
  double begun_ = 0;
};

constexpr double show_after = 0.02;  // seconds of waiting after which, and between which, the board says for whom

}  // namespace

Group& Progress::group(int32_t number) {
  if (world_.process != getpid()) throw std::runtime_error("a process that fork made, expected the one that called init");
  if (number < 0 || static_cast<size_t>(number) >= world_.groups.size()) throw std::runtime_error("no such group");
  return world_.groups[static_cast<size_t>(number)];
}

int Progress::rank(int32_t number) {
  const std::lock_guard lock(mutex_);
  return group(number).rank;
}

int Progress::size(int32_t number) {
  const std::lock_guard lock(mutex_);
  return group(number).size;
}

int64_t Progress::messages() {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(world_.messages);
}

int64_t Progress::pending() {
  const std::lock_guard lock(mutex_);
  return std::count_if(active_.begin(), active_.end(), [](const Active& active) { return !active.operation->ended(); });
}

Comm Progress::hold(int32_t number, const char* call, const char* line) {
  std::unique_lock lock(mutex_);
  const Comm comm = group(number).comm;
  world_.board->enter(call, line);
  lock.release();
  return comm;
}

void Progress::release() {
  world_.board->leave("");
  mutex_.unlock();
}

int32_t Progress::new_group(std::vector<int> members, const char* call, const char* line, double timeout) {
  const std::lock_guard lock(mutex_);
  const Limit limit(*world_.board, call, line, timeout);
  const Group& world = group(0);
  const auto place = std::find(members.begin(), members.end(), world.rank);
  Comm comm = nullptr;
  const bool is_member = place != members.end();
  world_.check(world_.mpi.Comm_split(world.comm, is_member ? 0 : Mpi::undefined, static_cast<int>(place - members.begin()), &comm),
               "MPI_Comm_split");
  return world_.add_group(is_member ? comm : nullptr, std::move(members)).number;
}

int64_t Progress::begin(int32_t number, const mt_distributed_call& call) {
  const std::lock_guard lock(mutex_);
  active_.push_back({++last_number_, std::make_unique<Operation>(world_, group(number), call)});
  return last_number_;
}

bool Progress::advance_all() {
  bool moved = false;
  lanes_.clear();
  for (const Active& active : active_) {
    Operation& operation = *active.operation;
    if (operation.ended()) continue;
    if (std::find(lanes_.begin(), lanes_.end(), operation.lane()) != lanes_.end()) continue;
    moved = operation.advance() || moved;
    if (!operation.ended()) lanes_.push_back(operation.lane());
  }
  return moved;
}

// Shows the first operation that goes on without a caller, and what it waits for.
void Progress::show_pending() {
  const auto found = std::find_if(active_.begin(), active_.end(), [](const Active& active) { return !active.operation->ended(); });
  const bool goes_on = found != active_.end();
  if (!goes_on && !pending_shown_) return;
  const std::string ranks = goes_on ? found->operation->waits_for() : "";
  world_.board->pending(goes_on ? found->operation->header().text() + (ranks.empty() ? "" : ", waits for rank " + ranks) : "");
  pending_shown_ = goes_on;
}

bool Progress::wait(int64_t number, double seconds) {
  std::unique_lock lock(mutex_);
  const auto found = std::find_if(active_.begin(), active_.end(), [&](const Active& active) { return active.number == number; });
  if (found == active_.end()) throw std::runtime_error("no such operation");
  Operation& operation = *found->operation;
  Pause pause(false);
  const double begun = now();
  double show_at = begun + show_after;
  bool waits = false;
  if (shown_ != number) {  // a caller waits for short times
    world_.board->enter(operation.header().call, operation.header().line);
    shown_ = number;
  }
  while (!operation.ended()) {
    if (advance_all()) {
      pause.reset();
      continue;
    }
    const double time = now();
    if (time - begun >= seconds) break;
    if (!waits) {
      waits = true;
      ++waiting_;
    }
    if (time >= show_at) {
      world_.board->waits(operation.waits_for());
      show_at = time + show_after;
    }
    lock.unlock();
    pause();
    lock.lock();
  }
  if (waits) {
    --waiting_;
    changed_.notify_one();
  }
  if (!operation.ended()) return false;
  const std::string error = operation.error();
  world_.board->leave(error);
  if (operation.in_transfer()) abandoned_.push_back(std::move(found->operation));
  active_.erase(found);
  show_pending();
  if (!error.empty()) throw std::runtime_error(error);
  return true;
}

void Progress::run_in_background() {
  const std::lock_guard lock(mutex_);
  if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
  show_pending();
  changed_.notify_one();
}

void Progress::work() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);  // the program's threads handle signals
  ignore_leaks_of_this_thread();
  Pause pause(true);
  double show_at = 0;
  std::unique_lock lock(mutex_);
  const auto has_work = [&] {
    return std::any_of(active_.begin(), active_.end(), [](const Active& active) { return !active.operation->ended(); });
  };
  while (true) {
    changed_.wait(lock, [&] { return stops_ || (waiting_ == 0 && has_work()); });
    if (stops_) return;
    if (advance_all()) {
      pause.reset();
      if (!has_work()) show_pending();
      continue;
    }
    const double time = now();
    if (time >= show_at) {
      show_pending();
      show_at = time + show_after;
    }
    lock.unlock();
    pause();
    lock.lock();
  }
}

void Progress::finalise(int status) {
  if (world_.process != getpid()) return;
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
    changed_.notify_all();
  }
  if (worker_.joinable()) worker_.join();
  const bool broken = std::any_of(world_.groups.begin(), world_.groups.end(), [](const Group& group) { return !group.broken.empty(); });
  const auto pending = std::find_if(active_.begin(), active_.end(), [](const Active& active) { return !active.operation->ended(); });
  if (status == 0 && pending != active_.end())
    std::fprintf(stderr, "torch.distributed: rank %d ends while %s goes on, expected its handle:wait() before\n", world_.groups[0].rank,
                 pending->operation->header().text().c_str());
  if (status != 0 || broken || pending != active_.end()) return;  // mpirun then ends the other ranks
  world_.board->finish();
  world_.mpi.Finalize();
}

}  // namespace mt::distributed
