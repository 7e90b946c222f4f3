// Properties of the machine's processors.
#include "engine/core/processor.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

TEST_CASE("processors are busy where more threads compute than there are") {
  std::atomic<bool> ends{false};
  std::vector<std::thread> threads;
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  for (long i = 0; i <= processors; ++i)
    threads.emplace_back([&] {
      while (!ends.load(std::memory_order_relaxed)) {
      }
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until all threads run
  const bool busy = mt::processors_are_busy();
  ends.store(true);
  for (std::thread& thread : threads) thread.join();
  CHECK(busy);
}

TEST_CASE("a process may use a processor at least, and no more than there are") {
  CHECK(mt::count_processors() >= 1);
  CHECK(mt::count_processors() <= sysconf(_SC_NPROCESSORS_CONF));
}
