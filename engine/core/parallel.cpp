// Threads for the engine's loops come from its own pool, created on first use, or from the host. The OpenMP runtime is loaded for OpenBLAS
// and oneDNN, which depend on it.
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
#include "engine/core/loop_observer.h"
#include "engine/core/processor.h"
#include "engine/core/stay_loaded.h"
#include "engine/core/system_libraries.h"
#include "engine/core/thread_pool.h"

namespace mt {
namespace {

// Spin count of waiting OpenMP threads: about 10 us, enough between regions of one call. The default, 6 ms, makes loops of 1 ms twice as
// slow if another program, or the engine's pool, needs a core.
constexpr const char* spin_count = "500";

struct OpenMp {
  void (*parallel)(void (*fn)(void*), void* data, unsigned threads, unsigned flags) = nullptr;
  void (*set_num_threads)(int) = nullptr;
  int (*get_num_threads)() = nullptr;
  int (*get_max_threads)() = nullptr;
  int (*get_thread_num)() = nullptr;
  int (*pause_resource_all)(int kind) = nullptr;  // null before OpenMP 5
  bool opened_by_us = false;                      // otherwise its workers may belong to the host, which may have bound them to cores
};

thread_local bool inside = false;
thread_local LoopObserver* observer = nullptr;
std::atomic<const OpenMp*> opened{nullptr};
std::atomic<ThreadPool*> made{nullptr};  // never destroyed: its threads wait inside it

// fork(): a child has none of the parent's threads. Before a fork the runtime ends the workers of the forking thread; parent and child
// start new ones on demand. A runtime before OpenMP 5 can't end them and would wait in the child for missing threads: the child is then
// limited to one thread.
bool runtime_survives = false;         // the current fork; used by the forking thread alone
std::atomic<bool> only_thread{false};  // in a child that has no other threads

void before_fork() {
  constexpr int soft = 1;  // keeps settings of the user
  const OpenMp* omp = opened.load(std::memory_order_acquire);
  runtime_survives = !omp || (omp->pause_resource_all != nullptr && omp->pause_resource_all(soft) == 0);
}

// Servers fork one child per core; a program that needs more threads in a child sets their number.
void in_child() {
  made.store(nullptr, std::memory_order_relaxed);  // the pool has no workers in the child, and its locks may be held forever
  if (!runtime_survives) only_thread.store(true, std::memory_order_relaxed);
  parallel_detail::thread_count.store(1, std::memory_order_relaxed);
  parallel_detail::own_count = 0;
  inside = false;
  if (const OpenMp* omp = opened.load(std::memory_order_acquire)) omp->set_num_threads(1);
}

const int watches_forks = pthread_atfork(before_fork, nullptr, in_child);

/// The runtime reads its environment once, when it is loaded. Sets a short spin time for that moment, unless the user has set one.
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

/// The runtime, or null if there is none. The library is never unloaded, because threads wait in its code.
const OpenMp* openmp() {
  static const OpenMp found = find_openmp();
  if (!found.parallel) return nullptr;
  opened.store(&found, std::memory_order_release);
  return &found;
}

void leave_in_region(void* processor) {
  const OpenMp* omp = opened.load(std::memory_order_relaxed);
  if (omp->get_thread_num() != 0) leave_processor(*static_cast<int*>(processor), omp->get_num_threads());
}

/// Whether OpenMP regions in this thread get further threads.
bool starts_threads(const OpenMp& omp) { return !inside && omp.get_max_threads() > 1; }

struct Job {
  parallel_detail::RangeFn fn;
  void* body;
  int64_t n, chunk;
  LoopObserver* observer;
  std::mutex mutex;
  std::exception_ptr error;
};

void run_task(void* data, int task) {
  auto& job = *static_cast<Job*>(data);
  const bool was_inside = std::exchange(inside, true);
  const auto start = job.observer != nullptr ? std::chrono::steady_clock::now() : LoopObserver::Time();
  try {
    const int64_t begin = task * job.chunk;
    if (begin < job.n) job.fn(job.body, begin, std::min(job.n, begin + job.chunk));
  } catch (...) {
    const std::lock_guard lock(job.mutex);
    if (!job.error) job.error = std::current_exception();
  }
  if (job.observer != nullptr) [[unlikely]]
    job.observer->ran(start, std::chrono::steady_clock::now());
  inside = was_inside;
}

/// A job for threads of the host. Each task runs once, however often the host calls it.
struct HostJob {
  Job& job;
  const int tasks;
  std::atomic<bool> claimed[ThreadPool::most_tasks] = {};
  std::atomic<int> done{0};

