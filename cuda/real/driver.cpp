// Implements cuda/runtime/driver.h with CUDA's runtime library, which is linked statically and loads the driver.
#include "cuda/runtime/driver.h"

#include <cuda_runtime.h>

#include <array>
#include <mutex>

#include "cuda/real/scopes.h"
#include "cuda/real/status.h"
#include "cuda/runtime/context.h"
#include "cuda/runtime/fork.h"

namespace mt::cuda {

void check(cudaError_t status, std::string_view what) {
  if (status == cudaSuccess) return note_use();
  cudaGetLastError();  // clears the error, unless it is permanent
  refuse_in_child();
  raise(std::string(what) + ": " + cudaGetErrorString(status));
}

namespace driver {
namespace {

cudaStream_t native(Stream stream) { return static_cast<cudaStream_t>(stream.handle); }
cudaEvent_t native(Event event) { return static_cast<cudaEvent_t>(event.handle); }

void refuse_while_capturing(Stream stream, const char* what) {
  if (is_capturing(stream)) raise(std::string(what) + " while the stream is being captured: it would wait for the device");
}

bool is_pageable(const void* host) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, host) != cudaSuccess) {
    cudaGetLastError();
    return true;
  }
  return attributes.type == cudaMemoryTypeUnregistered;
}

Properties read_properties(int device) {
  cudaDeviceProp all{};
  check(cudaGetDeviceProperties(&all, device), "a device's properties");
  const auto attribute = [device](cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device), "a device's attribute");
    return value;
  };
  return {.name = all.name,
          .major = all.major,
          .minor = all.minor,
          .multiprocessors = all.multiProcessorCount,
          .clock_khz = attribute(cudaDevAttrClockRate),
          .memory_clock_khz = attribute(cudaDevAttrMemoryClockRate),
          .memory_bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth),
          .total_memory = all.totalGlobalMem,
          .shared_per_block = static_cast<size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)),
          .l2_cache = static_cast<size_t>(all.l2CacheSize),
          .threads_per_multiprocessor = all.maxThreadsPerMultiProcessor};
}

constexpr int most_known = 64;

}  // namespace

extern const bool is_emulated = false;

std::string missing() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return {};
  cudaGetLastError();
  if (status == cudaErrorInsufficientDriver)
    return "no driver for NVIDIA GPUs is installed, or one that is older than CUDA " + std::to_string(CUDART_VERSION / 1000) + " needs";
  return std::string("there is no NVIDIA GPU that can be used: ") + cudaGetErrorString(status == cudaSuccess ? cudaErrorNoDevice : status);
}

int device_count() {
  int count = 0;
  check(cudaGetDeviceCount(&count), "the number of devices");
  return count;
}

const Properties& properties(int device) {
  static std::array<Properties, most_known> known;
  static std::array<std::once_flag, most_known> read;
  std::call_once(read[static_cast<size_t>(device)], [&] { known[static_cast<size_t>(device)] = read_properties(device); });
  return known[static_cast<size_t>(device)];
}

int driver_version() {
  int version = 0;
  check(cudaDriverGetVersion(&version), "the driver's version");
  return version;
}
int runtime_version() { return CUDART_VERSION; }

void* allocate(int device, size_t bytes) {
  const OnDevice scope(device);
  const InCapture allowed;
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(status, "allocating memory");
  return memory;
}
void release(int device, void* memory) noexcept {
  int before = 0;
  cudaGetDevice(&before);
  cudaSetDevice(device);
  cudaFree(memory);
  cudaSetDevice(before);
}
void memory_info(int device, size_t& free, size_t& total) {
  const OnDevice scope(device);
  check(cudaMemGetInfo(&free, &total), "the memory that is free");
}
void* allocate_pinned(size_t bytes) {
  void* memory = nullptr;
  if (cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) == cudaSuccess) return memory;
  cudaGetLastError();
  return nullptr;
}
void release_pinned(void* memory) noexcept { cudaFreeHost(memory); }

