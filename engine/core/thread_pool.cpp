#include "engine/core/thread_pool.h"

#include <exception>

namespace mt {

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::run(int tasks, TaskFn fn, void* job) {
  const std::lock_guard entry(entry_);
  std::unique_lock lock(mutex_);
  fn_ = fn;
  job_ = job;
  next_ = 1;
  tasks_ = tasks;
  pending_ = tasks - 1;
  try {
    while (static_cast<int>(workers_.size()) < tasks - 1) workers_.emplace_back([this] { work(); });
  } catch (const std::exception&) {  // the tasks that have no worker are done below
  }
  lock.unlock();
  wake_.notify_all();
  fn(job, 0);
  lock.lock();
  while (next_ < tasks_) {  // nobody took it so far: quicker than waiting for a worker to wake
    const int task = next_++;
    lock.unlock();
    fn(job, task);
    lock.lock();
    --pending_;
  }
  done_.wait(lock, [this] { return pending_ == 0; });
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || next_ < tasks_; });
    if (stop_) return;
    const int task = next_++;
    const TaskFn fn = fn_;
    void* const job = job_;
    lock.unlock();
    fn(job, task);
    lock.lock();
    if (--pending_ == 0) done_.notify_one();
  }
}

}  // namespace mt
