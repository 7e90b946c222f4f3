/* Moontorch's C interface: tensors, and every op of the engine by name.
 *
 * Plain C99. Functions that can fail return an mt_status; the message of a failure is mt_error_message(). Results are stored through the
 * last pointer, which is unchanged on error. An mt_tensor is a counted reference. The caller owns each reference that a function returns
 * and releases it with mt_tensor_release(). Unless its comment says so, no function keeps a pointer after it returns.
 *
 * All functions may be called from any thread. Several threads may use one tensor at a time if none of them writes to it or resizes it.
 * Dimensions and indices count from 0 in this interface, and from 1 in messages, which are the same as in Lua. Positions inside a tensor
 * argument (index, gather) count from 1, as the documentation of the op says.
 *
 * Link with -lmoontorch. Lua is not needed: the library refers to Lua's functions weakly, also under RTLD_NOW. If the process has no Lua
 * in its global scope, only luaopen_libmoontorch can't be called. */
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

/** The outcome of a call. */
typedef int32_t mt_status;
enum {
  MT_OK = 0,
  MT_ERR_INVALID = 1,     /* an invalid argument for which no other status is more specific */
  MT_ERR_RANGE = 2,       /* a number, index or dimension out of range */
  MT_ERR_DTYPE = 3,       /* an unsupported or mismatched element type */
  MT_ERR_MEMORY = 4,      /* out of memory; nothing has changed, the call can be repeated */
  MT_ERR_UNSUPPORTED = 5, /* not supported by this build or machine */
  MT_ERR_INTERNAL = 6,    /* a bug in Moontorch: please report it */
  MT_ERR_INTERRUPTED = 7, /* mt_interrupt was called; an out argument may be partly written */
  MT_ERR_SHAPE = 8,       /* mismatched sizes or strides */
  MT_ERR_FILE = 9,        /* a file can't be opened, read or written, or has another format */
  MT_ERR_LUA = 10         /* another error of Lua code, such as one that a program raises */
};

/** Element types. The numbers are stable; later versions may add types. */
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
  MT_BFLOAT16 = 9,
  /* For storage: elements of these types are moved, converted and compared. Other ops refuse them. A minimal library lacks them. */
  MT_UINT16 = 10,
  MT_UINT32 = 11,
  MT_UINT64 = 12,
  MT_FLOAT8_E4M3FN = 13,
  MT_FLOAT8_E5M2 = 14,
  MT_COMPLEX64 = 15, /* two floats, the real and the imaginary part */
  MT_COMPLEX128 = 16 /* two doubles */
};

typedef struct mt_tensor mt_tensor;
typedef struct mt_generator mt_generator;
typedef struct mt_op mt_op;
typedef struct mt_graph mt_graph;
typedef struct mt_prepared mt_prepared;
typedef struct mt_onnx mt_onnx;

/** A value of a graph: an input, a constant or a result of a step. */
typedef int64_t mt_ref;

/** The library's version, three numbers with dots between. Valid while the library is loaded. */
MT_API const char* mt_version(void);

/** The message of this thread's last failed call: "op: argument: actual, expected ...". Empty before the first failure. Valid until the
 *  next failure in this thread; at most 1023 bytes. */
MT_API const char* mt_error_message(void);

/* ---- tensors ---- */

/** A new contiguous tensor with undefined elements.
 *  @param sizes ndim sizes, none negative; may be NULL when ndim is 0 (a tensor without elements, as from torch.Tensor())
 *  @param out receives a new reference */
MT_API mt_status mt_tensor_create(mt_dtype dtype, int32_t ndim, const int64_t* sizes, mt_tensor** out);

/** The same on a named device: "cpu", "meta" (tensors with sizes but no elements), or a device loaded by mt_device_load. */
MT_API mt_status mt_tensor_create_on(const char* device, mt_dtype dtype, int32_t ndim, const int64_t* sizes, mt_tensor** out);

/** A tensor over memory of the caller. The memory must stay valid until the library calls `release(context)`: once, in the thread that
 *  drops the last reference to the storage, which views hold as well. On error the library does not call `release`.
 *  @param data aligned for its elements
 *  @param count number of elements at data
 *  @param strides in elements, or NULL for row-major order
 *  @param release may be NULL if the memory outlives all tensors over it
 *  @param out receives a new reference */
MT_API mt_status mt_tensor_borrow(mt_dtype dtype, void* data, int64_t count, int32_t ndim, const int64_t* sizes, const int64_t* strides,
                                  void (*release)(void* context), void* context, mt_tensor** out);

