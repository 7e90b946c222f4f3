#include "cuda/emulated/queue.h"

#include <algorithm>

#include "cuda/runtime/context.h"
#include "cuda/runtime/fork.h"

namespace mt::cuda::emulated {

namespace {

thread_local Queue* at_work = nullptr;

}  // namespace

CapturedGraph::Member& CapturedGraph::of(const Queue* queue) {
  return *std::ranges::find_if(members, [&](const Member& member) { return member.queue == queue; });
}

Queue::Queue() : thread_([this] { run(); }) { note_use(); }

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
    ++capture_->of(this).works;
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
  std::string failure, op;
  {
    const std::lock_guard guard(lock_);
    failure.swap(failure_);
    op.swap(failed_op_);
  }
  if (!failure.empty()) raise_later(Status::internal, op, failure);
}

bool Queue::is_done() {
  const std::lock_guard guard(lock_);
  return done_ == enqueued_;
}

void Queue::report(std::string_view op, const std::string& failure) {
  const std::lock_guard guard(at_work->lock_);
  if (!at_work->failure_.empty()) return;
  at_work->failure_ = failure;
  at_work->failed_op_ = op;
}

void Queue::join_capture(std::shared_ptr<CapturedGraph> graph) {
  graph->members.push_back({this});
  capture_ = std::move(graph);
}

void Queue::run() {
  at_work = this;
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
