// Concurrent use of containers by several threads.
#include "engine/containers/containers.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

namespace mt {
namespace {

constexpr int thread_count = 4, rounds = 2000;

template <class F> void in_threads(F&& f) {
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t) threads.emplace_back([&f, t] { f(t); });
  for (std::thread& thread : threads) thread.join();
}

template <class T> ContainerRef<T> make() { return ContainerRef<T>::adopt(new T); }

TEST_CASE("a hash takes keys of several threads") {
  const auto hash = make<Hash>();
  in_threads([&](int t) {
    for (int i = 0; i < rounds; ++i) {
      hash->set(double(t * rounds + i), std::string("value ") + std::to_string(i));
      if (i % 3 == 0) hash->set(double(t * rounds + i), Element());
    }
  });
  const int64_t removed = (rounds + 2) / 3;
  CHECK(hash->size() == thread_count * (rounds - removed));
  CHECK(std::get<std::string>(hash->get(double(rounds + 1))) == "value 1");
  CHECK(is_nil(hash->get(double(rounds))));
  size_t cursor = 0;
  int64_t seen = 0;
  Element key, value;
  while (hash->next(cursor, key, value)) ++seen;
  CHECK(seen == hash->size());
}

TEST_CASE("a vector and the containers in it are shared") {
  const auto vec = make<Vec>();
  auto counter = ContainerRef<AtomicCounter>::adopt(new AtomicCounter(0));
  in_threads([&](int) {
    for (int i = 0; i < rounds; ++i) {
      vec->insert(vec->size() / 2, ContainerPtr::share(counter.get()));
      counter->add(1);
      if (i % 2 == 0) vec->remove(0);
    }
  });
  CHECK(counter->get() == thread_count * rounds);
  CHECK(vec->size() >= thread_count * rounds / 2);
  CHECK(std::get<ContainerPtr>(vec->get(0)).get() == counter.get());
}

TEST_CASE("a vector refuses positions beyond its addresses, and is unchanged") {
  const auto vec = make<Vec>();
  vec->set(0, 1.0);
  // As a size_t of 32 bits, each of these is 0 or 1.
  for (const int64_t i : {int64_t{1} << 41, (int64_t{1} << 41) + 1, (int64_t{1} << 62) + 1}) {
    CHECK_THROWS_WITH_AS(vec->set(i, 2.0), doctest::Contains(("tds.Vec: index: " + std::to_string(i + 1) + ", expected 1 to ").c_str()),
                         Error);
    CHECK_THROWS_WITH_AS(vec->insert(i, 2.0), doctest::Contains(("tds.Vec: insert: position: " + std::to_string(i + 1)).c_str()), Error);
    CHECK_THROWS_WITH_AS(vec->resize(i), doctest::Contains(("tds.Vec: size: " + std::to_string(i) + ", expected 0 to ").c_str()), Error);
  }
  if constexpr (sizeof(size_t) == 4) {
    CHECK_THROWS_AS(vec->set(int64_t{1} << 32, 2.0), Error);
    CHECK_THROWS_AS(vec->insert(int64_t{1} << 32, 2.0), Error);
    CHECK_THROWS_AS(vec->resize((int64_t{1} << 32) + 1), Error);
  }
  CHECK(vec->size() == 1);
  CHECK(std::get<double>(vec->get(0)) == 1.0);
}

TEST_CASE("a long chain of containers is freed without recursion") {
  auto hash = make<Hash>();
  for (int i = 0; i < 1000000; ++i) {
    auto outer = make<Hash>();
    outer->set(std::string("inner"), ContainerPtr::adopt(hash.get()));
    hash->retain();
    hash = outer;
  }
  CHECK(hash->size() == 1);
}

}  // namespace
}  // namespace mt
