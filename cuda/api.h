/* What the CUDA plug-in offers beside the device interface, as plain C: devices, memory, streams, events, pinned memory, graphs, counters.
 * The symbols are in the plug-in's library, which mt_device_load (torch.loadDevice) opens first. Devices count from 0 here; the engine's
 * names count from 1: device 0 is "cuda:1".
 *
 * Streams, events and graphs are numbers that are looked up: one that is not there, or no more, is an error and nothing worse. What a
 * function tells goes through its last pointers, which are untouched on error. All functions may be called from any thread; the current
 * device and the current streams are each thread's own. Messages count devices from 1. */
#ifndef MOONTORCH_CUDA_API_H
#define MOONTORCH_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define MT_CUDA_API __attribute__((visibility("default")))
#else
#define MT_CUDA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What a call came to: 0 when all went well, else a number of mt_status (moontorch.h), such as 1 for an argument that can't be used, 4 for
 *  no memory, 6 for what the driver says went wrong. */
typedef int32_t mt_cuda_status;

/** What went wrong in this thread's last call here that did not return 0: "function: argument: what came, what was expected". Valid until
 *  the thread's next failing call. */
MT_CUDA_API const char* mt_cuda_error_message(void);

/* ---- devices ---- */

MT_CUDA_API int32_t mt_cuda_is_emulated(void);     /* 1: the devices are the host's emulation */
MT_CUDA_API int32_t mt_cuda_driver_version(void);  /* 13000 is 13.0 */
MT_CUDA_API int32_t mt_cuda_runtime_version(void); /* likewise */
MT_CUDA_API int32_t mt_cuda_device_count(void);

/** The thread's device that is called "cuda". */
MT_CUDA_API int32_t mt_cuda_current_device(void);
MT_CUDA_API mt_cuda_status mt_cuda_set_current_device(int32_t device);

/** Set `size` to sizeof(mt_cuda_properties) before the call; the rest is filled in. */
typedef struct mt_cuda_properties {
  size_t size;
  char name[256];
  int32_t major, minor; /* compute capability */
  int32_t multiprocessors, threads_per_multiprocessor, threads_per_block, warp_size;
  int32_t clock_khz, memory_clock_khz, memory_bus_bits;
  int64_t total_bytes, shared_bytes_per_block, l2_cache_bytes;
} mt_cuda_properties;
MT_CUDA_API mt_cuda_status mt_cuda_device_properties(int32_t device, mt_cuda_properties* out);

/** Waits until all work of a device is done, -1: of all devices. What went wrong in it is told here. */
MT_CUDA_API mt_cuda_status mt_cuda_synchronize(int32_t device);

/** Whether `device` can reach the memory of `peer` directly. */
MT_CUDA_API mt_cuda_status mt_cuda_can_access_peer(int32_t device, int32_t peer, int32_t* out);
/** Whether it does so in copies; it is on where it can be. */
MT_CUDA_API mt_cuda_status mt_cuda_peer_access(int32_t device, int32_t peer, int32_t* out);
MT_CUDA_API mt_cuda_status mt_cuda_set_peer_access(int32_t device, int32_t peer, int32_t on);

/* ---- memory ---- */

/** Of one device, through Moontorch's allocator. Set `size` to sizeof(mt_cuda_memory) before the call; the rest is filled in. */
typedef struct mt_cuda_memory {
  size_t size;
  int64_t allocated_bytes, most_allocated_bytes; /* in use by tensors and intermediate results, as rounded up; most since the last reset */
  int64_t reserved_bytes, most_reserved_bytes;   /* taken from the driver: in use, and kept for later */
  int64_t blocks, most_blocks;                   /* in use */
  int64_t segments;                              /* runs of memory taken from the driver */
  int64_t limit_bytes;                           /* that reserved_bytes may not pass; 0: none */
  int64_t allocations;                           /* since the plug-in was loaded: blocks handed out, */
  int64_t driver_allocations, driver_releases;   /* segments taken and given back, */
  int64_t retries;                               /* times that memory was found after the cache was emptied or Lua had collected, */
  int64_t failures;                              /* times that there was none */
} mt_cuda_memory;
MT_CUDA_API mt_cuda_status mt_cuda_memory_read(int32_t device, mt_cuda_memory* out);
MT_CUDA_API mt_cuda_status mt_cuda_memory_reset_peaks(int32_t device); /* the most are what is now */

/** What the driver has left, and the device's memory. */
MT_CUDA_API mt_cuda_status mt_cuda_memory_info(int32_t device, int64_t* free_bytes, int64_t* total_bytes);

/** Gives memory that is kept for later back to the driver, of a device, -1: of all. */
MT_CUDA_API mt_cuda_status mt_cuda_empty_cache(int32_t device);

/** The most that may be reserved; 0 for no limit. What is reserved already stays. */
MT_CUDA_API mt_cuda_status mt_cuda_set_memory_limit(int32_t device, int64_t bytes);
/** The same as a part of the device's memory, above 0 and at most 1. */
MT_CUDA_API mt_cuda_status mt_cuda_set_memory_fraction(int32_t device, double fraction);

/** Who holds most of a device's memory, by the op that allocated it, as lines of text; cut off at `size` bytes with the final 0.
 *  @param length receives the whole text's length; may be NULL */
MT_CUDA_API mt_cuda_status mt_cuda_memory_holders(int32_t device, char* text, size_t size, size_t* length);

/** Says that work on `stream` uses the memory at `data`, an address in a tensor of a device that was made on another stream: once the
 *  tensor is gone, its memory is not handed out again before what is on the stream by then is done. */
MT_CUDA_API mt_cuda_status mt_cuda_record_use(const void* data, int32_t stream);

/* ---- pinned memory, and copies that do not wait ---- */

