#include "cuda/runtime/context.h"

#include <atomic>
#include <cstdlib>
#include <utility>

namespace mt::cuda {
namespace {

DeviceHost* engine = nullptr;
thread_local std::string_view running;
thread_local int running_on = 0;
std::atomic<uint64_t> counts[11];

std::string named(std::string_view message) {
  std::string text(running.empty() ? std::string_view("cuda") : running);
  return text.append(": ").append(message);
}

uint64_t read(Count what) { return counts[static_cast<int>(what)].load(std::memory_order_relaxed); }

}  // namespace

DeviceHost& host() { return *engine; }
void set_host(DeviceHost& host) { engine = &host; }

void raise(std::string_view message) {
  engine->fail(Status::internal, named(message));
  std::abort();  // fail does not return
}
void raise_no_memory(std::string_view message) {
  engine->fail(Status::memory, named(message));
  std::abort();
}

void raise_later(Status status, std::string_view op, std::string_view message) {
  std::string text(op.empty() ? std::string_view("cuda") : op);
  text.append(": ").append(message).append(" (found later");
  if (!running.empty()) text.append(", by ").append(running);
  engine->fail(status, text.append("; MOONTORCH_CUDA_SYNC=1 finds it at once)"));
  std::abort();
}

std::string_view current_op() { return running; }
std::string_view set_current_op(std::string_view op) { return std::exchange(running, op); }
int current_op_device() { return running_on; }
OpScope::OpScope(std::string_view op, int device) : outer_op_(running), outer_device_(running_on) {
  running = op;
  running_on = device;
}
OpScope::~OpScope() {
  running = outer_op_;
  running_on = outer_device_;
}

void count(Count what, uint64_t amount) { counts[static_cast<int>(what)].fetch_add(amount, std::memory_order_relaxed); }
Counters counters() {
  return {read(Count::launch),          read(Count::synchronization), read(Count::copy_to_device), read(Count::copy_to_host),
          read(Count::bytes_to_device), read(Count::bytes_to_host),   read(Count::allocation),     read(Count::fused_launch),
          read(Count::compiled_kernel), read(Count::read_kernel),     read(Count::refused_kernel)};
}

}  // namespace mt::cuda
