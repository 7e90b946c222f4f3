// parallel_for: what is covered, by whom, and what happens with exceptions, nesting and fork.
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
  CHECK(threads_used(101, 100).size() == 2);
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
    CHECK(threads_used(2, 1).size() == 2);
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
  CHECK(threads_used(2, 1).size() == 2);
  const pid_t child = fork();
  if (child == 0) {
    int wrong = mt::num_threads() == 1 && threads_used(2, 1).size() == 1 ? 0 : 1;
    mt::set_num_threads(2);
    int64_t sums[2] = {0, 0};
    mt::parallel_for(1000, 500, [&](int64_t begin, int64_t end) { sums[begin / 500] += end - begin; });
    if (sums[0] + sums[1] != 1000) wrong |= 2;
    if (mt::num_threads() != 2 || threads_used(2, 1).size() != 2) wrong |= 4;
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      mt::set_num_threads(2);
      _exit(threads_used(2, 1).size() == 2 ? 0 : 1);
    }
    int status = -1;
    if (waitpid(grandchild, &status, 0) != grandchild || status != 0) wrong |= 8;
    if (threads_used(2, 1).size() != 2) wrong |= 16;
    _exit(wrong);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(threads_used(2, 1).size() == 2);
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

// Workers leave the processor of the thread that woke them: for that they change their own mask, and put it back.
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

TEST_CASE("the plain pool does each task once") {
  mt::ThreadPool pool;
  for (const int tasks : {1, 2, 5, 2}) {
    std::vector<std::atomic<int>> seen(static_cast<size_t>(tasks));
    pool.run(
        tasks, [](void* job, int task) { ++(*static_cast<std::vector<std::atomic<int>>*>(job))[static_cast<size_t>(task)]; }, &seen);
    for (const auto& count : seen) CHECK(count == 1);
  }
}
