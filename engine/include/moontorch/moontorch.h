/* Moontorch's C interface: tensors, and every op of the engine by name.
 *
 * Plain C99. What fails returns an mt_status and leaves a message for mt_error_message(); results come through the last pointer, which is
 * untouched on error. A tensor is a counted reference: what a function hands out is the caller's, to be given back with
 * mt_tensor_release(). Functions never keep a pointer that they were given, other than where that is said.
 *
 * Any thread may call anything. Two threads may use one tensor at a time as long as neither writes to it or changes its sizes.
 * Dimensions and indices count from 0 here; messages, shared with Lua, count from 1. What an op reads out of a list of numbers
 * (permute's dims) or out of a tensor (index, gather) counts from 1, as its doc says.
 *
 * Link with -lmoontorch; no Lua is needed. The library's Lua binding refers to the host's Lua weakly: where there is one in the process's
 * global scope it is used, where there is none luaopen_libmoontorch must not be called, and all else works, also under RTLD_NOW. */
#ifndef MOONTORCH_MOONTORCH_H
#define MOONTORCH_MOONTORCH_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define MT_API __attribute__((visibility("default")))
#else
#define MT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What a call came to. */
typedef int32_t mt_status;
enum {
  MT_OK = 0,
  MT_ERR_INVALID = 1,     /* an argument that can't be used: what none of the others says better */
  MT_ERR_RANGE = 2,       /* a number, index or dimension out of range */
  MT_ERR_DTYPE = 3,       /* an element type that doesn't fit */
  MT_ERR_MEMORY = 4,      /* out of memory; nothing was lost, and the call may be tried again */
  MT_ERR_UNSUPPORTED = 5, /* this build or machine can't do it */
  MT_ERR_INTERNAL = 6,    /* a fault of Moontorch: please report it */
  MT_ERR_INTERRUPTED = 7, /* mt_interrupt was called; a result that was given may be written in part */
  MT_ERR_SHAPE = 8,       /* sizes or strides that don't fit */
  MT_ERR_FILE = 9,        /* a file that can't be opened, read or written, or is none of the format */
  MT_ERR_LUA = 10         /* any other error of Lua code: a program's own, or none of an argument */
};

/** Element types. The numbers stay; further ones may be added. */
typedef int32_t mt_dtype;
enum {
  MT_UINT8 = 0,
  MT_INT8 = 1,
  MT_INT16 = 2,
  MT_INT32 = 3,
  MT_INT64 = 4,
  MT_FLOAT16 = 5,
  MT_FLOAT32 = 6,
  MT_FLOAT64 = 7,
  MT_BOOL = 8,
  MT_BFLOAT16 = 9
};

typedef struct mt_tensor mt_tensor;
typedef struct mt_generator mt_generator;
typedef struct mt_op mt_op;

/** The library's version, three numbers with dots between. Valid while the library is loaded. */
MT_API const char* mt_version(void);

/** What went wrong in this thread's last call that did not return MT_OK: "op: argument: what came, what was expected". Empty before the
 *  first one. Valid until the thread's next failing call; at most 1023 bytes. */
MT_API const char* mt_error_message(void);

/* ---- tensors ---- */

/** A new contiguous tensor with undefined elements.
 *  @param sizes ndim sizes, none negative; may be NULL when ndim is 0 (a tensor without elements, as from torch.Tensor())
 *  @param out receives a new reference */
MT_API mt_status mt_tensor_create(mt_dtype dtype, int32_t ndim, const int64_t* sizes, mt_tensor** out);

/** The same on a device, by its name: "cpu", "meta", whose tensors have sizes and no elements, or one that mt_device_load brought. */
MT_API mt_status mt_tensor_create_on(const char* device, mt_dtype dtype, int32_t ndim, const int64_t* sizes, mt_tensor** out);

/** A tensor over memory of the caller, which must stay in place until `release` is called with `context`: once, from the thread that
 *  drops the last reference to the storage (a view keeps it, too). On error `release` is not called and the memory stays the caller's.
 *  @param data aligned for its elements
 *  @param count elements that may be reached from data
 *  @param strides elements from one index to the next, or NULL for row-major order
 *  @param release may be NULL when the memory outlives the tensors
 *  @param out receives a new reference */
