// Threads: OpenMP's runtime, opened on the first use that needs a second thread, so that start-up does not pay for it and OpenBLAS and
// oneDNN share the pool with us; a plain pool where it is missing.
#include "engine/core/parallel.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "engine/core/environment.h"
#include "engine/core/fork.h"
#include "engine/core/host_hooks.h"
#include "engine/core/system_libraries.h"
#include "engine/core/thread_pool.h"

namespace mt {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool openmp_runs_our_loops = false;
#else
constexpr bool openmp_runs_our_loops = true;
#endif

// How often a waiting thread looks before it sleeps: about 0.1 ms. A loop that meets an awake thread costs 0.7 us, a sleeping one 20-50 us;
// the runtime's own choice, 6 ms, makes loops of 1 ms twice as slow when another program wants a core.
constexpr const char* spin_count = "5000";

struct OpenMp {
  void (*parallel)(void (*fn)(void*), void* data, unsigned threads, unsigned flags) = nullptr;
  void (*set_num_threads)(int) = nullptr;
  int (*get_num_threads)() = nullptr;
  int (*get_max_threads)() = nullptr;
  int (*get_thread_num)() = nullptr;
  int (*pause_resource_all)(int kind) = nullptr;  // null before OpenMP 5
  bool opened_by_us = false;                      // else its workers may be the host's, which may have said where they run
};

thread_local bool inside = false;
std::atomic<const OpenMp*> opened{nullptr};

// fork(): a child has none of the parent's threads. Before it, those that the runtime keeps for the forking thread come to their end, and
// parent and child both get new ones when they want some. Where the runtime can't do that, as of a version before OpenMP 5, it waits in the
// child for threads that are not there: then the child has one thread for good.
bool runtime_survives = false;         // the fork that goes on; written and read by the forking thread
std::atomic<bool> only_thread{false};  // of such a child
std::atomic<int> forks{0};             // between the first process and this one

void before_fork() {
  constexpr int soft = 1;  // what the user has set stays
  const OpenMp* omp = opened.load(std::memory_order_acquire);
  runtime_survives = !omp || (omp->pause_resource_all != nullptr && omp->pause_resource_all(soft) == 0);
}

// A program that wants more than one thread in a child says so: servers fork one child a core.
void in_child() {
  forks.fetch_add(1, std::memory_order_relaxed);
  if (!runtime_survives) only_thread.store(true, std::memory_order_relaxed);
  parallel_detail::thread_count.store(1, std::memory_order_relaxed);
  parallel_detail::own_count = 0;
  inside = false;
  if (const OpenMp* omp = opened.load(std::memory_order_acquire)) omp->set_num_threads(1);
}

const int watches_forks = pthread_atfork(before_fork, nullptr, in_child);

/// The runtime reads its environment once, when it is loaded: a short spin is put there for that moment, unless the user chose otherwise.
void* load_openmp() {
  std::optional<WithVariable> spin;
  if (!getenv("OMP_WAIT_POLICY") && !getenv("GOMP_SPINCOUNT")) spin.emplace("GOMP_SPINCOUNT", spin_count);
  return open_library(system_library("gomp"));
}

OpenMp find_openmp() {
  OpenMp omp;
  void* library = open_library(system_library("gomp"), RTLD_NOW | RTLD_NOLOAD);
  omp.opened_by_us = library == nullptr;
  if (!library) library = load_openmp();
  if (!library) return omp;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  if (!find(omp.parallel, "GOMP_parallel") || !find(omp.set_num_threads, "omp_set_num_threads") ||
      !find(omp.get_num_threads, "omp_get_num_threads") || !find(omp.get_max_threads, "omp_get_max_threads") ||
      !find(omp.get_thread_num, "omp_get_thread_num"))
    return OpenMp{};
  find(omp.pause_resource_all, "omp_pause_resource_all");
  return omp;
}

/// The runtime, or null where there is none. The library stays loaded for good: its threads wait in its code.
const OpenMp* openmp() {
  static const OpenMp found = find_openmp();
  if (!found.parallel) return nullptr;
  opened.store(&found, std::memory_order_release);
  return &found;
}

/// Makes the calling worker leave a processor: that of the thread which woke it. Linux at times has both share it for seconds while another
/// one is idle (a convolution on two cores took 16 ms, not 9). It forbids itself that one for a moment, and stays where this puts it.
void leave(int processor, int threads) {
  if (sched_getcpu() != processor) return;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < threads) return;
  cpu_set_t others = allowed;
  CPU_CLR(processor, &others);
  if (sched_setaffinity(0, sizeof others, &others) == 0) sched_setaffinity(0, sizeof allowed, &allowed);
}

void leave_in_region(void* processor) {
  const OpenMp* omp = opened.load(std::memory_order_relaxed);
  if (omp->get_thread_num() != 0) leave(*static_cast<int*>(processor), omp->get_num_threads());
}

struct Job {
  parallel_detail::RangeFn fn;
  void* body;
  int64_t n, chunk;
  int tasks, processor;  // the caller's
  std::mutex mutex;
  std::exception_ptr error;
};