/** Adds a reference and returns x. NULL is allowed. */
MT_API mt_tensor* mt_tensor_retain(mt_tensor* x);

/** Drops a reference; the last one frees the tensor. NULL is allowed. */
MT_API void mt_tensor_release(mt_tensor* x);

/* Properties of a tensor. These can't fail: for NULL the dtype is -1 and the others are 0 or NULL. */
MT_API mt_dtype mt_tensor_dtype(const mt_tensor* x);
MT_API const char* mt_dtype_name(mt_dtype dtype); /* "float32"; NULL for an unknown type */
MT_API int32_t mt_tensor_ndim(const mt_tensor* x);
MT_API int64_t mt_tensor_count(const mt_tensor* x); /* number of elements */
MT_API int32_t mt_tensor_is_contiguous(const mt_tensor* x);
/** mt_tensor_ndim() sizes, or strides in elements. Owned by the tensor: valid until its release, or until it receives a result. */
MT_API const int64_t* mt_tensor_sizes(const mt_tensor* x);
MT_API const int64_t* mt_tensor_strides(const mt_tensor* x);
/** The name of the tensor's device; NULL for NULL. Valid while the library is loaded. */
MT_API const char* mt_tensor_device(const mt_tensor* x);
/** The address of the first element, valid as long as the sizes. NULL for a tensor without storage, and for one that is not on the CPU:
 *  then mt_error_message() says so. mt_tensor_read, mt_tensor_write and mt_tensor_to work on all devices. */
MT_API void* mt_tensor_data(const mt_tensor* x);

/** Copies all elements in row-major order to `data`, or from it. The tensor may be on any device.
 *  @param bytes size of data: exactly the size of all elements */
MT_API mt_status mt_tensor_read(const mt_tensor* x, size_t bytes, void* data);
MT_API mt_status mt_tensor_write(mt_tensor* x, size_t bytes, const void* data);

/** A contiguous copy with a storage of its own.
 *  @param out receives a new reference */
MT_API mt_status mt_tensor_clone(const mt_tensor* x, mt_tensor** out);

/** A copy on a named device, which may be the tensor's own. A tensor on meta can't be copied to another device.
 *  @param out receives a new reference */
MT_API mt_status mt_tensor_to(const mt_tensor* x, const char* device, mt_tensor** out);

/** A view of `length` slices of dimension `dim` from slice `first`, both counted from 0. It shares the storage of `x`.
 *  @param out receives a new reference */
MT_API mt_status mt_tensor_narrow(const mt_tensor* x, int32_t dim, int64_t first, int64_t length, mt_tensor** out);

/* ---- exchange with other libraries ---- */

/* DLPack (https://dmlc.github.io/dlpack): NumPy, PyTorch, JAX, CuPy, TVM, ONNX Runtime and others share memory by these structures of its
 * header dlpack.h, without copies. Each side sees the other's writes. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/** What mt_tensor_from_dlpack does with memory that a tensor can't share: memory that is read-only, has negative strides or misaligned
 *  elements. */
enum {
  MT_COPY_IF_NEEDED = 0, /* copies it */
  MT_COPY_NEVER = 1,     /* MT_ERR_INVALID */
  MT_COPY_ALWAYS = 2     /* copies any memory */
};

/** The elements of a tensor on the CPU or a GPU as a structure, version 1.1. They live until its deleter is called, once, by any thread,
 *  also after the tensor's release; the tensor then has other memory if it was resized.
 *  @param out receives the structure, which the caller passes to a consumer, or frees by calling its deleter */
MT_API mt_status mt_tensor_to_dlpack(const mt_tensor* x, struct DLManagedTensorVersioned** out);
/** The same as the structure without a version, for consumers from before DLPack 1.0. */
MT_API mt_status mt_tensor_to_dlpack_unversioned(const mt_tensor* x, struct DLManagedTensor** out);

/** A tensor over the elements of another library's structure. The structure then belongs to the tensor: its deleter is called once, in the
 *  thread that drops the last reference to the storage, or at once after a copy. After an error it still belongs to the caller. Without
 *  dimensions the tensor has size 1.
 *  @param copy MT_COPY_IF_NEEDED, MT_COPY_NEVER or MT_COPY_ALWAYS
 *  @param out receives a new reference
 *  @return MT_ERR_UNSUPPORTED for another major version or device, MT_ERR_DTYPE for other elements */
