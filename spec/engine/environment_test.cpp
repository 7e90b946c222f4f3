// An environment variable that is set while a library is opened.
#include "engine/core/environment.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "engine/core/parallel.h"

namespace mt {
namespace {

std::string_view value_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "none" : value;
}

}  // namespace

TEST_CASE("a variable is there for its time, before one of the same name, and the environment is what it was afterwards") {
  ::setenv("MT_TEST_KEPT", "old", 1);
  char** const with_kept = environ;
  {
    const WithVariable fresh("MT_TEST_FRESH", "1"), replaced("MT_TEST_KEPT", "new");
    CHECK(value_of("MT_TEST_FRESH") == "1");
    CHECK(value_of("MT_TEST_KEPT") == "new");
    CHECK(value_of("PATH") != "none");
  }
  CHECK(environ == with_kept);
  CHECK(value_of("MT_TEST_FRESH") == "none");
  CHECK(value_of("MT_TEST_KEPT") == "old");
  ::unsetenv("MT_TEST_KEPT");
}

TEST_CASE("a variable of Moontorch's own has one prefix; its earlier name counts where the new one is not set") {
  const auto sync = [] {
    const char* value = own_variable("MOONTORCH_CUDA_SYNC");
    return std::string_view(value == nullptr ? "none" : value);
  };
  ::unsetenv("MOONTORCH_CUDA_SYNC");
  ::setenv("MT_CUDA_SYNC", "old", 1);
  CHECK(sync() == "old");
  ::setenv("MOONTORCH_CUDA_SYNC", "new", 1);
  CHECK(sync() == "new");
  ::setenv("MOONTORCH_CUDA_SYNC", "", 1);
  CHECK(sync().empty());
  ::unsetenv("MT_CUDA_SYNC");
  ::unsetenv("MOONTORCH_CUDA_SYNC");
  CHECK(sync() == "none");
  ::setenv("MT_TEST_FRESH", "1", 1);
  CHECK(own_variable("MOONTORCH_TEST_FRESH") == nullptr);
  ::unsetenv("MT_TEST_FRESH");
}

TEST_CASE("what is set meanwhile stays") {
  {
    const WithVariable variable("MT_TEST_FRESH", "1");
    ::setenv("MT_TEST_MEANWHILE", "here", 1);
  }
  CHECK(value_of("MT_TEST_MEANWHILE") == "here");
  ::unsetenv("MT_TEST_MEANWHILE");
  ::unsetenv("MT_TEST_FRESH");
}

TEST_CASE("threads that read the environment find in it what was there all the time") {
  std::atomic<bool> done{false};
  std::atomic<int> missed{0}, looks{0};
  std::thread reader([&] {
    while (!done) {
      if (value_of("PATH") == "none") ++missed;
      ++looks;
    }
  });
  for (int i = 0; i < 100; ++i) {
    const WithVariable variable("MT_TEST_FRESH", "1");
    for (const int since = looks; looks <= since;) std::this_thread::yield();
  }
  done = true;
  reader.join();
  CHECK(missed == 0);
}

TEST_CASE("the runtime's threads are opened without a trace in the environment") {
  char** const before = environ;
  std::atomic<int64_t> sum{0};
  const int threads = num_threads();
  set_num_threads(2);
  parallel_ranges(2, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
  set_num_threads(threads);
  CHECK(sum == 2);
  CHECK(environ == before);
}

}  // namespace mt
