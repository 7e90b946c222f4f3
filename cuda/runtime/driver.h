// The plug-in's interface to the driver: devices, memory, streams, events, transfers, graphs. Two files implement it: cuda/real/driver.cpp
// with CUDA's runtime library, cuda/emulated/driver.cpp on the host. Failures raise errors (context.h).
//
// Work on a stream is asynchronous and in order. The work of a call is complete for later work on the stream, for work that waits for a
// later event, and for the host after synchronize.
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

// Captured work, which can be replayed.
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

std::string missing();  // the reason why no device is usable; empty if one is
int device_count();
const Properties& properties(int device);
int driver_version();  // in CUDA's numbering: 13000 is 13.0
int runtime_version();

void* allocate(int device, size_t bytes);  // aligned to 256 bytes; nullptr on failure
void release(int device, void* memory) noexcept;
void memory_info(int device, size_t& free, size_t& total);
void* allocate_pinned(size_t bytes);         // host memory for asynchronous copies; nullptr on failure
void release_pinned(void* memory) noexcept;  // waits for pending work on all devices

Stream create_stream(int device, int priority = 0);
void destroy_stream(Stream stream) noexcept;
void synchronize(Stream stream);
void synchronize_device(int device);
bool is_done(Stream stream);

Event create_event(int device, bool timed);
void destroy_event(Event event) noexcept;
void record(Event event, Stream stream);
void wait(Stream stream, Event event);  // later work on the stream waits for the event
void synchronize(Event event);
bool is_done(Event event);
double elapsed_ms(Event from, Event to);

// Copies in stream order. Copies of unpinned host memory are complete when the call returns.
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
// Tells the address sanitizer, in stream order, that the first `used` of `size` bytes are accessible.
void set_usable(Stream stream, void* data, size_t used, size_t size);
extern const intptr_t hidden_by;  // offset by which the emulated device hides its memory from the host: cuda/emulated/memory.h
#endif

// Converts the address of a tensor into the one that kernels use.
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