MT_API mt_status mt_tensor_from_dlpack(struct DLManagedTensorVersioned* managed, int32_t copy, mt_tensor** out);
/** The same from the structure without a version. */
MT_API mt_status mt_tensor_from_dlpack_unversioned(struct DLManagedTensor* managed, int32_t copy, mt_tensor** out);

/* ---- random numbers ---- */

/** A Mersenne twister (MT19937) with Torch7's seeding. Only one thread at a time may use a generator.
 *  @param out receives a generator, which the caller frees with mt_generator_free */
MT_API mt_status mt_generator_create(uint64_t seed, mt_generator** out);
/** Philox4x32-10. Its numbers depend on the seed, the count of earlier draws and the element's index: they are the same on all devices. */
MT_API mt_status mt_generator_create_philox(uint64_t seed, mt_generator** out);
MT_API void mt_generator_free(mt_generator* generator); /* NULL is allowed */
MT_API mt_status mt_generator_seed(mt_generator* generator, uint64_t seed);

/** Seeds the generators of the calling thread, which ops without a generator argument use: one for the CPU, and a Philox generator for
 *  each device with counter-based draws. They start from a seed of the operating system. Lua states have generators of their own. */
MT_API void mt_seed(uint64_t seed);

/* ---- ops ---- */

/** The kind of a value. The kinds that an argument accepts are a combination of these bits. */
enum {
  MT_NONE = 0,
  MT_TENSOR = 1,
  MT_NUMBER = 2,  /* any number */
  MT_INTEGER = 4, /* a whole number */
  MT_INDEX = 8,   /* of an argument: a position that counts from 0; pass an MT_INTEGER */
  MT_DIM = 16,    /* of an argument: a dimension; negative ones count from the last, -1 */
  MT_BOOLEAN = 32,
  MT_STRING = 64,
  MT_SIZES = 128,
  MT_TENSORS = 256,
  MT_DTYPE = 512, /* of an argument: an MT_STRING may name a type, a device or both: "float32", "meta", "float32 on meta" */
  MT_GENERATOR = 1024,
  MT_OBJECT = 2048,  /* an object of a session (moontorch/lua.h); for session functions alone */
  MT_DIMS = 4096,    /* of an argument, with MT_SIZES: a list of dimensions, counted as MT_DIM; pass an MT_SIZES */
  MT_INDICES = 8192, /* of an argument, with MT_SIZES: positions from 0; negative ones count from the end, -1 */
  MT_REF = 16384,    /* a value of a graph, and a list of them; for mt_graph_step alone */
  MT_REFS = 32768
};

/** One argument of an op: 16 bytes on all platforms. It owns nothing; memory that it points to must stay valid during the call. */
typedef struct mt_value {
  int32_t kind;
  int32_t count; /* number of sizes or tensors; bytes of a string */
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
    mt_ref ref;
    const mt_ref* refs;
    uint64_t bits; /* 8 bytes also where pointers have 4 */
  } as;
} mt_value;

/** The number of ops, and the op with an index; NULL outside 0..count-1. Ops live as long as the library and keep their indices:
 *  mt_ops_load appends further ops. */
MT_API int32_t mt_op_count(void);
MT_API const mt_op* mt_op_at(int32_t index);

/** The op with this name or alias. NULL if there is none, which is not an error: mt_error_message stays unchanged. */
MT_API const mt_op* mt_op_find(const char* name);

/* Properties of an op. These can't fail: they return NULL, 0 or -1 for op NULL, or for an argument, result or form that doesn't exist.
 * Strings live as long as the library. */
MT_API const char* mt_op_name(const mt_op* op);
MT_API const char* mt_op_doc(const mt_op* op);
MT_API int32_t mt_op_param_count(const mt_op* op);
MT_API const char* mt_op_param_name(const mt_op* op, int32_t param);
MT_API int32_t mt_op_param_kinds(const mt_op* op, int32_t param);    /* MT_TENSOR | MT_NUMBER, ... */
MT_API int32_t mt_op_param_optional(const mt_op* op, int32_t param); /* 1: it has a default, or may be left out */
MT_API int32_t mt_op_data_dependent(const mt_op* op);                /* 1: sizes of results depend on elements, so mt_infer fails */
MT_API int32_t mt_op_result_count(const mt_op* op);
MT_API const char* mt_op_result_name(const mt_op* op, int32_t result);
/** Forms: the argument lists that an op accepts ("tensors dim", "a b dim"). An argument outside the form takes its default. */
MT_API int32_t mt_op_form_count(const mt_op* op);
MT_API int32_t mt_op_form_size(const mt_op* op, int32_t form);
MT_API int32_t mt_op_form_param(const mt_op* op, int32_t form, int32_t i); /* index of the form's i-th argument */

