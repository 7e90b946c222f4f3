/* Moontorch's interface for libraries that bring ops of their own: what such a library shows, and what it is given.
 *
 * Plain C99, from C and C++. The library is loaded at run time (torch.loadOps in Lua, mt_ops_load in C) and stays. It links against nothing
 * of Moontorch's: all that it calls is a pointer that it gets. It shows one symbol, which MT_EXTENSION_OPS defines: a table of
 * declarations. From a declaration come torch.<name>, the method x:<name>, checks of arguments and their messages, dtypes, broadcasting,
 * results that the caller gives, help, the C interface's mt_op_find, and the op's place on the tape.
 *
 * An op has either loops, which compute element by element, or a plan and kernels:
 *   loops              n elements of each operand, one after the other; the engine has seen to sizes, strides and threads
 *   plan and kernels   the plan checks a call and says what results it has, by sizes alone; a kernel computes them
 * Loops and kernels are given by dtype. What has none of its own is computed in a wider one and converted back: 16-bit floats in float32,
 * float32 in float64, integers in int64. So float64 is needed where floats are taken, int64 where integers are; no more is.
 *
 * The numbers of fields only grow: a library that was built with an older header of the same MT_EXTENSION_VERSION goes on working. */
#ifndef MOONTORCH_EXTENSION_H
#define MOONTORCH_EXTENSION_H

#include <stdarg.h>
#include <stdio.h>

#include "moontorch/moontorch.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MT_EXTENSION_VERSION 1

enum { MT_OP_MAX_ARGS = 14, MT_OP_MAX_RESULTS = 3, MT_OP_MAX_DIMS = 64, MT_OP_MESSAGE = 256 };

/** A tensor of a call. */
typedef struct mt_op_tensor {
  void* data; /* of its first element; NULL in a plan, and where there are no elements */
  mt_dtype dtype;
  int32_t ndim;
  int64_t count; /* elements */
  const int64_t* sizes;
  const int64_t* strides; /* from one index to the next, in elements: in a kernel those of row-major order, unless MT_OP_STRIDED is set */
} mt_op_tensor;

/** An argument of a call, by the signature's order. */
typedef struct mt_op_arg {
  int32_t kind;  /* MT_TENSOR, MT_NUMBER, MT_INTEGER, MT_BOOLEAN, MT_STRING, MT_SIZES, MT_TENSORS, or MT_NONE: it was left out */
  int32_t count; /* of tensors or sizes; bytes of a string */
  double number;
  int64_t integer; /* of index and dim from 0, where a dim from the end is negative (mt_op_dim); of a boolean 0 or 1 */
  const mt_op_tensor* tensors;
  const int64_t* sizes;
  const char* string; /* without a NUL */
} mt_op_arg;

/** What a plan and a kernel get. All of it is the engine's, and lasts for the call. */
typedef struct mt_kernel_call {
  const mt_op_arg* args;
  const mt_op_tensor* results; /* to be written; NULL in a plan */
  void* scratch;               /* as many bytes as the plan asked for, aligned to 64; NULL in a plan */
  char* message;               /* room for MT_OP_MESSAGE bytes: see mt_op_refuse */
  /** Calls body(context, begin, end) on ranges that cover 0..n, in several threads where there is enough to do: `grain` is the least that
   * is worth a thread. Nonzero when the kernel is to return at once, with NULL: the user has interrupted it. */
  int32_t (*parallel_for)(const struct mt_kernel_call* call, int64_t n, int64_t grain,
                          void (*body)(void* context, int64_t begin, int64_t end), void* context);
  double scale; /* of what an accumulating kernel adds; else 0 */
} mt_kernel_call;

/** What a plan fills in. On entry dtypes are those of the declaration's rule, and sizes those of the first tensor, if there is one. */
typedef struct mt_op_plan {
  struct {
    mt_dtype dtype; /* to be changed under the rule "custom" alone */
    int32_t ndim;   /* at most MT_OP_MAX_DIMS; 0: no elements */
    int64_t sizes[MT_OP_MAX_DIMS];
  } results[MT_OP_MAX_RESULTS];
  int64_t scratch_bytes; /* for the kernel */
  /* Of a view (MT_OP_VIEW): strides of the result, from 0 on, and its first element counted from that of the first argument, in elements.
   * On entry strides are those of the first argument. */
  int64_t view_strides[MT_OP_MAX_DIMS];
  int64_t view_first;
} mt_op_plan;

/** Checks a call and says what its results are. NULL, or what is wrong: "dim: 3 came, 1..2 was expected", as mt_op_refuse makes it; the
 *  engine puts the op's name before it. It may run without elements (torch.infer), and in several threads at a time. */
typedef const char* (*mt_op_plan_fn)(const mt_kernel_call* call, mt_op_plan* plan);

/** Computes the results. NULL, or what is wrong. It is not called where no result has elements. */
typedef const char* (*mt_op_kernel_fn)(const mt_kernel_call* call);

/** Computes operands[0][i] from operands[1][i], ... for i in 0..n-1. operands[0] is the result, operands[k] argument k of the signature: a
 *  number is there n times. An operand may be where the result is, element by element. */
typedef void (*mt_op_loop_fn)(int64_t n, void* const* operands);

/** Functions by dtype; NULL where there is none. */
typedef struct mt_op_kernels {
  mt_op_kernel_fn uint8, int8, int16, int32, int64, float16, float32, float64, boolean, bfloat16;
} mt_op_kernels;
typedef struct mt_op_loops {
  mt_op_loop_fn uint8, int8, int16, int32, int64, float16, float32, float64, boolean, bfloat16;
} mt_op_loops;

