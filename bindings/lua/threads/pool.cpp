// Jobs move between the owner and the workers in intrusive lists under one lock with short critical sections. A waiting thread spins for
// some microseconds before it sleeps, because waking a thread takes longer than a small job. At least one processor stays free of
// spinning threads.
#include "bindings/lua/threads/pool.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

#include "bindings/lua/threads/exit.h"
#include "engine/core/error.h"
#include "engine/core/signals_blocked.h"

namespace mt::lua {
namespace {

constexpr auto moment = std::chrono::milliseconds(300);
constexpr size_t stack_size = size_t{8} << 20;

}  // namespace

Job* JobList::take(uint64_t number) {
  Job* before = nullptr;
  for (Job* job = first_; job != nullptr; before = job, job = job->next) {
    if (job->number != number) continue;
    (before == nullptr ? first_ : before->next) = job->next;
    if (last_ == job) last_ = before;
    --count_;
    return job;
  }
  return nullptr;
}

bool JobList::has(uint64_t number) const {
  for (const Job* job = first_; job != nullptr; job = job->next) {
    if (job->number == number) return true;
  }
  return false;
}

Pool::Pool(int count, MakeWorker make_worker, Beginning beginning)
    : make_worker_(make_worker), beginning_(std::move(beginning)), process_(getpid()), threads_(static_cast<size_t>(count)) {}

Pool::~Pool() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::shared_ptr<Pool> Pool::start(int count, MakeWorker make_worker, Beginning beginning) {
  const std::shared_ptr<Pool> pool(new Pool(count, make_worker, std::move(beginning)));
  enter_pool(pool);
  pool->start_threads();
  return pool;
}

void Pool::start_threads() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_size);
  const SignalsBlocked blocked;
  int started = 0, problem = 0;
  for (Thread& thread : threads_) {
    thread.pool = this;
    auto* const argument = new std::pair<std::shared_ptr<Pool>, Thread*>(shared_from_this(), &thread);
    {
      const std::lock_guard lock(mutex_);
      ++alive_;
    }
    problem = pthread_create(&thread.handle, &attributes, thread_main, argument);
    if (problem != 0) {
      delete argument;
      const std::lock_guard lock(mutex_);
      --alive_;
      break;
    }
    ++started;
  }
  pthread_attr_destroy(&attributes);
  if (problem == 0) return;
  const int wanted = count();
  threads_.resize(static_cast<size_t>(started));
  close(End::now);
  fail("threads.Threads", "N", "the system started ", started, " threads of ", wanted, ": ", std::strerror(problem));
}

void* Pool::thread_main(void* argument) {
  auto* const given = static_cast<std::pair<std::shared_ptr<Pool>, Thread*>*>(argument);
  const std::shared_ptr<Pool> pool = std::move(given->first);
  Thread& self = *given->second;
  delete given;
  pool->work(self);
  const std::lock_guard lock(pool->mutex_);
  --pool->alive_;
  pool->ended_wake_.notify_all();
  return nullptr;
}

void Pool::work(Thread& self) {
  const int number = static_cast<int>(&self - &threads_.front()) + 1;
  std::unique_ptr<Worker> worker;
  std::string problem;
  try {
    worker = make_worker_(number, beginning_);
  } catch (const std::exception& e) {
    problem = e.what();
  }
  {
    const std::lock_guard lock(mutex_);
    self.worker = worker.get();
  }
  Job* job = nullptr;
  while ((job = next_job(self, job)) != nullptr) {
    job->worker = number;
    job->failed = worker == nullptr;
    if (worker == nullptr) {
      job->message.clear();
      job->error = problem;
    } else {
      worker->run(*job);
    }
  }
  const std::lock_guard lock(mutex_);
  self.worker = nullptr;
}

Job* Pool::next_job(Thread& self, Job* finished) {
  std::unique_lock lock(mutex_);
  if (finished != nullptr) {
    self.runs = false;
    done_.push(finished);
    tell_event_loop();
    if (owner_sleeps_) done_wake_.notify_one();
  }
  for (;;) {
    if (dropping_) return nullptr;
    Job* job = self.jobs.pop();
    if (job == nullptr) job = queued_.pop();
    if (job != nullptr) {
      self.runs = true;
      if (owner_wants_room_) done_wake_.notify_one();
      return job;
    }
    if (closing_) return nullptr;
    self.sleeps = true;
    self.wake.wait(lock, [&] { return !self.sleeps; });
  }
}

