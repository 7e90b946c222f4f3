#include "engine/core/thread_pool.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <exception>

#include "engine/core/processor.h"
#include "engine/core/signals_blocked.h"

namespace mt {
namespace {

constexpr int slot_count = 32;        // concurrent callers; further ones run alone
constexpr int line = 64;              // bytes of a cache line
constexpr uint32_t waits = 1u << 31;  // flag in Slot::done: the caller sleeps

// Spin time of a waiting thread before it sleeps. Starting a loop costs less than 1 us with an awake worker and 20 to 50 us with a sleeping
// one; a longer spin would take processors from other programs.
using Clock = ThreadPool::Clock;
constexpr Clock::duration patience = std::chrono::microseconds(100);

// If a worker takes so much longer for a task than its caller, it was not running: the machine is busy. Loops then use no workers for a
// multiple of the time that the caller waited.
constexpr int rests = 4;
constexpr Clock::duration longest_rest = std::chrono::milliseconds(100);

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Spins until `ready()`, at most for the spin time and only while `may()` is true; returns whether it became ready.
template <class F, class G> bool look_for(F&& ready, G&& may) {
  constexpr int between_clocks = 32;
  const auto end = Clock::now() + patience;
  do {
    for (int i = 0; i < between_clocks; ++i) {
      if (ready()) return true;
      relax();
    }
  } while (may() && Clock::now() < end);
  return false;
}

void sleep_while(std::atomic<uint32_t>& word, uint32_t value) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake_sleepers(std::atomic<uint32_t>& word, int count) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

// A counter that is claimed by compare-and-swap: the job's generation, the number of items, the number of claimed ones. All three change
// in one step, so a late worker claims nothing of the slot's next job.
struct Claims {
  static constexpr uint64_t pack(uint32_t generation, int count) { return uint64_t{generation} << 32 | static_cast<uint64_t>(count) << 16; }
  static uint32_t generation(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
  static int count(uint64_t word) { return static_cast<int>(word >> 16 & 0xffff); }
  static int claimed(uint64_t word) { return static_cast<int>(word & 0xffff); }

  /// Claims the next item of this generation: returns its number, or -1 if none is left.
  static int next(std::atomic<uint64_t>& claims, uint32_t generation) {
    uint64_t word = claims.load(std::memory_order_acquire);
    while (Claims::generation(word) == generation && claimed(word) < count(word))
      if (claims.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel, std::memory_order_acquire)) return claimed(word);
    return -1;
  }
};

}  // namespace

// The slot of a caller. It outlives the job: a late worker finds nothing to claim.
struct ThreadPool::Slot {
  struct alignas(line) Task {
    std::atomic<uint64_t> claims{0};
  };

  std::atomic<uint64_t> helpers{0};  // workers that may join
  std::atomic<bool> taken{false};
  uint32_t generation = 0;
  Job job{};                                    // read by the caller, and by workers with a claimed task
  alignas(line) std::atomic<uint32_t> done{0};  // number of tasks that workers have finished, and the flag `waits`
  Task tasks[most_tasks];

