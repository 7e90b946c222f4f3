#include "engine/messages/process_pool.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>

#include "engine/core/fork.h"

namespace mt::messages {
namespace {

struct Ends {
  ForkSafeMutex mutex;
  std::set<int> all;
};
Ends& ends() {
  static auto* const ends = new Ends;
  return *ends;
}
thread_local const std::set<int>* kept = nullptr;  // by the child of this thread's current fork

void close_in_child() {
  for (const int end : ends().all) {
    if (kept == nullptr || !kept->contains(end)) close(end);
  }
  ends().all.clear();
}

[[noreturn]] void refuse(const char* what) {
  const char* const advice = errno == EMFILE ? " (`ulimit -n` limits their number in a process)" : "";
  fail("torch.processes", what, std::strerror(errno), advice);
}

// Waits for a child that is about to end; kills one that only closed its sockets.
int reap(pid_t process) {
  constexpr int patience = 2000;  // milliseconds
  int status = -1;
  for (int waited = 0;; ++waited) {
    const pid_t found = waitpid(process, &status, WNOHANG);
    if (found == process || (found < 0 && errno != EINTR)) return found == process ? status : -1;
    if (waited == patience) kill(process, SIGKILL);
    poll(nullptr, 0, 1);
  }
}

}  // namespace

void End::make_pair(End& first, End& second) {
  static const int registered = pthread_atfork(nullptr, nullptr, close_in_child);
  static_cast<void>(registered);
  int pair[2];
  End one, other;
  {
    const std::lock_guard<std::mutex> lock(ends().mutex);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) refuse("sockets");
    one.number_ = pair[0];
    other.number_ = pair[1];
    ends().all.insert(pair, pair + 2);
  }
  first = std::move(one);
  second = std::move(other);
}

End::~End() {
  if (number_ < 0) return;
  const std::lock_guard<std::mutex> lock(ends().mutex);
  ends().all.erase(number_);
  ::close(number_);
}

std::string ending_of(pid_t process, int status) {
  std::string text = "its process " + std::to_string(process);
  if (status == -1) return text + " ended (how is not known, as the program lets the system forget its children)";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const char* const name = sigabbrev_np(signal);
    text += " was ended by signal " + std::to_string(signal);
    if (name != nullptr) text += std::string(" (SIG") + name + ")";
    return text;
  }
  return text + " ended with status " + std::to_string(WEXITSTATUS(status)) + ", as by os.exit";
}

ProcessPool::ProcessPool(int count) : owner_(getpid()), workers_(static_cast<size_t>(count)) {
  const size_t bytes = sizeof *running_ * workers_.size();
  void* const shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) refuse("memory");
  running_ = static_cast<std::atomic<uint64_t>*>(shared);  // zeros
  Packet::prepare();
  End::make_pair(jobs_, taking_);
}

ProcessPool::~ProcessPool() {
  close(true);
  munmap(running_, sizeof *running_ * workers_.size());
}

bool ProcessPool::is_of_this_process() const { return owner_ == getpid(); }

bool ProcessPool::lacks_worker() const {
  return std::any_of(workers_.begin(), workers_.end(), [](const Worker& worker) { return worker.process == 0; });
}

