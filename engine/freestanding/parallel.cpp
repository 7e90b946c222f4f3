// Loops without threads: the caller runs them alone.
#include "engine/core/parallel.h"

#include "engine/core/loop_observer.h"

namespace mt {
namespace parallel_detail {

int read_default_threads() { return 1; }

void run(int64_t n, int64_t, RangeFn fn, void* body) { fn(body, 0, n); }

}  // namespace parallel_detail

void set_num_threads(int) {}
void set_own_threads(int) {}
bool in_parallel() { return false; }
OpenMpThreads::OpenMpThreads(int) {}
OpenMpThreads::~OpenMpThreads() {}
void set_loop_observer(LoopObserver*) {}

}  // namespace mt
