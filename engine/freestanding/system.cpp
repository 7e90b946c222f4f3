// Without an operating system the host's hooks give memory, times and seeds, and take the log.
#include "engine/core/system.h"

#include "engine/core/stay_loaded.h"

namespace mt {

void* system_allocate(void*, size_t, size_t) { return nullptr; }
void system_release(void*, void*, size_t) {}
bool system_gives_zeros(size_t) { return false; }
void system_log(LogLevel, const char*) {}
double system_clock(ClockKind) { return 0; }
uint64_t system_seed() { return 0; }
void stay_loaded() {}  // nobody unloads it

}  // namespace mt
