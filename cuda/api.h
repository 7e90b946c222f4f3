/* The C interface of the CUDA plug-in beyond the device interface: devices, memory, streams, events, pinned memory, graphs, counters.
 * The plug-in's library exports it; load the library by mt_device_load (torch.loadDevice) first. Devices count from 0 here, and from 1 in
 * the engine's names: device 0 is "cuda:1".
 *
 * Streams, events and graphs are numbers. An invalid number, also that of a destroyed object, is an error without further harm. Functions
 * store results through their last pointers, which are unchanged on error. All functions may be called from any thread; each thread has its
 * own current device and current streams. Messages count devices from 1. */
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

/** The outcome of a call: 0 on success, else a number of mt_status (moontorch.h), such as 1 for an invalid argument, 4 for out of memory, 6
 *  for an error of the driver. */
typedef int32_t mt_cuda_status;

/** The message of this thread's last failed call of this interface: "function: argument: actual, expected ...". Valid until the thread's
 * next failure. */
MT_CUDA_API const char* mt_cuda_error_message(void);

/* ---- devices ---- */

MT_CUDA_API int32_t mt_cuda_is_emulated(void);     /* 1: the devices are emulated on the host */
MT_CUDA_API int32_t mt_cuda_driver_version(void);  /* 13000 is 13.0 */
MT_CUDA_API int32_t mt_cuda_runtime_version(void); /* as well */
MT_CUDA_API int32_t mt_cuda_device_count(void);

/** The current device of the thread, with the name "cuda". */
MT_CUDA_API int32_t mt_cuda_current_device(void);
MT_CUDA_API mt_cuda_status mt_cuda_set_current_device(int32_t device);

/** Set `size` to sizeof(mt_cuda_properties) before the call, which fills in the other fields. */
typedef struct mt_cuda_properties {
  size_t size;
  char name[256];
  int32_t major, minor; /* compute capability */
  int32_t multiprocessors, threads_per_multiprocessor, threads_per_block, warp_size;
  int32_t clock_khz, memory_clock_khz, memory_bus_bits;
  int64_t total_bytes, shared_bytes_per_block, l2_cache_bytes;
  char id[40]; /* the same in all processes, and different for all devices */
} mt_cuda_properties;
MT_CUDA_API mt_cuda_status mt_cuda_device_properties(int32_t device, mt_cuda_properties* out);

/** Waits until all work of a device is done (-1: of all devices). Returns an error of that work. */
MT_CUDA_API mt_cuda_status mt_cuda_synchronize(int32_t device);

/** Whether `device` can access the memory of `peer` directly. */
MT_CUDA_API mt_cuda_status mt_cuda_can_access_peer(int32_t device, int32_t peer, int32_t* out);
/** Whether copies use direct access; by default they do if possible. */
MT_CUDA_API mt_cuda_status mt_cuda_peer_access(int32_t device, int32_t peer, int32_t* out);
MT_CUDA_API mt_cuda_status mt_cuda_set_peer_access(int32_t device, int32_t peer, int32_t on);

/* ---- memory ---- */

/** Statistics of Moontorch's allocator for one device. Set `size` to sizeof(mt_cuda_memory) before the call, which fills in the other
 * fields. */
typedef struct mt_cuda_memory {
  size_t size;
  int64_t allocated_bytes, most_allocated_bytes; /* in use, rounded up; maximum since the last reset */
  int64_t reserved_bytes, most_reserved_bytes;   /* allocated from the driver: in use or cached */
  int64_t blocks, most_blocks;                   /* number of blocks in use */
  int64_t segments;                              /* number of driver allocations that are held */
  int64_t limit_bytes;                           /* limit of reserved_bytes; 0: none */
  int64_t allocations;                           /* since the plug-in was loaded: allocated blocks, */
  int64_t driver_allocations, driver_releases;   /* segments allocated from and returned to the driver, */
  int64_t retries;                               /* allocations that succeeded after emptying the cache or a collection in Lua, */
  int64_t failures;                              /* failed allocations */
} mt_cuda_memory;
MT_CUDA_API mt_cuda_status mt_cuda_memory_read(int32_t device, mt_cuda_memory* out);
MT_CUDA_API mt_cuda_status mt_cuda_memory_reset_peaks(int32_t device); /* sets the maxima to the current values */