enum {
  MT_OP_STRIDED = 1,            /* kernels take tensors of any strides, results included; else all are contiguous */
  MT_OP_NOT_DIFFERENTIABLE = 2, /* on purpose: results are constants to the tape */
  /* The only result is a view of the first argument, a tensor: it has a plan, which sees arguments with the strides that they have, and no
   * kernel. A write to one changes the other, and the tape follows both. Without gradients it has that of a view: zeros of the argument's
   * sizes, and the gradient where the view is. */
  MT_OP_VIEW = 4,
  MT_OP_BROADCASTS = 8, /* tensors of different sizes are expanded to common ones, as those of loops are: gradients are folded back */
  MT_OP_SAME_SIZES = 16 /* results have the sizes of the first argument: a gradient that asks for them need not compute the result */
};

/** An op. Fields that are left out are NULL and 0. Texts and the declaration itself must last as long as the library. */
typedef struct mt_op_decl {
  const char* name; /* letters, digits, _; none that torch or the tensors have */
  /** "[res] x:tensor y:tensor|number dim:dim=last scale:number=1": results (1..3), then arguments as name:kind|kind, with =default or ?
   *  where they may be left out. Kinds: tensor, number (any), int (whole), index (counted from 1 by the caller), dim (as index, negative
   *  from the last), boolean, string, sizes, dims and indices (lists, counted alike), tensors (a list). Of an op with loops: one result,
   *  tensor and number alone. */
  const char* signature;
  const char* forms;   /* other orders of arguments, "x dim | x scale dim"; NULL: the signature's */
  const char* doc;     /* what it does, shapes, errors, source; shown by `? name` */
  const char* samples; /* argument lists in Lua by which torch.sweep calls it: "{randn(3, 4)}, {randn(3, 4), 1}" */
  /** The dtype of results. "same" (or NULL): that to which all tensors are promoted; "float": that, or the float that holds it; "mask":
   * bytes 0 and 1; "index": int64. Under these, tensors come in one dtype, in which the kernel computes. "custom": the plan says it,
   * tensors come as they are, and the kernel is that of the first tensor's dtype, or of the result's where there is none. */
  const char* result;
  const char* method; /* what x:name(...) does: "returns" (or NULL), "inPlace": writes into x; "none": there is no method */
  double ulp;         /* allowed error in epsilons of the dtype; 0: 4 */
  uint32_t flags;
  /** Derivatives by the arguments, in the signature's order, as expressions of ops: "cmul(g, y)". In them g is the gradient of the result,
   *  result the result, and arguments have their names. NULL: none. (What takes more than an expression is given in Lua: autograd.rule.) */
  const char* gradients[MT_OP_MAX_ARGS];
  mt_op_loops loops;
  mt_op_plan_fn plan;
  mt_op_kernels kernels;
  /** In which dtype torch.autocast runs it: "low" (16 bits), "float32", "widest" (that of the widest tensor); NULL: as tensors come. */
  const char* precision;
  /** Kernels that add: results[0] += scale * result. The tape calls them where a gradient arrives at a sum that exists, so that no tensor
   * is made of it. Optional, for any of the dtypes that `kernels` has; of ops with one result. */
  mt_op_kernels accumulate;
} mt_op_decl;

/** The table that a library shows as mt_extension_ops. */
typedef struct mt_extension {
  uint32_t version;   /* MT_EXTENSION_VERSION */
  uint32_t decl_size; /* sizeof(mt_op_decl) */
  int64_t count;
  const mt_op_decl* const* ops;
} mt_extension;

MT_API extern const mt_extension mt_extension_ops;

/** Defines the table: once in a library, MT_EXTENSION_OPS(&my_op, &my_other_op); */
#define MT_EXTENSION_OPS(...)                                                                                                            \
  static const mt_op_decl* const mt_extension_list[] = {__VA_ARGS__};                                                                    \
  const mt_extension mt_extension_ops = {MT_EXTENSION_VERSION, sizeof(mt_op_decl), sizeof mt_extension_list / sizeof *mt_extension_list, \
                                         mt_extension_list}

/** For a plan's or kernel's return: the text, in the call's room for it. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static inline const char*
mt_op_refuse(const mt_kernel_call* call, const char* format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(call->message, MT_OP_MESSAGE, format, values);
  va_end(values);
  return call->message;
}

/** Argument `arg` as a dimension, from 0, of something with ndim of them; -1 where it is none of these. */
static inline int32_t mt_op_dim(const mt_kernel_call* call, int32_t arg, int32_t ndim) {
  const int64_t given = call->args[arg].integer, dim = given < 0 ? given + ndim : given;
  return dim >= 0 && dim < ndim ? (int32_t)dim : -1;
}

#ifdef __cplusplus
}

namespace moontorch {

// mt_kernel_call's parallel_for with a function object: body(begin, end).
template <class Body> int32_t parallel_for(const mt_kernel_call* call, int64_t n, int64_t grain, Body&& body) {
  auto* address = &body;
  return call->parallel_for(
      call, n, grain, [](void* context, int64_t begin, int64_t end) { (*static_cast<decltype(address)>(context))(begin, end); },
      const_cast<void*>(static_cast<const void*>(address)));
}

}  // namespace moontorch
#endif

#endif
