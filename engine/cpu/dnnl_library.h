// oneDNN's C interface, opened at run time: major versions 2 and 3. We declare it here, because headers are those of one version, and the
// library that is found may be the other. Numbers of oneDNN's enumerations are equal in both except for layout tags, which we replace by
// strides; spec/engine/dnnl_test.cpp compares them with the headers of the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "engine/core/error.h"
#include "engine/ops/rectifier.h"

namespace mt::cpu::dnnl {

// Handles and descriptions are opaque: their structures differ between versions.
struct Engine;
struct Stream;
struct Memory;
struct Primitive;
struct PrimitiveDesc;
struct Attributes;
struct PostOps;
struct MemoryDesc;

struct ExecArg {
  int argument;
  Memory* memory;
};

struct Version {
  int major, minor, patch;
};

// Memory for version 2's structures, which the caller provides: 696 and 5976 bytes in 2.6.
constexpr size_t desc_bytes = 2048, operation_bytes = 8 * desc_bytes;

constexpr int max_dims = 12;
using Dims = int64_t[max_dims];

enum : int { success = 0, out_of_memory = 1 };
enum : int { engine_cpu = 1, scratchpad_user = 1, tag_any = 1, forward_training = 64, forward_inference = 96 };
enum : unsigned { stream_default = 1 };
enum class Type : int { f32 = 3, u8 = 6 };
enum class Algorithm : int { direct = 1, winograd = 2 };
enum class Query : int { impl_info = 8, x = 129, x_grad, weight, weight_grad, y, y_grad, scratchpad = 136 };
enum Argument : int {
  arg_x = 1,
  arg_from = 1,
  arg_y = 17,
  arg_to = 17,
  arg_weight = 33,
  arg_bias = 41,
  arg_scratchpad = 80,
  arg_x_grad = 129,
  arg_y_grad = 145,
  arg_weight_grad = 161,
  arg_bias_grad = 169
};

// Functions of both versions, without their prefix: apply(name, result, parameters).
#define MT_DNNL_COMMON(apply)                                                                                                            \
  apply(version, const Version*, ()) apply(engine_create, int, (Engine**, int kind, size_t index))                                       \
      apply(stream_create, int, (Stream**, Engine*, unsigned flags)) apply(stream_destroy, int, (Stream*))                               \
          apply(memory_desc_equal, int, (const MemoryDesc*, const MemoryDesc*)) apply(memory_desc_get_size, size_t, (const MemoryDesc*)) \
              apply(memory_create, int, (Memory**, const MemoryDesc*, Engine*, void*)) apply(memory_destroy, int, (Memory*))             \
                  apply(primitive_desc_destroy, int, (PrimitiveDesc*))                                                                   \
                      apply(primitive_desc_query_md, const MemoryDesc*, (const PrimitiveDesc*, Query, int index))                        \
                          apply(primitive_desc_query, int, (const PrimitiveDesc*, Query, int index, void* result)) apply(                \
                              primitive_create, int, (Primitive**, const PrimitiveDesc*)) apply(primitive_destroy, int, (Primitive*))    \
                              apply(primitive_execute, int, (const Primitive*, Stream*, int count, const ExecArg*)) apply(               \
                                  reorder_primitive_desc_create, int,                                                                    \
                                  (PrimitiveDesc**, const MemoryDesc* from, Engine*, const MemoryDesc* to, Engine*, const Attributes*))  \
                                  apply(primitive_attr_create, int, (Attributes**))                                                      \
                                      apply(primitive_attr_set_scratchpad_mode, int, (Attributes*, int mode))                            \
                                          apply(primitive_attr_destroy, int, (Attributes*)) apply(post_ops_create, int, (PostOps**))     \
                                              apply(post_ops_destroy, int, (PostOps*))                                                   \
                                                  apply(primitive_attr_set_post_ops, int, (Attributes*, const PostOps*))

#define MT_DNNL_OF_2(apply)                                                                                                              \
  apply(memory_desc_init_by_strides, int, (MemoryDesc*, int, const int64_t* sizes, Type, const int64_t* strides))                        \
      apply(memory_desc_init_by_tag, int, (MemoryDesc*, int, const int64_t* sizes, Type, int tag))                                       \
          apply(dilated_convolution_forward_desc_init, int,                                                                              \
                (void*, int kind, Algorithm, const MemoryDesc* x, const MemoryDesc* weight, const MemoryDesc* bias, const MemoryDesc* y, \
                 const int64_t* strides, const int64_t* dilations, const int64_t* pad, const int64_t* far))                              \
              apply(dilated_convolution_backward_data_desc_init, int,                                                                    \
                    (void*, Algorithm, const MemoryDesc* x, const MemoryDesc* weight, const MemoryDesc* y, const int64_t* strides,       \
                     const int64_t* dilations, const int64_t* pad, const int64_t* far))                                                  \
                  apply(dilated_convolution_backward_weights_desc_init, int,                                                             \
                        (void*, Algorithm, const MemoryDesc* x, const MemoryDesc* weight, const MemoryDesc* bias, const MemoryDesc* y,   \
                         const int64_t* strides, const int64_t* dilations, const int64_t* pad, const int64_t* far))                      \
                      apply(primitive_desc_create, int,                                                                                  \
                            (PrimitiveDesc**, const void* op, const Attributes*, Engine*, const PrimitiveDesc* hint))

#define MT_DNNL_OF_3(apply)                                                                                                                \
  apply(memory_desc_create_with_strides, int, (MemoryDesc**, int, const int64_t* sizes, Type, const int64_t* strides))                     \
      apply(memory_desc_create_with_tag, int, (MemoryDesc**, int, const int64_t* sizes, Type, int tag))                                    \
          apply(memory_desc_destroy, int, (MemoryDesc*))                                                                                   \
              apply(convolution_forward_primitive_desc_create, int,                                                                        \
                    (PrimitiveDesc**, Engine*, int kind, Algorithm, const MemoryDesc* x, const MemoryDesc* weight, const MemoryDesc* bias, \
                     const MemoryDesc* y, const int64_t* strides, const int64_t* dilations, const int64_t* pad, const int64_t* far,        \
                     const Attributes*)) apply(convolution_backward_data_primitive_desc_create, int,                                       \
                                               (PrimitiveDesc**, Engine*, Algorithm, const MemoryDesc* x, const MemoryDesc* weight,        \
                                                const MemoryDesc* y, const int64_t* strides, const int64_t* dilations, const int64_t* pad, \
                                                const int64_t* far, const PrimitiveDesc* hint, const Attributes*))                         \
                  apply(convolution_backward_weights_primitive_desc_create, int,                                                           \
                        (PrimitiveDesc**, Engine*, Algorithm, const MemoryDesc* x, const MemoryDesc* weight, const MemoryDesc* bias,       \
                         const MemoryDesc* y, const int64_t* strides, const int64_t* dilations, const int64_t* pad, const int64_t* far,    \
                         const PrimitiveDesc* hint, const Attributes*))

// c = beta c + alpha a b of row-major matrices, a (m, k) or, with 'T', its transpose. beta = 0: c is not read.
using Gemm = int (*)(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda, const float* b,
                     int64_t ldb, float beta, float* c, int64_t ldc);

struct Library {
#define MT_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
  MT_DNNL_COMMON(MT_MEMBER)
  MT_DNNL_OF_2(MT_MEMBER)
  MT_DNNL_OF_3(MT_MEMBER)
#undef MT_MEMBER
  Gemm sgemm = nullptr;                                   // null if oneDNN was built without it
  void *append_sum = nullptr, *append_eltwise = nullptr;  // their parameters depend on the version
  const char* (*tag_name)(int tag) = nullptr;             // null if it is missing
  Engine* engine = nullptr;
  Attributes* attributes = nullptr;  // the caller provides scratch memory, so that several threads can run a primitive
};

// The library, opened by the first call: the file in the environment variable MOONTORCH_DNNL, or the system's. Null if there is none of
// version 2 or 3, or if MOONTORCH_DNNL is 0.
const Library* library();

class Refused {};  // thrown if oneDNN has no kernel

inline void check(int status) {
  if (status == out_of_memory) raise(mt::Status::memory, "out of memory in oneDNN");
  if (status != success) throw Refused();
}

inline void destroy(Primitive* primitive) { library()->primitive_destroy(primitive); }
inline void destroy(Attributes* attributes) { library()->primitive_attr_destroy(attributes); }
inline void destroy(PostOps* ops) { library()->post_ops_destroy(ops); }
inline void destroy(PrimitiveDesc* desc) { library()->primitive_desc_destroy(desc); }
inline void destroy(Memory* memory) { library()->memory_destroy(memory); }
inline void destroy(Stream* stream) { library()->stream_destroy(stream); }
void destroy(MemoryDesc* desc);

struct Destroy {
  template <class T> void operator()(T* handle) const { destroy(handle); }
};
template <class T> using Owned = std::unique_ptr<T, Destroy>;

// An operand with these strides, or with the layout that the kernel prefers.
Owned<MemoryDesc> describe(std::span<const int64_t> sizes, std::span<const int64_t> strides, Type type = Type::f32);
Owned<MemoryDesc> describe_any(std::span<const int64_t> sizes);
// Images (batch, channels, height, width) whose channels lie in blocks of 8 or 16; null if the library has no name for it.
Owned<MemoryDesc> describe_blocks(std::span<const int64_t> sizes, int64_t block);

// A convolution for which oneDNN chooses a kernel.
struct Convolution {
  Algorithm algorithm;
  const MemoryDesc *x, *weight, *bias, *y;  // null: without a bias
  Dims strides, dilations, pad, far;        // dilations count from 0
  int kind = forward_training;              // forward_inference: the weight is packed once, in the form that the kernel needs
};
Owned<PrimitiveDesc> choose_forward(const Convolution& convolution, const Attributes* attributes = library()->attributes);
// Attributes of a convolution whose result is added to what y holds, and then has its negative elements replaced by 0.
Owned<Attributes> attributes_with(bool sum, Rectifier relu);
// The gradient of x or of the weight (and the bias), for the chosen forward pass.
Owned<PrimitiveDesc> choose_input_grad(const Convolution& convolution, const PrimitiveDesc& forward);
Owned<PrimitiveDesc> choose_weight_grad(const Convolution& convolution, const PrimitiveDesc& forward);

}  // namespace mt::cpu::dnnl