/** The free memory of the driver, and the memory of the device, in bytes. */
MT_CUDA_API mt_cuda_status mt_cuda_memory_info(int32_t device, int64_t* free_bytes, int64_t* total_bytes);

/** Returns cached memory of a device (-1: of all devices) to the driver. */
MT_CUDA_API mt_cuda_status mt_cuda_empty_cache(int32_t device);

/** Sets the limit of reserved bytes; 0: no limit. Reserved memory stays. */
MT_CUDA_API mt_cuda_status mt_cuda_set_memory_limit(int32_t device, int64_t bytes);
/** The same as a fraction of the device's memory, above 0 and at most 1. */
MT_CUDA_API mt_cuda_status mt_cuda_set_memory_fraction(int32_t device, double fraction);

/** Lines of text with the ops that allocated most of the device's used memory, truncated to `size` bytes including the final 0.
 *  @param length receives the length of the whole text; may be NULL */
MT_CUDA_API mt_cuda_status mt_cuda_memory_holders(int32_t device, char* text, size_t size, size_t* length);

/** Announces that work on `stream` uses the memory at `data`, an address in a device tensor that was created on another stream. After the
 *  tensor is freed, its memory is reused only when all work that is then on the stream is done. */
MT_CUDA_API mt_cuda_status mt_cuda_record_use(const void* data, int32_t stream);

/* ---- pinned memory and asynchronous copies ---- */

/** Pinned host memory, aligned to at least 64 bytes, for copies that overlap other work. mt_tensor_borrow makes a CPU tensor over it, with
 *  mt_cuda_host_release as its release function and the address as its context.
 *  @param out receives the address; release it by mt_cuda_host_release */
MT_CUDA_API mt_cuda_status mt_cuda_host_allocate(size_t bytes, void** out);
/** Releases pinned memory after pending copies from and to it. Ignores NULL and other addresses. */
MT_CUDA_API void mt_cuda_host_release(void* memory);
/** 1 if an address is in pinned memory. */
MT_CUDA_API int32_t mt_cuda_is_pinned(const void* memory);

/** Copies bytes in the order of the device's current stream. With pinned host memory they return at once, and the memory must stay
 * unchanged until the stream has done the copy. With other memory they return when it can be reused.
 *  @param to, from the device address must be in a tensor of `device` */
MT_CUDA_API mt_cuda_status mt_cuda_copy_to_device(int32_t device, void* to, const void* host, size_t bytes);
MT_CUDA_API mt_cuda_status mt_cuda_copy_to_host(int32_t device, void* host, const void* from, size_t bytes);

/* ---- streams ---- */

/** Streams are numbers; the default stream of a device has the device's number. Memory that an op allocates belongs to the current stream.
 * For use on another stream, order the streams by an event (mt_cuda_stream_wait_event) and call mt_cuda_record_use.
 *  @param priority 0, or negative for work with priority */