MT_API mt_status mt_tensor_borrow(mt_dtype dtype, void* data, int64_t count, int32_t ndim, const int64_t* sizes, const int64_t* strides,
                                  void (*release)(void* context), void* context, mt_tensor** out);

/** Adds a reference to the tensor and returns it. NULL is passed through. */
MT_API mt_tensor* mt_tensor_retain(mt_tensor* x);

/** Gives one reference back; the last one frees the tensor. NULL is allowed. */
MT_API void mt_tensor_release(mt_tensor* x);

/* What a tensor is. These can't fail: of NULL the dtype is -1, all else 0 or NULL. */
MT_API mt_dtype mt_tensor_dtype(const mt_tensor* x);
MT_API const char* mt_dtype_name(mt_dtype dtype); /* "float32"; NULL of no type */
MT_API int32_t mt_tensor_ndim(const mt_tensor* x);
MT_API int64_t mt_tensor_count(const mt_tensor* x); /* elements */
MT_API int32_t mt_tensor_is_contiguous(const mt_tensor* x);
/** mt_tensor_ndim() sizes, or strides in elements. Owned by the tensor; valid until it is released or an op writes a result to it. */
MT_API const int64_t* mt_tensor_sizes(const mt_tensor* x);
MT_API const int64_t* mt_tensor_strides(const mt_tensor* x);
/** The name of the device where its elements are; NULL of NULL. Valid while the library is loaded. */
MT_API const char* mt_tensor_device(const mt_tensor* x);
/** The first element, or NULL when the tensor has no storage. Valid as long as the sizes are. NULL, too, when it is not on the CPU, and
 *  then mt_error_message() says so: mt_tensor_read, mt_tensor_write and mt_tensor_to reach elements anywhere. */
MT_API void* mt_tensor_data(const mt_tensor* x);

/** Copies all elements, in row-major order, to or from `data`, from or to the tensor's device.
 *  @param bytes size of data: exactly that of the elements */
MT_API mt_status mt_tensor_read(const mt_tensor* x, size_t bytes, void* data);
MT_API mt_status mt_tensor_write(mt_tensor* x, size_t bytes, const void* data);

/** A contiguous copy with a storage of its own.
 *  @param out receives a new reference */
MT_API mt_status mt_tensor_clone(const mt_tensor* x, mt_tensor** out);

/** A copy on a device, by its name, which may be the one where the tensor is. Of a tensor on meta there is none elsewhere.
 *  @param out receives a new reference */
MT_API mt_status mt_tensor_to(const mt_tensor* x, const char* device, mt_tensor** out);

/** A view of `length` elements of dimension `dim` from `first` (both counted from 0), sharing storage with `x`.
 *  @param out receives a new reference */
MT_API mt_status mt_tensor_narrow(const mt_tensor* x, int32_t dim, int64_t first, int64_t length, mt_tensor** out);

/* ---- random numbers ---- */

/** A Mersenne twister (MT19937) with Torch7's seeding. One generator must not be used by two threads at a time.
 *  @param out receives a generator of the caller, to be freed with mt_generator_free */
MT_API mt_status mt_generator_create(uint64_t seed, mt_generator** out);
/** Philox4x32-10, whose numbers are the same on every device: of seed, elements drawn before, and an element's place. */
MT_API mt_status mt_generator_create_philox(uint64_t seed, mt_generator** out);
MT_API void mt_generator_free(mt_generator* generator); /* NULL is allowed */
MT_API mt_status mt_generator_seed(mt_generator* generator, uint64_t seed);

/** Seeds the calling thread's own generators, which ops draw from when none is among their arguments: one for the CPU, and a Philox
 *  generator for each device that draws by counter. They start from a seed of the operating system's, and are apart from those of Lua
 *  states. */
MT_API void mt_seed(uint64_t seed);

/* ---- ops ---- */

