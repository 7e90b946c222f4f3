// parallel_for: which indices run, in which threads, and the effects of exceptions, nesting and fork.
#include "engine/core/parallel.h"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engine/core/thread_pool.h"

namespace {

struct Threads {  // sets the number of threads for one test
  explicit Threads(int n) : before(mt::num_threads()) { mt::set_num_threads(n); }
  ~Threads() { mt::set_num_threads(before); }
  const int before;
};

std::set<std::thread::id> threads_used(int64_t n, int64_t grain) {
  std::mutex mutex;
  std::set<std::thread::id> ids;
  mt::parallel_for(n, grain, [&](int64_t, int64_t) {
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  return ids;
}

// Returns whether loops get a second thread. Not each loop does: the caller runs all tasks that no worker has begun.
bool gets_another_thread() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < end)
    if (threads_used(1000, 1).size() > 1) return true;
  return false;
}

}  // namespace

TEST_CASE("parallel_for covers each index once, for any number of threads") {
  for (const int threads : {1, 2, 3, 7}) {
    const Threads set(threads);
    for (const int64_t n : {0, 1, 2, 5, 64, 1000, 4097, 100003}) {
      for (const int64_t grain : {1, 3, 1000}) {
        std::vector<int> seen(static_cast<size_t>(n), 0);
        mt::parallel_for(n, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
        });
        CHECK(std::accumulate(seen.begin(), seen.end(), int64_t{0}) == n);
        CHECK(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
      }
    }
  }
}

TEST_CASE("small work stays with the caller") {
  const Threads set(4);
  CHECK(threads_used(100, 100) == std::set{std::this_thread::get_id()});
  std::atomic<int> ranges{0};
  mt::parallel_ranges(101, 100, [&](int64_t, int64_t) { ++ranges; });
  CHECK(ranges == 2);
  CHECK(gets_another_thread());
  CHECK_FALSE(mt::in_parallel());
}

TEST_CASE("a parallel_for inside another runs inline") {
  const Threads set(2);
  std::atomic<int> ranges{0};
  mt::parallel_for(2, 1, [&](int64_t, int64_t) {
    CHECK(mt::in_parallel());
    mt::parallel_ranges(1000, 1, [&](int64_t begin, int64_t end) {
      CHECK(begin == 0);
      CHECK(end == 1000);
      ++ranges;
    });
  });
  CHECK(ranges == 2);
}

TEST_CASE("an exception arrives at the caller and the next loop works") {
  const Threads set(2);
  for (const int64_t guilty : {0, 1}) {
    CHECK_THROWS_WITH_AS(mt::parallel_for(2, 1,
                                          [&](int64_t begin, int64_t) {
                                            if (begin == guilty) throw std::runtime_error("no");
                                          }),
                         "no", std::runtime_error);
    CHECK(gets_another_thread());
  }
}

TEST_CASE("an interrupt stops a loop between its blocks, and the next loop works") {
  for (const int threads : {1, 2}) {
    const Threads set(threads);
    std::atomic<int64_t> done{0};
    CHECK_THROWS_AS(mt::parallel_for(1 << 20, 16,
                                     [&](int64_t begin, int64_t end) {
                                       done += end - begin;
                                       mt::ask_interrupt(1);
                                     }),
                    mt::Interrupted);
    CHECK(done > 0);
    CHECK(done < 1 << 18);
    mt::interrupt_reported();
    CHECK_FALSE(mt::interrupt_asked());
    done = 0;
    mt::parallel_for(1 << 20, 16, [&](int64_t begin, int64_t end) { done += end - begin; });
    CHECK(done == 1 << 20);
  }
}

TEST_CASE("a child of fork computes with one thread, and with more of its own where it asks for them") {
  const Threads set(2);
  CHECK(gets_another_thread());
  const pid_t child = fork();
  if (child == 0) {
    int wrong = mt::num_threads() == 1 && threads_used(2, 1).size() == 1 ? 0 : 1;
    mt::set_num_threads(2);
    int64_t sums[2] = {0, 0};
    mt::parallel_for(1000, 500, [&](int64_t begin, int64_t end) { sums[begin / 500] += end - begin; });
    if (sums[0] + sums[1] != 1000) wrong |= 2;
    if (mt::num_threads() != 2 || !gets_another_thread()) wrong |= 4;
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      mt::set_num_threads(2);
      _exit(gets_another_thread() ? 0 : 1);
    }
    int status = -1;
    if (waitpid(grandchild, &status, 0) != grandchild || status != 0) wrong |= 8;
    if (!gets_another_thread()) wrong |= 16;
    _exit(wrong);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(gets_another_thread());
}