/** Calls an op.
 *  @param args n_args values in the order of the signature (mt_op_param_name(op, 0), ...). MT_NONE leaves an argument out; trailing
 *    arguments can be omitted. Alternatively the values have the order of a form, as messages show it, without any of its optional
 *    arguments: cat's "(tensors, dim)", randn's "([generator], sizes, [dtype])". The kind of a value is exactly one of the kinds above.
 *    The default of an optional element type is float64. An op runs on the device of its tensors. An op without tensors runs on the device
 *    that an argument names, on that of an out argument, or on the CPU.
 *  @param results n_results pointers, at most mt_op_result_count(op). On entry each one is NULL, for a new tensor, or a tensor of the
 *    caller (an out argument), which receives the result; one that is also an argument is computed in place. On return the NULLs are new
 *    references; references to out arguments stay the caller's. Further results are dropped. On error the pointers are unchanged, but an
 *    out argument may have been resized or partly written. A full reduction returns a tensor of one element. */
MT_API mt_status mt_op_call(const mt_op* op, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results);

/** mt_op_call with the name of an op; MT_ERR_INVALID if there is no such op. */
MT_API mt_status mt_call(const char* name, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results);

/** An argument by name (see mt_op_param_name). */
typedef struct mt_named_value {
  const char* name;
  mt_value value;
} mt_named_value;

/** mt_call with arguments by name. `args` fill the arguments that are not in `named`, in the order of the signature or of a form. `named`
 * may have any order. Missing arguments take their defaults.
 *  @return also MT_ERR_INVALID for an unknown name, or an argument that is given twice */
MT_API mt_status mt_call_named(const char* name, const mt_value* args, int32_t n_args, const mt_named_value* named, int32_t n_named,
                               int32_t n_results, mt_tensor** results);

/** The results of mt_call without computing them: tensors on the device meta, with sizes, strides and element type, but without elements.
 *  It doesn't read elements of the arguments, which may be on meta, too. MT_ERR_INVALID if sizes of results depend on elements.
 *  @param results n_results pointers, all NULL on entry */
MT_API mt_status mt_infer(const char* name, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results);

/* ---- graphs ---- */

/* A graph is a program of ops as a value: inputs, constants, steps and outputs (docs/graph.md). mt_graph_load and mt_graph_parse return
 * finished graphs; mt_graph_create returns an empty one, to which the functions from mt_graph_input to mt_graph_update add parts, and which
 * mt_graph_finish finishes. A finished graph can't be changed, and any number of threads may run it at a time. If it has updates, each run
 * writes to constants: then one thread at a time may run it. Inputs, constants, steps and outputs count from 0. */

/** @param out receives a graph, which the caller frees with mt_graph_free */
MT_API mt_status mt_graph_create(mt_graph** out);
MT_API void mt_graph_free(mt_graph* graph); /* NULL is allowed; tensors of the graph stay valid */

/** Adds an input, a tensor.
 *  @param name letters, digits, _ and dots; no other value of the graph has it. NULL: none
 *  @param dtype -1: tensors of any type and sizes
 *  @param sizes ndim sizes; -1: any size
 *  @param out receives the value of the input */
MT_API mt_status mt_graph_input(mt_graph* graph, const char* name, mt_dtype dtype, int32_t ndim, const int64_t* sizes, mt_ref* out);
/** Adds a constant, which shares the elements of a tensor. */
MT_API mt_status mt_graph_constant(mt_graph* graph, const char* name, const mt_tensor* x, mt_ref* out);
/** Adds a call of an op. Arguments are as in mt_call_named, but tensors are values of the graph, MT_REF and MT_REFS. Sizes that depend on
 * inputs are possible in texts alone.
 *  @param origin the place in the program, for messages: "model.c:12"; may be NULL
 *  @param results receives n_results values, at most mt_op_result_count */
MT_API mt_status mt_graph_step(mt_graph* graph, const char* op, const mt_value* args, int32_t n_args, const mt_named_value* named,
                               int32_t n_named, const char* origin, int32_t n_results, mt_ref* results);
/** Adds a step of control flow: cond, while or scan (docs/graph.md says what their arguments and bodies are).
 *  @param bodies n_bodies graphs without constants and updates, in the order of the text; they are copied, and need not be finished
 *  @param results receives n_results values, at most as many as the last body has outputs */
