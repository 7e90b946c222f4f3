// Storages that several threads hold: writes are counted, readers see unchanged data, and only one thread grows a storage at a time.
#include "engine/core/storage.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "engine/capi/handle.h"
#include "engine/containers/containers.h"

namespace mt {
namespace {

constexpr int thread_count = 4;

// Runs f(thread, start) in each thread; start is a barrier for all of them.
template <class F> void in_threads(F&& f) {
  std::latch start(thread_count);
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t) threads.emplace_back([&, t] { f(t, start); });
  for (std::thread& thread : threads) thread.join();
}

StoragePtr shared_storage(int64_t size) {
  StoragePtr storage = StoragePtr::adopt(Storage::create(DType::float32, size));
  std::fill_n(storage->elements<float>(), size, 1.0F);
  storage->share_between_threads();
  return storage;
}

bool all_ones(const float* p, int64_t n) {
  return std::all_of(p, p + n, [](float v) { return v == 1.0F; });
}

}  // namespace

TEST_CASE("no touch of several threads is lost") {
  constexpr uint64_t rounds = 3000000;
  const StoragePtr storage = shared_storage(1);
  const uint64_t before = storage->version;
  in_threads([&](int, std::latch& start) {
    start.arrive_and_wait();
    for (uint64_t i = 0; i < rounds; ++i) storage->touch();
  });
  CHECK(storage->version - before == rounds * thread_count);
}

TEST_CASE("threads read a storage while another lets it grow and writes behind what they read") {
  constexpr int64_t first = 1000, last = 200000;
  const StoragePtr storage = shared_storage(first);
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0}, looks{0};
  in_threads([&](int t, std::latch& start) {
    const float* const held = storage->elements<float>();
    start.arrive_and_wait();
    if (t == 0) {
      for (int64_t n = first; n <= last; n += n / 8) {
        const int64_t had = storage->size;
        storage->grow_to(n);
        std::fill(storage->elements<float>() + had, storage->elements<float>() + n, 1.0F);
        // If the storage had freed its memory, this allocation would reuse and overwrite it.
        const StoragePtr other = StoragePtr::adopt(Storage::create(DType::float32, had));
        std::fill_n(other->elements<float>(), had, 2.0F);
        for (const int since = looks; looks < since + thread_count;) std::this_thread::yield();
      }
      done = true;
    } else {
      while (!done) {
        if (!all_ones(held, first) || !all_ones(storage->elements<float>(), first)) ++wrong;
        ++looks;
      }
    }
  });
  CHECK(wrong == 0);
  CHECK(all_ones(storage->elements<float>(), storage->size));
}

TEST_CASE("of threads that let a storage grow at once the one that asks for most decides, and nothing is lost") {
  for (int round = 0; round < 50; ++round) {
    const StoragePtr storage = shared_storage(100);
    std::atomic<int> too_small{0};
    in_threads([&](int t, std::latch& start) {
      start.arrive_and_wait();
      for (int64_t n = 100; n <= 20000; n += 97 + t) {
        storage->grow_to(n);
        if (storage->size < n || storage->capacity < static_cast<size_t>(n) * sizeof(float)) ++too_small;
      }
    });
    CHECK(too_small == 0);
    CHECK(storage->size >= 19900);
    CHECK(storage->size <= 20000);
    CHECK(all_ones(storage->elements<float>(), 100));
  }
}

TEST_CASE("what a storage used before it grew is given back with it, or at once where one thread has it") {
  const int64_t before = memory_stats().live_blocks;
  StoragePtr storage = shared_storage(100);
  for (const int64_t n : {1000, 10000, 100000}) storage->resize(n);
  CHECK(memory_stats().live_blocks == before + 4);
  storage = StoragePtr();
  CHECK(memory_stats().live_blocks == before);
  storage = StoragePtr::adopt(Storage::create(DType::float32, 100));
  for (const int64_t n : {1000, 10000, 100000}) storage->resize(n);
  CHECK(memory_stats().live_blocks == before + 2);
}

TEST_CASE("containers and handles share what they are given") {
  const auto fresh = [] { return Tensor::empty(DType::float32, {3}); };
  const Tensor in_hash = fresh(), in_vec = fresh(), inserted = fresh(), alone = fresh();
  const auto hash = ContainerRef<Hash>::adopt(new Hash);
  const auto vec = ContainerRef<Vec>::adopt(new Vec);
  hash->set(1.0, std::make_shared<const Tensor>(in_hash));
  vec->set(0, in_vec.storage_ptr());
  vec->insert(0, std::make_shared<const Tensor>(inserted));
  CHECK(in_hash.storage()->between_threads());
  CHECK(in_vec.storage()->between_threads());
  CHECK(inserted.storage()->between_threads());
  CHECK_FALSE(alone.storage()->between_threads());

  mt_tensor *x = nullptr, *view = nullptr;
  const int64_t sizes[] = {4};
  REQUIRE(mt_tensor_create(static_cast<mt_dtype>(DType::float32), 1, sizes, &x) == MT_OK);
  CHECK_FALSE(x->tensor.storage()->between_threads());
  REQUIRE(mt_tensor_narrow(x, 0, 1, 2, &view) == MT_OK);
  CHECK(x->tensor.storage()->between_threads());
  mt_tensor_release(view);
  mt_tensor_release(x);
  REQUIRE(mt_tensor_create(static_cast<mt_dtype>(DType::float32), 1, sizes, &x) == MT_OK);
  mt_tensor_retain(x);
  CHECK(x->tensor.storage()->between_threads());
  mt_tensor_release(x);
  mt_tensor_release(x);
}

}  // namespace mt