Job* Pool::spare_job() {
  if (Job* const job = spare_.pop()) return job;
  return &jobs_.emplace_back();
}

void Pool::recycle(Job* job) {
  job->message.clear();
  job->error.clear();
  job->failed = false;
  spare_.push(job);
}

uint64_t Pool::submit(Job* job) {
  const uint64_t number = job->number = ++last_number_;
  Thread* sleeper = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (job->worker > 0) {
      Thread& thread = threads_[static_cast<size_t>(job->worker) - 1];
      thread.jobs.push(job);
      if (thread.sleeps) sleeper = &thread;
    } else {
      queued_.push(job);
      for (size_t i = 0; i < threads_.size() && sleeper == nullptr; ++i) {
        if (threads_[i].sleeps) sleeper = &threads_[i];
      }
    }
    if (sleeper != nullptr) sleeper->sleeps = false;
  }
  if (sleeper != nullptr) sleeper->wake.notify_one();
  return number;
}

Pool::Came Pool::wait(const Wanted& wanted, const Patience& patience) {
  Job* found = nullptr;
  const auto look = [&] {
    found = wanted.number == 0 ? done_.pop() : done_.take(wanted.number);
    return found != nullptr || waiting(wanted.worker).count() < wanted.room;
  };
  std::unique_lock lock(mutex_);
  owner_sleeps_ = true;
  owner_wants_room_ = wanted.room > 0;
  const bool arrived = wait_for(lock, done_wake_, patience, look);
  owner_sleeps_ = owner_wants_room_ = false;
  if (found != nullptr) tell_event_loop();
  return {found, !arrived};
}

Pool::Counts Pool::counts(int worker) const {
  const std::lock_guard lock(mutex_);
  return {waiting(worker).count(), done_.count()};
}

bool Pool::is_done(uint64_t number) const {
  const std::lock_guard lock(mutex_);
  return number == 0 ? done_.count() > 0 : done_.has(number);
}

int Pool::descriptor() {
  const std::lock_guard lock(mutex_);
  if (descriptor_ < 0) {
    descriptor_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor_ < 0) fail("eventfd", "", "the system refused one: ", std::strerror(errno));
    tell_event_loop();
  }
  return descriptor_;
}

// Needs the lock. The descriptor's counter is nonzero exactly if a finished job is available.
void Pool::tell_event_loop() const {
  if (descriptor_ < 0) return;
  uint64_t count = 0;
  if (read(descriptor_, &count, sizeof count) < 0) count = 0;  // the counter was 0 already
  count = static_cast<uint64_t>(done_.count());
  if (count > 0 && write(descriptor_, &count, sizeof count) < 0) return;  // can't happen: the counter was 0
}

bool Pool::is_of_this_process() const { return getpid() == process_; }

bool Pool::close(End end) {
  // A child of fork() has no worker threads, and their locks stay in the state at the time of the fork.
  if (!is_of_this_process()) return false;
  std::unique_lock lock(mutex_);
  if (joined_) return alive_ == 0;
  closing_ = true;
  const auto ended = [this] { return alive_ == 0; };
  if (end == End::now) {
    dropping_ = true;
    for (Thread& thread : threads_) {
      if (thread.worker != nullptr && thread.runs) thread.worker->stop();
    }
  }
  for (Thread& thread : threads_) {
    thread.sleeps = false;
    thread.wake.notify_one();
  }
  if (end == End::when_done)
    ended_wake_.wait(lock, ended);
  else
    ended_wake_.wait_for(lock, moment, ended);
  const bool all = ended();
  joined_ = true;
  lock.unlock();
  for (const Thread& thread : threads_)
    all ? static_cast<void>(pthread_join(thread.handle, nullptr)) : static_cast<void>(pthread_detach(thread.handle));
  return all;
}

}  // namespace mt::lua