/** What a value is. As bits, what an argument may be. */
enum {
  MT_NONE = 0,
  MT_TENSOR = 1,
  MT_NUMBER = 2,  /* any number */
  MT_INTEGER = 4, /* a whole number */
  MT_INDEX = 8,   /* of an argument: a whole number that counts from 0; give an MT_INTEGER */
  MT_DIM = 16,    /* likewise; negative ones count from the last dimension, -1 */
  MT_BOOLEAN = 32,
  MT_STRING = 64,
  MT_SIZES = 128,
  MT_TENSORS = 256,
  MT_DTYPE = 512, /* of an argument: an MT_STRING names one, too, or a device, or both: "float32", "meta", "float32 on meta" */
  MT_GENERATOR = 1024,
  MT_OBJECT = 2048, /* what a session holds (moontorch/lua.h); for its functions alone */
  MT_DIMS = 4096,   /* of an argument, with MT_SIZES: a list of dimensions, each counted as MT_DIM; give an MT_SIZES */
  MT_INDICES = 8192 /* likewise, of positions that count from 0; negative ones count from the end, -1 */
};

/** One argument of an op: 16 bytes everywhere. Owns nothing: what it points to must last for the call. */
typedef struct mt_value {
  int32_t kind;
  int32_t count; /* of sizes or tensors; bytes of a string */
  union {
    int64_t integer;
    double number;
    int64_t boolean;
    int64_t dtype;
    mt_tensor* tensor;
    const char* string;
    const int64_t* sizes;
    mt_tensor* const* tensors;
    mt_generator* generator;
    struct mt_object* object;
    uint64_t bits; /* the union has 8 bytes where pointers have 4, too */
  } as;
} mt_value;

/** How many ops there are, and each of them; NULL outside 0..count-1. Ops live as long as the library, and keep their numbers:
 *  mt_ops_load puts more of them at the end. */
MT_API int32_t mt_op_count(void);
MT_API const mt_op* mt_op_at(int32_t index);

/** The op of that name or alias, which is NULL when there is none (that is no error: nothing is left for mt_error_message). */
MT_API const mt_op* mt_op_find(const char* name);

/* What an op is. These can't fail: NULL, 0 or -1 where there is no such op (NULL came), argument, result or form. Strings live as long as
 * the library. */
MT_API const char* mt_op_name(const mt_op* op);
MT_API const char* mt_op_doc(const mt_op* op);
MT_API int32_t mt_op_param_count(const mt_op* op);
MT_API const char* mt_op_param_name(const mt_op* op, int32_t param);
MT_API int32_t mt_op_param_kinds(const mt_op* op, int32_t param);    /* MT_TENSOR | MT_NUMBER, ... */
MT_API int32_t mt_op_param_optional(const mt_op* op, int32_t param); /* 1: has a default, or may be absent */
MT_API int32_t mt_op_data_dependent(const mt_op* op);                /* 1: sizes of results depend on elements, so mt_infer can't tell */
MT_API int32_t mt_op_result_count(const mt_op* op);
MT_API const char* mt_op_result_name(const mt_op* op, int32_t result);
/** Forms: which arguments may come together ("tensors dim" or "a b dim"). An argument that a form leaves out takes its default. */
MT_API int32_t mt_op_form_count(const mt_op* op);
MT_API int32_t mt_op_form_size(const mt_op* op, int32_t form);
MT_API int32_t mt_op_form_param(const mt_op* op, int32_t form, int32_t i); /* number of the form's i-th argument */

/** Calls an op.
 *  @param args n_args values in the signature's order (mt_op_param_name(op, 0), ...). MT_NONE stands for one that is left out; those at
 *    the end may be left out altogether. What does not fit that order may stand in the order of a form, as messages write it, less any
 *    that is optional: cat's "(tensors, dim)", randn's "([generator], sizes, [dtype])". A value's kind is exactly one of the kinds above.
 *    Element type, where an op takes an optional one, is float64 unless given. An op runs where its tensors are; what has none, on the CPU,
 *    on the device that an argument names, or that of a given result.
 *  @param results n_results tensors, at most mt_op_result_count(op). On entry each is NULL, for a new tensor, or a tensor of the caller
 *    that is to receive the result; giving one that is also an argument computes in place. On return the NULLs are new references; given
 *    ones are as they were, and the caller's references to them too. Results not asked for are dropped. On error the pointers are
 *    untouched; a given tensor may have been resized, or its elements partly written. A full reduction gives one element. */