MT_API mt_status mt_graph_control(mt_graph* graph, const char* op, const mt_value* args, int32_t n_args, const mt_graph* const* bodies,
                                  int32_t n_bodies, const char* origin, int32_t n_results, mt_ref* results);
MT_API mt_status mt_graph_output(mt_graph* graph, mt_ref value);
/** Adds a write to an input or a constant, after all steps of a run. */
MT_API mt_status mt_graph_update(mt_graph* graph, mt_ref target, mt_ref value);
/** Checks a graph and prepares it for runs. MT_ERR_INVALID if it is finished. */
MT_API mt_status mt_graph_finish(mt_graph* graph);

/** Parses a text, as mt_graph_text returns it.
 *  @param constants a tensor for each constant of the text; may be NULL when n_constants is 0
 *  @return also MT_ERR_INVALID for a text that is wrong; the message has the line */
MT_API mt_status mt_graph_parse(const char* text, const mt_named_value* constants, int32_t n_constants, mt_graph** out);

/** Writes a file of a finished graph with its constants, or replaces it when the new one is complete. */
MT_API mt_status mt_graph_save(const mt_graph* graph, const char* path);
/** Loads such a file. Its constants are mapped, not copied: the file must not change while the graph or a tensor of it exists (replacing it
 * by another file, as mt_graph_save does, is safe). Nothing in a file is run by loading it.
 *  @return MT_ERR_FILE if it can't be read, is damaged, or has another format or a newer version; MT_ERR_INVALID for an unknown op */
MT_API mt_status mt_graph_load(const char* path, mt_graph** out);

/* Properties of a graph. These can't fail: they return NULL, 0 or -1 for graph NULL and for what doesn't exist. Strings and sizes live as
 * long as the graph, and until it is changed. */
MT_API int32_t mt_graph_input_count(const mt_graph* graph);
MT_API const char* mt_graph_input_name(const mt_graph* graph, int32_t input);
MT_API mt_dtype mt_graph_input_dtype(const mt_graph* graph, int32_t input);       /* -1: any */
MT_API int32_t mt_graph_input_ndim(const mt_graph* graph, int32_t input);         /* -1: any */
MT_API const int64_t* mt_graph_input_sizes(const mt_graph* graph, int32_t input); /* -1: any size */
MT_API int32_t mt_graph_output_count(const mt_graph* graph);
/* Of a finished graph; -1 and NULL if they depend on elements, or on inputs of any sizes. */
MT_API mt_dtype mt_graph_output_dtype(const mt_graph* graph, int32_t output);
MT_API int32_t mt_graph_output_ndim(const mt_graph* graph, int32_t output);
MT_API const int64_t* mt_graph_output_sizes(const mt_graph* graph, int32_t output);
MT_API int32_t mt_graph_constant_count(const mt_graph* graph);
MT_API const char* mt_graph_constant_name(const mt_graph* graph, int32_t constant);
MT_API int32_t mt_graph_step_count(const mt_graph* graph);
MT_API const char* mt_graph_step_op(const mt_graph* graph, int32_t step);
MT_API const char* mt_graph_step_origin(const mt_graph* graph, int32_t step);

/** A constant as a tensor that shares the elements with the graph.
 *  @param out receives a new reference */
MT_API mt_status mt_graph_constant_tensor(const mt_graph* graph, int32_t constant, mt_tensor** out);
/** The graph as text, truncated to fit and always terminated by 0.
 *  @param bytes size of `text`
 *  @param length receives the length of the whole text; may be NULL */
MT_API mt_status mt_graph_text(const mt_graph* graph, size_t bytes, char* text, size_t* length);

/** Runs a finished graph.
 *  @param inputs n_inputs values in the order of the inputs: tensors of the types that the graph declares. Inputs of a text may be of other
 *    kinds; then dimensions and positions count from 1, as in the text. MT_NONE: an optional input that is absent.
 *  @param outputs n_outputs pointers, at most mt_graph_output_count(graph). On entry each one is NULL, for a new tensor, or a tensor of the
 *    caller, which receives the elements: it has the dtype and sizes of the output, or no dimensions. An output that is an input or a
 *    constant shares its elements. On error all outputs are unchanged. */