MT_CUDA_API mt_cuda_status mt_cuda_stream_create(int32_t device, int32_t priority, int32_t* out);
/** Destroys a stream; its pending work is still done. Default streams can't be destroyed. */
MT_CUDA_API mt_cuda_status mt_cuda_stream_destroy(int32_t stream);
MT_CUDA_API mt_cuda_status mt_cuda_stream_device(int32_t stream, int32_t* out);
/** Gets the thread's current stream on a device, and sets the one on the stream's device. */
MT_CUDA_API mt_cuda_status mt_cuda_current_stream(int32_t device, int32_t* out);
MT_CUDA_API mt_cuda_status mt_cuda_set_current_stream(int32_t stream);
MT_CUDA_API mt_cuda_status mt_cuda_stream_is_done(int32_t stream, int32_t* out);
MT_CUDA_API mt_cuda_status mt_cuda_stream_synchronize(int32_t stream);
/** Makes later work on the stream wait for the last recording of the event, if there is one. */
MT_CUDA_API mt_cuda_status mt_cuda_stream_wait_event(int32_t stream, int32_t event);
/** Makes later work on `stream` wait for all present work on `other`. */
MT_CUDA_API mt_cuda_status mt_cuda_stream_wait_stream(int32_t stream, int32_t other);
/** The driver's handle, a cudaStream_t, for other libraries. It is not NULL, not even for default streams. */
MT_CUDA_API mt_cuda_status mt_cuda_stream_handle(int32_t stream, void** out);

/* ---- events ---- */

/** @param timed 1 for an event with time (mt_cuda_event_elapsed_ms) */
MT_CUDA_API mt_cuda_status mt_cuda_event_create(int32_t device, int32_t timed, int32_t* out);
MT_CUDA_API mt_cuda_status mt_cuda_event_destroy(int32_t event);
/** Records an event on a stream of its device: it happens when all present work on the stream is done. */
MT_CUDA_API mt_cuda_status mt_cuda_event_record(int32_t event, int32_t stream);
/** Whether the event has happened; 1 also if it was never recorded. */
MT_CUDA_API mt_cuda_status mt_cuda_event_is_done(int32_t event, int32_t* out);
MT_CUDA_API mt_cuda_status mt_cuda_event_synchronize(int32_t event);
/** Milliseconds between two timed events of one device, both of which must have happened. */
MT_CUDA_API mt_cuda_status mt_cuda_event_elapsed_ms(int32_t from, int32_t to, double* out);

/* ---- graphs ---- */

/** Begins a capture. Until mt_cuda_graph_end, work on the thread's current stream of `device`, and on streams that wait for its events, is
 *  recorded instead of executed. Memory comes from a pool of the graph; every replay overwrites results that were created during the
 * capture. Operations that wait for the device (reading an element, a copy from memory that is not pinned, an op whose result's size
 * depends on elements) are errors meanwhile.
 *  @param out receives a graph; release it by mt_cuda_graph_destroy, also after an error during the capture */
MT_CUDA_API mt_cuda_status mt_cuda_graph_begin(int32_t device, int32_t* out);
MT_CUDA_API mt_cuda_status mt_cuda_graph_end(int32_t graph);
/** Enqueues the graph's work on the thread's current stream of its device. */
MT_CUDA_API mt_cuda_status mt_cuda_graph_replay(int32_t graph);
/** Destroys a graph, and ends its capture if necessary. Its memory returns to the cache when no tensor uses it any more. */
MT_CUDA_API mt_cuda_status mt_cuda_graph_destroy(int32_t graph);
/** 1 during a capture of the thread's current stream of the device. */
MT_CUDA_API mt_cuda_status mt_cuda_is_capturing(int32_t device, int32_t* out);

/* ---- transfers between GPUs, by NCCL ---- */

#define MT_CUDA_UNIQUE_ID_BYTES 128

/** The version of NCCL, in its numbering (22809 is 2.28.9). An error names the package if NCCL is missing. */
MT_CUDA_API mt_cuda_status mt_cuda_nccl_version(int32_t* out);
/** 1 if NCCL adds elements of a dtype (a number of mt_dtype); it moves those of all. */
MT_CUDA_API mt_cuda_status mt_cuda_nccl_reduces(int32_t dtype, int32_t* out);
/** Writes an id of MT_CUDA_UNIQUE_ID_BYTES bytes, which one rank makes and sends to the others. */
MT_CUDA_API mt_cuda_status mt_cuda_unique_id(void* id);

/** Communicators are numbers: a rank's membership, with a device that no other rank has. Ranks count from 0. Each waits for all others,
 * which call it with the same id. Waits that last can be ended by the end of the process alone. */
