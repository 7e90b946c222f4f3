// State of the process or of a thread: threads, memory, generators.
#include <algorithm>

#include "engine/capi/handle.h"
#include "engine/core/device.h"
#include "engine/core/host_hooks.h"
#include "engine/core/interrupt.h"
#include "engine/core/mutex.h"
#include "engine/core/parallel.h"

using mt::fail;
using mt::Status;
using mt::capi::guard;
using mt::capi::take;

namespace mt::capi {
namespace {

// Trivial to destroy: a destructor per thread would pin the library.
struct ThreadGenerators {
  Generators generators{0};
  bool seeded = false;
};
thread_local ThreadGenerators own;

}  // namespace

Generators& thread_generators() {
  if (!own.seeded) own.generators.manual_seed(Generator::random_seed());
  own.seeded = true;
  return own.generators;
}

void seed_thread_generators(uint64_t seed) {
  own.generators.manual_seed(seed);
  own.seeded = true;
}

}  // namespace mt::capi

namespace {

mt_generator* new_generator(const mt::Generator& generator) {
  const mt::Block block = mt::allocate(sizeof(mt_generator));
  return new (block.data) mt_generator{block.size_class, generator};
}

}  // namespace

mt_status mt_generator_create(uint64_t seed, mt_generator** out) {
  return guard([&] {
    take(out, "mt_generator_create", "out");
    *out = new_generator(mt::Generator(seed));
  });
}

mt_status mt_generator_create_philox(uint64_t seed, mt_generator** out) {
  return guard([&] {
    take(out, "mt_generator_create_philox", "out");
    *out = new_generator(mt::Generator(mt::Philox(seed)));
  });
}

void mt_generator_free(mt_generator* generator) {
  if (generator != nullptr) mt::release({generator, generator->size_class});
}

mt_status mt_generator_seed(mt_generator* generator, uint64_t seed) {
  return guard([&] { take(generator, "mt_generator_seed", "generator").generator.manual_seed(seed); });
}

void mt_seed(uint64_t seed) { mt::capi::seed_thread_generators(seed); }

int32_t mt_num_threads() { return mt::num_threads(); }

mt_status mt_set_num_threads(int32_t n) {
  return guard([&] {
    if (n < 1 || n > 1024) fail<Status::range>("mt_set_num_threads", "n", n, ", expected 1..1024");
    mt::set_num_threads(n);
  });
}

int32_t mt_interrupt(int32_t asked) { return mt::ask_interrupt(std::clamp(asked, 0, 2)); }

mt_status mt_memory_read(mt_memory* out) {
  return guard([&] {
    if (take(out, "mt_memory_read", "out").size < sizeof(mt_memory)) {
      fail("mt_memory_read", "size", out->size, ", expected ", sizeof(mt_memory));
    }
    const mt::MemoryStats stats = mt::memory_stats();
    out->live_bytes = stats.live_bytes;
    out->live_blocks = stats.live_blocks;
    out->cached_bytes = stats.cached_bytes;
  });
}

void mt_memory_trim() { mt::trim_devices(); }

namespace {

// Sets a hook, which `make` checks and converts; NULL restores the library's default.
template <class Hook, class Asked>
mt_status set_hook(const char* name, const Asked* asked, void (*set)(const Hook*), Hook (*make)(const Asked&)) {
  return guard([&] {
    if (asked == nullptr) return set(nullptr);
    if (asked->size < sizeof(Asked)) fail(name, "size", asked->size, ", expected ", sizeof(Asked));
    const Hook hook = make(*asked);
    set(&hook);
  });
}

void check_function(bool is_there, const char* name, const char* argument) {
  if (!is_there) fail(name, argument, "NULL, expected a function");
}

}  // namespace

mt_status mt_set_log(const mt_log* log) {
  return set_hook<mt::LogHook, mt_log>("mt_set_log", log, mt::set_log, [](const mt_log& asked) {
    check_function(asked.write != nullptr, "mt_set_log", "write");
    return mt::LogHook{asked.write, asked.context};
  });
}

mt_status mt_set_threads(const mt_threads* threads) {
  return set_hook<mt::ThreadsHook, mt_threads>("mt_set_threads", threads, mt::set_host_threads, [](const mt_threads& asked) {
    if (!mt::has_threads) fail<Status::unsupported>("mt_set_threads", "threads", "not in this build (MT_FREESTANDING)");
    check_function(asked.run != nullptr, "mt_set_threads", "run");
    return mt::ThreadsHook{asked.run, asked.context};
  });
}

mt_status mt_set_clock(const mt_clock* clock) {
  return set_hook<mt::ClockHook, mt_clock>("mt_set_clock", clock, mt::set_clock, [](const mt_clock& asked) {
    check_function(asked.seconds != nullptr, "mt_set_clock", "seconds");
    return mt::ClockHook{asked.seconds, asked.seed, asked.context};
  });
}

mt_status mt_set_allocator(const mt_allocator* allocator) {
  return guard([&] {
    if (allocator == nullptr) return mt::set_allocator(nullptr);
    constexpr const char* name = "mt_set_allocator";
    if (allocator->size < sizeof(mt_allocator)) fail(name, "size", allocator->size, ", expected ", sizeof(mt_allocator));
    if (allocator->allocate == nullptr || allocator->release == nullptr) fail(name, "allocator", "a function is NULL");
    const mt::AllocatorHooks hooks{allocator->allocate, allocator->release, allocator->context};
    mt::set_allocator(&hooks);
  });
}

void mt_fail_allocations_after(int64_t n) { mt::fail_allocations_after(n); }