MT_API mt_status mt_graph_run(const mt_graph* graph, const mt_value* inputs, int32_t n_inputs, int32_t n_outputs, mt_tensor** outputs);
/** The same with inputs by name, in any order. */
MT_API mt_status mt_graph_run_named(const mt_graph* graph, const mt_named_value* inputs, int32_t n_inputs, int32_t n_outputs,
                                    mt_tensor** outputs);

/* A prepared run is a graph for inputs of fixed types and sizes, with all plans made and all memory laid out. Its runs create no tensor,
 * and allocate nothing, except for scratch memory of a few kernels (docs/graph.md, "Prepared runs"). One thread at a time may use it; a
 * thread that runs it while another one does gets MT_ERR_INVALID. Each thread has a clone. */

/** Prepares a finished graph for inference: passes compute new constants, so that results differ from those of mt_graph_run by rounding
 * errors, and constants must not change afterwards, except by the graph's own updates. It runs the graph once, and undoes the writes of
 * this run. The graph may be freed before the prepared run.
 *  @param inputs n_inputs tensors in the order of the inputs: their types, sizes and elements are those of the first run. MT_NONE, or
 *    n_inputs 0 for all: zeros of the type and sizes that the graph declares
 *  @param out receives a prepared run, which the caller frees with mt_prepared_free
 *  @return also MT_ERR_UNSUPPORTED if a step draws random numbers or waits for elements, if the graph writes to an input, and for tensors
 *    of other devices than the CPU */
MT_API mt_status mt_graph_prepare(const mt_graph* graph, const mt_value* inputs, int32_t n_inputs, mt_prepared** out);
/** Runs the graph; mt_prepared_output has the results, which the next run overwrites.
 *  @param inputs n_inputs tensors, whose elements are copied to the memory of the inputs. MT_NONE, or n_inputs 0 for all: the elements
 *    that this memory has
 *  @return MT_ERR_SHAPE for tensors of other types or sizes than the prepared ones. After an error about an argument nothing has changed;
 *    an error of a step, such as a position out of range, may leave outputs and updated constants partly written */
MT_API mt_status mt_prepared_run(mt_prepared* prepared, const mt_value* inputs, int32_t n_inputs);
/** The memory from which runs read an input, and to which they write an output: tensors that share it, with the strides that the graph
 * needs. They stay valid after mt_prepared_free, and must not be used during a run in another thread. An output that is an input or a
 * constant of the graph shares its elements.
 *  @param out receives a new reference */
MT_API mt_status mt_prepared_input(const mt_prepared* prepared, int32_t input, mt_tensor** out);
MT_API mt_status mt_prepared_output(const mt_prepared* prepared, int32_t output, mt_tensor** out);
/** A prepared run for another thread: it shares constants and packed weights, and has inputs and outputs of its own, with the elements of
 * the original's inputs. It runs the graph once. If the graph has updates, only one of the clones may run at a time.
 *  @param out receives a prepared run, which the caller frees with mt_prepared_free
 *  @return also MT_ERR_INVALID while another thread runs `prepared` */
MT_API mt_status mt_prepared_clone(mt_prepared* prepared, mt_prepared** out);
MT_API void mt_prepared_free(mt_prepared* prepared); /* NULL is allowed; no thread may run it */

/* ---- ONNX models ---- */

/* Models of other frameworks (docs/packages/onnx.md says which ops they may have). Nothing in a file is run by loading it. Inputs and
 * outputs have names, and count from 0. Any number of threads may use a model at a time. */

/** Loads a file, and the files of its folder in which it says that elements are.
 *  @param out receives a model, which the caller frees with mt_onnx_free
 *  @return MT_ERR_FILE if it can't be read or is damaged; MT_ERR_UNSUPPORTED for nodes whose ops are unknown, or not in this build: the
 *    message lists them */
MT_API mt_status mt_onnx_load(const char* path, mt_onnx** out);
/** The same with the bytes of a file, which must stay valid and unchanged until mt_onnx_free. Elements are copied: graphs, prepared runs
 *  and tensors of the model don't refer to these bytes. */
MT_API mt_status mt_onnx_read(const void* data, size_t bytes, mt_onnx** out);
MT_API void mt_onnx_free(mt_onnx* model); /* NULL is allowed; graphs and prepared runs of the model stay valid */

/* Properties of a model. These can't fail: they return NULL, 0 or -1 for model NULL and for what doesn't exist. Strings and sizes live as
 * long as the model. The first mt_onnx_required_count(model) inputs must be given to a run; the others have a default in the file. */