Stream create_stream(int device, int priority) {
  const OnDevice scope(device);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority), "making a stream");
  return {device, stream};
}
void destroy_stream(Stream stream) noexcept { cudaStreamDestroy(native(stream)); }
void synchronize(Stream stream) {
  count(Count::synchronization);
  refuse_while_capturing(stream, "a synchronisation");
  check(cudaStreamSynchronize(native(stream)), "waiting for a stream");
}
void synchronize_device(int device) {
  count(Count::synchronization);
  const OnDevice scope(device);
  check(cudaDeviceSynchronize(), "waiting for a device");
}
bool is_done(Stream stream) {
  const cudaError_t status = cudaStreamQuery(native(stream));
  if (status == cudaErrorNotReady) return false;
  check(status, "asking a stream");
  return true;
}

Event create_event(int device, bool timed) {
  const OnDevice scope(device);
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming), "making an event");
  return {device, event};
}
void destroy_event(Event event) noexcept { cudaEventDestroy(native(event)); }
void record(Event event, Stream stream) { check(cudaEventRecord(native(event), native(stream)), "recording an event"); }
void wait(Stream stream, Event event) { check(cudaStreamWaitEvent(native(stream), native(event), 0), "waiting for an event"); }
void synchronize(Event event) {
  count(Count::synchronization);
  check(cudaEventSynchronize(native(event)), "waiting for an event");
}
bool is_done(Event event) {
  const cudaError_t status = cudaEventQuery(native(event));
  if (status == cudaErrorNotReady) return false;
  check(status, "asking an event");
  return true;
}
double elapsed_ms(Event from, Event to) {
  float ms = 0;
  check(cudaEventElapsedTime(&ms, native(from), native(to)), "the time between events");
  return ms;
}

void copy_to_device(Stream stream, void* to, const void* host, size_t bytes) {
  count(Count::copy_to_device);
  count(Count::bytes_to_device, bytes);
  if (is_capturing(stream) && is_pageable(host)) refuse_while_capturing(stream, "a copy from memory that is not pinned");
  check(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice, native(stream)), "a copy to the device");
}
void copy_to_host(Stream stream, void* host, const void* from, size_t bytes) {
  count(Count::copy_to_host);
  count(Count::bytes_to_host, bytes);
  const bool waits = is_pageable(host);
  if (waits) refuse_while_capturing(stream, "a copy to memory that is not pinned");
  check(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost, native(stream)), "a copy to the host");
  if (waits) synchronize(stream);
}
void copy_within(Stream stream, void* to, const void* from, size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, native(stream)), "a copy on the device");
}
void copy_to_peer(Stream stream, void* to, int to_device, const void* from, size_t bytes) {
  check(cudaMemcpyPeerAsync(to, to_device, from, stream.device, bytes, native(stream)), "a copy to another device");
}
void set_bytes(Stream stream, void* to, int byte, size_t bytes) {
  check(cudaMemsetAsync(to, byte, bytes, native(stream)), "setting bytes");
}
bool can_access_peer(int device, int peer) {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, device, peer), "access between devices");
  return can != 0;
}
void set_peer_access(int device, int peer, bool on) {
  const OnDevice scope(device);
  const cudaError_t status = on ? cudaDeviceEnablePeerAccess(peer, 0) : cudaDeviceDisablePeerAccess(peer);
  if (status == cudaErrorPeerAccessAlreadyEnabled || status == cudaErrorPeerAccessNotEnabled)
    cudaGetLastError();
  else
    check(status, "access between devices");
}

void begin_capture(Stream stream) {
  check(cudaStreamBeginCapture(native(stream), cudaStreamCaptureModeThreadLocal), "beginning to capture");
}
Graph end_capture(Stream stream) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(native(stream), &graph), "ending to capture");
  cudaGraphExec_t runnable = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&runnable, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "making a graph");
  return {stream.device, runnable};
}
bool is_capturing(Stream stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(native(stream), &status), "asking a stream");
  return status != cudaStreamCaptureStatusNone;
}
void replay(Graph graph, Stream stream) {
  count(Count::launch);
  check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph.handle), native(stream)), "replaying a graph");
}
void destroy_graph(Graph graph) noexcept { cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph.handle)); }

}  // namespace driver
}  // namespace mt::cuda
