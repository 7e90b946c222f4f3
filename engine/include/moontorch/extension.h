/* Moontorch's interface for libraries that add ops.
 *
 * Plain C99, for C and C++. The library is loaded at run time (torch.loadOps in Lua, mt_ops_load in C) and never unloaded. It doesn't link
 * against Moontorch: it calls only function pointers that it receives. It exports one symbol, which MT_EXTENSION_OPS defines: a table of
 * declarations. A declaration provides torch.<name>, the method x:<name>, checks of arguments with their messages, dtypes, broadcasting,
 * out arguments, help, mt_op_find of the C interface, and recording on the tape.
 *
 * An op has either loops, which compute element by element, or a plan and kernels:
 *   loops              compute n consecutive elements of each operand; the engine handles sizes, strides and threads
 *   plan and kernels   the plan checks a call and sets the sizes of results, without elements; a kernel computes the results
 * There is one loop or kernel per dtype. A dtype without one is computed in a wider one and converted back: 16-bit floats in float32,
 * float32 in float64, integers in int64. So an op on floats needs only float64, and one on integers only int64.
 *
 * Structs only gain fields: a library that was built with an older header of the same MT_EXTENSION_VERSION keeps working. */
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
  void* data; /* the first element; NULL in a plan, and if there are no elements */
  mt_dtype dtype;
  int32_t ndim;
  int64_t count; /* number of elements */
  const int64_t* sizes;
  const int64_t* strides; /* in elements; row-major order in a kernel without MT_OP_STRIDED */
} mt_op_tensor;

/** An argument of a call, in the order of the signature. */
typedef struct mt_op_arg {
  int32_t kind;  /* MT_TENSOR, MT_NUMBER, MT_INTEGER, MT_BOOLEAN, MT_STRING, MT_SIZES, MT_TENSORS, or MT_NONE if it was left out */
  int32_t count; /* number of tensors or sizes; bytes of a string */
  double number;
  int64_t integer; /* index and dim count from 0, a negative dim from the last (mt_op_dim); boolean: 0 or 1 */
  const mt_op_tensor* tensors;
  const int64_t* sizes;
  const char* string; /* not terminated by 0 */
} mt_op_arg;

/** The argument of plans and kernels. The engine owns it; it is valid during the call. */
typedef struct mt_kernel_call {
  const mt_op_arg* args;
  const mt_op_tensor* results; /* the kernel writes them; NULL in a plan */
  void* scratch;               /* as many bytes as the plan requested, aligned to 64; NULL in a plan */
  char* message;               /* a buffer of MT_OP_MESSAGE bytes: see mt_op_refuse */
  /** Calls body(context, begin, end) on ranges that cover 0..n, in several threads if n is large. `grain` is the smallest range that is
   * worth a thread. If it returns nonzero, the user has interrupted the op: the kernel must return NULL at once. */
  int32_t (*parallel_for)(const struct mt_kernel_call* call, int64_t n, int64_t grain,
                          void (*body)(void* context, int64_t begin, int64_t end), void* context);
  double scale; /* the factor of an accumulating kernel; else 0 */
} mt_kernel_call;

/** The output of a plan. On entry dtypes follow the declaration's rule, and sizes are those of the first tensor, if there is one. */
typedef struct mt_op_plan {
  struct {
    mt_dtype dtype; /* the plan may change it under the rule "custom" alone */
    int32_t ndim;   /* at most MT_OP_MAX_DIMS; 0: no elements */
    int64_t sizes[MT_OP_MAX_DIMS];
  } results[MT_OP_MAX_RESULTS];
  int64_t scratch_bytes; /* for the kernel */
  /* For a view (MT_OP_VIEW): strides of the result, none negative, and the offset of its first element from that of the first argument,
   * both in elements. On entry strides are those of the first argument. */
  int64_t view_strides[MT_OP_MAX_DIMS];
  int64_t view_first;
} mt_op_plan;

/** Checks a call and sets the sizes of its results. Returns NULL, or a message such as "dim: 3, expected 1..2" (see mt_op_refuse), which
 * the engine prefixes with the op's name. It may run without elements (torch.infer), and in several threads at a time. */
typedef const char* (*mt_op_plan_fn)(const mt_kernel_call* call, mt_op_plan* plan);

/** Computes the results. Returns NULL or a message. Not called if no result has elements. */
typedef const char* (*mt_op_kernel_fn)(const mt_kernel_call* call);

/** Computes operands[0][i] from operands[1][i], ... for i in 0..n-1. operands[0] is the result, operands[k] argument k of the signature; a
 *  number is repeated n times. An operand may have the same address as the result. */
typedef void (*mt_op_loop_fn)(int64_t n, void* const* operands);

/** Functions by dtype; NULL: none. */
typedef struct mt_op_kernels {
  mt_op_kernel_fn uint8, int8, int16, int32, int64, float16, float32, float64, boolean, bfloat16;
} mt_op_kernels;
typedef struct mt_op_loops {
  mt_op_loop_fn uint8, int8, int16, int32, int64, float16, float32, float64, boolean, bfloat16;
} mt_op_loops;