MT_API int32_t mt_onnx_input_count(const mt_onnx* model);
MT_API int32_t mt_onnx_required_count(const mt_onnx* model);
MT_API const char* mt_onnx_input_name(const mt_onnx* model, int32_t input);
MT_API mt_dtype mt_onnx_input_dtype(const mt_onnx* model, int32_t input);       /* -1: a sequence, or not declared */
MT_API int32_t mt_onnx_input_ndim(const mt_onnx* model, int32_t input);         /* -1: any; 0: a tensor with one element */
MT_API const int64_t* mt_onnx_input_sizes(const mt_onnx* model, int32_t input); /* -1: any size */
MT_API int32_t mt_onnx_output_count(const mt_onnx* model);
MT_API const char* mt_onnx_output_name(const mt_onnx* model, int32_t output);
MT_API mt_dtype mt_onnx_output_dtype(const mt_onnx* model, int32_t output);
MT_API int32_t mt_onnx_output_ndim(const mt_onnx* model, int32_t output);
MT_API const int64_t* mt_onnx_output_sizes(const mt_onnx* model, int32_t output);
MT_API const char* mt_onnx_metadata(const mt_onnx* model, const char* key); /* text of the file, such as the names of classes */

/** Runs a model. The second run with inputs of some types and sizes captures a graph, which later ones use as long as the elements on which
 * the model's branches, loops and sizes depend are the same: as prepared runs, which the model keeps for the sizes of late, so that their
 * results differ from those of the first runs by rounding errors.
 *  @param inputs n_inputs values by name, in any order: MT_TENSOR of the declared type and sizes, or MT_TENSORS for a sequence
 *  @param outputs n_outputs pointers in the model's order, at most mt_onnx_output_count(model). On entry each one is NULL, for a new
 *    tensor, or a tensor of the caller, which receives the elements: it has the dtype and sizes of the output, or no dimensions. No output
 *    shares memory with an input, another output or the model. On error all outputs are unchanged.
 *  @return MT_ERR_SHAPE for an input of another type or other sizes; the error of a node has its name; MT_ERR_UNSUPPORTED for an output
 *    that is a sequence */
MT_API mt_status mt_onnx_run(const mt_onnx* model, const mt_named_value* inputs, int32_t n_inputs, int32_t n_outputs, mt_tensor** outputs);

/** The graph of a model for inputs of these types and sizes. Its inputs are those that are given, in the model's order; characters of their
 * names other than letters, digits, _ and dots become _. Its constants share elements with the model.
 *  @param constants n_constants inputs that have these elements in all runs, such as those that choose a branch
 *  @param out receives a finished graph, which the caller frees with mt_graph_free
 *  @return also MT_ERR_UNSUPPORTED if branches, loops or sizes depend on elements of an input that is no constant */
MT_API mt_status mt_onnx_graph(const mt_onnx* model, const mt_named_value* inputs, int32_t n_inputs, const mt_named_value* constants,
                               int32_t n_constants, mt_graph** out);
/** A prepared run of this graph: mt_onnx_graph and mt_graph_prepare in one. Its inputs have the elements that are given.
 *  @param out receives a prepared run, which the caller frees with mt_prepared_free */
MT_API mt_status mt_onnx_prepare(const mt_onnx* model, const mt_named_value* inputs, int32_t n_inputs, const mt_named_value* constants,
                                 int32_t n_constants, mt_prepared** out);

/* ---- devices ---- */

/** Loads a library that adds a device, such as a GPU, and kernels for it (see engine/core/device_host.h). The device is then available by
 *  name until the process ends. MT_ERR_INVALID if the library can't be opened, was built for another version, or finds its device unusable;
 *  the message says why. */
MT_API mt_status mt_device_load(const char* path);

/* ---- ops of other libraries ---- */

/** Loads a library that adds ops (see moontorch/extension.h), for all threads and Lua states, until the process ends. Loading it again has
 *  no effect. MT_ERR_INVALID if it can't be opened, was built for another version, has an invalid declaration, or an op whose name is
 * taken: then it adds no op, and the message says why. */
MT_API mt_status mt_ops_load(const char* path);

/* ---- threads and memory ---- */

/** The number of threads that one op may use, for the whole process: the last value set, else OMP_NUM_THREADS, else the number of cores
 * that the process may use. Results don't depend on it, with the exceptions in docs/architecture.md. A child of fork() starts with 1. */
MT_API int32_t mt_num_threads(void);
MT_API mt_status mt_set_num_threads(int32_t n); /* 1..1024 */

