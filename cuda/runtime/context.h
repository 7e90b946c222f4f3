// The plug-in's access to the engine and to the current call.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/device_host.h"

namespace mt::cuda {

DeviceHost& host();
void set_host(DeviceHost& host);

[[noreturn]] void raise(std::string_view message);            // "op: message" with the running op
[[noreturn]] void raise_no_memory(std::string_view message);  // as an error of memory

// "op: message" of an earlier op, whose failure was found now.
[[noreturn]] void raise_later(Status status, std::string_view op, std::string_view message);

// The op that this thread runs, and its device; empty between ops.
std::string_view current_op();
int current_op_device();
std::string_view set_current_op(std::string_view op);  // returns the previous one
class OpScope {
 public:
  OpScope(std::string_view op, int device);
  ~OpScope();
  OpScope(const OpScope&) = delete;

 private:
  std::string_view outer_op_;
  int outer_device_;
};

// Counts of operations on devices in all threads; for tests and profiles.
struct Counters {
  uint64_t launches, synchronizations, copies_to_device, copies_to_host, bytes_to_device, bytes_to_host, allocations;
  uint64_t fused_launches, compiled_kernels, read_kernels, refused_kernels;
};
Counters counters();
enum class Count : uint8_t {
  launch,
  synchronization,
  copy_to_device,
  copy_to_host,
  bytes_to_device,
  bytes_to_host,
  allocation,
  fused_launch,
  compiled_kernel,
  read_kernel,
  refused_kernel
};
void count(Count what, uint64_t amount = 1);

}  // namespace mt::cuda