/** Host memory that devices reach directly, aligned to 64 bytes or more: for copies beside other work. A CPU tensor over it is made by
 *  mt_tensor_borrow with mt_cuda_host_release and the address itself as its release function and context.
 *  @param out receives the address, to be given back by mt_cuda_host_release */
MT_CUDA_API mt_cuda_status mt_cuda_host_allocate(size_t bytes, void** out);
/** Waits for copies from and to it that are under way. NULL, and what is no such address, is passed over. */
MT_CUDA_API void mt_cuda_host_release(void* memory);
/** 1 where an address is in such memory. */
MT_CUDA_API int32_t mt_cuda_is_pinned(const void* memory);

/** Copies bytes in the order of the device's current stream, and returns at once where the host's memory is pinned: it must then stay as
 *  it is until the stream has come so far. Of other memory they return when it may be used again.
 *  @param to, from the device's address is one of a tensor of `device` */
MT_CUDA_API mt_cuda_status mt_cuda_copy_to_device(int32_t device, void* to, const void* host, size_t bytes);
MT_CUDA_API mt_cuda_status mt_cuda_copy_to_host(int32_t device, void* host, const void* from, size_t bytes);

/* ---- streams ---- */

/** A stream is a number: that of a device's default stream is the device's. Memory that ops allocate belongs to the stream that is current
 *  then; it may be used on another stream after an event (mt_cuda_stream_wait_event), and by mt_cuda_record_use.
 *  @param priority 0, or below it for a stream whose work goes first */
MT_CUDA_API mt_cuda_status mt_cuda_stream_create(int32_t device, int32_t priority, int32_t* out);
/** What is on it is still done. The device's default stream can't be destroyed. */
MT_CUDA_API mt_cuda_status mt_cuda_stream_destroy(int32_t stream);
MT_CUDA_API mt_cuda_status mt_cuda_stream_device(int32_t stream, int32_t* out);
/** The thread's stream on a device, and the one that it is to be on the stream's device from now on. */
MT_CUDA_API mt_cuda_status mt_cuda_current_stream(int32_t device, int32_t* out);
MT_CUDA_API mt_cuda_status mt_cuda_set_current_stream(int32_t stream);
MT_CUDA_API mt_cuda_status mt_cuda_stream_is_done(int32_t stream, int32_t* out);
MT_CUDA_API mt_cuda_status mt_cuda_stream_synchronize(int32_t stream);
/** Work that is put on the stream from now on begins after what the event recorded last; after nothing where it has recorded nothing. */
MT_CUDA_API mt_cuda_status mt_cuda_stream_wait_event(int32_t stream, int32_t event);
/** Work on `stream` from now on begins after all that is on `other` now. */
MT_CUDA_API mt_cuda_status mt_cuda_stream_wait_stream(int32_t stream, int32_t other);
/** The driver's own handle, a cudaStream_t, for other libraries. Of a device's default stream, too, it is not NULL. */
MT_CUDA_API mt_cuda_status mt_cuda_stream_handle(int32_t stream, void** out);

/* ---- events ---- */

/** @param timed 1 for one whose time can be told (mt_cuda_event_elapsed_ms) */
MT_CUDA_API mt_cuda_status mt_cuda_event_create(int32_t device, int32_t timed, int32_t* out);
MT_CUDA_API mt_cuda_status mt_cuda_event_destroy(int32_t event);
/** It happens when all that is on the stream now, of the event's device, is done. */
MT_CUDA_API mt_cuda_status mt_cuda_event_record(int32_t event, int32_t stream);
/** 1, too, where nothing was recorded. */
MT_CUDA_API mt_cuda_status mt_cuda_event_is_done(int32_t event, int32_t* out);
MT_CUDA_API mt_cuda_status mt_cuda_event_synchronize(int32_t event);
/** Milliseconds between two timed events of one device that have happened. */
MT_CUDA_API mt_cuda_status mt_cuda_event_elapsed_ms(int32_t from, int32_t to, double* out);

/* ---- graphs ---- */

/** From here to mt_cuda_graph_end work on the thread's current stream of `device`, and on streams that wait for its events, is noted and
 *  not done. Memory comes from a pool that the graph keeps as long as it lives: results made meanwhile are overwritten by every replay.
 * What waits for the device meanwhile (reading an element, a copy from memory that is not pinned, an op whose result's size depends on
 * elements) is an error.
 *  @param out receives a graph, to be given back by mt_cuda_graph_destroy, also when an error came before its end */
MT_CUDA_API mt_cuda_status mt_cuda_graph_begin(int32_t device, int32_t* out);
MT_CUDA_API mt_cuda_status mt_cuda_graph_end(int32_t graph);
/** Puts the graph's work on the thread's current stream of its device. */
MT_CUDA_API mt_cuda_status mt_cuda_graph_replay(int32_t graph);
/** Its memory is the cache's again as soon as no tensor holds it. A capture that has not ended ends. */
MT_CUDA_API mt_cuda_status mt_cuda_graph_destroy(int32_t graph);
/** 1 while the thread's current stream of the device is being captured. */
MT_CUDA_API mt_cuda_status mt_cuda_is_capturing(int32_t device, int32_t* out);

/* ---- counters ---- */

/** What was asked of all devices since the plug-in was loaded. Set `size` to sizeof(mt_cuda_counters) before the call. */
typedef struct mt_cuda_counters {
  size_t size;
  int64_t launches; /* of kernels and graphs */
  int64_t synchronizations;
  int64_t copies_to_device, copies_to_host, bytes_to_device, bytes_to_host;
  int64_t driver_allocations;
} mt_cuda_counters;
MT_CUDA_API mt_cuda_status mt_cuda_counters_read(mt_cuda_counters* out);

#ifdef __cplusplus
}
#endif

#endif
