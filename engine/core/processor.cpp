#include "engine/core/processor.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "engine/core/descriptor.h"

namespace mt {

int count_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// proc_loadavg(5): the fourth field has the number of runnable threads, including this one, and that of all threads.
bool processors_are_busy() {
  const Descriptor file(open("/proc/loadavg", O_RDONLY | O_CLOEXEC));
  char text[128] = "";
  if (!file || read(file.get(), text, sizeof text - 1) <= 0) return false;
  long running = 0;
  if (std::sscanf(text, "%*f %*f %*f %ld/", &running) != 1) return false;
  return running > sysconf(_SC_NPROCESSORS_ONLN);
}

// Linux sometimes keeps both on one processor for seconds while another is idle (a convolution on two cores took 16 ms, not 9). The
// worker excludes that processor from its mask for a moment, and then stays where the system moved it.
void leave_processor(int processor, int threads) {
  if (sched_getcpu() != processor) return;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < threads) return;
  cpu_set_t others = allowed;
  CPU_CLR(processor, &others);
  if (sched_setaffinity(0, sizeof others, &others) == 0) sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace mt
