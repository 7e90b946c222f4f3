// Sizes and element types of an op's results without computing them: the plan runs on tensors without elements.
#include <deque>
#include <vector>

#include "engine/capi/call.h"
#include "engine/core/meta.h"

namespace mt::capi {
namespace {

void infer(const Op& op, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results) {
  constexpr const char* name = "mt_infer";
  for (int32_t r = 0; results != nullptr && r < n_results && r < op.decl->signature.result_count; ++r) {
    if (results[r] != nullptr) fail(name, "results", "a tensor as result ", r + 1, ", expected NULL");
  }
  std::vector<mt_value> values;
  if (args != nullptr && n_args > 0) values.assign(args, args + n_args);
  std::deque<mt_tensor> tensors;  // a deque: the addresses stay valid
  std::deque<std::vector<mt_tensor*>> listed;
  const auto meta = [&](mt_tensor* x) {
    if (x == nullptr) return x;
    tensors.emplace_back().tensor = without_elements(x->tensor);
    return &tensors.back();
  };
  for (mt_value& v : values) {
    if (v.kind == MT_TENSOR) v.as.tensor = meta(v.as.tensor);
    if (v.kind != MT_TENSORS || v.as.tensors == nullptr) continue;
    auto& list = listed.emplace_back();
    for (int32_t k = 0; k < v.count; ++k) list.push_back(meta(v.as.tensors[k]));
    v.as.tensors = list.data();
  }
  call(op, values.data(), n_args, n_results, results, Purpose::inference);
}

}  // namespace
}  // namespace mt::capi

mt_status mt_infer(const char* name, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results) {
  return mt::capi::guard([&] { mt::capi::infer(mt::capi::op_called(name, "mt_infer"), args, n_args, n_results, results); });
}