  void finish_task() {
    if (done.fetch_add(1, std::memory_order_acq_rel) & waits) wake_sleepers(done, 1);
  }
  bool are_done(uint32_t tasks_done) const { return done.load(std::memory_order_acquire) == tasks_done; }
  void wait_until_done(uint32_t tasks_done) {
    if (look_for([&] { return are_done(tasks_done); }, [] { return true; })) return;
    uint32_t now = done.fetch_or(waits, std::memory_order_acq_rel) | waits;
    for (; now != (tasks_done | waits); now = done.load(std::memory_order_acquire)) sleep_while(done, now);
  }
};

ThreadPool::ThreadPool() : slots_(new Slot[slot_count]) {}

ThreadPool::~ThreadPool() {
  stop_.store(true);
  bell_.fetch_add(1);
  wake_sleepers(bell_, INT_MAX);
  for (auto& thread : threads_) thread.join();
}

ThreadPool::Slot* ThreadPool::take_slot() {
  for (int i = 0; i < slot_count; ++i) {
    Slot& slot = slots_[static_cast<size_t>(i)];
    if (slot.taken.load(std::memory_order_relaxed) || slot.taken.exchange(true, std::memory_order_acquire)) continue;
    int used = used_slots_.load(std::memory_order_relaxed);
    while (used <= i && !used_slots_.compare_exchange_weak(used, i + 1)) {
    }
    return &slot;
  }
  return nullptr;
}

// Concurrent callers share the workers, of which there is one per processor.
void ThreadPool::have_workers(int own, int all) {
  static const int most_shared = count_processors() - 1;
  const int wanted = std::min(all, std::max(own, most_shared));
  if (workers_.load(std::memory_order_relaxed) >= wanted) return;
  const std::lock_guard lock(creation_);
  const SignalsBlocked in_workers;
  try {
    for (int number = workers_.load(); number < wanted; ++number) {
      threads_.emplace_back([this, number] { work(number); });
      workers_.store(number + 1);
    }
  } catch (const std::exception&) {  // the caller executes all tasks
  }
}

void ThreadPool::wake(int wanted) {
  const int asleep = std::min(wanted - spinning_.load(), sleeping_.load());
  if (asleep <= 0) return;
  bell_.fetch_add(1);
  wake_sleepers(bell_, asleep);
}

bool ThreadPool::rests_at(Clock::time_point now) {
  const auto until = rest_until_.load(std::memory_order_relaxed);
  if (until == 0) return false;
  if (now.time_since_epoch().count() < until) return true;
  rest_until_.store(0, std::memory_order_relaxed);
  return false;
}

void ThreadPool::run(const Job& job) {
  const int wanted = job.tasks - 1;
  const auto start = Clock::now();
  Slot* const slot = wanted > 0 && !rests_at(start) ? take_slot() : nullptr;
  if (!slot) {
    for (int task = 0; task < job.tasks; ++task) job.fn(job.data, task);
    return;
  }
  have_workers(wanted, wanted_.fetch_add(wanted, std::memory_order_relaxed) + wanted);
  const uint32_t generation = ++slot->generation;
  slot->job = job;
  slot->done.store(0, std::memory_order_relaxed);
  for (int task = 0; task < job.tasks; ++task) slot->tasks[task].claims.store(Claims::pack(generation, 1), std::memory_order_release);
  slot->helpers.store(Claims::pack(generation, wanted));
  wake(wanted);
  const int own = run_tasks(*slot, generation, job.tasks, 0);
  slot->helpers.store(Claims::pack(generation, 0), std::memory_order_relaxed);
  const auto others = static_cast<uint32_t>(job.tasks - own);
  if (!slot->are_done(others)) {
    const auto before = Clock::now();
    slot->wait_until_done(others);
    const auto waited = Clock::now() - before;
    if (waited > patience + 2 * ((before - start) / std::max(1, own)))
      rest_until_.store((before + waited + std::min(rests * waited, longest_rest)).time_since_epoch().count(), std::memory_order_relaxed);
  }
  wanted_.fetch_sub(wanted, std::memory_order_relaxed);
  slot->taken.store(false, std::memory_order_release);
}

// Runs unclaimed tasks, task `home` first (0 is the caller's). Returns their number.
int ThreadPool::run_tasks(Slot& slot, uint32_t generation, int tasks, int home) {
  int count = 0;
  for (int i = 0; i < tasks; ++i) {
    const int task = (home + i) % tasks;
    if (Claims::next(slot.tasks[task].claims, generation) < 0) continue;
    if (home != 0 && count == 0) leave_processor(slot.job.processor, tasks);
    slot.job.fn(slot.job.data, task);
    if (home != 0) slot.finish_task();
    ++count;
  }
  return count;
}

bool ThreadPool::has_job() const {
  const int used = used_slots_.load(std::memory_order_relaxed);
  for (int i = 0; i < used; ++i) {
    const uint64_t helpers = slots_[static_cast<size_t>(i)].helpers.load(std::memory_order_relaxed);
    if (Claims::claimed(helpers) < Claims::count(helpers)) return true;
  }
  return false;
}

bool ThreadPool::help_any(int number) {
  bool helped = false;
  const int used = used_slots_.load();
  for (int i = 0; i < used; ++i) {
    Slot& slot = slots_[static_cast<size_t>(i)];
    const uint64_t job = slot.helpers.load();
    const uint32_t generation = Claims::generation(job);
    const int entered = Claims::next(slot.helpers, generation);
    if (entered < 0) continue;
    // Prefers the same task in each job: its data may be in this processor's cache.
    const int tasks = Claims::count(job) + 1, home = number + 1 < tasks ? number + 1 : entered + 1;
    run_tasks(slot, generation, tasks, home);
    helped = true;
  }
  return helped;
}

void ThreadPool::work(int number) {
  static const int most_spinning = std::max(1, count_processors() - 1);
  while (!stop_.load()) {
    if (help_any(number)) continue;
    const bool found =
        spinning_.fetch_add(1) < most_spinning && look_for([&] { return has_job() || stop_.load(std::memory_order_relaxed); },
                                                           [&] { return guests.load(std::memory_order_relaxed) == 0; });
    spinning_.fetch_sub(1);
    if (found) continue;
    const uint32_t rung = bell_.load();
    sleeping_.fetch_add(1);
    if (!help_any(number) && !stop_.load()) sleep_while(bell_, rung);
    sleeping_.fetch_sub(1);
  }
}

}  // namespace mt
