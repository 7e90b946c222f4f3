// The emulated grid reports undefined behaviour of kernels, and nothing else.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cuda/emulated/block.h"
#include "cuda/grid.h"

using namespace mt::cuda;

namespace {

// Returns the error of a kernel, in several orders of blocks and threads.
template <class K> std::string problem(const K& kernel, int64_t blocks, int threads, size_t shared_bytes) {
  emulated::Block block;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const emulated::Launch launch{
        "kernel", [](const void* own, Thread& t) { (*static_cast<const K*>(own))(t); }, &kernel, blocks, threads, shared_bytes};
    if (std::string failure = block.run(launch, seed * 0x9e3779b97f4a7c15); !failure.empty()) return failure;
  }
  return "";
}

bool tells(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// Each thread passes its number to the last one; `barrier` between writing and reading.
struct Reversed {
  int* out;
  bool barrier;
  void operator()(Thread& t) const {
    const Shared<int> all = t.shared<int>(t.threads());
    all.set(t.index(), t.index());
    if (barrier) t.barrier();
    out[t.index()] = all.get(t.threads() - 1 - t.index());
  }
};

struct Summed {
  int* out;
  void operator()(Thread& t) const {
    const int sum = block_reduce(
        t, t.index(), 0, [](int a, int b) { return a + b; }, t.shared<int>(warp_size));
    if (t.index() == 0) out[t.block()] = sum;
  }
};

struct OverwrittenByAll {
  void operator()(Thread& t) const { t.shared<int>(1).set(0, t.index()); }
};

struct WrittenAfterRead {
  void operator()(Thread& t) const {
    const Shared<int> all = t.shared<int>(t.threads());
    all.set(t.index(), 1);
    t.barrier();
    const int other = all.get((t.index() + 1) % t.threads());
    all.set(t.index(), other);
  }
};

struct NeverWritten {
  int* out;
  void operator()(Thread& t) const { out[t.index()] = t.shared<int>(t.threads()).get(t.index()); }
};

struct HalfAtBarrier {
  void operator()(Thread& t) const {
    if (t.index() < t.threads() / 2) t.barrier();
  }
};

struct HalfOfWarp {
  void operator()(Thread& t) const {
    if (t.lane() < warp_size / 2) t.any(true);
  }
};

struct DifferentCollectives {
  void operator()(Thread& t) const {
    if (t.lane() == 0)
      t.shuffle(int64_t{1}, 0);
    else
      t.shuffle(int32_t{1}, 0);
  }
};

struct OutsideArray {
  void operator()(Thread& t) const { t.shared<int>(t.threads()).set(t.index() + 1, 0); }
};

struct WithinWarp {
  bool barrier;
  void operator()(Thread& t) const {
    const Shared<int> all = t.shared<int>(t.threads());
    all.set(t.index(), 1);
    if (barrier) t.warp_barrier();
    all.get(t.index() ^ 1);
  }
};

struct Counted {
  void operator()(Thread& t) const {
    const Shared<int> count = t.shared<int>(1);
    if (t.index() == 0) count.set(0, 0);
    t.barrier();
    count.add(0, 1);
    t.barrier();
    count.get(0);
  }
};

}  // namespace

TEST_CASE("an emulated block's threads meet at barriers") {
  std::vector<int> out(64);
  CHECK(problem(Reversed{out.data(), true}, 1, 64, 64 * sizeof(int)).empty());
  for (int i = 0; i < 64; ++i) CHECK(out[static_cast<size_t>(i)] == 63 - i);
}

TEST_CASE("a reduction of a block is the same in each block") {
  std::vector<int> out(5);
  CHECK(problem(Summed{out.data()}, 5, 256, warp_size * sizeof(int)).empty());
  for (const int sum : out) CHECK(sum == 255 * 256 / 2);
}

TEST_CASE("a read beside another thread's write is a race") {
  std::vector<int> out(64);
  const std::string text = problem(Reversed{out.data(), false}, 1, 64, 64 * sizeof(int));
  CHECK((tells(text, "a race in shared memory") || tells(text, "that no thread wrote")));
}

TEST_CASE("two threads' writes are a race") {
  CHECK(tells(problem(OverwrittenByAll(), 1, 32, sizeof(int)), "a race in shared memory: two threads' writes"));
}

TEST_CASE("a write beside another thread's read is a race") {
  CHECK(tells(problem(WrittenAfterRead(), 1, 64, 64 * sizeof(int)), "a race in shared memory"));
}

TEST_CASE("shared memory that no thread wrote is not read") {
  std::vector<int> out(32);
  CHECK(tells(problem(NeverWritten{out.data()}, 1, 32, 32 * sizeof(int)), "a read of shared memory that no thread wrote"));
}

TEST_CASE("a barrier that some threads don't come to is reported") {
  CHECK(tells(problem(HalfAtBarrier(), 1, 64, 0), "32 threads wait at a barrier that the others don't come to"));
}

TEST_CASE("a collective that some lanes don't come to is reported") {
  CHECK(tells(problem(HalfOfWarp(), 1, 32, 0), "lanes of a warp wait for others that don't come"));
}

TEST_CASE("lanes that meet in different collectives are reported") {
  CHECK(tells(problem(DifferentCollectives(), 1, 32, 0), "lanes of a warp meet in different collectives"));
}

TEST_CASE("an access outside an array of shared memory is reported") {
  CHECK(tells(problem(OutsideArray(), 1, 32, 64 * sizeof(int)), "an access to shared memory outside an array"));
}

TEST_CASE("more shared memory than the launch asked for is reported") {
  CHECK(tells(problem(OutsideArray(), 1, 32, 16), "more shared memory than the launch asked for"));
}

TEST_CASE("a launch of a size that no GPU takes is reported") {
  CHECK(tells(problem(HalfAtBarrier(), 1, 31, 0), "a launch of 1 blocks of 31 threads"));
  CHECK(tells(problem(HalfAtBarrier(), 1, 2048, 0), "a launch of 1 blocks of 2048 threads"));
}

TEST_CASE("a warp's barrier orders its own lanes") {
  CHECK(problem(WithinWarp{true}, 1, 64, 64 * sizeof(int)).empty());
  CHECK(!problem(WithinWarp{false}, 1, 64, 64 * sizeof(int)).empty());
}

TEST_CASE("atomics on shared memory do not race with each other") { CHECK(problem(Counted(), 3, 128, sizeof(int)).empty()); }