MT_API mt_status mt_op_call(const mt_op* op, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results);

/** mt_op_call on the op of that name; MT_ERR_INVALID when there is none. */
MT_API mt_status mt_call(const char* name, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results);

/** An argument by its name, as mt_op_param_name has it. */
typedef struct mt_named_value {
  const char* name;
  mt_value value;
} mt_named_value;

/** mt_call with arguments by name: those of `args` come first, in the order of the signature or of a form, and pass over what has a name in
 *  `named`, in any order. One that is left out takes its default.
 *  @return MT_ERR_INVALID, too, where the op has no argument of a name, or one came twice */
MT_API mt_status mt_call_named(const char* name, const mt_value* args, int32_t n_args, const mt_named_value* named, int32_t n_named,
                               int32_t n_results, mt_tensor** results);

/** What mt_call would give, without its work: tensors on the device meta, which have sizes, strides and an element type, and no elements.
 *  The arguments' elements are not looked at; they may be on meta themselves. MT_ERR_INVALID where the sizes depend on elements.
 *  @param results n_results times NULL on entry */
MT_API mt_status mt_infer(const char* name, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results);

/* ---- devices ---- */

/** Opens a library that brings a device of its own, such as a GPU, and kernels for it (engine/core/device_host.h says how it is made). Its
 *  name is among the devices' then. It stays for good. MT_ERR_INVALID where it can't be opened, was built for another version, or says that
 *  its device can't be used here; the message tells why. */
MT_API mt_status mt_device_load(const char* path);

/* ---- ops of other libraries ---- */

/** Opens a library that brings ops of its own (moontorch/extension.h says how it is made), which are among the others then, in all threads
 *  and Lua states. It stays for good; a second load of it does nothing. MT_ERR_INVALID where it can't be opened, was built for another
 *  version, declares what can't be, or an op whose name is taken: then none of its ops is there, and the message tells why. */
MT_API mt_status mt_ops_load(const char* path);

/* ---- threads and memory ---- */

/** How many threads one op may use, for the whole process: what was set last, else OMP_NUM_THREADS, else the cores this process may use.
 *  Results don't depend on it, but for the few that docs/architecture.md names. A child of fork() starts with 1. */
MT_API int32_t mt_num_threads(void);
MT_API mt_status mt_set_num_threads(int32_t n); /* 1..1024 */

/** Asks ops that run, in any thread, to give up: 1 for one of them, 2 for all until 0 takes it back. A long op looks between its blocks and
 *  returns MT_ERR_INTERRUPTED; short ones, and one call of BLAS, LAPACK or oneDNN, come to their end. May be called from any thread and
 * from a signal handler. Gives what was asked for before and no op has answered yet. */
MT_API int32_t mt_interrupt(int32_t asked);

/** Set `size` to sizeof(mt_memory) before the call; the rest is filled in. */
typedef struct mt_memory {
  size_t size;
  int64_t live_bytes;   /* in use by tensors, rounded up to the sizes of blocks */
  int64_t live_blocks;  /* how many blocks that is */
  int64_t cached_bytes; /* given back, kept for the next tensor */
} mt_memory;
MT_API mt_status mt_memory_read(mt_memory* out);

/** Gives the memory that is kept for later back to the system, or to the host's allocator. */
MT_API void mt_memory_trim(void);

/* Hooks: what the library would ask of the system or write by itself, a host may take over. Each is set for the whole process, before
 * anything else of the library runs; no other thread may be in the library meanwhile. The struct is copied, its `size` is its sizeof;
 * NULL brings the library's own way back. `context` must last until another one is set. */

/** Where text goes that no error carries: a file's class that is not known, what a thread raised that nobody waits for. Without a hook that
 *  is stderr. */
typedef struct mt_log {
  size_t size;
  /** @param level MT_LOG_WARNING or MT_LOG_ERROR
   *  @param text one line without its end; valid during the call. May come from any thread; must not call Moontorch. */
  void (*write)(void* context, int32_t level, const char* text);
  void* context;
} mt_log;
enum { MT_LOG_WARNING = 1, MT_LOG_ERROR = 2 };
MT_API mt_status mt_set_log(const mt_log* log);