void run_task(void* data, int task) {
  auto& job = *static_cast<Job*>(data);
  const bool was_inside = std::exchange(inside, true);
  try {
    const int64_t begin = task * job.chunk;
    if (begin < job.n) job.fn(job.body, begin, std::min(job.n, begin + job.chunk));
  } catch (...) {
    const std::lock_guard lock(job.mutex);
    if (!job.error) job.error = std::current_exception();
  }
  inside = was_inside;
}

/// A job that a host's threads run. Each task is claimed once, whoever calls it, however often.
struct HostJob {
  Job& job;
  std::atomic<bool> claimed[1024] = {};
  std::atomic<int> done{0};

  static void run(void* self, int32_t task) {
    auto& own = *static_cast<HostJob*>(self);
    if (task < 0 || task >= own.job.tasks || own.claimed[task].exchange(true)) return;
    run_task(&own.job, task);
    own.done.fetch_add(1, std::memory_order_release);
  }
};

void run_on_host(const ThreadsHook& hook, Job& job) {
  HostJob host{job};
  hook.run(hook.context, job.tasks, &HostJob::run, &host);
  for (int task = 0; task < job.tasks; ++task) HostJob::run(&host, task);
  while (host.done.load(std::memory_order_acquire) < job.tasks) std::this_thread::yield();
}

/// OpenMP may give fewer threads than asked (limits, nested regions of the host): each takes every n-th task.
void openmp_entry(void* data) {
  const OpenMp* omp = opened.load(std::memory_order_relaxed);
  const int threads = omp->get_num_threads(), self = omp->get_thread_num();
  const Job& job = *static_cast<Job*>(data);
  if (self != 0 && omp->opened_by_us) leave(job.processor, threads);
  for (int task = self; task < job.tasks; task += threads) run_task(data, task);
}

/// The process's own: in a child of fork() the parent's has no workers, and a lock may be held for good, so it is left as it is.
class PoolOwner {
 public:
  ~PoolOwner() {
    if (made_after_ == forks.load(std::memory_order_relaxed)) delete pool_;
  }
  ThreadPool& get() {
    const std::lock_guard lock(mutex());
    const int now = forks.load(std::memory_order_relaxed);
    if (std::exchange(made_after_, now) != now) pool_ = new ThreadPool;
    return *pool_;
  }

 private:
  static std::mutex& mutex() {
    static ForkSafeMutex one;
    return one;
  }
  ThreadPool* pool_ = nullptr;
  int made_after_ = -1;  // how many forks
};

ThreadPool& pool() {
  static PoolOwner owner;
  return owner.get();
}

int threads_of_environment() {
  if (const char* text = getenv("OMP_NUM_THREADS")) {  // may be a list, a number a nesting level: the first counts
    const long n = std::strtol(text, nullptr, 10);
    if (n >= 1) return static_cast<int>(std::min(n, 1024L));
  }
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

namespace parallel_detail {

int read_default_threads() {
  int expected = 0;
  thread_count.compare_exchange_strong(expected, threads_of_environment(), std::memory_order_relaxed);
  return thread_count.load(std::memory_order_relaxed);
}

void run(int64_t n, int64_t grain, RangeFn fn, void* body) {
  const int64_t wanted = std::min<int64_t>(num_threads(), (n + std::max<int64_t>(grain, 1) - 1) / std::max<int64_t>(grain, 1));
  if (inside || wanted < 2) return fn(body, 0, n);
  int64_t chunk = (n + wanted - 1) / wanted;
  // Long ranges are cut at multiples of a cache line of bytes: no line is written by two threads, no vector is split.
  if (chunk >= 4096) chunk = (chunk + 63) / 64 * 64;
  Job job{fn, body, n, chunk, static_cast<int>(wanted), sched_getcpu(), {}, {}};
  if (const ThreadsHook* hook = host_threads()) {
    run_on_host(*hook, job);
  } else if (const OpenMp* omp = openmp_runs_our_loops ? openmp() : nullptr) {
    omp->parallel(openmp_entry, &job, static_cast<unsigned>(wanted), 0);
  } else {
    pool().run(job.tasks, run_task, &job);
  }
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace parallel_detail

void set_num_threads(int n) {
  parallel_detail::thread_count.store(only_thread.load(std::memory_order_relaxed) ? 1 : std::max(1, n), std::memory_order_relaxed);
}

void set_own_threads(int n) { parallel_detail::own_count = only_thread.load(std::memory_order_relaxed) ? 1 : std::max(1, n); }

bool in_parallel() { return inside; }

OpenMpThreads::OpenMpThreads(int n) {
  if (host_threads() != nullptr) n = 1;  // the libraries would start threads of their own
#if defined(__SANITIZE_ADDRESS__)
  n = 1;  // the leak checker crashes when it looks into the threads of a runtime that was opened later than itself
#endif
  const OpenMp* omp = openmp();
  if (!omp) return;
  before_ = omp->get_max_threads();
  if (n != before_) omp->set_num_threads(n);
  if (!omp->opened_by_us) return;
  // The libraries' regions run on the same workers, and look after none of them.
  int processor = sched_getcpu();
  if (n > 1 && !inside) omp->parallel(leave_in_region, &processor, static_cast<unsigned>(n), 0);
}

OpenMpThreads::~OpenMpThreads() {
  if (before_ != 0) opened.load(std::memory_order_relaxed)->set_num_threads(before_);
}

}  // namespace mt