  static void run(void* self, int32_t task) {
    auto& own = *static_cast<HostJob*>(self);
    if (task < 0 || task >= own.tasks || own.claimed[task].exchange(true)) return;
    run_task(&own.job, task);
    own.done.fetch_add(1, std::memory_order_release);
  }
};

void run_on_host(const ThreadsHook& hook, Job& job, int tasks) {
  HostJob host{job, tasks};
  hook.run(hook.context, tasks, &HostJob::run, &host);
  for (int task = 0; task < tasks; ++task) HostJob::run(&host, task);
  while (host.done.load(std::memory_order_acquire) < tasks) std::this_thread::yield();
}

ThreadPool& pool() {
  if (ThreadPool* const one = made.load(std::memory_order_acquire)) return *one;
  static ForkSafeMutex mutex;
  const std::lock_guard lock(mutex);
  ThreadPool* one = made.load(std::memory_order_relaxed);
  if (!one) {
    stay_loaded();
    made.store(one = new ThreadPool, std::memory_order_release);
  }
  return *one;
}

int threads_of_environment() {
  if (const char* text = getenv("OMP_NUM_THREADS")) {  // may be a list with a number per nesting level: the first one counts
    const long n = std::strtol(text, nullptr, 10);
    if (n >= 1) return static_cast<int>(std::min(n, 1024L));
  }
  return count_processors();
}

}  // namespace

namespace parallel_detail {

int read_default_threads() {
  int expected = 0;
  thread_count.compare_exchange_strong(expected, threads_of_environment(), std::memory_order_relaxed);
  return thread_count.load(std::memory_order_relaxed);
}

void run(int64_t n, int64_t grain, RangeFn fn, void* body) {
  const int64_t least = std::max<int64_t>(grain, 1);
  const int64_t wanted = std::min<int64_t>({num_threads(), ThreadPool::most_tasks, (n + least - 1) / least});
  if (inside || wanted < 2) return fn(body, 0, n);
  int64_t chunk = (n + wanted - 1) / wanted;
  // Long ranges are cut at multiples of a cache line: threads don't share written lines, and vectors stay whole.
  if (chunk >= 4096) chunk = (chunk + 63) / 64 * 64;
  Job job{fn, body, n, chunk, observer, {}, {}};
  const int tasks = static_cast<int>(wanted);
  if (const ThreadsHook* hook = host_threads())
    run_on_host(*hook, job, tasks);
  else
    pool().run({run_task, &job, tasks, sched_getcpu()});
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace parallel_detail

void set_num_threads(int n) {
  parallel_detail::thread_count.store(only_thread.load(std::memory_order_relaxed) ? 1 : std::max(1, n), std::memory_order_relaxed);
}

void set_own_threads(int n) { parallel_detail::own_count = only_thread.load(std::memory_order_relaxed) ? 1 : std::max(1, n); }

bool in_parallel() { return inside; }

OpenMpThreads::OpenMpThreads(int n) {
  if (host_threads() != nullptr) n = 1;  // or the libraries would start their own threads
#if defined(__SANITIZE_ADDRESS__)
  n = 1;  // the leak checker crashes on threads of a runtime that is loaded later than itself
#endif
  const OpenMp* omp = openmp();
  if (!omp) return;
  before_ = omp->get_max_threads();
  if (n != before_) omp->set_num_threads(n);
  if (!starts_threads(*omp)) return;
  ThreadPool::add_guests(1);
  if (!omp->opened_by_us) return;
  int processor = sched_getcpu();
  omp->parallel(leave_in_region, &processor, static_cast<unsigned>(n), 0);
}

OpenMpThreads::~OpenMpThreads() {
  if (before_ == 0) return;
  const OpenMp& omp = *opened.load(std::memory_order_relaxed);
  if (starts_threads(omp)) ThreadPool::add_guests(-1);
  omp.set_num_threads(before_);
}

void set_loop_observer(LoopObserver* one) { observer = one; }

}  // namespace mt