/** Requests that running ops stop, in any thread: 1 stops one op, 2 stops all ops until 0 withdraws the request. A long op checks between
 *  blocks of work and returns MT_ERR_INTERRUPTED; short ops, and single calls of BLAS, LAPACK or oneDNN, finish. May be called from any
 *  thread and from signal handlers. Returns the previous request if no op has answered it yet, else 0. */
MT_API int32_t mt_interrupt(int32_t asked);

/** Set `size` to sizeof(mt_memory) before the call, which fills in the other fields. */
typedef struct mt_memory {
  size_t size;
  int64_t live_bytes;   /* in use by tensors, rounded up to block sizes */
  int64_t live_blocks;  /* number of these blocks */
  int64_t cached_bytes; /* freed blocks in the cache, for later tensors */
} mt_memory;
MT_API mt_status mt_memory_read(mt_memory* out);

/** Returns all cached memory to the system, or to the host's allocator. */
MT_API void mt_memory_trim(void);

/* Hooks let a host replace what the library asks of the system. Set them for the whole process before other calls of the library, while no
 * other thread uses it. The library copies the struct, whose field `size` is its sizeof; NULL restores the default. `context` must stay
 * valid until the hook is replaced. */

/** Receives text that is not part of an error: a warning about an unknown class in a file, the error of a thread that nobody waits for. The
 *  default is stderr. */
typedef struct mt_log {
  size_t size;
  /** @param level MT_LOG_WARNING or MT_LOG_ERROR
   *  @param text one line without newline, valid during the call. Called from any thread; must not call Moontorch. */
  void (*write)(void* context, int32_t level, const char* text);
  void* context;
} mt_log;
enum { MT_LOG_WARNING = 1, MT_LOG_ERROR = 2 };
MT_API mt_status mt_set_log(const mt_log* log);

/** A thread pool of the host for loops over elements. Moontorch then starts no threads for them; OpenBLAS and oneDNN, which have no such
 *  hook, use the calling thread alone. mt_set_num_threads sets the number of parts of a loop. */
typedef struct mt_threads {
  size_t size;
  /** Calls task(job, i) once for each i in 0..count-1, in any order, on any threads including this one, and returns when all calls have
   *  returned. A task may itself call run. After the return the calling thread executes tasks that were not called. */
  void (*run)(void* context, int32_t count, void (*task)(void* job, int32_t i), void* job);
  void* context;
} mt_threads;
MT_API mt_status mt_set_threads(const mt_threads* threads);

/** A clock and a source of seeds, for torch.Timer, torch.tic, sys.clock and generators without a seed. With its own time and seeds a game
 * or a simulation runs the same way each time. */
typedef struct mt_clock {
  size_t size;
  double (*seconds)(void* context, int32_t which); /* MT_CLOCK_WALL: since 1970; MT_CLOCK_MONOTONIC: never goes back */
  uint64_t (*seed)(void* context);                 /* NULL: seeds of the operating system */
  void* context;
} mt_clock;
enum { MT_CLOCK_WALL = 0, MT_CLOCK_MONOTONIC = 1 };
MT_API mt_status mt_set_clock(const mt_clock* clock);

/** An allocator for the memory of tensors. `allocate` returns NULL if it has none; `release` gets the same number of bytes as `allocate`.
 * Both are called from any thread and must not call Moontorch. Set `size` to sizeof(mt_allocator). */
typedef struct mt_allocator {
  size_t size;
  void* (*allocate)(void* context, size_t bytes, size_t alignment);
  void (*release)(void* context, void* data, size_t bytes);
  void* context;
} mt_allocator;

/** Sets the allocator for the whole process; NULL restores the system's. The library copies the struct; `context` must stay valid until the
 *  allocator is replaced. MT_ERR_INVALID while tensors or generators exist. No other thread may use the library meanwhile. */
MT_API mt_status mt_set_allocator(const mt_allocator* allocator);

/** For tests: the n-th allocation from now and all later ones fail with MT_ERR_MEMORY, until the next call of this function; 0 means never.
 */
MT_API void mt_fail_allocations_after(int64_t n);

/* ---- values ---- */

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
static inline mt_value mt_value_ref(mt_ref ref) {
  mt_value v = {MT_REF, 0, {0}};
  v.as.ref = ref;
  return v;
}
static inline mt_value mt_value_refs(const mt_ref* refs, int32_t count) {
  mt_value v = {MT_REFS, 0, {0}};
  v.count = count;
  v.as.refs = refs;
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