bool ProcessPool::fork_one(std::unique_ptr<Place>& place, uint64_t& number) {
  const auto found = std::find_if(workers_.begin(), workers_.end(), [](const Worker& worker) { return worker.process == 0; });
  const int worker = static_cast<int>(found - workers_.begin()) + 1;
  End::make_pair(found->jobs, found->taking);
  Job start;
  start.worker = worker;
  start.sent = true;
  End::make_pair(start.ticket, start.its_ticket);
  number = ++last_number_;
  running_[worker - 1].store(number);
  place = std::make_unique<Place>(*this, worker);
  const std::set<int> its = {taking_.get(), found->taking.get(), start.its_ticket.get()};
  std::fflush(nullptr);  // or the child would write buffered output again
  kept = &its;
  const pid_t child = fork();
  kept = nullptr;
  if (child < 0) refuse("fork");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // when the thread that owns the pool ends
    if (getppid() != owner_) _exit(0);
    signal(SIGINT, SIG_IGN);  // the parent handles it and ends its children
    for (Worker& other : workers_) {
      other.jobs.release();  // closed already
      if (&other != &*found) other.taking.release();
    }
    jobs_.release();
    start.ticket.release();
    for (auto& [other, job] : jobs_under_way_) job.ticket.release(), job.its_ticket.release();
    jobs_under_way_.clear();
    jobs_under_way_.emplace(number, std::move(start));
    return true;
  }
  found->process = child;
  found->taking = End();
  start.its_ticket = End();
  jobs_under_way_.emplace(number, std::move(start));
  return false;
}

bool ProcessPool::Place::next(Parcel& job) {
  if (job_ == 0 && !ticket_) {
    auto start = pool_.jobs_under_way_.begin();
    if (start != pool_.jobs_under_way_.end()) {
      job_ = start->first;
      ticket_ = Descriptor(start->second.its_ticket.release());
      pool_.jobs_under_way_.clear();
      return true;
    }
  }
  const int sockets[2] = {pool_.workers_[static_cast<size_t>(number_ - 1)].taking.get(), pool_.taking_.get()};
  for (;;) {
    pollfd waiting[2] = {{sockets[0], POLLIN, 0}, {sockets[1], POLLIN, 0}};
    poll(waiting, 2, -1);
    for (int i = 0; i < 2; ++i) {
      if (waiting[i].revents == 0) continue;
      const Parcel::Received received = job.receive(sockets[i], false);  // another process may have taken it
      if (received == Parcel::Received::end) return false;
      if (received == Parcel::Received::nothing) continue;
      Descriptor ticket = job.take_along();
      if (!ticket) continue;  // not a job
      job_ = job.number();
      pool_.running_[number_ - 1].store(job_);
      ticket_ = std::move(ticket);
      return true;
    }
  }
}

void ProcessPool::Place::answer(const Packet& results) {
  if (!results.send(ticket_.get(), job_, number_, nullptr)) {
    Packet(std::string("torch.processes: results: ") + std::strerror(errno)).send(ticket_.get(), job_, number_, nullptr);
  }
  ticket_ = Descriptor();
  pool_.running_[number_ - 1].store(0);
}

uint64_t ProcessPool::submit(const Message& message, int worker) {
  Job job;
  job.worker = worker;
  job.packet = Packet(message);
  End::make_pair(job.ticket, job.its_ticket);
  const uint64_t number = ++last_number_;
  jobs_under_way_.emplace(number, std::move(job));
  send_waiting();
  return number;
}

// Sends waiting jobs in order, until a socket is full.
void ProcessPool::send_waiting() {
  std::set<int> full;
  for (auto& [number, job] : jobs_under_way_) {
    if (job.sent || full.contains(job.worker)) continue;
    if (!send(number, job)) full.insert(job.worker);
  }
}

bool ProcessPool::send(uint64_t number, Job& job) {
  const int socket = job.worker == 0 ? jobs_.get() : workers_[static_cast<size_t>(job.worker - 1)].jobs.get();
  if (socket < 0) return false;
  const int its_ticket = job.its_ticket.get();
  if (job.packet.send(socket, number, 0, &its_ticket)) {
    job.sent = true;
    job.its_ticket = End();
    return true;
  }
  if (errno != EAGAIN && errno != EPIPE && errno != ECONNRESET && errno != ENOBUFS && errno != ENOTCONN) {
    if (errno != ETOOMANYREFS) refuse("job");
    fail("torch.processes", "job", "too many descriptors of shared memory are in transit: `ulimit -n` limits their number");
  }
  return false;
}