TEST_CASE("threads of the host may call it at the same time") {
  const Threads set(2);
  std::atomic<int64_t> total{0};
  std::vector<std::thread> hosts;
  for (int host = 0; host < 3; ++host)
    hosts.emplace_back([&] {
      for (int i = 0; i < 100; ++i) mt::parallel_for(100, 1, [&](int64_t begin, int64_t end) { total += end - begin; });
    });
  for (auto& host : hosts) host.join();
  CHECK(total == 3 * 100 * 100);
}

// Workers move away from the processor of the thread that woke them: they change their affinity mask, and restore it.
TEST_CASE("threads keep the processors that they may use") {
  const Threads two(2);
  cpu_set_t whole;
  REQUIRE(sched_getaffinity(0, sizeof whole, &whole) == 0);
  std::atomic<int> narrowed{0};
  for (int round = 0; round < 200; ++round) {
    mt::parallel_for(2, 1, [&](int64_t, int64_t) {
      cpu_set_t own;
      if (sched_getaffinity(0, sizeof own, &own) != 0 || !CPU_EQUAL(&own, &whole)) ++narrowed;
    });
    if (round % 20 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // until the workers sleep
  }
  CHECK(narrowed == 0);
}

namespace {

struct Seen {
  explicit Seen(int tasks) : counts(static_cast<size_t>(tasks)) {}
  std::vector<std::atomic<int>> counts;

  bool each_once() const {
    return std::all_of(counts.begin(), counts.end(), [](const auto& count) { return count == 1; });
  }
  static void count(void* self, int task) { ++static_cast<Seen*>(self)->counts[static_cast<size_t>(task)]; }
};

const auto long_enough = std::chrono::seconds(60);

}  // namespace

TEST_CASE("the pool runs each task once, for one caller and for many at a time") {
  mt::ThreadPool pool;
  const auto run = [&] {
    for (int round = 0; round < 200; ++round)
      for (const int tasks : {1, 2, 5, 2}) {
        Seen seen(tasks);
        pool.run({Seen::count, &seen, tasks, -1});
        if (!seen.each_once()) return false;
      }
    return true;
  };
  CHECK(run());
  constexpr int callers = 40;  // more than the pool has slots
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < callers; ++i) threads.emplace_back([&] { right += run(); });
  for (auto& thread : threads) thread.join();
  CHECK(right == callers);
}

// A worker that loses its processor in the middle of a task delays only that task.
TEST_CASE("the caller does all that no worker has begun") {
  mt::ThreadPool pool;
  constexpr int tasks = 16;
  struct Held {
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> finished{0}, held{0};
    std::atomic<bool> complete{true};

    static void run(void* self, int) {
      auto& own = *static_cast<Held*>(self);
      const auto end = std::chrono::steady_clock::now() + long_enough;
      if (std::this_thread::get_id() == own.caller) {
        if (own.held == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));  // time in which workers may start
        ++own.finished;
        return;
      }
      ++own.held;
      while (own.finished + own.held < tasks)
        if (std::chrono::steady_clock::now() > end) own.complete = false, own.finished = tasks;
    }
  };
  for (int round = 0; round < 5; ++round) {
    Held job;
    pool.run({Held::run, &job, tasks, -1});
    CHECK(job.complete);
    CHECK(job.finished + job.held == tasks);
  }
}

TEST_CASE("a caller does not wait for the job of another") {
  mt::ThreadPool pool;
  std::atomic<bool> second_done{false};
  std::atomic<int> waiting{0};
  auto wait = [&] {
    const auto end = std::chrono::steady_clock::now() + long_enough;
    ++waiting;
    while (!second_done && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  };
  std::thread first([&] {
    const auto run = [](void* f, int) { (*static_cast<decltype(wait)*>(f))(); };
    pool.run({run, &wait, 2, -1});
  });
  while (waiting == 0) std::this_thread::yield();
  Seen seen(4);
  const auto begin = std::chrono::steady_clock::now();
  pool.run({Seen::count, &seen, 4, -1});
  CHECK(std::chrono::steady_clock::now() - begin < long_enough);
  second_done = true;
  first.join();
  CHECK(seen.each_once());
}