/** A host's own threads for loops over elements: Moontorch then starts none for them, OpenBLAS and oneDNN, which have no such door, work on
 *  the calling thread, and mt_set_num_threads says into how many parts a loop is cut. */
typedef struct mt_threads {
  size_t size;
  /** Calls task(job, i) for each i in 0..count-1, once, in any order and on any threads, this one among them; returns when all have
   *  returned. `task` may be called again from inside another one. What is not called when this returns the calling thread makes up for. */
  void (*run)(void* context, int32_t count, void (*task)(void* job, int32_t i), void* job);
  void* context;
} mt_threads;
MT_API mt_status mt_set_threads(const mt_threads* threads);

/** A host's clock and source of seeds: those of torch.Timer, torch.tic, sys.clock, and of generators that nobody has seeded. A game or a
 *  simulation gives its own time, and is the same each time it runs. */
typedef struct mt_clock {
  size_t size;
  double (*seconds)(void* context, int32_t which); /* MT_CLOCK_WALL: since 1970; MT_CLOCK_MONOTONIC: since any moment, never back */
  uint64_t (*seed)(void* context);                 /* NULL: the operating system's */
  void* context;
} mt_clock;
enum { MT_CLOCK_WALL = 0, MT_CLOCK_MONOTONIC = 1 };
MT_API mt_status mt_set_clock(const mt_clock* clock);

/** Where tensors' memory comes from. `allocate` returns NULL when it has none; `release` gets the bytes that were asked for. Both may be
 *  called from any thread and must not call Moontorch. Set `size` to sizeof(mt_allocator). */
typedef struct mt_allocator {
  size_t size;
  void* (*allocate)(void* context, size_t bytes, size_t alignment);
  void (*release)(void* context, void* data, size_t bytes);
  void* context;
} mt_allocator;

/** Sets it for the whole process, or the system's when `allocator` is NULL. The struct is copied; `context` must last until another one is
 *  set. MT_ERR_INVALID while tensors or generators live. No other thread may be in the library. */
MT_API mt_status mt_set_allocator(const mt_allocator* allocator);

/** For tests: the n-th allocation from now fails with MT_ERR_MEMORY, and all after it, until the next call of this; 0 switches it off. */
MT_API void mt_fail_allocations_after(int64_t n);

/* ---- making values ---- */

static inline mt_value mt_value_none(void) {
  mt_value v = {MT_NONE, 0, {0}};
  return v;
}
static inline mt_value mt_value_tensor(mt_tensor* x) {
  mt_value v = {MT_TENSOR, 0, {0}};
  v.as.tensor = x;
  return v;
}
static inline mt_value mt_value_number(double number) {
  mt_value v = {MT_NUMBER, 0, {0}};
  v.as.number = number;
  return v;
}
static inline mt_value mt_value_integer(int64_t integer) {
  mt_value v = {MT_INTEGER, 0, {0}};
  v.as.integer = integer;
  return v;
}
static inline mt_value mt_value_boolean(int32_t boolean) {
  mt_value v = {MT_BOOLEAN, 0, {0}};
  v.as.boolean = boolean != 0;
  return v;
}
static inline mt_value mt_value_string(const char* string, int32_t bytes) {
  mt_value v = {MT_STRING, 0, {0}};
  v.count = bytes;
  v.as.string = string;
  return v;
}
static inline mt_value mt_value_sizes(const int64_t* sizes, int32_t count) {
  mt_value v = {MT_SIZES, 0, {0}};
  v.count = count;
  v.as.sizes = sizes;
  return v;
}
static inline mt_value mt_value_tensors(mt_tensor* const* tensors, int32_t count) {
  mt_value v = {MT_TENSORS, 0, {0}};
  v.count = count;
  v.as.tensors = tensors;
  return v;
}
static inline mt_value mt_value_dtype(mt_dtype dtype) {
  mt_value v = {MT_DTYPE, 0, {0}};
  v.as.dtype = dtype;
  return v;
}
static inline mt_value mt_value_generator(mt_generator* generator) {
  mt_value v = {MT_GENERATOR, 0, {0}};
  v.as.generator = generator;
  return v;
}

#ifdef __cplusplus
}
#endif

#endif
