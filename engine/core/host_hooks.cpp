#include "engine/core/host_hooks.h"

#include "engine/core/system.h"

namespace mt {
namespace {

// Constant-initialised: the library has no static objects with constructors.
constinit std::optional<LogHook> log_hook;
constinit std::optional<ClockHook> clock_hook;
constinit std::optional<ThreadsHook> threads_hook;

template <class Hook> void set(std::optional<Hook>& place, const Hook* hook) {
  place = hook != nullptr ? std::optional(*hook) : std::nullopt;
}

}  // namespace

void set_log(const LogHook* hook) { set(log_hook, hook); }
void set_clock(const ClockHook* hook) { set(clock_hook, hook); }
void set_host_threads(const ThreadsHook* hook) { set(threads_hook, hook); }
const ThreadsHook* host_threads() { return threads_hook ? &*threads_hook : nullptr; }

void log(LogLevel level, const char* text) {
  if (log_hook) return log_hook->write(log_hook->context, static_cast<int32_t>(level), text);
  system_log(level, text);
}

double read_clock(ClockKind kind) {
  if (clock_hook) return clock_hook->seconds(clock_hook->context, static_cast<int32_t>(kind));
  return system_clock(kind);
}

std::optional<uint64_t> host_seed() {
  if (!clock_hook || clock_hook->seed == nullptr) return std::nullopt;
  return clock_hook->seed(clock_hook->context);
}

}  // namespace mt
