#include "cuda/emulated/queue.h"

#include <algorithm>

#include "cuda/runtime/context.h"

namespace mt::cuda::emulated {

Queue::Queue() : thread_([this] { run(); }) {}

Queue::~Queue() {
  {
    const std::lock_guard guard(lock_);
    demanded_ = enqueued_;
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Queue::enqueue(Work work) {
  if (capture_) {
    capture_->work.push_back(std::move(work));
    return;
  }
  const std::lock_guard guard(lock_);
  waiting_.push_back(std::move(work));
  ++enqueued_;
  if (waiting_.size() >= most_waiting) {
    demanded_ = enqueued_;
    changed_.notify_all();
  }
}

void Queue::demand() {
  const std::lock_guard guard(lock_);
  demanded_ = enqueued_;
  changed_.notify_all();
}

void Queue::settle() noexcept {
  std::unique_lock guard(lock_);
  const uint64_t until = enqueued_;
  demanded_ = std::max(demanded_, until);
  changed_.notify_all();
  changed_.wait(guard, [&] { return done_ >= until; });
}

void Queue::finish() {
  settle();
  std::string failure;
  {
    const std::lock_guard guard(lock_);
    failure.swap(failure_);
  }
  if (!failure.empty()) raise(failure);
}

bool Queue::is_done() {
  const std::lock_guard guard(lock_);
  return done_ == enqueued_;
}

void Queue::report(const std::string& failure) {
  const std::lock_guard guard(lock_);
  if (failure_.empty()) failure_ = failure;
}

void Queue::run() {
  Block block;
  std::unique_lock guard(lock_);
  for (;;) {
    changed_.wait(guard, [&] { return done_ < demanded_ || ends_; });
    if (done_ == demanded_) return;
    Work work = std::move(waiting_.front());
    waiting_.pop_front();
    guard.unlock();
    work(block);
    work = nullptr;
    guard.lock();
    ++done_;
    changed_.notify_all();
  }
}

}  // namespace mt::cuda::emulated
