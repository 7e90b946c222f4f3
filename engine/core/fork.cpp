#include "engine/core/fork.h"

#include <pthread.h>
#include <sched.h>

#include <vector>

namespace mt {
namespace {

struct Held {
  ThreadMutex mutex;  // of the list: fork() holds it, so that the list doesn't change
  std::vector<ThreadMutex*> all;
};

Held& held() {
  static Held* const list = new Held;  // never destroyed
  return *list;
}

// In this order: a library call may need any of these locks, and the holder of a lock may need memory.
void before() {
  held().mutex.lock();
  KeepsFromForking::stop_others();
  for (ThreadMutex* mutex : held().all) mutex->lock();
  lock_free_lists();
}

void in_parent() {
  unlock_free_lists();
  for (ThreadMutex* mutex : held().all) mutex->unlock();
  KeepsFromForking::end_fork();
  held().mutex.unlock();
}

void in_child() {
  KeepsFromForking::forget_others();
  in_parent();
}

const int registered = pthread_atfork(before, in_parent, in_child);

}  // namespace

void hold_over_forks(ThreadMutex& mutex) {
  const std::lock_guard lock(held().mutex);
  held().all.push_back(&mutex);
}

void KeepsFromForking::stop_others() {
  forking.store(true);
  while (inside.load() > 0) sched_yield();
}

void KeepsFromForking::end_fork() { forking.store(false); }

void KeepsFromForking::forget_others() { inside.store(0); }

void KeepsFromForking::wait() {
  while (forking.load()) {
    inside.fetch_sub(1);
    while (forking.load()) sched_yield();
    inside.fetch_add(1);
  }
}

}  // namespace mt