MT_CUDA_API mt_cuda_status mt_cuda_communicator_create(int32_t device, int32_t ranks, const void* id, int32_t rank, int32_t* out);
/** All ranks at once, in one process.
 *  @param out receives `count` numbers */
MT_CUDA_API mt_cuda_status mt_cuda_communicators_create(const int32_t* devices, int32_t count, int32_t* out);
/** Waits for the communicator's work. */
MT_CUDA_API mt_cuda_status mt_cuda_communicator_destroy(int32_t communicator);
/** Ends the communicator's work, which may wait for a rank that has failed; it can't be used afterwards. */
MT_CUDA_API mt_cuda_status mt_cuda_communicator_abort(int32_t communicator);
/** An error of work that has begun, if there is one. */
MT_CUDA_API mt_cuda_status mt_cuda_communicator_check(int32_t communicator);

/** A call of all ranks, which must be the same on each. `kind`: 1 broadcast, 2 all-reduce, 3 reduce, 4 gather, 5 scatter, 6 all-gather,
 *  7 reduce-scatter, 8 all-to-all, 9 send, 10 receive. Where one side has the tensors of all ranks, they follow one another.
 *  `reduction`: 0 sum, 1 product, 2 min, 3 max, 4 mean (of floats). Booleans: "or" for sum, "and" for product. */
typedef struct mt_cuda_collective {
  size_t size; /* sizeof(mt_cuda_collective) */
  int32_t kind, dtype, reduction;
  int32_t peer;  /* the root, or the other end of a message */
  int64_t count; /* elements: of the tensor, or of the part of it that belongs to one rank */
  const void* input;
  void* output; /* both on the communicator's device; may be the same; NULL where this rank has none */
} mt_cuda_collective;

/** Enqueues a call of each of `count` communicators on a stream of its device, and runs them together. */
MT_CUDA_API mt_cuda_status mt_cuda_collectives_run(int32_t count, const int32_t* communicators, const int32_t* streams,
                                                   const mt_cuda_collective* calls);

/** Work is a call that another thread begins, as a number: on `stream`, after the present work of this thread's current stream. The memory
 *  of its tensors is reused only after that work. */
MT_CUDA_API mt_cuda_status mt_cuda_work_create(int32_t communicator, int32_t stream, const mt_cuda_collective* call, int32_t* out);
MT_CUDA_API mt_cuda_status mt_cuda_work_begin(int32_t work);
/** Makes later work on this thread's current stream of the device wait for it, or waits for it. Both are errors before it has begun. */
MT_CUDA_API mt_cuda_status mt_cuda_work_await(int32_t work);
MT_CUDA_API mt_cuda_status mt_cuda_work_is_done(int32_t work, int32_t* out);
MT_CUDA_API mt_cuda_status mt_cuda_work_destroy(int32_t work);

/* ---- counters ---- */

/** Counts of operations on all devices since the plug-in was loaded. Set `size` to sizeof(mt_cuda_counters) before the call. */
typedef struct mt_cuda_counters {
  size_t size;
  int64_t launches; /* of kernels and graphs */
  int64_t synchronizations;
  int64_t copies_to_device, copies_to_host, bytes_to_device, bytes_to_host;
  int64_t driver_allocations;
  int64_t fused_launches;                                  /* of kernels of fused steps, which `launches` counts as well */
  int64_t compiled_kernels, read_kernels, refused_kernels; /* of fused steps: compiled; read from files; refused by the compiler */
} mt_cuda_counters;
MT_CUDA_API mt_cuda_status mt_cuda_counters_read(mt_cuda_counters* out);

/** What the compiler said about the last source of a fused step that it refused, truncated to `size` bytes including the final 0; empty if
 *  it refused none.
 *  @param length receives the length of the whole text; may be NULL */
MT_CUDA_API mt_cuda_status mt_cuda_compiler_log(char* text, size_t size, size_t* length);

#ifdef __cplusplus
}
#endif

#endif