enum {
  MT_OP_STRIDED = 1,            /* kernels accept any strides, of results, too; else all tensors are contiguous */
  MT_OP_NOT_DIFFERENTIABLE = 2, /* on purpose: the tape treats results as constants */
  /* The only result is a view of the first argument, a tensor. The op has a plan, which sees the actual strides of arguments, and no
   * kernel. A write to one changes the other, and the tape follows both. By default its gradient is that of a view: zeros of the argument's
   * sizes with the gradient of the view in its place. */
  MT_OP_VIEW = 4,
  MT_OP_BROADCASTS = 8, /* tensors are expanded to common sizes, as for loops; their gradients are summed over expanded dimensions */
  MT_OP_SAME_SIZES = 16 /* results have the sizes of the first argument: gradients that need only sizes don't save the result */
};

/** An op. Unset fields are NULL and 0. The declaration and its strings must live as long as the library. */
typedef struct mt_op_decl {
  const char* name; /* letters, digits, _; not the name of a function of torch or a method of tensors */
  /** "[res] x:tensor y:tensor|number dim:dim=last scale:number=1": results (1..3), then arguments as name:kind|kind, with =default or ?
   *  if they are optional. Kinds: tensor, number, int (whole number), index (counts from 1 in Lua), dim (like index; negative ones count
   *  from the last), boolean, string, sizes, dims and indices (lists, counted alike), tensors (a list). An op with loops has one result,
   *  and arguments of the kinds tensor and number only. */
  const char* signature;
  const char* forms;   /* further orders of arguments, "x dim | x scale dim"; NULL: only the signature's */
  const char* doc;     /* what the op does, shapes, errors, source; `? name` shows it */
  const char* samples; /* argument lists in Lua, with which torch.sweep calls the op: "{randn(3, 4)}, {randn(3, 4), 1}" */
  /** The dtype of results. "same" (or NULL): the dtype to which all tensors are promoted; "float": that, or the float that holds it;
   * "mask": uint8 with 0 and 1; "index": int64. Under these rules the engine converts all tensors to one dtype, in which the kernel
   * computes. "custom": the plan sets it, tensors are not converted, and the first tensor's dtype, or else the result's, selects the
   * kernel. */
  const char* result;
  const char* method; /* the method x:name(...): "returns" a result (or NULL), works "inPlace", or does not exist ("none") */
  double ulp;         /* allowed error in units of the dtype's epsilon; 0: 4 */
  uint32_t flags;
  /** Derivatives by the arguments, in the order of the signature, as expressions of ops: "cmul(g, y)". In them g is the gradient of the
   *  result, result is the result, and arguments have their names. NULL: none. A rule beyond one expression is set in Lua: autograd.rule.
   */
  const char* gradients[MT_OP_MAX_ARGS];
  mt_op_loops loops;
  mt_op_plan_fn plan;
  mt_op_kernels kernels;
  /** The dtype in torch.autocast: "low" (16 bits), "float32", "widest" (that of the widest tensor); NULL: that of its tensors. */
  const char* precision;
  /** Accumulating kernels: results[0] += scale * result. The tape uses them to add a gradient onto an existing sum without a temporary
   * tensor. Optional, for any dtypes of `kernels`, in ops with one result. */
  mt_op_kernels accumulate;
} mt_op_decl;

/** The type of the exported table mt_extension_ops. */
typedef struct mt_extension {
  uint32_t version;   /* MT_EXTENSION_VERSION */
  uint32_t decl_size; /* sizeof(mt_op_decl) */
  int64_t count;
  const mt_op_decl* const* ops;
} mt_extension;

MT_API extern const mt_extension mt_extension_ops;

/** Defines the table, once in a library: MT_EXTENSION_OPS(&my_op, &my_other_op); */
#define MT_EXTENSION_OPS(...)                                                                                                            \
  static const mt_op_decl* const mt_extension_list[] = {__VA_ARGS__};                                                                    \
  const mt_extension mt_extension_ops = {MT_EXTENSION_VERSION, sizeof(mt_op_decl), sizeof mt_extension_list / sizeof *mt_extension_list, \
                                         mt_extension_list}

/** Formats a message into the buffer of the call. Plans and kernels return it. */
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

/** Argument `arg` as a dimension of a tensor with ndim dimensions, from 0; -1 if it is out of range. */
static inline int32_t mt_op_dim(const mt_kernel_call* call, int32_t arg, int32_t ndim) {
  const int64_t given = call->args[arg].integer, dim = given < 0 ? given + ndim : given;
  return dim >= 0 && dim < ndim ? (int32_t)dim : -1;
}

#ifdef __cplusplus
}

namespace moontorch {

// parallel_for of mt_kernel_call with a function object: body(begin, end).
template <class Body> int32_t parallel_for(const mt_kernel_call* call, int64_t n, int64_t grain, Body&& body) {
  auto* address = &body;
  return call->parallel_for(
      call, n, grain, [](void* context, int64_t begin, int64_t end) { (*static_cast<decltype(address)>(context))(begin, end); },
      const_cast<void*>(static_cast<const void*>(address)));
}

}  // namespace moontorch
#endif

#endif
