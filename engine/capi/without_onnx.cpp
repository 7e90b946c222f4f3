// The functions of ONNX models in a build without protozero: there are no models.
#include "engine/capi/handle.h"

namespace {

mt_status refuse(const char* function) {
  return mt::capi::guard(
      [&] { mt::fail<mt::Status::unsupported>(function, "model", "a library without ONNX, expected a build with libprotozero-dev"); });
}

}  // namespace

mt_status mt_onnx_load(const char*, mt_onnx**) { return refuse("mt_onnx_load"); }
mt_status mt_onnx_read(const void*, size_t, mt_onnx**) { return refuse("mt_onnx_read"); }
void mt_onnx_free(mt_onnx*) {}
int32_t mt_onnx_input_count(const mt_onnx*) { return 0; }
int32_t mt_onnx_required_count(const mt_onnx*) { return 0; }
const char* mt_onnx_input_name(const mt_onnx*, int32_t) { return nullptr; }
mt_dtype mt_onnx_input_dtype(const mt_onnx*, int32_t) { return -1; }
int32_t mt_onnx_input_ndim(const mt_onnx*, int32_t) { return -1; }
const int64_t* mt_onnx_input_sizes(const mt_onnx*, int32_t) { return nullptr; }
int32_t mt_onnx_output_count(const mt_onnx*) { return 0; }
const char* mt_onnx_output_name(const mt_onnx*, int32_t) { return nullptr; }
mt_dtype mt_onnx_output_dtype(const mt_onnx*, int32_t) { return -1; }
int32_t mt_onnx_output_ndim(const mt_onnx*, int32_t) { return -1; }
const int64_t* mt_onnx_output_sizes(const mt_onnx*, int32_t) { return nullptr; }
const char* mt_onnx_metadata(const mt_onnx*, const char*) { return nullptr; }
mt_status mt_onnx_run(const mt_onnx*, const mt_named_value*, int32_t, int32_t, mt_tensor**) { return refuse("mt_onnx_run"); }
mt_status mt_onnx_graph(const mt_onnx*, const mt_named_value*, int32_t, const mt_named_value*, int32_t, mt_graph**) {
  return refuse("mt_onnx_graph");
}
mt_status mt_onnx_prepare(const mt_onnx*, const mt_named_value*, int32_t, const mt_named_value*, int32_t, mt_prepared**) {
  return refuse("mt_onnx_prepare");
}
