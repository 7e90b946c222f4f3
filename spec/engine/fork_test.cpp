// fork() at any moment while other threads work: no lock is held in the child, and its engine works.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/core/shared_memory.h"
#include "moontorch/moontorch.h"

namespace {

struct Handle {
  mt_tensor* tensor = nullptr;
  Handle() = default;
  explicit Handle(mt_tensor* t) : tensor(t) {}
  Handle(Handle&& other) noexcept : tensor(std::exchange(other.tensor, nullptr)) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() { mt_tensor_release(tensor); }
};

Handle call(const char* op, std::vector<mt_value> arguments) {
  Handle result;
  if (mt_call(op, arguments.data(), arguments.size(), 1, &result.tensor) != MT_OK) throw std::runtime_error(mt_error_message());
  return result;
}

Handle full(std::vector<int64_t> sizes, double value) {
  return call("full", {mt_value_sizes(sizes.data(), static_cast<int32_t>(sizes.size())), mt_value_number(value)});
}

double last(const Handle& x) {
  const auto* p = static_cast<const double*>(mt_tensor_data(x.tensor));
  return p[mt_tensor_count(x.tensor) - 1];
}

// Computes a product, a sum and a solution of linear equations, and allocates blocks of many sizes.
bool computes(int64_t n) {
  const Handle a = full({n, n}, 3), product = call("mm", {mt_value_tensor(a.tensor), mt_value_tensor(a.tensor)});
  if (last(product) != 9.0 * static_cast<double>(n)) return false;
  const Handle total = call("sum", {mt_value_tensor(product.tensor)});
  if (last(total) != 9.0 * static_cast<double>(n * n * n)) return false;
  const Handle identity = call("eye", {mt_value_number(static_cast<double>(n))}),
               inverse = call("inverse", {mt_value_tensor(identity.tensor)});
  if (last(inverse) != 1) return false;
  for (int64_t size = 1; size < 300000; size = size * 3 + 1) {
    if (last(full({size}, 2)) != 2) return false;
  }
  return true;
}

int status_of(pid_t child) {
  int status = -1;
  return waitpid(child, &status, 0) == child ? status : -1;
}

}  // namespace

// Another thread may hold the lock of the address sanitizer's allocator during fork(); the child could never take it. So such builds run no
// other threads.
#ifdef __SANITIZE_ADDRESS__
constexpr bool own_allocator = false;
#else
constexpr bool own_allocator = true;
#endif

TEST_CASE("a child of fork computes, at whatever moment of other threads it was born") {
  const int before = mt::num_threads();
  REQUIRE(computes(60));  // opens libraries and builds registries
  std::atomic<bool> done{!own_allocator};
  std::atomic<int> wrong{0};
  std::vector<std::thread> others;
  others.emplace_back([&] {
    while (!done) wrong += last(full({3}, 2)) == 2 ? 0 : 1;  // without the locks of full, one child of ten never ended
  });
  for (const int64_t n : {3, 20, 40})
    others.emplace_back([&, n] {
      while (!done) wrong += computes(n) ? 0 : 1;
    });
  constexpr int children = 200;
  int failed = 0;
  for (int i = 0; i < children; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // ends a child that waits for a lock forever
      _exit(computes(20) && computes(60) ? 0 : 1);
    }
    failed += status_of(child) == 0 ? 0 : 1;
  }
  done = true;
  for (std::thread& thread : others) thread.join();
  CHECK(failed == 0);
  CHECK(wrong == 0);
  mt::set_num_threads(before);
}

TEST_CASE("a child of fork sees what is shared, and what it writes is seen") {
  const mt::StoragePtr storage = mt::StoragePtr::adopt(mt::Storage::create(mt::DType::float32, 1000));
  std::fill_n(storage->elements<float>(), 1000, 1.0F);
  mt::Storage* const moved = storage.get();
  mt::share({&moved, 1});
  CHECK(mt::is_shared(*storage.get()));
  CHECK(storage->elements<float>()[999] == 1);
  const pid_t child = fork();
  if (child == 0) {
    storage->elements<float>()[999] = 2;
    _exit(0);
  }
  CHECK(status_of(child) == 0);
  CHECK(storage->elements<float>()[999] == 2);
  // Another storage over the same memory, like one received from another process.
  const auto memory = mt::SharedMemory::at(storage->data);
  CHECK(mt::SharedMemory::open(memory->descriptor()) == memory);
  const mt::StoragePtr again = mt::StoragePtr::adopt(mt::storage_in(memory, 3996, mt::DType::float32, 1));
  CHECK(again->elements<float>()[0] == 2);
  CHECK_THROWS(mt::storage_in(memory, 3997, mt::DType::float32, 1));
  CHECK_THROWS(mt::storage_in(memory, 3996, mt::DType::float32, 100));
}
