// Hooks by which a host replaces functions of the library: logging, clocks, seeds, threads. Set them before anything else runs.
#pragma once

#include <cstdint>
#include <optional>

namespace mt {

enum class LogLevel : int32_t { warning = 1, error = 2 };

struct LogHook {
  void (*write)(void* context, int32_t level, const char* text);
  void* context;
};
void set_log(const LogHook* hook);  // nullptr: stderr
void log(LogLevel level, const char* text);

enum class ClockKind : int32_t { wall = 0, monotonic = 1 };

struct ClockHook {
  double (*seconds)(void* context, int32_t which);
  uint64_t (*seed)(void* context);
  void* context;
};
void set_clock(const ClockHook* hook);  // nullptr: the system's
double read_clock(ClockKind kind);      // seconds
std::optional<uint64_t> host_seed();    // empty if the host has no hook

struct ThreadsHook {
  void (*run)(void* context, int32_t count, void (*task)(void* job, int32_t i), void* job);
  void* context;
};
void set_host_threads(const ThreadsHook* hook);  // nullptr: the engine's
const ThreadsHook* host_threads();

}  // namespace mt
