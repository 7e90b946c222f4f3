// Compares the constants that we declare for oneDNN's two versions with the headers of this machine.
#include "engine/cpu/dnnl_library.h"

#if __has_include(<dnnl.h>)
#include <dnnl.h>

namespace dnnl = mt::cpu::dnnl;

#define SAME(ours, theirs) static_assert(static_cast<int>(dnnl::ours) == static_cast<int>(theirs))
SAME(success, dnnl_success);
SAME(out_of_memory, dnnl_out_of_memory);
SAME(engine_cpu, dnnl_cpu);
SAME(scratchpad_user, dnnl_scratchpad_mode_user);
SAME(tag_any, dnnl_format_tag_any);
SAME(forward_training, dnnl_forward_training);
SAME(stream_default, dnnl_stream_default_flags);
SAME(Type::f32, dnnl_f32);
SAME(Type::u8, dnnl_u8);
SAME(Algorithm::direct, dnnl_convolution_direct);
SAME(Algorithm::winograd, dnnl_convolution_winograd);
SAME(Query::impl_info, dnnl_query_impl_info_str);
SAME(Query::x, dnnl_query_src_md);
SAME(Query::x_grad, dnnl_query_diff_src_md);
SAME(Query::weight, dnnl_query_weights_md);
SAME(Query::weight_grad, dnnl_query_diff_weights_md);
SAME(Query::y, dnnl_query_dst_md);
SAME(Query::y_grad, dnnl_query_diff_dst_md);
SAME(Query::scratchpad, dnnl_query_scratchpad_md);
SAME(arg_x, DNNL_ARG_SRC);
SAME(arg_from, DNNL_ARG_FROM);
SAME(arg_y, DNNL_ARG_DST);
SAME(arg_to, DNNL_ARG_TO);
SAME(arg_weight, DNNL_ARG_WEIGHTS);
SAME(arg_bias, DNNL_ARG_BIAS);
SAME(arg_scratchpad, DNNL_ARG_SCRATCHPAD);
SAME(arg_x_grad, DNNL_ARG_DIFF_SRC);
SAME(arg_y_grad, DNNL_ARG_DIFF_DST);
SAME(arg_weight_grad, DNNL_ARG_DIFF_WEIGHTS);
SAME(arg_bias_grad, DNNL_ARG_DIFF_BIAS);
SAME(max_dims, DNNL_MAX_NDIMS);
static_assert(sizeof(dnnl::ExecArg) == sizeof(dnnl_exec_arg_t) && offsetof(dnnl::ExecArg, memory) == offsetof(dnnl_exec_arg_t, memory));
static_assert(offsetof(dnnl::Version, patch) == offsetof(dnnl_version_t, patch));
#if DNNL_VERSION_MAJOR == 2
static_assert(sizeof(dnnl_memory_desc_t) <= dnnl::desc_bytes && sizeof(dnnl_convolution_desc_t) <= dnnl::operation_bytes);
#endif
#endif
