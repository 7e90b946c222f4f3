// What the engine takes from the operating system where the host has set no hook for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/host_hooks.h"

namespace mt {

constexpr size_t huge_page = size_t{2} << 20;

// The machine's memory. Systems that overcommit would kill the process when it touches memory beyond it.
size_t physical_bytes();

// Functions of AllocatorHooks. Memory that is aligned to huge pages consists of them where the system has them, and holds zeros if the
// function below says so.
void* system_allocate(void* context, size_t bytes, size_t align);
void system_release(void* context, void* data, size_t bytes);

// Whether the system's blocks of this alignment hold zeros.
bool system_gives_zeros(size_t align);

void system_log(LogLevel level, const char* text);
double system_clock(ClockKind kind);  // seconds
uint64_t system_seed();               // another number in each call; 0 in a build without a system

}  // namespace mt