void ProcessPool::look(int milliseconds) {
  std::vector<pollfd> watched;
  std::vector<uint64_t> numbers;
  for (const Worker& worker : workers_) watched.push_back({worker.process != 0 ? worker.jobs.get() : -1, 0, 0});
  for (const auto& [number, job] : jobs_under_way_) {
    if (!job.sent) continue;
    watched.push_back({job.ticket.get(), POLLIN, 0});
    numbers.push_back(number);
  }
  if (poll(watched.data(), watched.size(), milliseconds) <= 0) return;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto job = jobs_under_way_.find(numbers[i]);
    if (watched[workers_.size() + i].revents != 0 && job != jobs_under_way_.end()) look_at(numbers[i], job->second);
  }
  for (int worker = 1; worker <= count(); ++worker) {
    if ((watched[static_cast<size_t>(worker - 1)].revents & (POLLHUP | POLLERR)) != 0) bury(worker);
  }
  send_waiting();
}

// Moves the results of a job to the finished ones if they have arrived.
bool ProcessPool::answered(uint64_t number, Job& job) {
  Done done{number, 0, false, {}, {}};
  if (done.results.receive(job.ticket.get(), false) != Parcel::Received::yes) return false;
  done.worker = done.results.sender();
  done.failed = done.results.failed();
  if (done.failed) done.error = done.results.error();
  finish(number, std::move(done));
  return true;
}

void ProcessPool::finish(uint64_t number, Done done) {
  jobs_under_way_.erase(number);
  done_.push_back(std::move(done));
}

// A ticket is readable: results have arrived, or its other end is closed.
void ProcessPool::look_at(uint64_t number, Job& job) {
  if (answered(number, job)) return;
  for (int i = 1; i <= count(); ++i) {
    if (running_[i - 1].load() == number) return bury(i);
  }
  // The process that took it, or that it waited for, ended before starting it: another process may start it.
  constexpr int most_births = 3;
  if (++job.births > most_births) return finish(number, {number, job.worker, true, "its processes ended before they could begin", {}});
  job.ticket = End();
  End::make_pair(job.ticket, job.its_ticket);
  job.sent = false;
}

// Handles the end of a process.
void ProcessPool::bury(int number) {
  Worker& worker = workers_[static_cast<size_t>(number - 1)];
  if (worker.process == 0) return;
  const pid_t process = std::exchange(worker.process, 0);
  worker.jobs = End();
  const int status = reap(process);
  const uint64_t job = running_[number - 1].exchange(0);
  const auto found = jobs_under_way_.find(job);
  if (job == 0 || found == jobs_under_way_.end() || answered(job, found->second)) return;
  finish(job, {job, number, true, ending_of(process, status), {}});
}

bool ProcessPool::is_done(uint64_t number) const {
  if (number == 0) return !done_.empty();
  return std::any_of(done_.begin(), done_.end(), [number](const Done& done) { return done.number == number; });
}

bool ProcessPool::take(uint64_t number, Done& done) {
  const auto found = std::find_if(done_.begin(), done_.end(), [number](const Done& d) { return number == 0 || d.number == number; });
  if (found == done_.end()) return false;
  done = std::move(*found);
  done_.erase(found);
  return true;
}

int ProcessPool::queued(int worker) const {
  int waiting = 0;
  for (const auto& [number, job] : jobs_under_way_) {
    const bool begun = std::any_of(running_, running_ + workers_.size(), [number = number](const auto& r) { return r.load() == number; });
    if (job.worker == worker && !begun) ++waiting;
  }
  return waiting;
}

void ProcessPool::close(bool now) {
  if (!is_of_this_process()) return;
  jobs_ = End();
  for (Worker& worker : workers_) {
    worker.jobs = End();
    worker.taking = End();
    if (now && worker.process != 0) kill(worker.process, SIGKILL);
  }
  for (Worker& worker : workers_) {
    if (worker.process != 0) reap(std::exchange(worker.process, 0));
  }
  taking_ = End();

  jobs_under_way_.clear();
}

}  // namespace mt::messages
