// What the plug-in knows of the engine and of the call in progress.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/device_host.h"

namespace mt::cuda {

DeviceHost& host();
void set_host(DeviceHost& host);

[[noreturn]] void raise(std::string_view message);            // "op: message", of the op that runs
[[noreturn]] void raise_no_memory(std::string_view message);  // as an error of memory

// "op: message" of an op that ran before, found by what runs now.
[[noreturn]] void raise_later(Status status, std::string_view op, std::string_view message);

// The op that this thread runs, from its plan on, and where; empty between ops.
std::string_view current_op();
int current_op_device();
std::string_view set_current_op(std::string_view op);  // gives the one before
class OpScope {
 public:
  OpScope(std::string_view op, int device);
  ~OpScope();
  OpScope(const OpScope&) = delete;

 private:
  std::string_view outer_op_;
  int outer_device_;
};

// What was asked of the devices, of all threads; for tests and profiles.
struct Counters {
  uint64_t launches, synchronizations, copies_to_device, copies_to_host, bytes_to_device, bytes_to_host, allocations;
};
Counters counters();
enum class Count : uint8_t { launch, synchronization, copy_to_device, copy_to_host, bytes_to_device, bytes_to_host, allocation };
void count(Count what, uint64_t amount = 1);

}  // namespace mt::cuda
