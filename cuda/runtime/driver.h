// What the plug-in asks of CUDA's driver: devices, memory, streams, events, transfers, graphs. Two files define it: cuda/real/driver.cpp by
// CUDA's runtime library, cuda/emulated/driver.cpp on the host. What goes wrong is raised as an error (context.h).
//
// Work on a stream is done in order, and later: what a call enqueues has happened after synchronize, or for work that comes after it on the
// stream, or after an event that was recorded behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace mt::cuda {

// A stream of a device; the handle is the driver's.
struct Stream {
  int device = 0;  // from 0
  void* handle = nullptr;
  bool operator==(const Stream&) const = default;
};

struct Event {
  int device = 0;
  void* handle = nullptr;
};

// A captured run of work, which can be replayed.
struct Graph {
  int device = 0;
  void* handle = nullptr;
};

struct Properties {
  std::string name;
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  int clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  size_t total_memory = 0, shared_per_block = 0, l2_cache = 0;
  int threads_per_multiprocessor = 0;
};

namespace driver {

extern const bool is_emulated;

std::string missing();  // why there is no device to use; empty when there is one
int device_count();
const Properties& properties(int device);
int driver_version();  // as CUDA counts: 13000 is 13.0
int runtime_version();

void* allocate(int device, size_t bytes);  // aligned to 256 bytes; nullptr when there is no memory left
void release(int device, void* memory) noexcept;
void memory_info(int device, size_t& free, size_t& total);
void* allocate_pinned(size_t bytes);         // host memory for asynchronous copies; nullptr when there is none
void release_pinned(void* memory) noexcept;  // waits for what is under way on all devices

Stream create_stream(int device, int priority = 0);
void destroy_stream(Stream stream) noexcept;
void synchronize(Stream stream);
void synchronize_device(int device);
bool is_done(Stream stream);

Event create_event(int device, bool timed);
void destroy_event(Event event) noexcept;
void record(Event event, Stream stream);
void wait(Stream stream, Event event);  // the stream goes on when what was recorded has happened
void synchronize(Event event);
bool is_done(Event event);
double elapsed_ms(Event from, Event to);

// Bytes in stream order. Host memory that is not pinned is read before the call returns, and has been written when it returns.
void copy_to_device(Stream stream, void* to, const void* host, size_t bytes);
void copy_to_host(Stream stream, void* host, const void* from, size_t bytes);
void copy_within(Stream stream, void* to, const void* from, size_t bytes);                  // may overlap
void copy_to_peer(Stream stream, void* to, int to_device, const void* from, size_t bytes);  // from the stream's device
void set_bytes(Stream stream, void* to, int byte, size_t bytes);
bool can_access_peer(int device, int peer);
void set_peer_access(int device, int peer, bool on);

void begin_capture(Stream stream);
Graph end_capture(Stream stream);
bool is_capturing(Stream stream);
void replay(Graph graph, Stream stream);
void destroy_graph(Graph graph) noexcept;

#if defined(MT_CUDA_EMULATED)
// What the address sanitizer is told in stream order: of `size` bytes the first `used` may be touched.
void set_usable(Stream stream, void* data, size_t used, size_t size);
extern const intptr_t hidden_by;  // the emulated device hides its memory from everybody but kernels and transfers: cuda/emulated/memory.h
#endif

// An address that kernels use, for one that tensors have.
template <class T> T* reachable(T* address) {
#if defined(MT_CUDA_EMULATED)
  if (address == nullptr) return nullptr;
  return reinterpret_cast<T*>(reinterpret_cast<intptr_t>(address) + hidden_by);
#else
  return address;
#endif
}

}  // namespace driver
}  // namespace mt::cuda
