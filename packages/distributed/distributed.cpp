// The C interface: no exception leaves it.
#include "packages/distributed/distributed.h"

#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "packages/distributed/progress.h"

namespace mt::distributed {
namespace {

thread_local std::string last_error;

// Lives until the process ends: threads and the exit handler use it.
Progress* progress = nullptr;

Progress& started() {
  if (progress == nullptr) throw std::runtime_error("init has not been called");
  return *progress;
}

template <class F> auto guarded(F run) -> decltype(run()) {
  try {
    return run();
  } catch (const std::bad_alloc&) {
    last_error = "no memory";
  } catch (const std::exception& problem) {
    last_error = problem.what();
  }
  return -1;
}

}  // namespace
}  // namespace mt::distributed

using namespace mt::distributed;

const char* mt_distributed_error(void) { return last_error.c_str(); }

int32_t mt_distributed_init(const char* board, const char* line, double timeout) {
  return guarded([&]() -> int32_t {
    if (progress != nullptr) return 0;
    progress = std::make_unique<Progress>(board, line, timeout).release();
    on_exit([](int status, void*) { progress->finalise(status); }, nullptr);
    return 0;
  });
}

int32_t mt_distributed_rank(int32_t group) {
  return guarded([&]() -> int32_t { return started().rank(group); });
}

int32_t mt_distributed_size(int32_t group) {
  return guarded([&]() -> int32_t { return started().size(group); });
}

int32_t mt_distributed_new_group(const int32_t* ranks, int32_t count, const char* call, const char* line, double timeout) {
  return guarded([&]() -> int32_t { return started().new_group({ranks, ranks + count}, call, line, timeout); });
}

int64_t mt_distributed_begin(int32_t group, const mt_distributed_call* call) {
  return guarded([&]() -> int64_t { return started().begin(group, *call); });
}

int32_t mt_distributed_wait(int64_t operation, double seconds) {
  return guarded([&]() -> int32_t { return started().wait(operation, seconds) ? 1 : 0; });
}

void mt_distributed_continue(void) {
  guarded([&]() -> int32_t { return started().run_in_background(), 0; });
}

int64_t mt_distributed_pending(void) {
  return guarded([&]() -> int64_t { return started().pending(); });
}

void* mt_distributed_hold(int32_t group, const char* call, const char* line) {
  void* held = nullptr;
  guarded([&]() -> int32_t { return held = started().hold(group, call, line), 0; });
  return held;
}

void mt_distributed_release(void) {
  guarded([&]() -> int32_t { return started().release(), 0; });
}

int64_t mt_distributed_messages(void) {
  return guarded([&]() -> int64_t { return started().messages(); });
}
